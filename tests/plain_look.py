"""`_look` in pure Python: the reference that a test compares the compiled module with."""

from __future__ import annotations

import re

from lycosa.extract.beginnings import PRESCAN_BYTES

# The two ways in which nearly every page writes it.
_USUAL = re.compile(
    rb"""<meta[ \t\n\f\r]+(?:charset="([a-z0-9_:.-]+)"[ \t\n\f\r]*/?>"""
    rb"""|charset=([a-z0-9_:.-]+)(?:[ \t\n\f\r]+/?)?>"""
    rb"""|http-equiv=(?:"content-type"|content-type)[ \t\n\f\r]+"""
    rb"""content="[^";>]*;[ ]*charset=([a-z0-9_:.-]+)"[ \t\n\f\r]*/?>)"""
)
# Whole comments, declarations, tags and text: then what follows stands in none of them.
_BEFORE = re.compile(
    rb"""(?:[^<]|<!(?=--)(?>.*?-->)|<(?:!(?!--)|\?|/(?![a-z]))[^>]*+>"""
    rb"""|</?+[a-z](?:[^>"']|(?<==)"[^"]*+"|(?<==)'[^']*+')*+>|<(?![a-z/!?]))*+""",
    re.DOTALL,
)
_SITEMAP = re.compile(rb"<(?:[A-Za-z][\w.-]{0,30}:)?(?:urlset|sitemapindex)[\s>]")


def label(body: bytes) -> str | None:
    """Return the label of a charset declaration, if nothing before it could change its meaning.

    It is in lower case; "" if there may be another declaration, None if there is none.
    """
    lower = body[:PRESCAN_BYTES].lower()
    first = lower.find(b"charset")
    if first < 0:
        return None
    start = lower.rfind(b"<meta", 0, first)
    usual = _USUAL.match(lower, start) if start >= 0 else None
    if usual is None or usual.end() <= first or not _BEFORE.fullmatch(lower[:start]):
        return ""
    return usual[usual.lastindex or 0].decode("latin-1")


def is_sitemap(first: bytes) -> bool:
    """Tell whether one of these bytes begins a sitemap or an index of sitemaps."""
    return _SITEMAP.search(first) is not None


def place_of(body: bytes, start: int, beginnings: tuple[bytes, ...]) -> int:
    """Return where the next `<` with one of these beginnings behind it stands, -1 if none does."""
    names = b"|".join(map(re.escape, beginnings))
    found = re.compile(b"<(?:" + names + b")", re.IGNORECASE).search(body, start)
    return found.start() if found else -1
