"""Partitions whose owners die again and again are left alone.

A page, or a damaged log, can kill every process that touches it. Without a bound it would go
through the whole cluster, one machine after the other. So whoever takes a partition from a dead
life first writes that death down, on the board. After four deaths the partition is cordoned: it
stays without an owner until the operator lifts the cordon. An owner that has lived with its
partition for 15 s strikes the deaths out: machines die for other reasons, too. And a process that
was only cut off, or stopped, strikes its earlier lives out when it is back: it has not died of
anything.

The deaths are named by life, so that a write whose answer was lost can be repeated.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from lycosa.decoders import json_decoder

MOST_DEATHS = 4
SURVIVED_SECONDS = 15.0
"""How long an owner must live with a partition to strike its deaths out."""


class Cordons(msgspec.Struct, frozen=True):
    """What stands on the board under `cordons`."""

    deaths: dict[int, tuple[int, ...]] = {}
    """By partition: the lives that died while they owned it, one after the other."""

    def died(self, partition: int, life: int) -> Cordons:
        """Write a death down."""
        before = self.deaths.get(partition, ())
        if life in before:
            return self
        return Cordons({**self.deaths, partition: (*before, life)})

    def cleared(self, partition: int) -> Cordons:
        """Strike the deaths out: its owner lives, or the operator lifts the cordon."""
        if partition not in self.deaths:
            return self
        return Cordons({one: lives for one, lives in self.deaths.items() if one != partition})

    def without(self, lives: Collection[int]) -> Cordons:
        """Strike lives out whose process is alive: it was cut off, or stopped, and is back."""
        deaths = {
            partition: tuple(life for life in named if life not in lives)
            for partition, named in self.deaths.items()
        }
        found = {partition: named for partition, named in deaths.items() if named}
        return self if found == self.deaths else Cordons(found)

    @property
    def cordoned(self) -> frozenset[int]:
        """The partitions that no member may take."""
        return frozenset(
            partition for partition, lives in self.deaths.items() if len(lives) >= MOST_DEATHS
        )


def pack(cordons: Cordons) -> bytes:
    """Return cordons as they stand on the board."""
    return msgspec.json.encode(cordons)


def unpack(value: bytes) -> Cordons:
    """Read cordons; nothing there means none."""
    return json_decoder(Cordons).decode(value) if value else Cordons()
