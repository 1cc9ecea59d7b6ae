"""The links of a page in pure Python: what `_links.pxi` does, written to be read."""

from __future__ import annotations

from lycosa.extract.facts import Facts
from lycosa.extract.html.names import ANYWHERE, LISTS, PAINTS
from lycosa.extract.html.objects import joined
from lycosa.extract.html.references import resolve_attribute
from lycosa.extract.html.values import css_references, relation, srcset_urls
from lycosa.model.records import REQUISITE_KINDS, LinkKind

SPACES = " \t\n\r\f"
_FIRST_REQUISITE = min(REQUISITE_KINDS)
"""Kinds from here on are not pages that a reader goes to."""
_TO_SPACE = dict.fromkeys(map(ord, SPACES), " ")

BEFORE_HTML, IN_HTML, AFTER_HTML = 1, 2, 4
"""Where in a page a link stands, a bit each."""

Attributes = dict[str, str]


class PureLinks:
    """The links found so far, each pair of reference and kind once."""

    def __init__(self, most_links: int, wanted: int) -> None:
        self._most_links = most_links
        self._wanted = wanted
        self._links: dict[tuple[str, int], int] = {}
        self._rels: list[str] = []
        self._times: list[int] = []
        self._texts: list[str] = []
        self._alts: list[str] = []
        self._is_truncated = False
        self._anchor: int | None = None
        self._place = BEFORE_HTML
        self._places: list[int] = []

    def _add(self, value: str | None, kind: LinkKind, rel: str = "", alt: str = "") -> int | None:
        return self._add_href(value_in(value), int(kind), rel, alt) if value else None

    def _add_href(self, href: str, kind: int, rel: str = "", alt: str = "") -> int | None:
        if not href or not self._wants(kind):
            return None
        # Data and parts of the page itself need no request.
        if kind >= _FIRST_REQUISITE and (href[0] == "#" or href[:5].lower() == "data:"):
            return None
        href = without_fragment(href)
        index = self._links.get((href, kind))
        if index is None:
            index = len(self._links)
            if self._most_links and index >= self._most_links:
                self._is_truncated = True
                return None
            self._links[href, kind] = index
            self._rels.append(_relation(rel))
            self._times.append(0)
            self._places.append(0)
            self._texts.append("")
            self._alts.append("")
        elif "nofollow" in self._rels[index] and "nofollow" not in _relation(rel):
            self._rels[index] = _relation(rel)  # what is `nofollow` in one place only is followed
        self._times[index] += 1
        self._places[index] |= self._place
        self._alts[index] = self._alts[index] or alt
        return index

    def _add_image(self, attributes: Attributes) -> None:
        alt = attributes.get("alt", "")
        if self._anchor is not None and not self._alts[self._anchor]:
            self._alts[self._anchor] = alt
        self._add(attributes.get("src"), LinkKind.IMAGE, alt=alt)
        self._add_srcset(attributes.get("srcset"))

    def _wants(self, kind: int) -> bool:
        return bool(self._wanted >> kind & 1)

    def _add_srcset(self, value: str | None) -> None:
        if value and self._wants(LinkKind.IMAGE):
            for url in srcset_urls(resolve_attribute(value)):
                self._add_href(url, int(LinkKind.IMAGE))

    def _add_css(self, css: str) -> None:
        if self._wants(LinkKind.IMAGE):
            for href, kind in css_references(css):
                self._add_href(href, kind)

    def _add_anywhere(self, attributes: Attributes) -> None:
        if style := attributes.get("style"):
            self._add_css(resolve_attribute(style))
        for name, kind in ANYWHERE.items():
            self._add(attributes.get(name), kind)
        for name, kind in LISTS.items():
            for href in resolve_attribute(attributes.get(name, "")).translate(_TO_SPACE).split(" "):
                self._add_href(href, int(kind))
        for name in PAINTS:
            if paint := attributes.get(name):
                self._add_css(resolve_attribute(paint))

    def _add_found(self, facts: Facts) -> None:
        """Add the links of a document within this one."""
        columns = (facts.hrefs, facts.kinds, facts.texts, facts.rels, facts.times)
        for href, kind, text, rel, times in zip(*columns, strict=True):
            index = self._add_href(joined(facts.base or "", href), kind, rel, text)
            if index is not None:
                self._times[index] += times - 1


def _relation(rel: str) -> str:
    return relation(resolve_attribute(rel)) if rel else ""


def value_in(value: str) -> str:
    """Return the value of an attribute, its references resolved, without white space around it."""
    return resolve_attribute(value).strip(SPACES)


def without_fragment(href: str) -> str:
    """Cut the fragment, which is never sent; of a reference to its own page the `#` stays."""
    mark = href.find("#")
    if mark == 0:
        return "#"
    return href[:mark] if mark > 0 and href[mark - 1] > " " else href


def href_in(attributes: Attributes) -> str | None:
    """Return the reference of an element that may be of SVG."""
    return attributes.get("href") or attributes.get("xlink:href")
