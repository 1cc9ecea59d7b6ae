"""Reads links and robots directives from the headers of an answer.

The headers are `Link` (RFC 8288), `Refresh`, those of `HEADERS_WITH_LINKS` and `X-Robots-Tag`. A
`Link` is of the kind that a `link` element of its relation would be. A `Link` with an `anchor=`
belongs to another page and is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lycosa.extract.html.values import (
    NOFOLLOW,
    NOINDEX,
    kind_of_relation,
    refresh_target,
    relation,
    srcset_urls,
    wishes,
)
from lycosa.model.records import LinkKind

Headers = tuple[tuple[str, str], ...]

# Few answers need these expressions; `re` caches them.
_BETWEEN = r"[\s,]*+"
_TARGET = r"<([^>]*+)>"
_PARAMETER = (
    r"""(?s)\s*+;\s*+([^\s=;,"]*+)(?:\s*+=\s*+(?:"((?:[^"\\]|\\.)*+)(?:"|\\?\Z)|([^\s;,]*+)))?+"""
)
_REST = r"""(?s)(?:[^,"]|"(?:[^"\\]|\\.)*+(?:"|\\?\Z))*+"""
_ESCAPED = r"(?s)\\(.)"
_AGENT = r"(?s)\s*+([A-Za-z0-9_-]++)\s*+:(.*+)"
_DIRECTIVES_WITH_VALUE = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)


_REFERRING = frozenset({"content-location", "location", "sourcemap", "x-pingback", "x-sourcemap"})
"""Headers whose value is a reference; a `Location` without a redirect names a new resource."""

HEADERS_WITH_LINKS = frozenset({"link", "refresh", *_REFERRING})
"""Headers that lead somewhere."""


def links_of_headers(headers: Headers) -> list[tuple[str, LinkKind, str]]:
    """Return the links of all headers that have any: reference, kind, relation."""
    links: list[tuple[str, LinkKind, str]] = []
    for name, value in headers:
        if len(name) == 4 and name.lower() == "link":
            links += _links(value)
        elif len(name) == 7 and name.lower() == "refresh" and (target := refresh_target(value)):
            links.append((target, LinkKind.REFRESH, ""))
        elif name.lower() in _REFERRING and (href := value.strip()):
            links.append((href, LinkKind.RELATION, name.lower()))
    return links


def robots_tag(headers: Headers, agent: str) -> tuple[bool, bool]:
    """Return (is_nofollow, is_noindex) of the `X-Robots-Tag` headers for this agent."""
    bits = robots_wishes(headers, agent)
    return bool(bits & NOFOLLOW), bool(bits & NOINDEX)


def robots_wishes(headers: Headers, agent: str) -> int:
    """Return the directives of the `X-Robots-Tag` headers for this agent, as bits (`wishes`).

    A header may begin with the name of an agent and then is meant for that agent alone.
    """
    bits = 0
    for name, value in headers:
        if len(name) != 12 or name.lower() != "x-robots-tag":
            continue
        addressed = re.match(_AGENT, value)
        if addressed and addressed[1].lower() not in _DIRECTIVES_WITH_VALUE:
            if addressed[1].lower() not in (agent.lower(), "robots"):
                continue
            value = addressed[2]
        bits |= wishes(value)
    return bits


def languages_of_headers(headers: Headers) -> list[tuple[str, str]]:
    """Return the versions in other languages that `Link` headers name: reference and language."""
    return [
        (href, parameters["hreflang"].strip())
        for name, value in headers
        if name.lower() == "link"
        for href, rel, parameters in _each_link(value)
        if "alternate" in rel.split() and parameters.get("hreflang", "").strip()
    ]


def _links(value: str) -> list[tuple[str, LinkKind, str]]:
    links: list[tuple[str, LinkKind, str]] = []
    for href, rel, parameters in _each_link(value):
        if href:
            kind = kind_of_relation(rel, parameters.get("as", ""))
            links.append((href, LinkKind(kind), rel))
        pictures = srcset_urls(parameters.get("imagesrcset", ""))
        links += [(picture, LinkKind.IMAGE, rel) for picture in pictures]
    return links


def _each_link(value: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield reference, relation and parameters of every link of a header that has a relation."""
    position = _behind(_BETWEEN, value, 0)
    while position < len(value):
        target = re.compile(_TARGET).match(value, position)
        if target is None:
            if value[position] == "<":
                break  # it is never closed, nor is any other
            # Something else than a link: on to the comma that ends it.
            position = _behind(_BETWEEN, value, _behind(_REST, value, position))
            continue
        parameters, end = _parameters(value, target.end())
        position = _behind(_BETWEEN, value, end)
        rel = relation(parameters.get("rel", ""))
        if rel and "anchor" not in parameters:
            yield target[1].strip(), rel, parameters


def _parameters(value: str, position: int) -> tuple[dict[str, str], int]:
    parameters: dict[str, str] = {}
    while found := re.compile(_PARAMETER).match(value, position):
        quoted, token = found[2], found[3]
        text = re.sub(_ESCAPED, r"\1", quoted) if quoted is not None else token or ""
        # The first one counts (RFC 8288, 3.3).
        parameters.setdefault(found[1].lower(), text)
        position = found.end()
    return parameters, _behind(_REST, value, position)


def _behind(pattern: str, value: str, position: int) -> int:
    """Return the end of the text that a pattern matches; the match may be empty."""
    found = re.compile(pattern).match(value, position)
    return found.end() if found else position
