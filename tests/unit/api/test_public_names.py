"""What is public: few names, all documented, and free until they are used."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.api_reference import reference

import lycosa

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "api.md"
REGENERATE = (
    """.venv/bin/python -c "from tools.api_reference import reference; """
    """print(reference(), end='')" > docs/reference/api.md"""
)


def test_there_are_fewer_than_ten_public_names_and_all_can_be_imported() -> None:
    assert len(lycosa.__all__) < 10
    assert set(lycosa.__all__) <= set(dir(lycosa))
    for name in lycosa.__all__:
        assert getattr(lycosa, name).__name__ == name
        assert getattr(lycosa, name).__doc__


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Spider'"):
        _ = lycosa.Spider  # type: ignore[attr-defined]


def test_the_reference_is_what_the_code_generates() -> None:
    if PAGE.read_text(encoding="utf-8") != reference():
        pytest.fail(f"docs/reference/api.md is out of date; run\n  {REGENERATE}")


def test_every_public_name_is_in_the_reference() -> None:
    headings = re.findall(r"^## `lycosa\.(\w+)`$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == lycosa.__all__


def test_importing_lycosa_imports_nothing_else_of_it() -> None:
    script = "import sys, lycosa; print([m for m in sys.modules if m.startswith('lycosa.')])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(lycosa.__file__).parent / "py.typed").exists()
