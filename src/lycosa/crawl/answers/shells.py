"""Notes pages of which something is missing: what scripts add, or what was cut off.

Pages that seem empty without scripts are noted in a crawl that renders none, so that the operator
learns of `--render`. Pages that were longer than the job takes are noted until they are fetched as
a whole.
"""

from __future__ import annotations

import re
from functools import cache

from lycosa.crawl.answers.page_answer import HTML_TYPES, PageAnswer
from lycosa.crawl.answers.reading import content_type_of
from lycosa.frontier.facts.rendering import SHELL
from lycosa.model.records import LinkKind, Outcome, Rendered

SHELL_TEXT_BYTES = 250
"""A page with this much text is not an empty shell."""
SHELL_ANCHORS = 2
"""Nor is one with more links than this."""
LOOKED_BYTES = 4_000_000
"""Bytes of a body in which a script is looked for."""


def seems_empty(answered: PageAnswer) -> bool:
    """Return whether a page that is kept has next to nothing but scripts."""
    facts, answer = answered.facts, answered.answer
    return (
        len(facts.content) < SHELL_TEXT_BYTES
        and answered.outcome is Outcome.KEPT
        and facts.kinds.count(LinkKind.ANCHOR) <= SHELL_ANCHORS
        and content_type_of(answer) in HTML_TYPES
        and b"<script" in answer.body.lower()
        and _run_script().search(answer.body, 0, LOOKED_BYTES) is not None
    )


@cache
def _run_script() -> re.Pattern[bytes]:
    """Return what a script begins with that a browser runs: JSON and JSON-LD are data.

    A hostile body is scripts within scripts: each costs a look at so many bytes as stand here.
    """
    data = rb"[^>]{0,200}\btype\s{0,9}=\s{0,9}[\"']?[a-z./+-]{0,60}json\b"
    return re.compile(rb"<script\b(?!%s)" % data, re.IGNORECASE)


def note_shell(answered: PageAnswer) -> None:
    """Note a page that seems empty."""
    if seems_empty(answered):
        answered.partition.record(Rendered(answered.ended, answered.page, SHELL))


def note_size(answered: PageAnswer) -> None:
    """Note whether a page that is kept was cut off at the largest size."""
    answer = answered.answer
    is_cut = answer.truncated and answer.truncated_by == "length"
    answered.partition.note_truncated(answered.page, is_cut=is_cut)
