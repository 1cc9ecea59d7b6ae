"""From the bytes of a page to text.

A page is brought to UTF-8 once, when its content type names another character set; what
is then not UTF-8 is taken for Latin-1, value by value. So a wrong or missing charset costs
a few odd letters in a title and, because URLs are nearly always ASCII, hardly a link.
"""

from __future__ import annotations

import codecs
import re
from html import unescape
from html.entities import html5

_CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_FAMILIES = ("utf-16", "iso", "cp", "koi8", "euc", "gb", "big5", "shift", "mac", "hz")
"""The codecs of Python that are character sets of the web; others are, say, compressors."""
_REFERENCE = re.compile(
    r"&(?:(#(?:[0-9]{1,9}|[xX][0-9A-Fa-f]{1,7});?)|([A-Za-z][A-Za-z0-9]*;?))(=?)"
)
_SPACES = " \t\n\r\f"


def to_utf8(body: bytes, content_type: str | None) -> bytes:
    """Return the body in UTF-8 if its content type or its first bytes name another charset."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _recode(body, "utf-16")
    found = _CHARSET.search(content_type or "")
    if found is None:
        return body
    try:
        name = codecs.lookup(found[1]).name
    except LookupError:
        return body
    return _recode(body, name) if name.startswith(_FAMILIES) else body


def _recode(body: bytes, charset: str) -> bytes:
    return body.decode(charset, "replace").encode("utf-8", "replace")


def text_of(value: bytes) -> str:
    """Return bytes of a page as text."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def attribute_text(value: bytes) -> str:
    """Return the value of an attribute: decoded, references resolved, spaces stripped."""
    text = text_of(value)
    return (_REFERENCE.sub(_resolve, text) if "&" in text else text).strip(_SPACES)


def _resolve(match: re.Match[str]) -> str:
    """Resolve a character reference as HTML does in attributes.

    `?a=1&copy=2` and `?a=1&section=2` keep their ampersands there: without a semicolon a
    name counts only if no letter, digit or `=` follows. `html.unescape` is made for text
    between tags and would turn both into other URLs.
    """
    number, name, equals = match.groups()
    if number:
        return unescape("&" + number) + str(equals)
    if equals and not name.endswith(";"):
        return match[0]
    return html5[name] + equals if name in html5 else match[0]


def heading_text(value: bytes, longest: int) -> str:
    """Return text between tags on one line, cut to `longest` characters."""
    # Cut before the references are resolved: a number of thousands of digits is none.
    text = text_of(value)[: longest * 4]
    return " ".join(unescape(text).split())[:longest]
