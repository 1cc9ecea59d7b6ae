"""A maze: one page for every kind of link, each with a target of its own that nothing else names.

The home page of `maze.test` links to `/at/NAME`, which holds the link, and this leads to
`/found/NAME`. So the requests tell which kinds of links a crawler finds. `link_kinds` has the list.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote

from lycosa.model.records import Request, Resolved
from lycosa_testweb.web import HTML, PLAIN, Reply
from lycosa_testweb.webs.link_kinds import PLACES, LinkPlace

HOST = "maze.test"
HOME = f"http://{HOST}/"
_TARGET, _AT = f"{HOME}found/", f"{HOME}at/"

_FILES = {
    f"{HOME}files/url.css": ("text/css", "b { background: url(/found/css-url) }"),
    f"{HOME}files/import.css": ("text/css", '@import "/found/css-import";'),
    f"{HOME}files/app.webmanifest": (
        "application/manifest+json",
        '{"start_url": "/found/manifest-start-page", "icons": [{"src": "/found/manifest-icon"}]}',
    ),
}


class MazeWeb:
    """The maze; also its own truth."""

    def __init__(self) -> None:
        self.places = {place.name: place for place in PLACES}

    def seeds(self) -> list[str]:
        """Return the URL at which a crawl begins."""
        return [HOME]

    def hosts(self) -> list[str]:
        """Return the one host."""
        return [HOST]

    def targets(self, *flags: str) -> set[str]:
        """Return the URLs that a crawl with these flags should ask for."""
        return {_TARGET + place.name for place in PLACES if place.flag in flags}

    def found_in(self, urls: Iterable[str]) -> set[str]:
        """Return the names of the kinds whose target is among these URLs."""
        asked = {unquote(url).removeprefix(_TARGET) for url in urls}
        return asked & self.places.keys()

    def answer(self, request: Request, moment: float) -> Reply:
        """Return the home page, a page with one link, or a target."""
        url = unquote(request.url)
        if url.endswith("/robots.txt"):
            lines = [_written(place) for place in PLACES if place.shape == "robots"]
            return Reply(200, PLAIN, "\n".join(["User-agent: *", *lines, ""]).encode(), 0.01)
        if url == HOME:
            return Reply(200, HTML, _home().encode(), 0.01)
        if url in _FILES:
            kind, text = _FILES[url]
            return Reply(200, (("Content-Type", kind),), text.encode(), 0.01)
        if url.startswith(_AT) and (place := self.places.get(url.removeprefix(_AT))):
            return _page(place)
        if url.startswith(_TARGET) and (name := url.removeprefix(_TARGET)) in self.places:
            body = f"<html><title>Found {name}</title><p>This page is reached by {name}.</p></html>"
            return Reply(200, HTML, body.encode(), 0.01)
        return Reply(404, PLAIN, f"nothing is at {url}\n".encode(), 0.01)

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address of a host."""
        return Resolved("10.0.0.1" if host == HOST else None, 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything but what the robots file names."""
        return url != f"{_TARGET}robots-disallow"

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0


def table_of_kinds() -> str:
    """Return the kinds of links as docs/link-kinds.md has them: name, place, flag."""
    rows = [f"| {place.name} | {_cell(place)} | {place.flag} |" for place in PLACES]
    return "\n".join(["| kind | where | followed |", "|---|---|---|", *rows])


def _cell(place: LinkPlace) -> str:
    markup = place.markup.replace("\0", "@").replace("|", "\\|").replace("\n", "↵")
    return f"`{markup}`"


def _written(place: LinkPlace) -> str:
    """Return the markup of a place with the target in it."""
    sign = "\0" if "\0" in place.markup else "@"
    markup = place.markup.replace("@@@", place.name).replace("@@", f"found/{place.name}")
    markup = markup.replace("!@", _TARGET + place.name)
    return markup.replace(sign, f"/found/{place.name}", 1)


def _page(place: LinkPlace) -> Reply:
    markup, title = _written(place), f"<title>A page with {place.name}</title>"
    words = f"<p>This page has a link of the kind {place.name}.</p>"
    if place.shape == "header":
        name, _, value = markup.partition(": ")
        status = 302 if place.name == "header-location" else 200
        return Reply(status, (*HTML, (name, value)), f"<html>{title}{words}".encode(), 0.01)
    if "/" in place.shape:
        return Reply(200, (("Content-Type", place.shape),), markup.encode(), 0.01)
    if place.shape == "head":
        markup = f"<!DOCTYPE html><html><head>{title}{markup}</head><body>{words}</body></html>"
    elif place.shape == "body":
        markup = f"<!DOCTYPE html><html><head>{title}</head><body>{words}{markup}</body></html>"
    return Reply(200, HTML, markup.encode(), 0.01)


def _home() -> str:
    names = [place.name for place in PLACES if place.shape != "robots"]
    links = "".join(f'<li><a href="/at/{name}">{name}</a></li>\n' for name in names)
    return f"<!DOCTYPE html><html><title>Maze</title><body><ul>{links}</ul></body></html>"
