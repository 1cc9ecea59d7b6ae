"""How many URLs in the queue a rule would reject: the preview of an exclusion."""

from __future__ import annotations

from typing import Any

import msgspec

from lycosa.frontier.fold.columns import DONE
from lycosa.serve.reading.states import States
from lycosa.serve.records import Fitting
from lycosa.url import Scope, parse_rules, url_of

EXAMPLES = 10


def read(states: States, rule: dict[str, Any]) -> bytes:
    """Count, and name some."""
    (parsed,) = parse_rules([rule])
    scope = Scope((parsed,))
    pending = fits = 0
    examples: list[str] = []
    for state in states.now().values():
        closed = state.sites.closed
        for page, status in enumerate(state.pages.status):
            if status == DONE or closed[state.pages.site[page]]:
                continue
            pending += 1
            key = state.table.key(page)
            if scope.judge(key).reason == parsed.reason:
                fits += 1
                if len(examples) < EXAMPLES:
                    examples.append(url_of(key))
    return msgspec.json.encode(Fitting(rule=rule, pending=pending, fits=fits, examples=examples))
