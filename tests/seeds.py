"""Draws for tests that repeat themselves: a few in every run, all of them with `make soak`."""

from __future__ import annotations

import pytest

soak = pytest.mark.soak


def seeds(few: int, many: int, *, start: int = 0) -> list[object]:
    """Return so many seeds; those behind the first few are for `make soak`."""
    more = range(start + few, start + many)
    return [*range(start, start + few), *(pytest.param(seed, marks=soak) for seed in more)]
