"""What is plainly a URL in text, comments and declarations is found, and nothing else."""

from __future__ import annotations

import pytest

from growth import is_linear
from lycosa.extract.html.mentioned_text import (
    MOST_OF_TEXT,
    mentioned_in_data,
    mentioned_in_declaration,
    mentioned_in_text,
)
from lycosa.extract.html.mentions import mentioned_in_script, mentioned_in_tag
from lycosa.extract.list_parts import parts_listed
from lycosa.extract.sitemap import is_any_list, scan_sitemap
from lycosa.model.records import LinkKind


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See https://a.test/x, or (https://a.test/y_(z)).", ["https://a.test/x", "https://a.test/y_(z)"]),
        ("at www.a.test/x.", ["http://www.a.test/x"]),
        ("read ./next and ../up/there!", ["./next", "../up/there"]),
        ("in docs/manual.pdf or /a/b.html?x=1", ["docs/manual.pdf", "/a/b.html?x=1"]),
        ("x@a.test, e.g. and/or 1/2, a.b.c, /usr/bin, node.js, README.md", []),
        ("file.html.bak and user@host.html", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_text_mentions(text: str, found: list[str]) -> None:
    assert mentioned_in_text(text) == found


def test_a_text_mentions_only_so_many() -> None:
    text = " ".join(f"http://a.test/{number}" for number in range(MOST_OF_TEXT + 9))
    assert len(mentioned_in_text(text)) == MOST_OF_TEXT


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<!-- <a href='/old'>x</a> -->", ["/old"]),
        ("<!-- nothing to see -->", []),
        ("<!--[if IE]><a href=/x>x</a><![endif]-->", []),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD" "http://a.test/x.dtd">', ["http://a.test/x.dtd"]),
        ('<!DOCTYPE html SYSTEM "about:legacy-compat">', []),
        ("<!DOCTYPE html>", []),
        ('<?import namespace="t" implementation="x.htc">', ["x.htc"]),
        ('<?xml-stylesheet href="/x.css"?>', []),
    ],
)
def test_a_declaration_mentions(text: str, found: list[str]) -> None:
    assert mentioned_in_declaration(text) == found


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("data:text/html,<a href='http://a.test/x'>x</a><a href='/y'>y</a>", ["http://a.test/x"]),
        ("data:text/html;base64,PGEgaHJlZj0naHR0cDovL2EudGVzdC94Jz4=", ["http://a.test/x"]),
        ("data:text/html;base64,!", []),
        ("data:image/png;base64,aaaa", []),
    ],
)
def test_a_data_document_mentions(url: str, found: list[str]) -> None:
    assert mentioned_in_data(url) == found


@pytest.mark.parametrize(
    ("tag", "found"),
    [
        ('<li href="a/b">', ["a/b"]),
        ('<a href="/x" to="/y">', ["/y"]),
        ("<p data-url=x/y data-x=nothing>", ["x/y"]),
        ('<form action="/post">', []),
        ('<a ping="/told" title="/x/y" class="/z">', []),
        ('<p resource="ex:thing" about="[ex:x]">', []),
        ('<router-link to="{{ page }}">', []),
        ('<meta content="name=x;action-uri=/a;icon-uri=http://a.test/b.ico">', ["/a", "http://a.test/b.ico"]),
        ('<meta content="width=device-width, initial-scale=1/2">', []),
    ],
)  # fmt: skip
def test_a_tag_mentions(tag: str, found: list[str]) -> None:
    assert mentioned_in_tag(tag) == found


def test_strings_that_are_joined_are_one() -> None:
    assert mentioned_in_script("go('/a/' + \"b\" + '.html')") == ["/a/b.html"]
    assert mentioned_in_script("go('/a/' + b); go('/c/' + 'd' + e); go(f + '/g')") == []
    assert mentioned_in_script("/* http://a.test/x */ // ./y\n'/z'") == [
        *("http://a.test/x", "./y", "/z"),
    ]


def test_lists_name_more_than_pages() -> None:
    feed = b'<rss><item><enclosure url="/a.mp3"/><media:thumbnail url="/t.png"/></item></rss>'
    assert parts_listed(feed) == [("/a.mp3", LinkKind.MEDIA), ("/t.png", LinkKind.IMAGE)]
    assert parts_listed(b"<urlset><url><loc>http://a.test/</loc></url></urlset>") == []


def test_json_feeds_are_lists() -> None:
    feed = (
        b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "http://a.test/1"}, 7]}'
    )
    assert is_any_list(feed)
    assert scan_sitemap(feed) == ["http://a.test/1"]
    assert not is_any_list(b'{"version": "1", "items": []}')
    assert scan_sitemap(b'{"version": "https://jsonfeed.org/version/1", "items": 5}') == []
    assert scan_sitemap(b'{"version": "https://jsonfeed.org/version/1", ') == []


def test_a_feed_names_its_entries_once_more_as_permanent_links() -> None:
    feed = (
        b"<rss><item><guid>http://a.test/1</guid><guid isPermaLink='false'>http://a.test/2</guid>"
    )
    assert scan_sitemap(feed) == ["http://a.test/1"]


@pytest.mark.parametrize("unit", ["a", "a.", "./", "http://", "a/b.", "<a href=", "(", "%", "'+'"])
def test_the_time_is_linear(unit: str) -> None:
    def read(size: int) -> None:
        text = unit * (size // len(unit))
        mentioned_in_text(text)
        mentioned_in_declaration(f"<!--{text}-->")
        mentioned_in_declaration(f"<!DOCTYPE {text}>")
        mentioned_in_tag(f"<p x='{text}' {text}>")
        mentioned_in_script(text)

    assert is_linear(read, 50_000)
