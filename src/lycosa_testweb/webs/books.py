"""A web with structured data in every form: a small library.

A single host, `library.test`: a front page in RDFa, books in JSON-LD with Open Graph, authors in
Microdata, notices with Dublin Core. The triples of each page are known by construction, so that a
crawler's triples can be counted against them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from lycosa.model.records import Request, Resolved
from lycosa_testweb.web import HTML, PLAIN, Reply

HOST = "library.test"
HOME = f"http://{HOST}/"

_BOOKS = (
    ("The Sands of Tarifa", 1951, 0),
    ("A Spider in the Salt House", 1957, 0),
    ("Nine Wells", 1962, 1),
    ("The Clerk of Weights", 1964, 1),
    ("Letters on Tides", 1970, 2),
    ("The Second Lamp", 1971, 2),
    ("An Atlas of Doors", 1978, 3),
    ("What the Heron Kept", 1983, 3),
    ("Quiet Machines", 1990, 4),
    ("The Last Index", 1996, 4),
)
_AUTHORS = ("Ines Valderra", "Tomas Okwu", "Marta Lindqvist", "Yusuf Aydemir", "Clara Benn")
_NOTICES = ("Opening hours", "A reading on Thursday", "New shelves")

BOOK_TRIPLES, AUTHOR_TRIPLES, NOTICE_TRIPLES = 9, 4, 3


class LibraryWeb:
    """The library."""

    def __init__(self) -> None:
        self._pages = {HOME: _home()}
        for number in range(len(_BOOKS)):
            self._pages[_book_url(number)] = _book(number)
        for number in range(len(_AUTHORS)):
            self._pages[_author_url(number)] = _author(number)
        for number in range(len(_NOTICES)):
            self._pages[_notice_url(number)] = _notice(number)

    def pages(self) -> list[str]:
        """Return the URLs of all pages."""
        return list(self._pages)

    def seeds(self) -> list[str]:
        """Return the URLs at which a crawl begins."""
        return [HOME]

    def hosts(self) -> list[str]:
        """Return the one host."""
        return [HOST]

    def answer(self, request: Request, moment: float) -> Reply:
        """Return a page."""
        body = self._pages.get(request.url)
        return Reply(404, PLAIN, b"no such page\n") if body is None else Reply(200, HTML, body)

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the one address."""
        return Resolved("10.0.0.1" if host == HOST else None, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything: there is no robots file."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0


def _book_url(number: int) -> str:
    return f"{HOME}books/{number + 1}"


def _author_url(number: int) -> str:
    return f"{HOME}authors/{number + 1}"


def _notice_url(number: int) -> str:
    return f"{HOME}notices/{number + 1}"


def _page(title: str, head: str, body: str, links: Iterable[str]) -> bytes:
    anchors = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return (
        f'<!doctype html>\n<html>\n<head><meta charset="utf-8"><title>{title}</title>'
        f'<link rel="stylesheet" href="/style.css">{head}</head>\n'
        f"<body>\n{body}\n<ul>{anchors}</ul>\n</body>\n</html>\n"
    ).encode()


def _home() -> bytes:
    body = (
        '<div vocab="http://schema.org/" typeof="Library" resource="#library">'
        '<h1 property="name">The library of Tarifa</h1>'
        '<p>Call <span property="telephone">+34 956 000 000</span></p></div>'
    )
    links = [
        *map(_book_url, range(len(_BOOKS))),
        *map(_author_url, range(len(_AUTHORS))),
        *map(_notice_url, range(len(_NOTICES))),
    ]
    return _page("The library of Tarifa", "", body, links)


def _book(number: int) -> bytes:
    title, year, author = _BOOKS[number]
    data = {
        "@context": "https://schema.org",
        "@id": _book_url(number) + "#book",
        "@type": "Book",
        "name": title,
        "datePublished": str(year),
        "author": {"@id": _author_url(author) + "#author"},
        "offers": {"@type": "Offer", "price": 0},
    }
    head = (
        f'<meta property="og:title" content="{title}"><meta property="og:type" content="book">'
        f'<script type="application/ld+json">{json.dumps(data)}</script>'
    )
    return _page(title, head, f"<h1>{title}</h1>", [HOME, _author_url(author)])


def _author(number: int) -> bytes:
    name = _AUTHORS[number]
    books = [_book_url(book) for book, (_, _, author) in enumerate(_BOOKS) if author == number]
    works = "".join(f'<link itemprop="workExample" href="{url}#book">' for url in books)
    body = (
        f'<div itemscope itemtype="http://schema.org/Person" itemid="{_author_url(number)}#author">'
        f'<h1 itemprop="name">{name}</h1>{works}</div>'
    )
    return _page(name, "", body, [HOME, *books])


def _notice(number: int) -> bytes:
    head = (
        f'<meta name="DC.title" content="{_NOTICES[number]}">'
        '<meta name="DC.creator" content="The librarian">'
        f'<meta name="DCTERMS.issued" content="2020-0{number + 1}-01">'
    )
    return _page(_NOTICES[number], head, f"<h1>{_NOTICES[number]}</h1>", [HOME])
