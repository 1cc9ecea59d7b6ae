"""Counts which URLs of a crawl's queue a rule holds for, before it is added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lycosa.frontier.fold.state import PartitionState
from lycosa.url import parse_rules, url_of
from lycosa.url.scope import Scope

MOST_SHOWN = 5


class Preview(NamedTuple):
    """A rule and the queue."""

    pending: int
    """How many URLs wait in the queue."""
    matching: int
    """For how many of them the rule holds."""
    examples: list[str]


def preview(
    states: Iterable[PartitionState], rule: Mapping[str, object], most_shown: int = MOST_SHOWN
) -> Preview:
    """Look through the queues of partitions; nothing is changed."""
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
