"""A page before it becomes HTML: status, text, links, triples.

Sections make a `Page`, whose links are canonical URLs: tests compare a crawl with these.
`render` turns it into HTML and headers, and writes the links in many forms. Both
come from one value, so they cannot disagree.
"""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from lycosa.model.records import LinkKind, Outcome
from lycosa_testweb.generated import forms
from lycosa_testweb.mixing import mix
from lycosa_testweb.parts import Parts
from lycosa_testweb.web import HTML, Reply


class Page(NamedTuple):
    """The page of a section at one URL."""

    title: str = ""
    text: str = ""
    links: tuple[tuple[str, LinkKind], ...] = ()
    status: int = 200
    triples: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    """A body that is not HTML of ours; its links are in `links` all the same."""
    failure: Outcome | None = None
    failure_seconds: float = 0.0
    language: str = ""
    is_passing: bool = False
    """Whether what is wrong with it will pass."""

    @property
    def is_kept(self) -> bool:
        """Whether a crawler gets a page here, in the end."""
        return self.is_passing or (self.failure is None and 200 <= self.status < 300)


def anchors(*urls: str) -> tuple[tuple[str, LinkKind], ...]:
    """Return ordinary links."""
    return tuple((url, LinkKind.ANCHOR) for url in urls)


def render(page: Page, base: Parts, key: int) -> Reply:
    """Turn a page into the server's reply; the latency is added by the web."""
    if page.failure is not None:
        return Reply(0, latency_seconds=page.failure_seconds, failure=page.failure)
    if 300 <= page.status < 400:
        return Reply(page.status, (*HTML, *page.headers, *_location(page, base, key)), b"moved\n")
    if page.body is not None:
        return Reply(page.status, page.headers, page.body)
    return Reply(page.status, HTML + page.headers, _html(page, base, key).encode())


def _location(page: Page, base: Parts, key: int) -> tuple[tuple[str, str], ...]:
    if not page.links:
        return ()
    return (("Location", forms.write(base, page.links[0][0], key)),)


def _html(page: Page, base: Parts, key: int) -> str:
    head, body = [f"<title>{escape(page.title)}</title>"], []
    for number, (url, kind) in enumerate(page.links):
        href = forms.write(base, url, mix(key + number))
        if "&" in href:
            href = escape(href)
        if kind is LinkKind.REFRESH:
            head.append(f'<meta http-equiv="refresh" content="0; url={href}">')
        elif kind is LinkKind.CANONICAL:
            head.append(f'<link rel="canonical" href="{href}">')
        else:
            body.append(f'<li><a href="{href}">link {number}</a></li>')
    language = f' lang="{page.language}"' if page.language else ""
    return (
        f'<!doctype html>\n<html{language}>\n<head><meta charset="utf-8">{"".join(head)}</head>\n'
        f"<body{_prefix(page)}>\n<h1>{escape(page.title)}</h1>\n{_statements(page)}"
        f"<p>{escape(page.text)}</p>\n<ul>\n{chr(10).join(body)}\n</ul>\n</body>\n</html>\n"
    )


def _prefix(page: Page) -> str:
    return ' prefix="t: http://terms.test/"' if page.triples else ""


def _statements(page: Page) -> str:
    """Return one RDFa statement about the page itself for every triple."""
    return "".join(
        f'<p property="t:p{number}">value {number} of {escape(page.title)}</p>\n'
        for number in range(page.triples)
    )
