"""Lists of pages: sitemaps, sitemap indexes, text sitemaps, RSS and Atom feeds.

    https://www.sitemaps.org/protocol.html, RSS 2.0, RFC 4287

Read with the same tolerance as pages: what looks like an entry is one. A list that was
compressed is unpacked, up to a limit, and read as far as it goes.
"""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime

from lycosa.extract.charset import to_utf8
from lycosa.extract.references import resolve_attribute

LARGEST_BYTES = 50 * 1024 * 1024
"""What a sitemap may be when it is unpacked, by its protocol."""

_FIRST_BYTES = 2048
_PREFIX = rb"(?:[A-Za-z][\w.-]{0,30}:)?"
_SITEMAP = re.compile(rb"<" + _PREFIX + rb"(?:urlset|sitemapindex)[\s>]")
_FEED = re.compile(rb"<" + _PREFIX + rb"(?:rss|feed|RDF)[\s>]")
_PAGE = re.compile(rb"<html[\s>]", re.IGNORECASE)
_XML = re.compile(rb"\s*<(?:\?xml|!--|!DOCTYPE\s(?!html)|[a-zA-Z])", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
# A prefix other than those of the extensions: a sitemap may bind its namespace to any.
_LOCATION = re.compile(
    rb"<(?!image:|video:)" + _PREFIX + rb"loc(?:\s[^<>]*+)?>\s*+(?:<!\[CDATA\[)?([^<]*+)"
)
_LOCATION_OR_CHANGE = re.compile(
    rb"<(?!image:|video:)"
    + _PREFIX
    + rb"(loc|lastmod)(?:\s[^<>]*+)?>\s*+(?:<!\[CDATA\[)?([^<]*+)|</"
    + _PREFIX
    + rb"(?:url|sitemap)\s*+>"
)
_FEED_LINK = re.compile(
    rb"<(?:atom:)?link(\s[^<>]*+)?(?<!/)>\s*+(?:<!\[CDATA\[)?([^<]*+)|<(?:atom:)?link(\s[^<>]*+)>"
)
_HREF = re.compile(rb"""\shref\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""")
_REL = re.compile(rb"""\srel\s*+=\s*+["']\s*+([^"']*+)""")
_LINES = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s*+https?://\S++[ \t]*+(?:[\r\n]|\Z))++\s*+")
_PACKED = b"\x1f\x8b"
_SPACES = " \t\n\r\f"


def scan_sitemap(body: bytes) -> list[str]:
    """Return the URLs that a list holds, each once; the caller knows that it is a list."""
    body = _unpacked(body)
    body, _ = to_utf8(body, None)
    if _XML.match(body):
        return list(dict.fromkeys(listed(body)))
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines())
    return list(dict.fromkeys(line for line in lines if line.startswith(("http://", "https://"))))


def changes_listed(body: bytes) -> dict[str, float]:
    """Return when the pages of a sitemap changed last, where it says so, in seconds since 1970.

    A day counts from its beginning on, in UTC: what is said is no later than what is meant.
    """
    body, _ = to_utf8(_unpacked(body), None)
    changes: dict[str, float] = {}
    location, moment = "", None
    for found in _LOCATION_OR_CHANGE.finditer(body):
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
    # The quick look first: nearly every page is none.
    if (b"urlset" in first or b"sitemapindex" in first) and _SITEMAP.search(first):
        return True
    return is_xml and _FEED.search(first) is not None and _PAGE.search(first) is None


def is_any_list(body: bytes) -> bool:
    """Judge by its beginning whether a body, packed or not, is a list of any form."""
    first = _unpacked(body, _FIRST_BYTES)
    whole_lines = first if len(first) < _FIRST_BYTES else first[: first.rfind(b"\n") + 1]
    return is_list(first, is_xml=True) or _LINES.fullmatch(whole_lines) is not None


def is_packed(body: bytes) -> bool:
    """Say whether a body is compressed by itself, not on its way."""
    return body.startswith(_PACKED)


def listed(body: bytes) -> list[str]:
    """Return what a sitemap or feed in UTF-8 lists, in order, repeated as it repeats."""
    if b"<!--" in body:
        body = _COMMENT.sub(b"", body)
    if _FEED.search(body[:_FIRST_BYTES]) and not _SITEMAP.search(body[:_FIRST_BYTES]):
        values = _feed_values(body)
    else:
        values = [found[1] for found in _LOCATION.finditer(body)]
    texts = (_text(value) for value in values)
    return [text for text in texts if text]


def _feed_values(body: bytes) -> list[bytes]:
    values: list[bytes] = []
    for found in _FEED_LINK.finditer(body):
        attributes = found[1] or found[3] or b""
        href = _HREF.search(attributes)
        rel = _REL.search(attributes)
        if href is None:
            values.append(found[2] or b"")
        elif rel is None or rel[1].strip().lower() in (b"", b"alternate", b"next"):
            values.append(href[href.lastindex or 0])
    return values


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
