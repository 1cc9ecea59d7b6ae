"""A small web that is always the same: pages of a manual, of the size of tree B of the race."""

from __future__ import annotations

import random
from typing import NamedTuple

PAGES = 4000
CHAPTER = 25
"""Pages of one folder."""
NEW_LINKS = 6
WORDS = [
    *("value", "type", "method", "trait", "slice", "index", "iterator", "buffer", "pointer"),
    *("string", "element", "range", "length", "memory", "returns", "panics", "reference"),
    *("borrow", "lifetime", "implementation", "generic", "parameter", "error", "option"),
    *("result", "closure", "function", "module", "crate", "macro", "pattern", "match", "vector"),
    *("array", "signed", "integer", "float", "character", "byte", "order", "atomic", "fence"),
    *("lock", "thread", "future", "context", "waker", "stream"),
]


class Shape(NamedTuple):
    """What pages of the web have beside text and links."""

    has_data: bool = False
    """JSON-LD on every page."""
    has_forms: bool = False
    """A search form on every page."""


def path_of(number: int) -> str:
    """Return the path of a page."""
    return f"/manual/chapter-{number // CHAPTER}/section-{number}.html"


def body_of(number: int, shape: Shape) -> bytes:
    """Return the page: navigation, headings, paragraphs with links, and code."""
    chance = random.Random(number)
    here = number - number % CHAPTER
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>Section {number}</title>"
        f'<meta name="description" content="{_text(chance, 12)}">'
        '<link rel="stylesheet" href="../style.css"><script src="../script.js"></script>',
        _data(number) if shape.has_data else "",
        '</head><body class="manual"><nav class="sidebar"><h2>Contents</h2><ul>',
    ]
    parts += [
        f'<li><a class="entry" href="section-{near}.html">{_text(chance, 2)}</a></li>'
        for near in range(here, min(here + CHAPTER, PAGES))
    ]
    parts.append("</ul></nav><main>")
    if shape.has_forms:
        parts.append('<form action="/search" method="get"><input name="q" type="text"></form>')
    parts.append(f"<h1>Section {number}</h1>")
    for heading in range(NEW_LINKS):
        target = (number * NEW_LINKS + heading + 1) % PAGES
        parts.append(
            f'<h2 id="part-{heading}">{_text(chance, 3)}</h2><p>{_text(chance, 40)} '
            f'<a href="{path_of(target)}#part-{heading}" title="{_text(chance, 2)}">'
            f"{_text(chance, 3)}</a> {_text(chance, 25)}</p>"
            f'<pre class="code"><code>let <span class="name">{_text(chance, 1)}</span> = '
            f'<span class="number">{chance.randrange(10_000)}</span>;</code></pre>'
        )
    parts.append('</main><footer><a href="/">Manual</a></footer></body></html>\n')
    return "".join(parts).encode()


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def _data(number: int) -> str:
    return (
        '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Article", '
        f'"headline": "Section {number}", "position": {number}}}</script>'
    )


def _answer(body: bytes, kind: str, status: str = "200 OK") -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nServer: fixed\r\nDate: Wed, 18 Nov 2026 10:00:00 GMT\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        f'Last-Modified: Tue, 17 Nov 2026 10:00:00 GMT\r\nETag: "{len(body):x}"\r\n'
        "Connection: keep-alive\r\nAccept-Ranges: bytes\r\n\r\n"
    )
    return head.encode() + body


def whole_web(shape: Shape) -> dict[str, bytes]:
    """Return what the server sends for each path, head and body."""
    kind = "text/html; charset=utf-8"
    answers = {path_of(number): _answer(body_of(number, shape), kind) for number in range(PAGES)}
    answers["/robots.txt"] = _answer(b"User-agent: *\nDisallow: /private/\n", "text/plain")
    answers["/"] = answers[path_of(0)]
    return answers


NOT_FOUND = _answer(b"<h1>Not found</h1>", "text/html", "404 Not Found")
