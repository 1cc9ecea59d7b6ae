"""Literals as terms, in pure Python."""

from __future__ import annotations

import re

_SPECIAL = re.compile('[\x00-\x1f"\\\\\x7f]')
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", '"': '\\"', "\\": "\\\\"}


def literal_term(value: str, language: str = "", datatype: str = "") -> str:
    """Return a literal; `datatype` is a term, `language` a tag that was checked."""
    if _SPECIAL.search(value):
        value = _SPECIAL.sub(_escaped, value)
    if datatype:
        return f'"{value}"^^{datatype}'
    return f'"{value}"@{language}' if language else f'"{value}"'


def _escaped(found: re.Match[str]) -> str:
    return _NAMED.get(found[0]) or f"\\u{ord(found[0]):04X}"
