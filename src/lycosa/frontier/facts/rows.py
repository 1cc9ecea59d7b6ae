"""Hosts that may be asked for parts of a page in a row, and the pauses that they owe for it.

Always true: a host is in `owed` from the event that lets a row begin, which is durable before its
first request, until the event that ends it, which is one write with the row's last answer. So a
later owner knows every host that may owe more than one pause (`before`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lycosa.model.records import PartsInRow


@dataclass
class Rows:
    """The pauses that hosts may owe, by host; empty without `[render] burst_parts`."""

    owed: dict[int, int] = field(default_factory=dict)
    """Since the partition was taken: a resume would have to wait for so many pauses."""
    before: dict[int, int] = field(default_factory=dict)
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

    def released(self) -> None:
        """Note that nothing is under way, and the moments of all hosts hold what they owe."""
        self.owed = {}

    def pack(self) -> list[dict[int, int]]:
        """Return everything for a snapshot."""
        return [self.owed, self.before]

    def unpack(self, packed: Sequence[dict[int, int]]) -> None:
        """Fill from what `pack` returned."""
        if packed:
            self.owed, self.before = packed
