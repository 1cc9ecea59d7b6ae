"""The scanner finds the links that a DOM library finds, on real pages.

Up to 1,000 HTML files from documentation packages (LYCOSA_HTML, by default /usr/share/doc),
spread evenly over what is there, are read by the scanner and by selectolax's lexbor parser,
which builds the tree that the HTML standard prescribes. What differs must have a reason
that has a name here.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from lycosa.extract.page import scan
from lycosa.extract.text.charset import to_utf8
from lycosa.model.records import LinkKind
from plain_links import without_fragment

pytestmark = pytest.mark.conformance
FOLDER = Path(os.environ.get("LYCOSA_HTML", "/usr/share/doc"))
COUNT = int(os.environ.get("LYCOSA_HTML_COUNT", "1000"))
COMPARED = frozenset({LinkKind.ANCHOR, LinkKind.FRAME, LinkKind.CANONICAL})
SELECTOR = "a[href], area[href], frame[src], iframe[src], link[rel][href]"
SPACES = " \t\n\r\f"

Pairs = Counter[tuple[str, int]]


def files() -> list[Path]:
    found = sorted(
        Path(root, name)
        for root, _, names in os.walk(FOLDER)
        for name in names
        if name.endswith((".html", ".htm", ".xhtml"))
    )
    return found[:: max(1, len(found) // COUNT)][:COUNT]


def scanned(body: bytes) -> tuple[Pairs, str | None]:
    facts = scan(body, "text/html")
    pairs: Pairs = Counter()
    for href, kind, times in zip(facts.hrefs, facts.kinds, facts.times, strict=True):
        if kind in COMPARED:
            pairs[_lines(href), kind] += times
    return pairs, facts.base


def parsed(body: bytes) -> tuple[Pairs, str | None]:
    text, _ = to_utf8(body, "text/html")
    tree = LexborHTMLParser(text.decode())
    pairs: Pairs = Counter()
    for node in tree.css(SELECTOR):
        value = node.attributes.get("src" if "frame" in str(node.tag) else "href") or ""
        if node.tag in ("a", "area"):
            kind = LinkKind.ANCHOR
        elif node.tag == "link":
            kind = LinkKind.CANONICAL
            if "canonical" not in (node.attributes.get("rel") or "").lower().split():
                continue
        else:
            kind = LinkKind.FRAME
        if value.strip(SPACES):
            pairs[_lines(without_fragment(value.strip(SPACES))), int(kind)] += 1
    base = tree.css_first("base[href]")
    return pairs, ((base.attributes.get("href") or "").strip(SPACES) or None) if base else None


def _lines(href: str) -> str:
    return href.replace("\r\n", "\n").replace("\r", "\n")


def reason(body: bytes, ours: Pairs, theirs: Pairs) -> str | None:
    """Name why the two differ, or return None if nobody knows."""
    lower = body.lower()
    if not ours - theirs:
        # The same links, some of them more often: the tree builder opens an `a` again that
        # was not closed where it should have been.
        return "misnested" if set(ours) == set(theirs) else None
    if theirs - ours:
        return None
    for name, tag in (("template", b"<template"), ("frame", b"<frame")):
        if tag in lower:
            return name
    return "quote" if not body.rstrip().endswith(b">") or lower.count(b'"') % 2 else None


REASONS = {
    "template": "what stands in a template is another document to a tree",
    "frame": "a tree has frames in a frameset only, and there nothing else",
    "misnested": "a tree repeats an anchor that is closed in the wrong place",
    "quote": "a quote that nothing closes is passed over, and does not swallow the page",
}


@pytest.mark.parametrize(
    ("page", "name"),
    [
        (b"<template><a href=/x></template>", "template"),
        (b"<body><p><frame src=/x>", "frame"),
        (b"<frameset><a href=/x></frameset>", "frame"),
        (b"<p><a href=/x>one<p>two</a>", "misnested"),
        (b'<a href="/x>', "quote"),
    ],
)
def test_every_reason_is_a_real_one(page: bytes, name: str) -> None:
    ours, theirs = scanned(page)[0], parsed(page)[0]
    assert ours != theirs
    assert reason(page, ours, theirs) == name


def test_the_scanner_finds_the_links_of_a_dom() -> None:
    paths = files()
    if not paths:
        pytest.fail(f"no HTML files under {FOLDER}: set LYCOSA_HTML, or install python3-doc")
    same = links = 0
    reasons: Counter[str] = Counter()
    unexplained: list[str] = []
    for path in paths:
        body = path.read_bytes()
        ours, our_base = scanned(body)
        theirs, their_base = parsed(body)
        links += ours.total()
        if (ours, our_base) == (theirs, their_base):
            same += 1
            continue
        name = reason(body, ours, theirs) if our_base == their_base else None
        if name:
            reasons[name] += 1
        else:
            only = dict(ours - theirs), dict(theirs - ours), our_base, their_base
            unexplained.append(f"{path}: {only}"[:500])
    print(f"\n{len(paths)} files, {links} links: the same in {same}")
    for name, count in reasons.most_common():
        print(f"  {count:5}  {REASONS[name]}")
    assert unexplained == []
