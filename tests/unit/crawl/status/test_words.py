"""Outcomes and refusals have words on screens."""

from __future__ import annotations

import pytest

from lycosa.crawl.status.words import OUTCOMES, REFUSALS, in_words
from lycosa.model.records import Outcome
from lycosa.model.url.scope import OUT_OF_SCOPE


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_is_said_without_underscores(outcome: Outcome) -> None:
    said = in_words(outcome.name.lower())
    assert "_" not in said and "probe" not in said


def test_refusals_are_said_in_words() -> None:
    assert in_words("too-deep") == "too far from the seeds"
    assert in_words("loopback-only") == "away from the servers on this machine"
    assert in_words(OUT_OF_SCOPE) == "outside the scope"
    assert not any("_" in said for said in (OUTCOMES | REFUSALS).values())


def test_a_rule_is_named_as_the_job_writes_it() -> None:
    assert in_words("reject:regex /a_b/") == "reject:regex /a_b/"
    assert in_words("trap: nothing new") == "trap: nothing new"
