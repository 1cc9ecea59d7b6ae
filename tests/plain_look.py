"""`_look` in pure Python: the reference that a test compares the compiled module with."""

from __future__ import annotations

import re

from lycosa.extract.beginnings import PRESCAN_BYTES

# The two ways in which nearly every page writes it.
_USUAL = re.compile(
    rb"""<meta[ \t\n\f\r]+(?:charset="?([A-Za-z0-9_:.-]+)"?[ \t\n\f\r]*/?>"""
    rb"""|http-equiv="?content-type"?[ \t\n\f\r]+"""
    rb"""content="[^";>]*;[ ]*charset=([A-Za-z0-9_:.-]+)")""",
    re.IGNORECASE,
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
    before = lower[:start]
    if usual is None or usual.end() <= first or b"<!--" in before:
        return ""
    if before.count(b'"') % 2 or before.count(b"'") % 2:
        return ""
    return usual[usual.lastindex or 0].decode("latin-1")


def is_sitemap(first: bytes) -> bool:
    """Tell whether one of these bytes begins a sitemap or an index of sitemaps."""
    return _SITEMAP.search(first) is not None
