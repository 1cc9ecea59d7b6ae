"""Sites of one host whose records are linked from nowhere: a search form alone leads to them.

A site gives its front page, an answer for each query, and its records. `FormSite` does the rest:
it is a web for a simulated crawl, and knows what is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple
from urllib.parse import parse_qs, quote

from lycosa.model.records import Request, Resolved
from lycosa_testweb.parts import take_apart
from lycosa_testweb.web import HTML, PLAIN, Reply

_TOKEN = re.compile(r"\w+")


class Record(NamedTuple):
    """A page that no link leads to."""

    path: str
    title: str
    text: str

    @property
    def words(self) -> frozenset[str]:
        """Every word of title and text."""
        return tokens(f"{self.title} {self.text}")


def tokens(text: str) -> frozenset[str]:
    """Return the words of a text as a search engine sees them."""
    return frozenset(_TOKEN.findall(text.lower()))


class FormSite:
    """A site with records behind a form; the kinds of sites say how it looks and what it finds."""

    host = "www.site.test"
    form = '<form action="/find"><input name="q"></form>'
    front = ""
    """What the front page shows beside the form."""
    furniture = "Home"
    """What every page shows."""
    rows = 10
    """How many results one page lists."""
    has_paging = True

    def __init__(self) -> None:
        self.records: Sequence[Record] = self.made()
        self._at = {record.path: record for record in self.records}

    def made(self) -> list[Record]:
        """Return the records."""
        raise NotImplementedError

    def found(self, given: dict[str, str]) -> Sequence[Record]:
        """Return the records that answer a query: here those with all its words."""
        wanted = tokens(given.get("q", ""))
        return [record for record in self.records if wanted and wanted <= record.words]

    def seeds(self) -> list[str]:
        """Return the front page."""
        return [f"http://{self.host}/"]

    def hidden_pages(self) -> Iterator[str]:
        """Yield the records' URLs."""
        return (f"http://{self.host}{record.path}" for record in self.records)

    def answer(self, request: Request, moment: float) -> Reply:
        """Return the front page, results, a record, or a 404."""
        parts = take_apart(request.url)
        given = {name: values[0] for name, values in parse_qs(parts.query).items()}
        body = self.page(parts.path, given)
        if body is None:
            return Reply(404, PLAIN, b"no such page\n")
        return Reply(200, HTML, body.encode())

    def page(self, path: str, given: dict[str, str]) -> str | None:
        """Return a page, None where there is none."""
        if path == "/":
            return self.shown("Welcome", self.front + self.form)
        if path == "/find":
            return self.results(given)
        record = self._at.get(path)
        return None if record is None else self.shown(record.title, f"<p>{record.text}</p>")

    def results(self, given: dict[str, str]) -> str:
        """Return one page of results."""
        found = self.found(given)
        start = int(given["from"]) if given.get("from", "").isdigit() else 0
        shown = found[start : start + self.rows]
        rows = [f'<li><a href="{one.path}">{escape(one.title)}</a></li>' for one in shown]
        if self.has_paging and start + self.rows < len(found):
            asked = {**given, "from": str(start + self.rows)}
            query = "&amp;".join(f"{name}={quote(value)}" for name, value in asked.items())
            rows.append(f'<li><a href="/find?{query}">next</a></li>')
        told = f"{len(found)} results" if found else "Nothing was found"
        return self.shown("Results", f"<p>{told}.</p><ul>{''.join(rows)}</ul>")

    def shown(self, title: str, body: str) -> str:
        """Return a whole page."""
        head = f"<!doctype html><meta charset=utf-8><title>{escape(title)}</title>"
        return f'{head}<p><a href="/">{self.furniture}</a></p><h1>{escape(title)}</h1>{body}'

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return an address."""
        return Resolved("10.0.2.1" if host == self.host else None, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything: there is no robots file."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0
