"""Any bytes, in any character set, are scanned in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from growth import is_linear
from lycosa.extract.facts import LONGEST_PAGE
from lycosa.extract.page import scan
from lycosa.model.records import Link
from seeds import examples


@pytest.mark.parametrize(
    "unit",
    ["<", "<a ", "<!--", "<!-- -", "<a href=\"", "<a href='", "<a x=", "<p ", "<p x=\"", "<loc>",
     "<loc", "<![CDATA[", "<script>", "<script", "<title>", "</", "&", "<a href=&", " ", "<a\n",
     "=", "<meta http-equiv=refresh content=' 1 ", "<p =' ", "--", "<a/", "</title", "<b>", "]]>",
     "\"'", "&amp", "&#", "&#x", "<a href=/", "<style>@import", "<img srcset='a, (",
     "<p style='url(",
     "<svg><a ", "<noscript>", "<template>", "\xa0", "<a href=x>y", "<div>"],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "<urlset>", "<script>", "<title>", "<![CDATA[", '<a x="'])
def test_the_time_is_linear_whatever_comes(before: str, unit: str) -> None:
    def read(size: int) -> None:
        body = (before + unit * (size // len(unit))).encode()
        scan(body, "text/html", wants_requisites=True)
        scan(body, "application/xhtml+xml")

    assert is_linear(read, 200_000)


@pytest.mark.parametrize(
    "unit",
    ["<!--[if", "<!--[if]>", "<!--[if]><a href=x>-->", "<noframes>", "<noframes></noframes>", "]",
     "<iframe srcdoc='", "<iframe srcdoc='<a href=x>'>", "<p itemtype='a ", "<p ping='a b' ", "'",
     "<script>'", "<script>\"/a\" + ", "<b onclick='", " on='", " data-a=\"", "<b data-a='[\"/a\",",
     "<b fill='url(", "<object archive=',", "<param name=src value=", "`", "//", "/*", "\\",
     "<script>x='a/b.html'", "</script>", "<link rel=x href=y imagesrcset='a, ", "<use href=#"],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", "<script>", "<b onclick='", '<b data-x="'])
def test_the_time_is_linear_also_for_wide_jobs(before: str, unit: str) -> None:
    def read(size: int) -> None:
        body = (before + unit * (size // len(unit))).encode()
        scan(body, "text/html", wants_requisites=True, wants_recorded=True, wants_wide=True)

    assert is_linear(read, 100_000)


def test_depth_and_length_cost_nothing_but_their_bytes() -> None:
    nested = b"<div>" * 100_000 + b"<a href=/bottom>deep</a>" + b"</div>" * 100_000
    assert scan(nested, "text/html").links == (Link("/bottom"),)
    line = b"x" * 10_000_000 + b"<a href=/end>"
    facts = scan(line, "text/html")
    assert facts.links == (Link("/end"),)
    assert len(facts.text) == LONGEST_PAGE


pieces = st.sampled_from(
    [b"<", b">", b"<a ", b"href", b"=", b'"', b"'", b"/", b" ", b"<!--", b"-->", b"<script", b"</",
     b"script>", b"<title>", b"</title>", b"<![CDATA[", b"]]>", b"&amp", b"&#", b"9", b";",
     b"<base ", b"<meta ", b"http-equiv=refresh ", b"content=", b"url=", b"name=robots ",
     b"<link rel=canonical ", b"<urlset>", b"<loc>", b"\xff", b"\xc3\xa9", b"\x00", b"x"]
)  # fmt: skip


charsets = st.sampled_from(
    ["utf-16", "utf-32", "utf-7", "hz", "iso-2022-jp", "shift_jis", "big5hkscs", "gbk", "euc-kr",
     "koi8-r", "cp1252", "mac-roman", "unicode_escape", "idna", "rot13", "zip", "hex", "x",
     "undefined"]
)  # fmt: skip


content_types = (
    st.none()
    | st.sampled_from(["text/html", "application/xhtml+xml", "text/xml"])
    | charsets.map(lambda charset: f"text/html; charset={charset}")
    | st.text()
)


@given(st.binary() | st.lists(pieces).map(b"".join), content_types, st.booleans())
@settings(max_examples=examples(300), deadline=None)
def test_any_bytes_give_facts(body: bytes, content_type: str | None, everything: bool) -> None:
    facts = scan(body, content_type, wants_requisites=everything)
    columns = (facts.kinds, facts.texts, facts.rels, facts.times)
    assert all(len(column) == len(facts.hrefs) for column in columns)
    assert len(set(facts.links)) == len(facts.links)
    assert all(link.href.strip() for link in facts.links)
