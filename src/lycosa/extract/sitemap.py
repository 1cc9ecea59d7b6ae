"""Reads lists of pages: sitemaps, sitemap indexes, text sitemaps, RSS, Atom and JSON feeds, OPML.

    https://www.sitemaps.org/protocol.html, RSS 2.0, RFC 4287, https://www.jsonfeed.org/version/1.1,
    http://opml.org/spec2.opml

Lists are read as leniently as pages: anything that looks like an entry is one. A compressed list
is unpacked up to a limit, and read as far as possible.
"""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime

import msgspec

from lycosa.extract.beginnings import is_sitemap
from lycosa.extract.html.references import resolve_attribute
from lycosa.extract.text.charset import to_utf8

LARGEST_BYTES = 50 * 1024 * 1024
"""Most bytes of an unpacked sitemap, by its protocol."""

_FIRST_BYTES = 2048
# Few answers are lists; `re` caches these expressions.
_PREFIX = rb"(?:[A-Za-z][\w.-]{0,30}:)?"
_FEED = rb"<" + _PREFIX + rb"(?:rss|feed|RDF|opml)[\s>]"
_INDEX = rb"<" + _PREFIX + rb"sitemapindex[\s>]"
_PAGE = rb"(?i)<html[\s>]"
_XML = rb"(?i)\s*<(?:\?xml|!--|!DOCTYPE\s(?!html)|[a-zA-Z])"
_COMMENT = rb"(?s)<!--.*?(?:-->|\Z)"
# A prefix other than those of the extensions: a sitemap may bind its namespace to any.
_LOCATION = rb"<(?!image:|video:)" + _PREFIX + rb"loc(?:\s[^<>]*+)?>\s*+(?:<!\[CDATA\[)?([^<]*+)"
_LOCATION_OR_CHANGE = (
    rb"<(?!image:|video:)"
    + _PREFIX
    + rb"(loc|lastmod)(?:\s[^<>]*+)?>\s*+(?:<!\[CDATA\[)?([^<]*+)|</"
    + _PREFIX
    + rb"(?:url|sitemap)\s*+>"
)
_FEED_LINK = (
    rb"<(?:atom:)?link(\s[^<>]*+)?(?<!/)>\s*+(?:<!\[CDATA\[)?([^<]*+)|<(?:atom:)?link(\s[^<>]*+)>"
)
_OUTLINE = rb"<outline(\s[^<>]*+)>"
_OUTLINE_URL = rb"""\s(?:xmlUrl|htmlUrl|url)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')"""
_FEED_PAGE = (
    rb"<(?:guid(?![^<>]*isPermaLink\s*=\s*[\"']?false)|comments|wfw:commentRss)(?:\s[^<>]*+)?>"
    rb"\s*+(?:<!\[CDATA\[)?(https?://[^<\s]*+)"
)
_JSON_FEED = rb'\s*+\{[^{}\[\]]{0,500}?"version"\s*:\s*"https:\\?/\\?/jsonfeed\.org\\?/version'
_FOLLOWED = frozenset(
    {b"", b"alternate", b"first", b"last", b"next", b"prev", b"previous", b"related", b"replies"}
    | {b"via"}
)
"""Relations of a feed's links that lead to pages (RFC 4287, 4685 and 5005)."""
_HREF = rb"""\shref\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')"""
_REL = rb"""\srel\s*+=\s*+["']\s*+([^"']*+)"""
_LINES = rb"(?:\xef\xbb\xbf)?(?:\s*+https?://\S++[ \t]*+(?:[\r\n]|\Z))++\s*+"
_PACKED = b"\x1f\x8b"
_SPACES = " \t\n\r\f"


def scan_sitemap(body: bytes) -> list[str]:
    """Return the URLs that a list holds, each once; the caller knows that it is a list."""
    body = _unpacked(body)
    body, _ = to_utf8(body, None)
    if re.match(_XML, body):
        return list(dict.fromkeys(listed(body)))
    if re.match(_JSON_FEED, body):
        return list(dict.fromkeys(_listed_in_json(body)))
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines())
    return list(dict.fromkeys(line for line in lines if line.startswith(("http://", "https://"))))


def changes_listed(body: bytes) -> dict[str, float]:
    """Return when the pages of a sitemap changed last, where it says so, in seconds since 1970.

    A day means its beginning, in UTC, so a moment is never later than the one meant.
    """
    body, _ = to_utf8(_unpacked(body), None)
    changes: dict[str, float] = {}
    location, moment = "", None
    for found in re.finditer(_LOCATION_OR_CHANGE, _without_comments(body)):
        if found[1] == b"loc":
            location = _text(found[2])
        elif found[1] == b"lastmod":
            moment = _moment(_text(found[2]))
        else:
            if location and moment is not None:
                changes[location] = moment
            location, moment = "", None
    return changes


