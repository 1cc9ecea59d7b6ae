"""Which pages are rendered, and when a site is judged."""

from __future__ import annotations

import pytest

from lycosa.features.rendering.choosing import has_scripts, verdict_on
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
