"""Measures the cost of scanning a page for links, and for links and text.

    python -m benchmarks.scanner [folder of HTML files]

The pages are real ones where there are any (documentation packages under /usr/share/doc),
else made up. Every way reads the same pages in the same run; the result is µs of a page,
MB/s, and how many times longer it takes than the scanner does. The ways do not do the same:
the regular expression sees only double-quoted hrefs, and them also in comments and scripts;
a DOM library builds a tree that can be asked other things.
"""

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from lycosa.extract.page import scan
from lycosa.extract.text.fingerprint import fingerprint
from lycosa.model.records import RECORDED_KINDS, REQUISITE_KINDS, LinkKind

FOLDERS = (
    "/usr/share/doc/openjdk-17-jre-headless/api/java.base",
    "/usr/share/doc/python3.11/html",
    "/usr/share/doc",
)
COUNT = 300
REPEATS = 5
HREF = re.compile(rb'<a\s[^>]*?href="([^"]*)"', re.IGNORECASE)

PAGES = sum(1 << kind for kind in set(LinkKind) - REQUISITE_KINDS - RECORDED_KINDS)

Way = Callable[[bytes], object]


def real(folders: tuple[str, ...]) -> list[bytes]:
    for folder in folders:
        paths = sorted(path for path in Path(folder).rglob("*.html") if path.is_file())
        if paths:
            chosen = paths[:: max(1, len(paths) // COUNT)][:COUNT]
            print(f"{len(chosen)} of {len(paths)} pages of {folder}")
            return [path.read_bytes() for path in chosen]
    return []


def made_up() -> list[bytes]:
    row = '<li class="entry"><a href="page{0}.html" title="Page {0}">Page &amp; {0}</a> {1}</li>\n'
    rows = "".join(row.format(number % 35, "some words of text " * 8) for number in range(120))
    print("made-up pages")
    return [f"<!DOCTYPE html><title>x</title><ul>{rows}</ul>".encode()] * 20


def tree_links(body: bytes) -> object:
    tree = LexborHTMLParser(body)
    return [node.attributes.get("href") for node in tree.css("a[href]")]


def tree_links_and_text(body: bytes) -> object:
    tree = LexborHTMLParser(body)
    links = [(node.attributes.get("href"), node.text()) for node in tree.css("a[href]")]
    tree.strip_tags(["script", "style", "template", "noscript", "head"])
    return links, tree.body.text(separator="\n") if tree.body else ""


def everything(body: bytes) -> object:
    return scan(body, "text/html", wants_requisites=True, wants_recorded=True)


def microseconds(way: Way, pages: list[bytes]) -> float:
    best = float("inf")
    for _ in range(REPEATS):
        start = time.process_time_ns()
        for page in pages:
            way(page)
        best = min(best, time.process_time_ns() - start)
    return best / len(pages) / 1000


def main() -> None:
    pages = real((sys.argv[1],) if len(sys.argv) > 1 else FOLDERS) or made_up()
    facts = [scan(page, "text/html") for page in pages]
    count = len(pages)
    size = sum(map(len, pages)) / count
    print(
        f"a page: {size / 1000:.1f} kB, {sum(sum(f.times) for f in facts) / count:.0f} links,"
        f" {sum(len(f.hrefs) for f in facts) / count:.0f} of them unique,"
        f" {sum(len(f.text) for f in facts) / count / 1000:.1f} kB of text"
    )
    ways: dict[str, Way] = {
        "scan: links and text": lambda page: scan(page, "text/html"),
        "scan: with requisites": lambda page: scan(page, "text/html", wants_requisites=True),
        "scan: with all that is recorded": everything,
        "scan: wide": lambda page: scan(page, "text/html", wants_requisites=True, wants_wide=True),
        "selectolax: links": tree_links,
        "selectolax: links and text": tree_links_and_text,
        "a regular expression: links": HREF.findall,
    }
    ours = 0.0
    for name, way in ways.items():
        taken = microseconds(way, pages)
        ours = ours or taken
        print(f"  {name:32}{taken:9.0f} µs {size / taken:7.0f} MB/s {taken / ours:6.1f}")
    texts = {page: found.content for page, found in zip(pages, facts, strict=True)}
    taken = microseconds(lambda page: fingerprint(texts[page]), pages)
    print(f"  {'fingerprint of the text':32}{taken:9.0f} µs {'':12} {taken / ours:6.1f}")


if __name__ == "__main__":
    main()
