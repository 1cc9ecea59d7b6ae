"""Reads the references of a style sheet: `@import` and `url()`."""

from __future__ import annotations

import re

from lycosa.extract.facts import Facts
from lycosa.extract.html.values import css_references
from lycosa.extract.text.charset import decode, to_utf8

_RULE = rb'@charset "([^"]{1,60})";'


def scan_css(body: bytes, content_type: str | None = None) -> Facts:
    """Read a style sheet: only `hrefs`, `kinds` and the columns beside them are filled."""
    rule = re.match(_RULE, body)
    if rule and content_type is None:
        content_type = f"text/css; charset={rule[1].decode('latin-1')}"
    body, charset = to_utf8(body, content_type)
    counts: dict[tuple[str, int], int] = {}
    for pair in css_references(decode(body, "utf-8")):
        counts[pair] = counts.get(pair, 0) + 1
    return Facts(
        hrefs=[href for href, _ in counts],
        kinds=[kind for _, kind in counts],
        texts=[""] * len(counts),
        rels=[""] * len(counts),
        times=list(counts.values()),
        charset=charset,
    )
