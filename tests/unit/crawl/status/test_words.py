"""Outcomes and refusals have words on screens."""

from __future__ import annotations

import pytest

from lycosa.crawl.status.words import OUTCOMES, REFUSALS, in_words, with_code
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


def test_names_stand_behind_their_words() -> None:
    assert with_code("client_error") == "refused (4xx; client_error)"
    assert with_code("not_found") == "not found (not_found)"
    assert with_code("out-of-scope") == "outside the scope (out-of-scope)"
    assert with_code("kept") == "kept"
    assert with_code("reject:suffix .cl") == "reject:suffix .cl"
