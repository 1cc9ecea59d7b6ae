"""Draws for tests that repeat themselves: a few in every run, all of them with `make soak`."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import Phase, settings

soak = pytest.mark.soak
slow = pytest.mark.slow

SHORT, LONG, AT_ONCE = "short", "long", "at-once"
"""The profiles of Hypothesis: of every run, of `make soak`, and of runs in which tests shall fail.

These say that an example fails, and spend no minutes on a smaller one."""
SHORT_EXAMPLES, LONG_EXAMPLES = 20, 100
"""How many examples each has for a test that names no number."""
FEWEST = 5

# How long an example takes says something of the machine, which runs other tests beside it.
settings.register_profile(SHORT, deadline=None, max_examples=SHORT_EXAMPLES)
settings.register_profile(LONG, deadline=None, max_examples=LONG_EXAMPLES)
settings.register_profile(
    AT_ONCE,
    deadline=None,
    max_examples=LONG_EXAMPLES,
    phases=[Phase.explicit, Phase.generate],
    database=None,
)


def seeds(few: int, many: int, *, start: int = 0) -> list[object]:
    """Return so many seeds; those behind the first few are for `make soak`."""
    return few_of(range(start, start + many), few)


def few_of(cases: Iterable[object], few: int) -> list[object]:
    """Return cases of a matrix that show the same; those behind the first few are for the soak."""
    return [
        case if number < few else pytest.param(*values(case), marks=soak)
        for number, case in enumerate(cases)
    ]


def values(case: object) -> tuple[object, ...]:
    """Return what one case gives to the parameters of a test: a plain tuple has several."""
    return case if type(case) is tuple else (case,)


def examples(many: int) -> int:
    """Return so many examples for the long profile; the short one has its share of them."""
    return max(FEWEST, many * settings().max_examples // LONG_EXAMPLES)
