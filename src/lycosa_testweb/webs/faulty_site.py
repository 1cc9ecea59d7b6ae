"""A site with every fault that `lycosa check-site` knows, each once; and the same site mended.

Version 1 of `garden.test` has the faults. In version 2 they are gone; a page has moved, one is new,
one is gone, and some texts differ, so that the two can be compared. `elsewhere.test` is another
site, to which the garden links; one of its pages refuses HEAD.
"""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from lycosa.model.records import Purpose, Request, Resolved
from lycosa_testweb.web import HTML, PLAIN, Headers, Reply

HOST, OTHER_HOST = "garden.test", "elsewhere.test"
HOME = f"http://{HOST}/"
SHOP = f"https://{HOST}/shop"
XML: Headers = (("Content-Type", "application/xml"),)
SLOW_SECONDS = 4.0
LARGE_BYTES = 1_200_000

FAULTS: dict[str, list[tuple[str, str | None]]] = {
    "broken": [(f"{HOME}roses", f"{HOME}tulips")],
    "outside": [(f"{HOME}roses", f"http://{OTHER_HOST}/gone")],
    "loops": [(HOME, f"{HOME}round")],
    "chains": [(HOME, f"{HOME}soil")],
    "moved": [(HOME, f"{HOME}old-herbs")],
    "orphans": [(f"{HOME}forgotten", f"{HOME}sitemap.xml")],
    "sitemap": [(f"{HOME}sitemap.xml", f"{HOME}removed")],
    "unlisted": [(f"{HOME}new-bed", None)],
    "canonicals": [(f"{HOME}print/roses", f"{HOME}rose")],
    "noindex": [(f"{HOME}prices", f"{HOME}sitemap.xml")],
    "hreflang": [(f"{HOME}lavender", f"{HOME}de/lavendel")],
    "mixed": [(SHOP, f"{HOME}basket.png")],
    "large": [(f"{HOME}catalogue", None)],
    "slow": [(f"{HOME}weather", None)],
    "title-missing": [(f"{HOME}untitled", None)],
    "title-doubled": [(f"{HOME}pond/frogs", None), (f"{HOME}pond/newts", None)],
    "title-long": [(f"{HOME}long", None)],
    "description-missing": [(f"{HOME}plain", None)],
    "description-doubled": [(f"{HOME}fish/carp", None), (f"{HOME}fish/tench", None)],
    "description-long": [(f"{HOME}wordy", None)],
}
"""The findings of each check in version 1: page and other URL."""


class _Page(NamedTuple):
    """A page of the garden."""

    title: str
    description: str
    links: tuple[tuple[str, str], ...] = ()
    """URL and text."""
    head: str = ""
    text: str = ""
    is_linked: bool = True
    is_listed: bool = True


