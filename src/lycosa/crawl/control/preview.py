"""Counts which URLs of a crawl's queue a rule would end, before it is added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from lycosa.crawl.directory import CrawlDirectory
from lycosa.url import parse_rules, url_of
from lycosa.url.scope import Scope

MOST_SHOWN = 5


class Preview(NamedTuple):
    """What a rule would do to the queue."""

    pending: int
    """How many URLs wait in the queue."""
    matching: int
    """How many of them the rule rejects."""
    examples: list[str]


def preview(directory: CrawlDirectory, rule: Mapping[str, object]) -> Preview:
    """Look through the queue as of the last commit; nothing is changed."""
    scope = Scope(parse_rules([rule]))
    pending, matching, examples = 0, 0, list[str]()
    for state in directory.each_state(directory.job()) if directory.has_begun else ():
        for page in range(len(state.table)) if state.pending else ():
            if not state.is_pending(page):
                continue
            pending += 1
            key = state.table.key(page)
            if scope.judge(key).key is None:
                matching += 1
                if len(examples) < MOST_SHOWN:
                    examples.append(url_of(key))
    return Preview(pending, matching, examples)
