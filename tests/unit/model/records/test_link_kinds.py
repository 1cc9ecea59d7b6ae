"""The kinds of links: their numbers are stored, and each is in the right sets."""

from __future__ import annotations

import re
from pathlib import Path

from lycosa.model.records import (
    FREE_KINDS,
    RECORDED_KINDS,
    REQUISITE_KINDS,
    SAME_PAGE_KINDS,
    WIDE_KINDS,
    LinkKind,
)


def test_every_kind_fits_into_a_mask_of_64_bits() -> None:
    assert all(0 < kind < 64 for kind in LinkKind)


def test_a_kind_is_a_requisite_or_recorded_or_another_name_and_never_two_of_them() -> None:
    assert not REQUISITE_KINDS & RECORDED_KINDS
    assert not SAME_PAGE_KINDS & (REQUISITE_KINDS | RECORDED_KINDS)
    assert SAME_PAGE_KINDS | REQUISITE_KINDS | {LinkKind.PAGINATION} == FREE_KINDS


def test_forms_that_post_are_never_followed() -> None:
    never = RECORDED_KINDS - WIDE_KINDS
    assert never == {LinkKind.POST, LinkKind.PING, LinkKind.HINT}


def test_the_page_on_links_puts_every_kind_where_it_belongs() -> None:
    page = Path(__file__).parents[4] / "docs" / "reference" / "links.md"
    sections = re.split(r"^## ", page.read_text(), flags=re.MULTILINE)[1:]
    named = [
        {LinkKind[kind.upper()] for kind in re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)}
        for text in sections
    ]
    by_form = {LinkKind.FORM}
    by_default = set(LinkKind) - REQUISITE_KINDS - RECORDED_KINDS - by_form
    never = RECORDED_KINDS - WIDE_KINDS - by_form
    assert named == [by_default, REQUISITE_KINDS, WIDE_KINDS, by_form, never]
