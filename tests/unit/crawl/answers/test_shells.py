"""Pages that seem empty without scripts, also those that are made to be long to look at."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import cast

import pytest

from lycosa.crawl.answers.page_answer import NO_FACTS, PageAnswer
from lycosa.crawl.answers.shells import LOOKED_BYTES, seems_empty
from lycosa.features.rendering.choosing import has_empty_place, has_scripts
from lycosa.model.records import Answer, Outcome

BODY_BYTES = 10_000_000
DATA = b"<script type=application/ld+json "
"""A script within a script: data, which no browser runs."""
MOST_SECONDS = 2.0
"""CPU time of a look at a hostile body; measured: .01 to .2, and 12 to 57 without its bounds."""


def looks_empty(body: bytes) -> bool:
    """Return whether a page of HTML without text and links seems empty."""
    answer = Answer(200, (("Content-Type", "text/html"),), body, 0.0, 0.0)
    made = SimpleNamespace(facts=NO_FACTS, answer=answer, outcome=Outcome.KEPT)
    return seems_empty(cast(PageAnswer, made))


def long(one: bytes, size: int = BODY_BYTES) -> bytes:
    """Return a body of this size that says one thing again and again."""
    return (one * (size // len(one) + 1))[:size]


def test_a_script_that_runs_is_looked_for_in_the_first_bytes_only() -> None:
    run, data = b"<script>go()</script>", long(DATA, LOOKED_BYTES - 200) + b" " * 200
    assert looks_empty(data[: -len(run)] + run)
    assert not looks_empty(data + run)
    assert not looks_empty(long(DATA))


@pytest.mark.parametrize(
    "one", [DATA, b"<div ", b"<div id=root ", b"<div data-a= id=", b"<div " + b"id=root " * 24]
)
def test_a_look_at_a_hostile_body_takes_little(one: bytes) -> None:
    body, began = long(one), time.thread_time()
    assert not has_empty_place(body)
    looks_empty(body)
    has_scripts(body)
    assert time.thread_time() - began < MOST_SECONDS
