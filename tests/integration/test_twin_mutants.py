"""Tests against plain twins can fail: a slip in a compiled part, and they notice.

Each edit is built and loaded in the place of the real module by a process that runs the tests of
its part (`broken_builds`).
"""

from __future__ import annotations

import pytest

from broken_builds import ROOT, Edit, run_with
from seeds import AT_ONCE, few_of
from twin_mutants import STAGES_TEST, TWIN_MUTANTS, TwinMutant

CAUGHT = 1
"""What pytest ends with when tests have failed; other numbers say that it could not run them."""
NAMES = [mutant.edit.name for mutant in TWIN_MUTANTS]


def outcome_of(edit: Edit, tests: str) -> tuple[int, str]:
    path = str(ROOT / "tests" / "unit" / tests)
    options = ["-q", "-x", "-p", "no:cacheprovider", "--hypothesis-profile", AT_ONCE]
    done = run_with(edit, ["-m", "pytest", *options, path])
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("mutant", few_of(TWIN_MUTANTS, 4), ids=NAMES)
def test_a_slip_in_a_compiled_part_is_caught_by_the_tests_against_its_twin(
    mutant: TwinMutant,
) -> None:
    code, said = outcome_of(mutant.edit, mutant.tests)
    assert code == CAUGHT, f"{mutant.edit.name} is not caught: {said[-4000:]}"
    assert "FAILED" in said, said[-4000:]


def test_tests_pass_where_an_edit_changes_nothing() -> None:
    edit = Edit(
        "says-the-same-in-other-words",
        "lycosa.crawl.links._routes",
        "            if hops > MOST_HOPS:\n",
        "            if not hops <= MOST_HOPS:\n",
    )
    code, said = outcome_of(edit, STAGES_TEST)
    assert code == 0, said[-4000:]
