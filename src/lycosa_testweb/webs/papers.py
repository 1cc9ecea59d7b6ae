"""Test webs that repeat the tables in the evaluation of the RDFa spider.

Each row of the paper becomes a value with its correct result. Where the paper
contradicts itself the row says so:

  * Table 3 prints `Disallow: /be`; its own results need `/ba`;
  * Table 7 prints 8 pages for the second tree, which has 7; and 8 triples for two pages of
    two triples, which have 4.

Table 4 has 29 and 30 seconds and a limit of 30; here they are shares of the
limit, so that a test can make it short.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lycosa.model.records import Outcome, Request, Resolved
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.robots import Closure, Group, Robots
from lycosa_testweb.web import HTML, PLAIN, Reply
from lycosa_testweb.webs.graph import GraphWeb

_HOST = "paper.test"
_ORIGIN = f"http://{_HOST}"
HOME = f"{_ORIGIN}/"
"""Where a crawl of any of these webs begins, but for the trees (`TreeRow.web().home()`)."""

LINKS_CAP = 100
"""Table 5: no more links than these are taken from a page."""


# -- Table 3: robots rules -----------------------------------------------------------------


class RobotsRow(NamedTuple):
    """May this agent ask for this path?"""

    agent: str
    path: str
    is_allowed: bool


TABLE_3 = (
    RobotsRow("RDFaSbot", "/bad", False),
    RobotsRow("RDFaSbot", "/base", False),
    RobotsRow("RDFaSbot", "/bad/more", False),
    RobotsRow("RDFaSbot", "/bad/but", False),
    RobotsRow("RDFaSbot", "/bad/but/ok", True),
    RobotsRow("RDFaSbot", "/bad/but/ok/and", True),
    RobotsRow("RDFaSbot", "/bad/but/okeydokey", True),
    RobotsRow("Googlebot", "/test/", True),
    RobotsRow("Googlebot", "/secret/code", False),
    RobotsRow("Googlebot", "/secondary/more-specific", True),
    RobotsRow("RDFaSbot", "/secret/", True),
)

ROBOTS = Robots(
    (
        Group(
            "RDFaSbot",
            (
                Closure(
                    ("Allow: /bad/but/ok", "Disallow: /ba", "Disallow: /bad/"),
                    lambda path: path.startswith("/ba") and not path.startswith("/bad/but/ok"),
                ),
            ),
        ),
        Group(
            "*",
            (
                Closure(
                    ("Disallow: /secret/", "Allow: /secondary/"),
                    lambda path: path.startswith("/secret/"),
                ),
            ),
        ),
    )
)
"""The robots file of Table 3, mended."""


def robots_web() -> GraphWeb:
    """Return a host with that robots file and a page at every path of Table 3."""
    targets = [f"{_ORIGIN}{row.path}" for row in TABLE_3]
    return GraphWeb({HOME: targets}, robots={_HOST: ROBOTS})


# -- Table 4: what can be downloaded ---------------------------------------------------------


class DownloadRow(NamedTuple):
    """A page of Table 4, and its correct outcome."""

    scenario: str
    path: str
    outcome: Outcome
    content_type: str = "text/html"
    size_bytes: int = 2_000
    share_of_limit: float = 0.0
    """How long the answer takes, as a share of the time limit."""

    @property
    def url(self) -> str:
        """Where it is."""
        return f"{_ORIGIN}{self.path}"


TABLE_4 = (
    DownloadRow("30 of 30 seconds", "/late.html", Outcome.TIMEOUT, share_of_limit=30 / 30),
    DownloadRow("29 of 30 seconds", "/just-in-time.html", Outcome.KEPT, share_of_limit=29 / 30),
    DownloadRow("10 MB of HTML", "/large.html", Outcome.KEPT, size_bytes=10_000_000),
    DownloadRow("a PDF document", "/document.pdf", Outcome.WRONG_TYPE, "application/pdf"),
    DownloadRow("an image", "/image.png", Outcome.WRONG_TYPE, "image/png"),
    DownloadRow("2 kB of HTML", "/small.html", Outcome.KEPT),
)

_BEGINNINGS = {
    "text/html": b"<!doctype html><title>A page</title>\n",
    "application/pdf": b"%PDF-1.4\n",
    "image/png": b"\x89PNG\r\n\x1a\n",
}


def download_web(limit_seconds: float) -> PageWeb:
    """Return the pages of Table 4 for a crawler that waits no longer than that.

    The latencies are real only if the web is served with `time_scale=1.0`.
    """
    pages = {row.url: _download(row, limit_seconds) for row in TABLE_4}
    return PageWeb({HOME: _linking(row.path for row in TABLE_4), **pages})


def _download(row: DownloadRow, limit_seconds: float) -> Reply:
    body = _BEGINNINGS[row.content_type]
    if row.content_type == "text/html":
        body += b"<p>and so on</p>\n" * (row.size_bytes // 17)
    headers = (("Content-Type", row.content_type),)
    filled = body[: row.size_bytes].ljust(row.size_bytes)
    return Reply(200, headers, filled, row.share_of_limit * limit_seconds)


# -- Table 5: links in good and bad markup ---------------------------------------------------


class LinkRow(NamedTuple):
    """The number of links found on a page, against the number it has."""

    markup: str
    is_valid: bool
    links: int
    found: int

    @property
    def url(self) -> str:
        """Where it is."""
        kind = "valid" if self.is_valid else "invalid"
        name = self.markup.lower().replace(" ", "-").replace("+", "and")
        return f"{_ORIGIN}/{name}/{kind}/{self.links}.html"

    @property
    def targets(self) -> list[str]:
        """The links of the page, in order; the first `found` of them are to be followed."""
        return [f"{self.url}/{number}" for number in range(self.links)]


_MARKUPS = {
    "XHTML 1.0 Transitional": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 '
        'Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n'
        '<html xmlns="http://www.w3.org/1999/xhtml">'
    ),
    "HTML 4.01 Strict": (
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" '
        '"http://www.w3.org/TR/html4/strict.dtd">\n<html>'
    ),
    "XHTML + RDFa": (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML+RDFa '
        '1.0//EN" "http://www.w3.org/MarkUp/DTD/xhtml-rdfa-1.dtd">\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:dc="http://purl.org/dc/terms/" '
        'version="XHTML+RDFa 1.0">'
    ),
}

TABLE_5 = tuple(
    LinkRow(markup, is_valid, links, min(links, LINKS_CAP))
    for markup in _MARKUPS
    for is_valid, links in ((True, 1), (True, 100), (True, 200), (False, 100))
)


def link_web() -> PageWeb:
    """Return the pages of Table 5; what they link to exists."""
    pages = {row.url: Reply(200, HTML, _linked_page(row).encode()) for row in TABLE_5}
    leaf = Reply(200, HTML, b"<!doctype html><title>A leaf</title>")
    leaves = dict.fromkeys((url for row in TABLE_5 for url in row.targets), leaf)
    return PageWeb({HOME: _linking(row.url for row in TABLE_5), **leaves, **pages})


def _linked_page(row: LinkRow) -> str:
    anchors = [f'<p><a href="{url}">link</a></p>' for url in row.targets]
    head, title = _MARKUPS[row.markup], f"<title>{row.markup}</title>"
    if row.is_valid:
        return f"{head}\n<head>{title}</head>\n<body>{chr(10).join(anchors)}</body>\n</html>\n"
    # Links in the head, outside of everything, between tags that were never closed or never opened.
    third = len(anchors) // 3
    first, second, rest = anchors[:third], anchors[third : 2 * third], anchors[2 * third :]
    return (
        f"{head}\n<head>{title}{' '.join(first)}</head>\n<body><div><b><i></b></table>"
        f'{"<li><span>".join(second)}<img src=x.png alt=a"b>\n</body></html>\n'
        f"{'</p></div>'.join(rest)}"
    )


# -- Table 7: trees --------------------------------------------------------------------------


class TreeRow(NamedTuple):
    """A tree of Table 7, and its correct numbers of pages and triples."""

    levels: int
    fanout: int
    triples_per_page: int
    pages: int

    @property
    def triples(self) -> int:
        """Of the whole site."""
        return self.pages * self.triples_per_page

    def web(self) -> GeneratedWeb:
        """Return the site."""
        return GeneratedWeb.tree(self.levels, self.fanout, self.triples_per_page)


TABLE_7 = tuple(
    TreeRow(levels, fanout, triples, pages)
    for triples in range(4)
    for levels, fanout, pages in ((2, 1, 2), (3, 2, 7), (4, 3, 40), (5, 4, 341), (6, 5, 3906))
)


# -- pages by URL ----------------------------------------------------------------------------


class PageWeb:
    """A single host with given replies and no robots file."""

    def __init__(self, replies: Mapping[str, Reply]) -> None:
        self.replies = replies

    def hosts(self) -> list[str]:
        """Return the one host."""
        return [_HOST]

    def answer(self, request: Request, moment: float) -> Reply:
        """Look the reply up."""
        return self.replies.get(request.url, _NOT_FOUND)

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the one address."""
        return Resolved("10.0.0.1" if host == _HOST else None, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0


_NOT_FOUND = Reply(404, PLAIN, b"no such page\n", 0.0)


def _linking(links: Iterable[str]) -> Reply:
    anchors = "".join(f'<p><a href="{link}">{link}</a></p>\n' for link in links)
    return Reply(200, HTML, f"<!doctype html><title>Home</title>\n{anchors}".encode(), 0.0)