class FaultySite:
    """The garden, with faults (version 1) or mended (version 2)."""

    def __init__(self, version: int = 1) -> None:
        self.version = version
        pages = _mended() if version > 1 else _faulty()
        self._redirects = {} if version > 1 else _REDIRECTS
        self._pages = {url: _markup(page) for url, page in pages.items()}
        unlinked = {HOME, *(url for url, page in pages.items() if not page.is_linked)}
        links = [(url, pages[url].title or url) for url in pages if url not in unlinked]
        links += [(url, url) for url in _REDIRECTED if version == 1]
        self._pages[HOME] = _markup(pages[HOME]._replace(links=tuple(links)))
        listed = [url for url, page in pages.items() if page.is_listed]
        self._sitemap = _sitemap([*listed, *([f"{HOME}removed"] if version == 1 else [])])

    def pages(self) -> list[str]:
        """Return the URLs of all pages of the garden."""
        return list(self._pages)

    def seeds(self) -> list[str]:
        """Return the URL at which a crawl begins."""
        return [HOME]

    def hosts(self) -> list[str]:
        """Return both hosts."""
        return [HOST, OTHER_HOST]

    def answer(self, request: Request, moment: float) -> Reply:
        """Return a page, the sitemap, the robots file or a redirect."""
        url = request.url
        if url == f"http://{OTHER_HOST}/there":
            if request.purpose is Purpose.HEAD:
                return Reply(405, (*PLAIN, ("Allow", "GET")), b"ask by GET\n")
            return Reply(200, HTML, b"<title>Elsewhere</title>")
        if url.endswith("/robots.txt"):
            return Reply(200, PLAIN, f"User-agent: *\nSitemap: {HOME}sitemap.xml\n".encode())
        if url == f"{HOME}sitemap.xml":
            return Reply(200, XML, self._sitemap)
        if url in self._redirects:
            status, target = self._redirects[url]
            return Reply(status, (*PLAIN, ("Location", target)), b"moved\n")
        body = self._pages.get(url)
        if body is None:
            return Reply(404, PLAIN, b"no such page\n")
        is_slow = url == f"{HOME}weather" and self.version == 1
        return Reply(200, HTML, body, SLOW_SECONDS if is_slow else 0.05)

    def resolve(self, host: str, moment: float) -> Resolved:
        """Return the address of a host."""
        known = {HOST: "10.0.0.1", OTHER_HOST: "10.0.0.2"}
        return Resolved(known.get(host), 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        """Allow everything."""
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        """Ask for none."""
        return 0.0


_REDIRECTED = (f"{HOME}old-herbs", f"{HOME}soil", f"{HOME}round")
_REDIRECTS = {
    f"{HOME}old-herbs": (301, f"{HOME}herbs"),
    f"{HOME}soil": (302, f"{HOME}earth"),
    f"{HOME}earth": (302, f"{HOME}ground"),
    f"{HOME}round": (302, f"{HOME}and-round"),
    f"{HOME}and-round": (302, f"{HOME}round"),
}
_GERMAN = f'<link rel="alternate" hreflang="de" href="{HOME}de/lavendel">'
_ENGLISH = f'<link rel="alternate" hreflang="en" href="{HOME}lavender">'
_CANONICAL = '<link rel="canonical" href="{url}">'
_NOINDEX = '<meta name="robots" content="noindex">'
_LONG = "All that grows in this garden from the first snowdrop in January to the last rose"
_WORDY = "The gardener says what he did on every day of the year, " * 4


def _usual() -> dict[str, _Page]:
    """Return the pages that are in order in both versions."""
    return {
        HOME: _Page("The garden", "A garden with a pond and a shop."),
        f"{HOME}herbs": _Page("Herbs", "Thyme, sage and what to do with them."),
        f"{HOME}ground": _Page("Ground", "Clay below, sand above."),
    }


def _faulty() -> dict[str, _Page]:
    links = (
        (f"{HOME}tulips", "Tulips"),
        (f"http://{OTHER_HOST}/gone", "a rose grower"),
        (f"http://{OTHER_HOST}/there", "a nursery"),
    )
    return _usual() | {
        f"{HOME}roses": _Page("Roses", "Eleven kinds of roses.", links),
        f"{HOME}forgotten": _Page(
            "Forgotten corner", "Behind the shed.", text=_CORNER, is_linked=False
        ),
        f"{HOME}new-bed": _Page("New bed", "Dug in March.", is_listed=False),
        f"{HOME}print/roses": _Page(
            "Roses, to print",
            "For paper.",
            head=_CANONICAL.format(url=f"{HOME}rose"),
            is_listed=False,
        ),
        f"{HOME}prices": _Page("Prices", "What plants cost.", head=_NOINDEX),
        f"{HOME}lavender": _Page("Lavender", "In rows.", head=_GERMAN),
        f"{HOME}de/lavendel": _Page("Lavendel", "In Reihen."),
        SHOP: _Page(
            "Shop",
            "Seeds and pots.",
            text=f'<img src="{HOME}basket.png" alt="basket">',
            is_listed=False,
        ),
        f"{HOME}catalogue": _Page("Catalogue", "All plants.", text="fern " * (LARGE_BYTES // 5)),
        f"{HOME}weather": _Page("Weather", "Rain, by the hour."),
        f"{HOME}untitled": _Page("", "A page whose title was forgotten."),
        f"{HOME}pond/frogs": _Page("Pond", "Frogs and their spawn."),
        f"{HOME}pond/newts": _Page("Pond", "Newts, in spring."),
        f"{HOME}long": _Page(_LONG, "A year."),
        f"{HOME}plain": _Page("Plain page", ""),
        f"{HOME}fish/carp": _Page("Carp", "A fish of the pond."),
        f"{HOME}fish/tench": _Page("Tench", "A fish of the pond."),
        f"{HOME}wordy": _Page("Diary", _WORDY),
    }


def _mended() -> dict[str, _Page]:
    links = ((f"{HOME}tulips", "Tulips"), (f"http://{OTHER_HOST}/there", "a nursery"))
    return _usual() | {
        f"{HOME}roses": _Page("Roses and their thorns", "Eleven kinds of roses.", links),
        f"{HOME}tulips": _Page("Tulips", "In April."),
        f"{HOME}corner": _Page("Forgotten corner", "Behind the shed.", text=_CORNER),
        f"{HOME}new-bed": _Page("New bed", "Dug in March.", text="Beans and peas grow here now."),
        f"{HOME}print/roses": _Page(
            "Roses, to print",
            "For paper.",
            head=_CANONICAL.format(url=f"{HOME}roses"),
            is_listed=False,
        ),
        f"{HOME}prices": _Page("Prices", "What plants cost."),
        f"{HOME}lavender": _Page("Lavender", "In rows.", head=_GERMAN),
        f"{HOME}de/lavendel": _Page("Lavendel", "In Reihen.", head=_ENGLISH),
        SHOP: _Page("Shop", "Seeds and pots.", is_listed=False),
        f"{HOME}catalogue": _Page("Catalogue", "All plants.", text="fern " * 40),
        f"{HOME}weather": _Page("Weather", "Rain, by the hour."),
        f"{HOME}untitled": _Page("Named at last", "A page whose title was forgotten."),
        f"{HOME}pond/frogs": _Page("Frogs", "Frogs and their spawn."),
        f"{HOME}pond/newts": _Page("Newts", "Newts, in spring."),
        f"{HOME}long": _Page(_LONG[:40], "A year."),
        f"{HOME}fish/carp": _Page("Carp", "A large fish."),
        f"{HOME}fish/tench": _Page("Tench", "A slimy fish."),
        f"{HOME}wordy": _Page("Diary", _WORDY[:57]),
        f"{HOME}compost": _Page("Compost", "What becomes of leaves."),
    }


_CORNER = (
    "Nettles stand here as high as a child, and below them lies the old well, which was filled with"
    " stones when the new one was dug beside the house."
)


def _markup(page: _Page) -> bytes:
    head = f"<title>{escape(page.title)}</title>" if page.title else ""
    if page.description:
        head += f'<meta name="description" content="{escape(page.description)}">'
    links = "".join(
        f'<li><a href="{escape(url)}">{escape(text)}</a></li>\n' for url, text in page.links
    )
    text = page.text or f"About {page.title.lower() or 'something without a name'}."
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}{page.head}</head>\n'
        f"<body><p>{text}</p>\n<ul>{links}</ul></body></html>\n"
    ).encode()


def _sitemap(urls: list[str]) -> bytes:
    entries = "".join(f"<url><loc>{escape(url)}</loc></url>\n" for url in urls)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0"?>\n<urlset xmlns="{space}">\n{entries}</urlset>\n'.encode()
