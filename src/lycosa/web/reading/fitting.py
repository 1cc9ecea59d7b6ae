"""Counts the URLs in the queue that a rule matches: the preview of an exclusion."""

from __future__ import annotations

from typing import Any

import msgspec

from lycosa.runtime.orders.preview import preview
from lycosa.web.reading.states import States
from lycosa.web.rest.records import Fitting

EXAMPLES = 10


def read(states: States, rule: dict[str, Any]) -> bytes:
    """Count the URLs, and name some of them."""
    found = preview(states.now().values(), rule, EXAMPLES)
    told = Fitting(rule=rule, pending=found.pending, fits=found.matching, examples=found.examples)
    return msgspec.json.encode(told)
