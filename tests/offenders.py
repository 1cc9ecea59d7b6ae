"""Tests that look at many files or cases name all that are wrong, each on a line of its own."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def none_of(offenders: Iterable[object]) -> None:
    """Fail if there is an offender; pytest itself would show the first of a list alone."""
    if lines := [str(one) for one in offenders]:
        pytest.fail("\n".join(lines), pytrace=False)
