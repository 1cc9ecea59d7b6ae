"""Cordons: partitions whose owners die repeatedly are left without an owner.

A page, or a damaged log, can kill every process that reads it. Without a limit it would pass
through the whole cluster, one machine after the other. A member that takes a partition from a dead
life therefore first records that death on the board. After four deaths the partition is cordoned:
it has no owner until the operator lifts the cordon. An owner that has lived with its partition for
15 s removes the deaths, because machines die for other reasons too. A process that was only cut off
or stopped removes its earlier lives' deaths when it is back, because it has not died.

The deaths are named by life, so that a write whose answer was lost can be repeated.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from lycosa._support.decoders import json_decoder

MOST_DEATHS = 4
SURVIVED_SECONDS = 15.0
"""Seconds that an owner must live with a partition before its deaths are removed."""


class Cordons(msgspec.Struct, frozen=True):
    """Value on the board under `cordons`."""

    deaths: dict[int, tuple[int, ...]] = {}
    """By partition, the lives that died while they owned it, in order."""

    def died(self, partition: int, life: int) -> Cordons:
        """Record a death."""
        before = self.deaths.get(partition, ())
        if life in before:
            return self
        return Cordons({**self.deaths, partition: (*before, life)})

    def cleared(self, partition: int) -> Cordons:
        """Remove the deaths: the owner is alive, or the operator lifts the cordon."""
        if partition not in self.deaths:
            return self
        return Cordons({one: lives for one, lives in self.deaths.items() if one != partition})

    def without(self, lives: Collection[int]) -> Cordons:
        """Remove deaths of lives whose process is alive: it was cut off or stopped, and is back."""
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
    """Return cordons as stored on the board."""
    return msgspec.json.encode(cordons)


def unpack(value: bytes) -> Cordons:
    """Read cordons; an empty value means none."""
    return json_decoder(Cordons).decode(value) if value else Cordons()
