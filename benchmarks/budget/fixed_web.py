"""A small web that is always the same: pages of a manual, of the size of tree B of the race."""

from __future__ import annotations

import gzip
import random
from typing import NamedTuple

PAGES = 4000
LOGIN_PATH = b"/login"
CHAPTER = 25
"""Pages of one folder."""
NEW_LINKS = 6
COOKIE = b"session=in"
OPEN_PATHS = (b"/robots.txt", LOGIN_PATH)
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
    has_login: bool = False
    """Pages are for those who have logged in."""
    has_sitemap: bool = False
    """The robots file names a sitemap of all pages."""
    has_soft_404: bool = False
    """What is not there is answered as if it were; each page links to one such address."""
    is_coded: bool = False
    """Pages are sent as nginx sends what it packs: by gzip, in chunks."""


class Web(NamedTuple):
    """What the server sends."""

    answers: dict[str, bytes]
    """By path; `POST` and the path for forms that are sent."""
    missing: bytes
    """For other paths."""
    closed: bytes = b""
    """For requests without the cookie; empty if all may see everything."""

    def answer(self, asked: bytes) -> bytes:
        """Return the answer to a request."""
        method, target, rest = asked.split(b" ", 2)
        if method == b"POST":
            target = b"POST " + target
        elif self.closed and COOKIE not in rest and target not in OPEN_PATHS:
            return self.closed
        return self.answers.get(target.decode()) or self.missing


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
    if shape.has_soft_404:
        parts.append(f'<p><a href="/gone/{number}.html">{_text(chance, 2)}</a></p>')
    parts.append('</main><footer><a href="/">Manual</a></footer></body></html>\n')
    return "".join(parts).encode()


def _text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def _data(number: int) -> str:
    return (
        '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "Article", '
        f'"headline": "Section {number}", "position": {number}}}</script>'
    )


def _answer(body: bytes, kind: str, status: str = "200 OK", more: str = "") -> bytes:
    head = (
        f"HTTP/1.1 {status}\r\nServer: fixed\r\nDate: Wed, 18 Nov 2026 10:00:00 GMT\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}"
        f'Last-Modified: Tue, 17 Nov 2026 10:00:00 GMT\r\nETag: "{len(body):x}"\r\n'
        "Connection: keep-alive\r\nAccept-Ranges: bytes\r\n\r\n"
    )
    return head.encode() + body


def _coded_answer(body: bytes, kind: str) -> bytes:
    """Return an answer in the form that `Shape.is_coded` tells of."""
    packed = gzip.compress(body, 1, mtime=0)
    head = (
        "HTTP/1.1 200 OK\r\nServer: fixed\r\nDate: Wed, 18 Nov 2026 10:00:00 GMT\r\n"
        f"Content-Type: {kind}\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n"
        f'Last-Modified: Tue, 17 Nov 2026 10:00:00 GMT\r\nETag: W/"{len(body):x}"\r\n'
        "Connection: keep-alive\r\n\r\n"
    )
    return b"%b%x\r\n%b\r\n0\r\n\r\n" % (head.encode(), len(packed), packed)


def whole_web(shape: Shape, site: str = "http://h1.fixed.test") -> Web:
    """Return what the server sends for each path, head and body."""
    kind = "text/html; charset=utf-8"
    made = _coded_answer if shape.is_coded else _answer
    answers = {path_of(number): made(body_of(number, shape), kind) for number in range(PAGES)}
    rules = "User-agent: *\nDisallow: /private/\n"
    if shape.has_sitemap:
        rules += f"Sitemap: {site}/sitemap.xml\n"
        answers["/sitemap.xml"] = _answer(_sitemap(site), "application/xml")
    answers["/robots.txt"] = _answer(rules.encode(), "text/plain")
    answers["/"] = answers[path_of(0)]
    missing = _answer(b"<h1>Not found</h1>", "text/html", "404 Not Found")
    if shape.has_soft_404:
        missing = _answer(b"<title>Oops</title><h1>Oops</h1><p>" + b"Not here. " * 60, kind)
    if not shape.has_login:
        return Web(answers, missing)
    form = f'<form action="{LOGIN_PATH.decode()}" method="post"><input name="user"></form>'
    answers[LOGIN_PATH.decode()] = _answer(form.encode(), kind)
    cookie = f"Location: /\r\nSet-Cookie: {COOKIE.decode()}; Path=/\r\n"
    answers[f"POST {LOGIN_PATH.decode()}"] = _answer(b"", kind, "303 See Other", cookie)
    closed = _answer(b"", kind, "302 Found", f"Location: {LOGIN_PATH.decode()}\r\n")
    return Web(answers, missing, closed)


def _sitemap(site: str) -> bytes:
    rows = "".join(f"<url><loc>{site}{path_of(number)}</loc></url>" for number in range(PAGES))
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0"?>\n<urlset xmlns="{space}">{rows}</urlset>'.encode()
