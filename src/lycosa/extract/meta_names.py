"""Whether a page seems to have Open Graph, Twitter cards or Dublin Core: a quick look.

The first look is for bytes alone, because it is taken at every page.
"""

from __future__ import annotations

import re

_SIGNS = (b"og:", b"twitter:", b"DC.", b"dc.", b"Dc.", b"DCTERMS.", b"dcterms.")
_SIGN = re.compile(
    rb"""(?:property|name|rel)\s*=\s*["']?\s*(?:og|article|book|fb|music|product|profile|video"""
    rb"""|twitter|dc|dcterms|dct)[:.]""",
    re.IGNORECASE,
)


def has_meta(body: bytes) -> bool:
    """Return whether a page seems to have any of it."""
    return any(sign in body for sign in _SIGNS) and _SIGN.search(body) is not None
