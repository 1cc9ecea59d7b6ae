"""Named characters: the usual ones are known at once, the others from the first that is not usual.

Each case runs in an interpreter of its own, because a scanner that has met one such name knows all.
"""

from __future__ import annotations

import subprocess
import sys
from html.entities import html5

import pytest

USUAL = ["amp", "lt;", "quot;", "copy", "apos;", "mdash;"]
RARE = ["notin;", "not", "Ccedil", "CounterClockwiseContourIntegral;"]

CODE = """
import sys
from lycosa.extract.html import _scan
def is_loaded():
    return "html.entities" in sys.modules
from lycosa.extract.page import scan
found = [is_loaded()]
for name in sys.argv[1:]:
    page = f"<title>x&{name}</title><a href='/y&{name}'>a</a>"
    facts = scan(page.encode(), "text/html")
    found += [facts.title, [link.href for link in facts.links][0], is_loaded()]
print(ascii(found))
"""


def found(*names: str) -> list[object]:
    done = subprocess.run(
        [sys.executable, "-c", CODE, *names], capture_output=True, text=True, check=True
    )
    told: list[object] = eval(done.stdout)
    return told


def shown(name: str) -> str:
    """Return the title that a page has with a reference to this name."""
    return f"x{html5[name]}".strip()


@pytest.mark.parametrize("name", USUAL)
def test_a_usual_name_needs_no_list(name: str) -> None:
    assert found(name) == [False, shown(name), f"/y{html5[name]}".strip(), False]


@pytest.mark.parametrize("name", RARE)
def test_a_name_that_is_not_usual_is_in_the_list(name: str) -> None:
    assert found(name) == [False, shown(name), f"/y{html5[name]}", True]


def test_the_usual_ones_stand_for_the_same_when_all_are_known() -> None:
    told = found("notin;", *USUAL)
    assert told[4::3] == [shown(name) for name in USUAL]


def test_a_longer_name_without_semicolon_is_preferred_to_a_usual_one() -> None:
    # `lt` begins `ltri;`, and `para` begins `parallel;`: neither may be cut short.
    assert found("ltri;", "lt;")[1] == shown("ltri;")
    assert found("parallel;")[1] == shown("parallel;")
    assert found("ltx")[1] == "x<x"
