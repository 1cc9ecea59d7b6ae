"""Reads Microdata as triples, by the W3C note "Microdata to RDF" (second edition).

An item is an element with `itemscope`, a property one with `itemprop` or `itemprop-reverse`. A
property belongs to the nearest item above it, and to every item whose `itemref` leads to it. Names
of properties come from the vocabulary of the item's type, which items without a type inherit;
`REGISTRY` lists the exceptions of some vocabularies.

A single pass over the tree gives every element its number, the item above it, and its language. The
properties of an item are then found by number, so that nothing is walked twice: the time is linear
in the page and in the output, and both are bounded.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import turbohtml

from lycosa.extract.html.trees import Overgrown, parse_page
from lycosa.extract.structured import ntriples
from lycosa.extract.structured.budget import note, room_of
from lycosa.extract.structured.ntriples import RDF, XSD, literal, resolved
from lycosa.extract.text.charset import in_utf8

MOST_TRIPLES = 100_000
Registry = Mapping[str, Mapping[str, str]]
"""For each vocabulary, properties that also say something in another one."""

REGISTRY: Registry = {
    "http://schema.org/": {"additionalType": f"{RDF}type"},
    "https://schema.org/": {"additionalType": f"{RDF}type"},
    "http://microformats.org/profile/hcard": {},
    "http://microformats.org/profile/hcalendar#": {},
}

_PLACE_COST = 64
_TYPE = f"<{RDF}type>"
_SOURCES = frozenset({"audio", "embed", "iframe", "img", "source", "track", "video"})
_LINKS = frozenset({"a", "area", "link"})
_INTEGER = re.compile(r"[-+]?\d+")
_DOUBLE = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
_ZONE = r"(Z|[-+]\d\d:\d\d)?"
_TIMES = (
    ("gYear", re.compile(r"\d{4,}" + _ZONE)),
    ("gYearMonth", re.compile(r"\d{4,}-\d\d" + _ZONE)),
    ("date", re.compile(r"\d{4,}-\d\d-\d\d" + _ZONE)),
    ("time", re.compile(r"\d\d:\d\d:\d\d(\.\d+)?" + _ZONE)),
    ("dateTime", re.compile(r"\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?" + _ZONE)),
    (
        "duration",
        re.compile(
            r"-?P(?=.)(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?",
        ),
    ),
)


def distil(
    body: bytes,
    base: str,
    media_type: str,
    *,
    charset: str | None = None,
    label: str = "b",
    registry: Registry = REGISTRY,
    left_out: Counter[str] | None = None,
) -> bytes:
    """Return the triples of a page as N-Triples; blank nodes are `_:{label}{n}`.

    A page that takes too much is counted in `left_out`; its first triples are returned.
    """
    text = in_utf8(body, media_type, charset)
    try:
        page = _Page(text, base, label, registry)
    except Overgrown:
        note(left_out)
        return b""
    triples = page.triples()
    if page.is_full:
        note(left_out)
    return ntriples.encoded(triples)


class _Element(NamedTuple):
    """An element that is an item or a property."""

    node: turbohtml.Element
    attributes: Mapping[str, str]
    number: int
    """In the order of the document."""
    item: int
    """The number of the nearest item above it; -1 if there is none."""
    language: str


class _Page:
    """A page whose Microdata is turned into triples."""

    def __init__(self, body: bytes, base: str, label: str, registry: Registry) -> None:
        self._base = base
        self._label = label
        self._registry = registry
        self._elements: dict[int, _Element] = {}
        """Items and properties, by their numbers."""
        self._inside: dict[int, list[int]] = {}
        """Properties for each item, in order; under -1 those outside of all items."""
        self._ids: dict[str, tuple[int, int]] = {}
        """The places of elements with an id: the number, and the item above."""
        self._ends: list[int] = []
        """For each element the number after its last descendant."""
        self._subjects: dict[int, str] = {}
        self._values: dict[int, str] = {}
        self._predicates: dict[tuple[str, str], str | None] = {}
        self._said = 0
        """Triples, those that were said before among them."""
        self._room = room_of(len(body))
        """Bytes that may still be appended: properties within properties repeat their text."""
        self._lines: dict[str, None] = {}
        self._read(parse_page(body))

    def triples(self) -> list[str]:
        """Return the triples of all items, each once."""
        for number, element in self._elements.items():
            if "itemscope" in element.attributes and not element.attributes.get("itemprop"):
                self._say(number)
        return list(self._lines)

    # -- the tree -------------------------------------------------------------------------

    def _read(self, tree: turbohtml.Document) -> None:
        """Number the elements; parents come before their children."""
        places: dict[turbohtml.Node, tuple[int, int, str]] = {}
        parents: list[int] = []
        has_base = False
        for number, node in enumerate(tree.iter_elements()):
            parent = node.parent
            above = places.get(parent) if parent is not None else None
            parent_number, item, language = above or (-1, -1, "")
            parents.append(parent_number)
            attributes = _texts(node)
            if attributes:
                language = attributes.get("lang", attributes.get("xml:lang", language))
                if "itemprop" in attributes or "itemprop-reverse" in attributes:
                    self._inside.setdefault(item, []).append(number)
                    self._elements[number] = _Element(node, attributes, number, item, language)
                elif "itemscope" in attributes:
                    self._elements[number] = _Element(node, attributes, number, item, language)
                # ids may repeat; as in browsers the first element counts
                if name := attributes.get("id"):
                    self._ids.setdefault(name, (number, item))
                if node.tag == "base" and not has_base and "href" in attributes:
                    has_base = True
                    self._base = resolved(attributes["href"], self._base) or self._base
                # last: the element itself belongs to the item above, only its children to this one
                if "itemscope" in attributes:
                    item = number
            places[node] = (number, item, language)
        self._ends = list(range(1, len(parents) + 1))
        for number in range(len(parents) - 1, 0, -1):
            above_it = parents[number]
            if above_it >= 0:
                self._ends[above_it] = max(self._ends[above_it], self._ends[number])

    def _properties(self, item: _Element) -> list[_Element]:
        """Return the elements that are properties of an item."""
        numbers = list(self._inside.get(item.number, ()))
        for name in dict.fromkeys(item.attributes.get("itemref", "").split()):
            found = self._ids.get(name)
            if found is None:
                continue
            root, above = found
            among = self._inside.get(above, [])
            end = self._ends[root]
            if root in self._elements and "itemscope" in self._elements[root].attributes:
                end = root + 1
            first, last = bisect_left(among, root), bisect_left(among, end)
            numbers += among[first:last]
            # Many items can refer to the same properties.
            self._room -= _PLACE_COST * (last - first)
            if self.is_full:
                break
        return [self._elements[number] for number in dict.fromkeys(numbers)]

    # -- the note's algorithm -------------------------------------------------------------

    def _say(self, first: int) -> None:
        """Write the triples of an item, and of the items that it leads to."""
        waiting: list[tuple[int, str]] = [(first, "")]
        while waiting and not self.is_full:
            number, inherited = waiting.pop()
            if number in self._subjects:
                continue
            item = self._elements[number]
            subject = self._subject(item)
            self._subjects[number] = subject
            types = [t for t in item.attributes.get("itemtype", "").split() if _is_type(t)]
            for name in types:
                self._add(subject, _TYPE, f"<{ntriples.checked(name)}>")
            context = types[0] if types else inherited
            for element in self._properties(item):
                if self.is_full:
                    return
                self._say_property(subject, element, context, waiting)

    def _say_property(
        self, subject: str, element: _Element, context: str, waiting: list[tuple[int, str]]
    ) -> None:
        attributes = element.attributes
        if "itemscope" in attributes:
            value = self._named(element)
            # items can contain each other by `itemref`, so each is written once
            if element.number not in self._subjects:
                waiting.append((element.number, context))
        else:
            known = self._values.get(element.number)
            value = self._value(element) if known is None else known
            if known is None:
                self._room -= len(value)
                self._values[element.number] = value
        vocabulary = self._vocabulary(context)
        for name in attributes.get("itemprop", "").split():
            if self.is_full:
                return
            if predicate := self._predicate(name, vocabulary):
                self._add(subject, f"<{predicate}>", value)
            if also := self._registry.get(vocabulary, {}).get(name):
                self._add(subject, f"<{also}>", value)
        # a literal cannot be a subject
        if not value.startswith('"'):
            for name in attributes.get("itemprop-reverse", "").split():
                if self.is_full:
                    return
                if predicate := self._predicate(name, vocabulary):
                    self._add(value, f"<{predicate}>", subject)

    @property
    def is_full(self) -> bool:
        """There is no room for more."""
        return self._said >= MOST_TRIPLES or self._room < 0

    def _add(self, subject: str, predicate: str, value: str) -> None:
        line = f"{subject} {predicate} {value}"
        self._said += 1
        self._room -= len(line)
        self._lines[line] = None

    def _named(self, item: _Element) -> str:
        """Return the node of an item, which is made if need be."""
        known = self._subjects.get(item.number)
        return known if known is not None else self._subject(item)

    def _subject(self, item: _Element) -> str:
        identifier = item.attributes.get("itemid")
        if identifier and (name := resolved(identifier, self._base)):
            return f"<{name}>"
        return f"_:{self._label}{item.number}"

    def _vocabulary(self, item_type: str) -> str:
        for prefix in self._registry:
            if item_type.startswith(prefix):
                return prefix
        return item_type[: max(item_type.rfind("#"), item_type.rfind("/")) + 1]

    def _predicate(self, name: str, vocabulary: str) -> str | None:
        known = self._predicates.get((name, vocabulary), "")
        if known == "":
            known = self._predicates[name, vocabulary] = self._named_by(name, vocabulary)
        return known

    def _named_by(self, name: str, vocabulary: str) -> str | None:
        if ntriples.is_absolute(name):
            return ntriples.checked(name)
        if not vocabulary:
            return resolved(f"#{name}", self._base)
        between = "" if vocabulary.endswith(("#", "/")) else "#"
        return ntriples.checked(f"{vocabulary}{between}{name}")

    def _value(self, element: _Element) -> str:
        attributes, tag = element.attributes, element.node.tag
        if tag in _SOURCES or tag in _LINKS or tag == "object":
            name = "src" if tag in _SOURCES else "href" if tag in _LINKS else "data"
            given = attributes.get(name)
            if given is not None and (target := resolved(given, self._base)):
                return f"<{target}>"
            return literal(given or "")
        # Sites write `content` on any element; the standard knows it on `meta` alone.
        if (given := attributes.get("content")) is not None:
            return literal(given, element.language)
        if tag == "meta":
            return literal("")
        if tag in ("data", "meter") and (given := attributes.get("value")) is not None:
            kind = _number_type(given)
            return literal(given, "" if kind else element.language, kind)
        text = element.node.text
        if tag == "time":
            given = attributes.get("datetime")
            text = text if given is None else given
            kind = _time_type(text)
            return literal(text, "" if kind else element.language, kind)
        return literal(text, element.language)


def _texts(node: turbohtml.Element) -> dict[str, str]:
    """Return the attributes of an element; those that are lists of words are of no use here."""
    return {
        name: value or ""
        for name, value in node.attrs.items()
        if value is None or isinstance(value, str)
    }


def _is_type(text: str) -> bool:
    return ntriples.is_absolute(text) and ntriples.checked(text) is not None


def _number_type(text: str) -> str:
    if _INTEGER.fullmatch(text):
        return f"{XSD}integer"
    return f"{XSD}double" if _DOUBLE.fullmatch(text) else ""


def _time_type(text: str) -> str:
    for name, pattern in _TIMES:
        if pattern.fullmatch(text):
            return f"{XSD}{name}"
    return ""
