"""Counts the URLs in a crawl's queue that match a rule, before the rule is added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lycosa.frontier.fold.state import PartitionState
from lycosa.model.url import parse_rules, url_of
from lycosa.model.url.scope import Scope

MOST_SHOWN = 5


class Preview(NamedTuple):
    """Result of a rule's trial on the queue."""

    pending: int
    """Number of URLs in the queue."""
    matching: int
    """Number of those that match the rule."""
    examples: list[str]


def preview(
    states: Iterable[PartitionState], rule: Mapping[str, object], most_shown: int = MOST_SHOWN
) -> Preview:
    """Look through the queues of partitions without changing them."""
    (parsed,) = parse_rules([rule])
    scope = Scope((parsed,))
    pending, matching, examples = 0, 0, list[str]()
    for state in states:
        for page in range(len(state.table)) if state.pending else ():
            if not state.is_pending(page):
                continue
            pending += 1
            key = state.table.key(page)
            if scope.judge(key).reason == parsed.reason:
                matching += 1
                if len(examples) < most_shown:
                    examples.append(url_of(key))
    return Preview(pending, matching, examples)
