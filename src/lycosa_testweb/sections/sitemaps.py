"""Pages that only a sitemap names: an index, a plain part and a gzipped part.

The robots file names the index (`Robots.sitemaps`); no page links to it.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass

from lycosa.model.records import LinkKind
from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.section import Ground

INDEX_PATH = "/sitemaps/index.xml"
_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
_XML = (("Content-Type", "application/xml"),)
_GZIP = (("Content-Type", "application/gzip"),)
_PARTS = ("part-1.xml", "part-2.xml.gz")


def _document(outer: str, inner: str, urls: list[str]) -> bytes:
    entries = "".join(f"<{inner}><loc>{url}</loc></{inner}>\n" for url in urls)
    text = (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<{outer} xmlns="{_SPACE}">\n{entries}</{outer}>\n'
    )
    return text.encode()


@dataclass(frozen=True, slots=True)
class Sitemaps:
    """A sitemap index, its parts and the pages they list."""

    listed: int = 4
    """Pages per part."""
    folder: str = "sitemaps"

    def entries(self, ground: Ground, moment: float) -> list[str]:
        """Link to nothing."""
        return []

    def page(self, ground: Ground, rest: str, query: str, moment: float) -> Page | None:
        """Return a sitemap or a listed page."""
        base = ground.base(self.folder)
        if query:
            return None
        if rest == "index.xml":
            urls = [base + part for part in _PARTS]
            return self._map(urls, _document("sitemapindex", "sitemap", urls), _XML)
        if rest in _PARTS:
            urls = self._listed(base, _PARTS.index(rest))
            document = _document("urlset", "url", urls)
            if rest.endswith(".gz"):
                return self._map(urls, gzip.compress(document, mtime=0), _GZIP)
            return self._map(urls, document, _XML)
        if base + rest in self.pages(ground):
            return ground.plain(f"Listed {rest}")
        return None

    def _map(self, urls: list[str], body: bytes, headers: tuple[tuple[str, str], ...]) -> Page:
        links = tuple((url, LinkKind.SITEMAP) for url in urls)
        return Page(links=links, body=body, headers=headers)

    def _listed(self, base: str, part: int) -> list[str]:
        return [f"{base}listed/{part * self.listed + n}.html" for n in range(self.listed)]

    def pages(self, ground: Ground) -> Iterator[str]:
        """Yield the listed pages."""
        base = ground.base(self.folder)
        for part in range(len(_PARTS)):
            yield from self._listed(base, part)
