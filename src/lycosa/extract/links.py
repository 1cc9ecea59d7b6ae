"""What a page says about other pages: links, base, title, wishes for robots.

HTML and XHTML are scanned for tags, sitemaps for their `loc` elements; any other kind of
body has no links. Links come as the page writes them; each pair of reference and kind
counts once, where it first stands. They are not resolved here, so that a page can be
scanned without knowing its URL.

Links of a page that asks robots not to follow them are returned all the same: whether to
obey `is_nofollow` is for the caller to decide.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lycosa.extract.characters import attribute_text, heading_text, text_of, to_utf8
from lycosa.extract.tags import tags
from lycosa.records import Link, LinkKind

LONGEST_TITLE = 1000
"""Characters of a title that are kept."""

_FIRST_BYTES = 2048
_SITEMAP = re.compile(rb"<(?:[A-Za-z][\w.-]{0,30}:)?(?:urlset|sitemapindex)[\s>]")
_XHTML = re.compile(rb"<html[\s>]", re.IGNORECASE)
_XML_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
# A prefix other than those of the extensions: a sitemap may bind its namespace to any.
_LOCATION = re.compile(
    rb"<(?!image:|video:)(?:[A-Za-z][\w.-]{0,30}:)?loc(?:\s[^<>]*+)?>\s*+(?:<!\[CDATA\[)?([^<]*+)"
)
_REFRESH = re.compile(
    r"""\s*+[\d.]*+(?=[;,\s])\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+(?:"([^"]*+)|'([^']*+)|(.++))""",
    re.IGNORECASE | re.DOTALL,
)
_FOLLOWED_RELATIONS = frozenset({"next", "prev", "alternate"})


class Facts(NamedTuple):
    """What one pass over a body found."""

    base: str | None = None
    links: tuple[Link, ...] = ()
    title: str = ""
    is_nofollow: bool = False
    is_noindex: bool = False


def scan(body: bytes, content_type: str | None) -> Facts:
    """Read a body of this content type; without one it is taken for HTML."""
    kind = (content_type or "text/html").partition(";")[0].strip().lower()
    is_html = kind == "text/html"
    is_xml = kind.endswith(("/xml", "+xml"))
    if not is_html and not is_xml:
        return Facts()
    body = to_utf8(body, content_type)
    first = body[:_FIRST_BYTES]
    if _SITEMAP.search(first):
        return Facts(links=_sitemap_links(body))
    if is_html or kind == "application/xhtml+xml" or _XHTML.search(first):
        return _Page().read(body, is_xml)
    return Facts()


def _sitemap_links(body: bytes) -> tuple[Link, ...]:
    if b"<!--" in body:
        body = _XML_COMMENT.sub(b"", body)
    hrefs = (attribute_text(found[1].partition(b"]]>")[0]) for found in _LOCATION.finditer(body))
    return tuple(dict.fromkeys(Link(href, LinkKind.SITEMAP) for href in hrefs if href))


class _Page:
    """The facts of one HTML page, as they are gathered tag by tag."""

    def __init__(self) -> None:
        self.base: str | None = None
        self.links: dict[tuple[str, int], Link] = {}
        self.title: str | None = None
        self.wishes: set[str] = set()

    def read(self, body: bytes, is_xml: bool) -> Facts:
        for name, attributes, text in tags(body, is_xml=is_xml):
            match name:
                case b"a" | b"area":
                    self._add(attributes.get(b"href"))
                case b"frame" | b"iframe":
                    self._add(attributes.get(b"src"))
                case b"link":
                    self._read_link(attributes)
                case b"meta":
                    self._read_meta(attributes)
                case b"base" if self.base is None and b"href" in attributes:
                    self.base = attribute_text(attributes[b"href"])
                case b"title" if self.title is None:
                    self.title = heading_text(text, LONGEST_TITLE)
        is_none = "none" in self.wishes
        return Facts(
            base=self.base or None,
            links=tuple(self.links.values()),
            title=self.title or "",
            is_nofollow=is_none or "nofollow" in self.wishes,
            is_noindex=is_none or "noindex" in self.wishes,
        )

    def _add(self, value: bytes | None, kind: LinkKind = LinkKind.ANCHOR) -> None:
        if value:
            self._add_text(attribute_text(value), kind)

    def _add_text(self, href: str, kind: LinkKind) -> None:
        # Not `kind` itself: the hash of an enum member is computed in Python.
        key = (href, kind._value_)
        if href and key not in self.links:
            self.links[key] = Link(href, kind)

    def _read_link(self, attributes: dict[bytes, bytes]) -> None:
        relations = set(text_of(attributes.get(b"rel", b"")).lower().split())
        if "canonical" in relations:
            self._add(attributes.get(b"href"), LinkKind.CANONICAL)
        elif relations & _FOLLOWED_RELATIONS and "stylesheet" not in relations:
            self._add(attributes.get(b"href"))

    def _read_meta(self, attributes: dict[bytes, bytes]) -> None:
        content = attributes.get(b"content")
        if not content:
            return
        if attributes.get(b"name", b"").strip().lower() == b"robots":
            self.wishes.update(re.split(r"[\s,]+", attribute_text(content).lower()))
        elif attributes.get(b"http-equiv", b"").strip().lower() == b"refresh":
            found = _REFRESH.match(attribute_text(content))
            if found:
                self._add_text(found[found.lastindex or 0].strip(), LinkKind.REFRESH)
