"""Reads what lists of pages name besides their pages: pictures, media, versions in other languages.

    https://www.google.com/schemas/sitemap-image/1.1, …/sitemap-video/1.1, RSS 2.0, RFC 4287,
    https://www.rssboard.org/media-rss

The pages themselves are read by `sitemap`.
"""

from __future__ import annotations

import re

from lycosa.extract.html.references import resolve_attribute
from lycosa.model.records import LinkKind

Found = list[tuple[str, int]]

# Few answers are lists; `re` remembers what it has compiled.
_SIGN = (
    rb"<(?:image:|video:|xhtml:link|enclosure|media:|itunes:image|(?:atom:)?(?:content|icon|logo))"
)
_ELEMENT = (
    rb"<(image:loc|video:(?:content|thumbnail|player)_loc|(?:atom:)?(?:icon|logo))(?:\s[^<>]*+)?>"
    rb"\s*+(?:<!\[CDATA\[)?([^<]*+)"
    rb"|<(xhtml:link|enclosure|media:(?:content|thumbnail|player)|itunes:image|(?:atom:)?content)"
    rb"(\s[^<>]*+)>"
)
_REFERENCE = rb"""\s(?:href|url|src)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')"""
_KINDS = {
    b"image:loc": LinkKind.IMAGE,
    b"video:content_loc": LinkKind.MEDIA,
    b"video:thumbnail_loc": LinkKind.IMAGE,
    b"video:player_loc": LinkKind.FRAME,
    b"icon": LinkKind.ICON,
    b"logo": LinkKind.IMAGE,
    b"xhtml:link": LinkKind.ALTERNATE,
    b"enclosure": LinkKind.MEDIA,
    b"media:content": LinkKind.MEDIA,
    b"media:thumbnail": LinkKind.IMAGE,
    b"media:player": LinkKind.FRAME,
    b"itunes:image": LinkKind.IMAGE,
    b"content": LinkKind.ANCHOR,
}


def parts_listed(body: bytes) -> Found:
    """Return the references of a list in UTF-8 that lead to no entry, with the kind of each."""
    if not re.search(_SIGN, body):
        return []
    found: Found = []
    for element in re.finditer(_ELEMENT, body):
        name = (element[1] or element[3]).removeprefix(b"atom:")
        value = element[2]
        if element[3] is not None:
            reference = re.search(_REFERENCE, element[4])
            value = reference[reference.lastindex or 0] if reference else b""
        text = resolve_attribute(value.partition(b"]]>")[0].decode("utf-8", "replace"))
        if href := text.strip(" \t\n\r\f"):
            found.append((href, int(_KINDS[name])))
    return found
