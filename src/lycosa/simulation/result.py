"""The result of a simulated crawl: its end, its kept pages, and the rules that it broke."""

from __future__ import annotations

from dataclasses import dataclass, field

from lycosa.frontier.fold.state import PartitionState
from lycosa_testweb.referee.rulebook import Breach


@dataclass
class Result:
    """End, kept pages and broken rules of a simulated crawl."""

    reason: str
    """Reason for the end; "" if the virtual time ran out first."""
    breaches: list[Breach]
    states: dict[int, PartitionState]
    kills: list[str] = field(default_factory=list)
    """Fail points at which it was killed, in order."""
    requests: int = 0
    virtual_seconds: float = 0.0
    ends: int = 0
    """Number of lives in which a worker announced the end."""

    @property
    def kept_pages(self) -> int:
        """Pages kept, as the log counts them."""
        return sum(state.kept_pages for state in self.states.values())

    @property
    def kept_bytes(self) -> int:
        """Bytes kept, as the log counts them."""
        return sum(state.kept_bytes for state in self.states.values())
