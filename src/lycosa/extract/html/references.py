"""Resolves character references, `&amp;` and `&#38;`, by the HTML standard (13.2.5.72).

Between tags a name without its semicolon counts wherever it begins a word (`&notit;` is
`¬it;`). In attributes it counts only if no letter, digit or `=` follows, so that
`?a=1&copy=2` stays the URL it is. `html.unescape` knows only the former and drops some
characters.
"""

from __future__ import annotations

import re
from functools import cache

_REFERENCE = r"&(?:#(?:[xX]([0-9A-Fa-f]++)|([0-9]++));?+|([A-Za-z][A-Za-z0-9]*+;?+)(=?+))"
_LONGEST_BARE = 6
"""How many letters the longest name has that counts without a semicolon."""


def resolve_text(text: str) -> str:
    """Resolve the references of text between tags."""
    return re.sub(_REFERENCE, _in_text, text) if "&" in text else text


def resolve_attribute(value: str) -> str:
    """Resolve the references of an attribute's value."""
    return re.sub(_REFERENCE, _in_attribute, value) if "&" in value else value


@cache
def _named() -> dict[str, str]:
    """Return what names stand for; most crawls meet no reference that comes here."""
    from html.entities import html5

    return html5


def _in_attribute(match: re.Match[str]) -> str:
    name, equals = match[3], match[4]
    if name is None:
        return _numbered(match)
    if equals and not name.endswith(";"):
        return match[0]
    return _named()[name] + equals if name in _named() else match[0]


def _in_text(match: re.Match[str]) -> str:
    name, equals = match[3], match[4]
    if name is None:
        return _numbered(match)
    named = _named()
    if name in named:
        return named[name] + str(equals)
    for length in range(min(len(name), _LONGEST_BARE), 1, -1):
        if name[:length] in named:
            return named[name[:length]] + name[length:] + str(equals)
    return match[0]


def _numbered(match: re.Match[str]) -> str:
    digits, base = (match[1], 16) if match[1] else (match[2], 10)
    # No Unicode character has more digits; and a number of many is slow to read.
    digits = digits.lstrip("0")
    value = int(digits or "0", base) if len(digits) <= 7 else 0x110000
    if 0x80 <= value < 0xA0:  # means windows-1252, because people took it for that
        return bytes([value]).decode("cp1252", "replace").replace("\ufffd", chr(value))
    if value == 0 or value > 0x10FFFF or 0xD800 <= value < 0xE000:
        return "\ufffd"
    return chr(value)
