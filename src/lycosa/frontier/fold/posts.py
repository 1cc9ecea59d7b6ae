"""The requests of a partition that plugins have posted, and what is known of each.

Always true: a POST that is noted here is sent by no crawl, unless it was not sent after all, or
the operator has asked for it again (`retry`). So a kill at any moment sends it at most once.

Cost: an entry for each POST that was sent.
"""

from __future__ import annotations

from typing import Any

from lycosa.model.records import Outcome, Posted, PostState


class Posts:
    """What is known of each POST, by the number of its URL."""

    def __init__(self) -> None:
        self.states: dict[int, PostState] = {}

    def apply(self, event: Posted) -> None:
        """Take in that one is about to be sent, or what became of it."""
        if event.state is PostState.UNSENT:
            self.states.pop(event.page, None)
        else:
            self.states[event.page] = event.state

    def reopen(self, page: int, outcome: int) -> None:
        """Let one be sent again, because the operator asks for it and knows what became of it."""
        if outcome == Outcome.UNKNOWN_POST or self.states.get(page) is PostState.ANSWERED:
            self.states.pop(page, None)

    def pack(self) -> dict[str, Any]:
        """Return the content for a snapshot."""
        return {str(page): int(state) for page, state in sorted(self.states.items())}

    def unpack(self, packed: dict[str, Any]) -> None:
        """Restore what `pack` returned; nothing from a snapshot of before."""
        self.states = {int(page): PostState(state) for page, state in packed.items()}
