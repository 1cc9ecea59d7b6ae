"""Which pages are rendered, and when a site is judged."""

from __future__ import annotations

import pytest

from lycosa.features.rendering.choosing import (
    ONE_IN,
    SAME_IN_A_ROW,
    has_empty_place,
    has_scripts,
    is_sampled,
    verdict_on,
)
from lycosa.frontier.facts.rendering import (
    RENDERED_ALWAYS,
    RENDERED_IF_EMPTY,
    Rendering,
    Sample,
)
from lycosa.model.job.render import Render

AUTO = Render(mode="auto")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<SCRIPT src=x></SCRIPT>", True),
        (b"<p onclick = 'x()'>", True),
        (b"<a href='JavaScript:x()'>", True),
        (b"<p>on time, one = two</p>", False),
        (b"<p class=once>x", False),
    ],
)
def test_a_page_without_anything_to_run_is_not_rendered(body: bytes, expected: bool) -> None:
    assert has_scripts(body) is expected


def test_a_site_is_judged_by_its_first_pages() -> None:
    known = Rendering()
    known.samples[0] = Sample(3, 1, 0)
    assert verdict_on(known, 0, AUTO, differs=False) == 0
    known.samples[0] = Sample(3, 2, 0)
    assert verdict_on(known, 0, AUTO, differs=False) == RENDERED_IF_EMPTY
    assert verdict_on(known, 0, AUTO, differs=True) == RENDERED_ALWAYS
    known.verdicts[0] = RENDERED_IF_EMPTY
    assert verdict_on(known, 0, AUTO, differs=True) == RENDERED_ALWAYS
    assert verdict_on(known, 0, AUTO, differs=False) == 0
    assert verdict_on(known, 0, Render(mode="always"), differs=True) == 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<nav>much</nav><div id=root></div><script>", True),
        (b'<div class="x" id="app" data-v>\n  </div>', True),
        (b"<app-root></app-root>", True),
        (b"<div id=__next><p>made by the server</p></div>", False),
        (b"<div id=appendix></div>", False),
        (b"<div class=app></div>", False),
    ],
)
def test_an_empty_place_of_a_framework_is_seen(body: bytes, expected: bool) -> None:
    assert has_empty_place(body) is expected


def test_a_site_that_was_judged_is_sampled_again_a_little() -> None:
    known = Rendering()
    keys = [f"http:test,page)/{number}" for number in range(6400)]
    assert is_sampled(known, 0, keys[0], AUTO)
    known.samples[0], known.verdicts[0] = Sample(3, 3, 0, 3), RENDERED_IF_EMPTY
    again = sum(is_sampled(known, 0, key, AUTO) for key in keys)
    assert 0.5 < again * ONE_IN / len(keys) < 1.5


def test_a_site_whose_pages_have_nothing_more_is_rendered_no_longer() -> None:
    known = Rendering()
    known.verdicts[0] = RENDERED_ALWAYS
    known.samples[0] = Sample(30, 20, 12, SAME_IN_A_ROW - 2)
    assert verdict_on(known, 0, AUTO, differs=False) == 0
    known.samples[0] = Sample(30, 21, 12, SAME_IN_A_ROW - 1)
    assert verdict_on(known, 0, AUTO, differs=True) == 0
    assert verdict_on(known, 0, AUTO, differs=False) == RENDERED_IF_EMPTY
