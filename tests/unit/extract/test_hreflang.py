"""Versions of a page in other languages are read from its markup and its headers."""

from __future__ import annotations

import pytest

from lycosa.extract.hreflang import language_versions

PAGE = "http://a.test/en/page"


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ('<link rel="alternate" hreflang="de" href="/de/x">', [("http://a.test/de/x", "de")]),
        ("<LINK REL=Alternate HREFLANG=de-AT HREF=../y>", [("http://a.test/y", "de-AT")]),
        (
            '<base href="http://b.test/"><link rel="alternate" hreflang=" x-default " href="z">',
            [("http://b.test/z", "x-default")],
        ),
        ('<link rel="alternate nofollow" hreflang="fr" href="?f">', [(f"{PAGE}?f", "fr")]),
        ('<link rel="stylesheet" hreflang="de" href="/x">', []),
        ('<link rel="alternate" hreflang="" href="/x"><link rel="alternate" href="/y">', []),
        ('<link rel="alternate" hreflang="de" href="mailto:x">', []),
        ('<a rel="alternate" hreflang="de" href="/x">x</a>', []),
        ('<!-- <link rel="alternate" hreflang="de" href="/x"> -->', []),
        ('<link rel="alternate" hreflang="de" href="/x">' * 2, [("http://a.test/x", "de")]),
    ],
)
def test_markup_names_versions(markup: str, found: list[tuple[str, str]]) -> None:
    assert language_versions(markup.encode(), "text/html", (), PAGE) == found


def test_headers_name_versions_too() -> None:
    headers = (
        ("Link", '</de>; rel="alternate"; hreflang="de", </fr>; rel=alternate; hreflang=fr'),
        ("link", '</other>; rel="next"; hreflang="it"'),
    )
    found = language_versions(b"<p>x</p>", None, headers, PAGE)
    assert found == [("http://a.test/de", "de"), ("http://a.test/fr", "fr")]


def test_a_page_in_another_charset_is_read() -> None:
    body = '<link rel="alternate" hreflang="de" href="/grün">'.encode("utf-16")
    assert language_versions(body, None, (), PAGE) == [("http://a.test/gr%C3%BCn", "de")]
