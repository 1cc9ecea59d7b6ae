"""Newspaper articles: with pictures, sound, film, files to download and structured data.

The requisites and the files of an article exist, though a crawler that wants pages keeps none of
them but notes in plain text. Other newspapers are quoted, on hosts that belong to no test web.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from lycosa.model.records import LinkKind
from lycosa_testweb.generated.page import Page, anchors
from lycosa_testweb.generated.section import Ground
from lycosa_testweb.mixing import below, mix, skewed
from lycosa_testweb.web import HTML, PLAIN

_PAPERS = ("gazette", "observer", "courier", "archive", "herald", "tribune", "almanac", "post")
QUOTED = tuple(f"https://www.{name}.example" for name in _PAPERS)
"""Where articles quote from; the first ones more often."""
_TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "jpg": "image/jpeg",
    "png": "image/png",
    "mp4": "video/mp4",
    "mp3": "audio/mpeg",
    "pdf": "application/pdf",
}
_PICTURES = 4


@dataclass(frozen=True, slots=True)
class Press:
    """A front page, and articles."""

    articles: int = 8
    folder: str = "press"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to the front page."""
        return [ground.base(self.folder)]

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return the front page, an article or a paper."""
        base = ground.base(self.folder)
        if query:
            return None
        if not rest:
            links = anchors(*(base + self._name(number) for number in range(self.articles)))
            return ground.plain("Front page")._replace(links=links)
        stem, _, ending = rest.rpartition(".")
        name, _, number = stem.rpartition("-")
        if number != "0" and (not number.isdecimal() or number[0] == "0"):
            return None
        if name == "article" and ending == "html" and int(number) < self.articles:
            return self._article(ground, base, int(number))
        if name == "notes" and ending == "txt" and int(number) < self.articles:
            text = ground.prose(2000 + int(number))
            return Page(body=text.encode(), headers=PLAIN)
        if name == ending and ending in _TYPES and int(number) < self.articles:
            content = f"{ending} {number} of {ground.origin}\n".encode()
            return Page(body=content, headers=(("Content-Type", _TYPES[ending]),))
        return None

    def _name(self, number: int) -> str:
        return f"article-{number}.html"

    def _article(self, ground: Ground, base: str, number: int) -> Page:
        key = mix(ground.seed, number, 5)
        title = f"Article {number}"
        links = [
            (f"{base}css-0.css", LinkKind.STYLE),
            (f"{base}js-0.js", LinkKind.SCRIPT),
            (f"{base}jpg-{number % _PICTURES}.jpg", LinkKind.IMAGE),
            (f"{base}png-0.png", LinkKind.IMAGE),
            (f"{base}pdf-{number}.pdf", LinkKind.ANCHOR),
            (base, LinkKind.ANCHOR),
        ]
        if number % 3 == 0:
            links.append((f"{base}mp4-0.mp4", LinkKind.MEDIA))
        if number % 4 == 1:
            links.append((f"{base}mp3-1.mp3", LinkKind.MEDIA))
            links.append((f"{base}notes-{number}.txt", LinkKind.ANCHOR))
        for quote in range(1 + below(3, key)):
            paper = QUOTED[skewed(len(QUOTED), 2.0, key, quote)]
            links.append((f"{paper}/{below(50, key, quote, 1)}.html", LinkKind.ANCHOR))
        links = list(dict.fromkeys(links))
        body = _html(title, ground, f"{base}{self._name(number)}", number, links)
        return Page(title, links=tuple(links), body=body.encode(), headers=HTML)

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield the front page, the articles and the notes."""
        base = ground.base(self.folder)
        yield base
        yield from (base + self._name(number) for number in range(self.articles))
        yield from (f"{base}notes-{number}.txt" for number in range(1, self.articles, 4))


_ELEMENTS = {
    LinkKind.STYLE: '<link rel="stylesheet" href="{}">',
    LinkKind.SCRIPT: '<script src="{}"></script>',
    LinkKind.IMAGE: '<img src="{}" alt="">',
    LinkKind.MEDIA: '<video src="{}"></video>',
    LinkKind.ANCHOR: '<a href="{}">more</a>',
}


def _html(
    title: str, ground: Ground, url: str, number: int, links: list[tuple[str, LinkKind]]
) -> str:
    head = [f"<title>{title}</title>", _data(title, url, ground)]
    if number % 3:
        head.append(f'<meta property="og:title" content="{title}">')
        head.append('<meta property="og:type" content="article">')
    if number % 2:
        head.append(f'<meta name="DC.title" content="{title}">')
    body = [_ELEMENTS[kind].format(escape(target)) for target, kind in links]
    author = ""
    if number % 3 == 1:
        author = (
            '<p itemscope itemtype="http://schema.org/Person">'
            f'<span itemprop="name">Reporter {number % 5}</span></p>\n'
        )
    return (
        f'<!doctype html>\n<html lang="{ground.language}">\n<head><meta charset="utf-8">'
        f"{''.join(head)}</head>\n<body>\n<h1>{title}</h1>\n{author}"
        f"<p>{escape(ground.prose(1000 + number, 60 * (1 + number)))}</p>\n"
        f"{chr(10).join(body)}\n</body>\n</html>\n"
    )


def _data(title: str, url: str, ground: Ground) -> str:
    told = {
        "@context": "https://schema.org",
        "@id": url,
        "@type": "NewsArticle",
        "headline": title,
        "inLanguage": ground.language,
    }
    return f'<script type="application/ld+json">{json.dumps(told)}</script>'
