"""A quick test whether a page has Open Graph, Twitter cards or Dublin Core.

It is asked only where the scan has seen the name of a `meta` element with a colon or a dot in it,
or something that may be RDFa.
"""

from __future__ import annotations

import re

# Not compiled here, because most crawls never ask; `re` remembers what it has compiled.
_SIGN = rb"""=\s*+["']?\s*+(?i:og|twitter|dc|dcterms)[:.]"""


def has_meta(body: bytes) -> bool:
    """Return whether a page has such a name in an attribute."""
    return re.search(_SIGN, body) is not None
