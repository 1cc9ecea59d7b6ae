"""Detects the character set of a page that declares none and is not UTF-8.

UTF-16 without a mark is told by its zero bytes, ISO-2022-JP by its escape sequences in bytes that
are all ASCII, UTF-8 with a few broken sequences by the whole ones; anything else is asked of
chardetng, the detector that Firefox uses (docs/decisions/0041).

Cost: a look at 512 bytes for pages that declare nothing. Other text costs up to `MOST_BYTES` from
the first byte that is not ASCII on, without markup: at most 1 ms.
"""

from __future__ import annotations

import re

from lycosa.extract.html._scan import is_utf8

MOST_BYTES = 8192
"""How much is shown to the detector."""
MOST_MARKUP_BYTES = 65_536
"""In how much of a page these are looked for."""

_FIRST_BYTES = 512
_LEAST_ZEROS = 8
_WHOLE_FOR_A_BROKEN = 10

_JAPANESE = rb"\x1b\$[@B](?:[\x21-\x7e]{2})++"
"""The escape to JIS X 0208, and characters of two bytes."""
_NOT_ASCII = rb"[\x80-\xff]"
_MARKUP = rb"<[^<>]{0,1000}+>|(?<=[\x00-\x7f])[\x00-\x7f]{100,}+"
"""Tags and long stretches of ASCII, but for its first letter: a character may end in it."""
_STANDARD_NAMES = {"cp874": "windows-874", "gb18030": "gbk"}
"""The binding names these two as Python does."""


def utf16_without_mark(body: bytes) -> str | None:
    """Return the order of UTF-16 that the zero bytes of a beginning show, if they show any."""
    first = body[:_FIRST_BYTES]
    zeros = first.count(0)
    if zeros < min(_LEAST_ZEROS, len(first) // 4) or zeros == 0:
        return None
    # Markup is ASCII: nearly all zeros are the high halves of its letters.
    if first[::2].count(0) * 10 <= zeros:
        return "utf-16le"
    return "utf-16be" if first[1::2].count(0) * 10 <= zeros else None


def is_iso2022_jp(body: bytes) -> bool:
    """Tell whether ASCII bytes have the escapes of ISO-2022-JP and can be decoded by them."""
    found = re.search(_JAPANESE, body)
    if found is None:
        return False
    decoded = found[0].decode("iso2022_jp_ext", "replace")
    return decoded.count("\ufffd") * _WHOLE_FOR_A_BROKEN <= len(decoded)


def detected(body: bytes) -> str:
    """Return the label of the character set that a page is most likely in."""
    if is_utf8(body):
        return "utf-8"
    start = re.search(_NOT_ASCII, body)
    window = body[start.start() if start else 0 :][:MOST_MARKUP_BYTES]
    text = re.sub(_MARKUP, b" ", window)
    part = text[:MOST_BYTES]
    if _is_nearly_utf8(part):
        return "utf-8"
    from chardetng_py import EncodingDetector  # few pages need it

    detector = EncodingDetector()
    detector.feed(part, last=len(part) == len(text) and len(window) < MOST_MARKUP_BYTES)
    name = str(detector.guess(tld=None, allow_utf8=False))
    return _STANDARD_NAMES.get(name, name)


def _is_nearly_utf8(part: bytes) -> bool:
    """Tell whether far more sequences are whole than broken: an old editor's line, a cut page."""
    decoded = part.decode("utf-8", "replace")
    broken = decoded.count("\ufffd")
    whole = len(re.findall("[\x80-\ufffc\U00010000-\U0010ffff]", decoded))
    return whole >= broken * _WHOLE_FOR_A_BROKEN
