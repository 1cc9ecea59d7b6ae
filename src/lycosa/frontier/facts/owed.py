"""Pauses that the owner before still owed to hosts and addresses, in seconds, or may have owed.

The clocks of two machines are not compared: the next owner counts the seconds from the moment at
which it takes the partition, by its own clock.

Always true: a host is in `rows` from the event that lets a row begin, which is durable before its
first request, until the event that ends it, which is one write with the row's last answer. So a
later owner knows every host that may owe more than one pause.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from lycosa.frontier.facts.columns import Hosts
from lycosa.model.records import PartsInRow, Released


class Rows(Struct):
    """Hosts that may be asked for parts of a page in a row, and the pauses that they owe for it.

    Empty without `[render] burst_parts`.
    """

    owed: dict[int, int] = {}
    """Since the partition was taken: a resume would have to wait for so many pauses."""
    before: dict[int, int] = {}
    """The same of owners before; a host is in it until it has answered again."""

    def is_known(self, host: int) -> bool:
        """Return whether a row of the host is not over, or an owner before has left one."""
        return host in self.owed or host in self.before

    def most_owed(self, host: int) -> int:
        """Return how many pauses the host may owe if this owner dies."""
        return max(self.owed.get(host, 1), self.before.get(host, 1))

    def apply(self, event: PartsInRow) -> None:
        """Let a row begin, or end."""
        if event.parts:
            self.owed[event.host] = event.most
        else:
            self.owed.pop(event.host, None)
            self.before.pop(event.host, None)

    def taken(self) -> None:
        """Note that the partition has another owner."""
        for host in self.owed:
            self.before[host] = self.most_owed(host)
        self.owed = {}


class Owed:
    """The rests that are left; empty while the partition has an owner."""

    def __init__(self) -> None:
        self.hosts: dict[int, float] = {}
        self.addresses: dict[str, float] = {}
        self.resumed_ago = -1.0
        self.rows = Rows()

    def apply_released(self, event: Released) -> None:
        """Take in what the former owner says."""
        self.hosts, self.addresses = dict(event.hosts), dict(event.addresses)
        self.resumed_ago = event.resumed_ago
        self.rows.owed = {}  # nothing is under way, and the rests hold what was owed

    def apply_taken(self, moment: float, hosts: Hosts) -> None:
        """Let the hosts rest from this moment on; addresses are the worker's to let rest."""
        for host, seconds in self.hosts.items():
            hosts.due[host] = moment + seconds
        if self.rows.owed:
            self.rows.taken()
        self.hosts, self.addresses, self.resumed_ago = {}, {}, -1.0

    def pack(self) -> tuple[object, ...]:
        """Return everything for a snapshot."""
        return self.hosts, self.addresses, self.resumed_ago, self.rows.owed, self.rows.before

    def unpack(self, packed: Sequence[Any]) -> None:
        """Fill from what `pack` returned, perhaps before it had all of it."""
        self.hosts, self.addresses, *more = packed
        self.resumed_ago = more[0] if more else -1.0
        if more[1:]:  # events are applied to the rows that were made first
            self.rows.owed, self.rows.before = more[1:]
