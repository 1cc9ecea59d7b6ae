"""The result of a simulated crawl: how it ended, what it kept, and which rules it broke."""

from __future__ import annotations

from dataclasses import dataclass, field

from lycosa.frontier.fold.state import PartitionState
from lycosa.testweb.referee.rulebook import Breach


@dataclass
class Result:
    """How a simulated crawl ended, what it kept, and which rules it broke."""

    reason: str
    """What ended it; "" when the virtual time ran out first."""
    breaches: list[Breach]
    states: dict[int, PartitionState]
    kills: list[str] = field(default_factory=list)
    """The fail points at which it was killed, in order."""
    requests: int = 0
    virtual_seconds: float = 0.0
    ends: int = 0
    """In how many lives a worker announced the end."""

    @property
    def kept_pages(self) -> int:
        """Pages kept, as the log counts them."""
        return sum(state.kept_pages for state in self.states.values())

    @property
    def kept_bytes(self) -> int:
        """Bytes kept, as the log counts them."""
        return sum(state.kept_bytes for state in self.states.values())