def is_list(first: bytes, is_xml: bool) -> bool:
    """Judge by the first bytes whether a body is a sitemap or, in XML, a feed."""
    if is_sitemap(first):
        return True
    return is_xml and re.search(_FEED, first) is not None and re.search(_PAGE, first) is None


def is_any_list(body: bytes) -> bool:
    """Judge by its beginning whether a body, packed or not, is a list of any form."""
    first = _unpacked(body, _FIRST_BYTES)
    whole_lines = first if len(first) < _FIRST_BYTES else first[: first.rfind(b"\n") + 1]
    if is_list(first, is_xml=True) or re.match(_JSON_FEED, first):
        return True
    return re.fullmatch(_LINES, whole_lines) is not None


def is_feed(body: bytes) -> bool:
    """Tell a feed, which is a document of its own, from a sitemap: both are lists of pages."""
    first = _unpacked(body, _FIRST_BYTES)
    if re.match(_JSON_FEED, first):
        return True
    return re.search(_FEED, first) is not None and not is_sitemap(first)


def is_index(body: bytes) -> bool:
    """Tell a list of sitemaps from a list of pages."""
    return re.search(_INDEX, _unpacked(body, _FIRST_BYTES)) is not None


def is_packed(body: bytes) -> bool:
    """Tell whether a body is itself a compressed file, rather than compressed for transfer."""
    return body.startswith(_PACKED)


def listed(body: bytes) -> list[str]:
    """Return the URLs that a sitemap or feed in UTF-8 lists, in order, with repetitions."""
    body = _without_comments(body)
    first = body[:_FIRST_BYTES]
    if re.search(_FEED, first) and not is_sitemap(first):
        values = _feed_values(body)
    else:
        values = [found[1] for found in re.finditer(_LOCATION, body)]
    texts = (_text(value) for value in values)
    return [text for text in texts if text]


def _without_comments(body: bytes) -> bytes:
    return re.sub(_COMMENT, b"", body) if b"<!--" in body else body


def _feed_values(body: bytes) -> list[bytes]:
    values: list[bytes] = []
    href_of, rel_of = re.compile(_HREF).search, re.compile(_REL).search
    for found in re.finditer(_FEED_LINK, body):
        attributes = found[1] or found[3] or b""
        href = href_of(attributes)
        rel = rel_of(attributes)
        # RSS has the URL as the text of the element, Atom as an attribute.
        if href is None:
            values.append(found[2] or b"")
        elif rel is None or rel[1].strip().lower() in _FOLLOWED:
            values.append(href[href.lastindex or 0])
    values += (found[1] for found in re.finditer(_FEED_PAGE, body))
    for outline in re.finditer(_OUTLINE, body) if b"<outline" in body else ():
        for found in re.finditer(_OUTLINE_URL, outline[1]):
            values.append(found[found.lastindex or 0])
    return values


def _listed_in_json(body: bytes) -> list[str]:
    try:
        feed = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return []
    items = feed.get("items")
    entries = (
        [entry for entry in items if isinstance(entry, dict)] if isinstance(items, list) else []
    )
    places = [
        (feed, ("home_page_url", "next_url")),
        *((e, ("url", "external_url")) for e in entries),
    ]
    urls = [entry.get(name) for entry, names in places for name in names]
    return [url.strip() for url in urls if isinstance(url, str) and url.strip()]


def _text(value: bytes) -> str:
    text = value.partition(b"]]>")[0].decode("utf-8", "replace")
    return resolve_attribute(text).strip(_SPACES)


def _moment(text: str) -> float | None:
    """Return a moment as the profile of ISO 8601 for the web has it, or None."""
    try:
        read = datetime.fromisoformat(text)
        return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _unpacked(body: bytes, most_bytes: int | None = None) -> bytes:
    left = LARGEST_BYTES if most_bytes is None else most_bytes
    if not is_packed(body):
        return body[:left]
    unpacker = zlib.decompressobj(wbits=31)
    pieces: list[bytes] = []
    try:
        while body and left > 0 and not unpacker.eof:
            piece = unpacker.decompress(body, min(left, 1 << 20))
            pieces.append(piece)
            left -= len(piece)
            body = unpacker.unconsumed_tail
    except zlib.error:
        pass
    return b"".join(pieces)
