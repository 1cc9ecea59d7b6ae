"""Pauses that the owner before still owed to hosts and addresses, in seconds.

The clocks of two machines are not compared: the next owner counts the seconds from the moment at
which it takes the partition, by its own clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lycosa.frontier.facts.columns import Hosts
from lycosa.model.records import Released


class Owed:
    """The rests that are left; empty while the partition has an owner."""

    def __init__(self) -> None:
        self.hosts: dict[int, float] = {}
        self.addresses: dict[str, float] = {}
        self.resumed_ago = -1.0

    def apply_released(self, event: Released) -> None:
        """Take in what the former owner says."""
        self.hosts, self.addresses = dict(event.hosts), dict(event.addresses)
        self.resumed_ago = event.resumed_ago

    def apply_taken(self, moment: float, hosts: Hosts) -> None:
        """Let the hosts rest from this moment on; addresses are the worker's to let rest."""
        for host, seconds in self.hosts.items():
            hosts.due[host] = moment + seconds
        self.hosts, self.addresses, self.resumed_ago = {}, {}, -1.0

    def pack(self) -> tuple[dict[int, float], dict[str, float], float]:
        """Return everything for a snapshot."""
        return self.hosts, self.addresses, self.resumed_ago

    def unpack(self, packed: Sequence[Any]) -> None:
        """Fill from what `pack` returned, perhaps before it had all of it."""
        self.hosts, self.addresses, *more = packed
        self.resumed_ago = more[0] if more else -1.0
