"""Finds the character set of a page and converts it to UTF-8, as browsers do.

A byte order mark decides; else the charset of the content type; else a `meta` element or an
XML declaration within the first 1024 bytes; else ISO-2022-JP if ASCII bytes have its escapes; else
UTF-8 if the bytes are valid UTF-8; else the one that is detected (`undeclared`). Labels mean what
browsers take them to mean: `iso-8859-1` is windows-1252, `gb2312` is gb18030. Labels that only
Python knows (`cp437`) count too.

Always true: the result is UTF-8 without NUL; malformed sequences and NUL have become
U+FFFD. A page that is already so is returned as it is, not copied.
"""

from __future__ import annotations

import codecs
import re
from functools import cache, lru_cache

from lycosa.extract import beginnings
from lycosa.extract.beginnings import PRESCAN_BYTES
from lycosa.extract.html._scan import is_plain, is_utf8
from lycosa.extract.text.undeclared import detected, is_iso2022_jp, utf16_without_mark

_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866",
    "iso-8859-2": "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5"
    " iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e"
    " iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597"
    " iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 iso88598"
    " iso_8859-8 iso_8859-8:1988 visual",
    "iso-8859-8-i": "csiso88598i logical",
    "iso-8859-10": "csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso8859-13 iso885913",
    "iso-8859-14": "iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "",
    "koi8-r": "cskoi8r koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "macintosh": "csmacintosh mac x-mac-roman",
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620",
    "windows-1250": "cp1250 x-cp1250",
    "windows-1251": "cp1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100"
    " iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii x-cp1252",
    "windows-1253": "cp1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9"
    " iso_8859-9:1989 l5 latin5 x-cp1254",
    "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
    "x-mac-cyrillic": "x-mac-ukrainian",
    "gbk": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk",
    "gb18030": "",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "iso-2022-jp": "csiso2022jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis",
    "euc-kr": "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601"
    " ksc_5601 windows-949",
    "replacement": "csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr",
    "utf-16be": "unicodefffe",
    "utf-16le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16",
    "x-user-defined": "",
}
_NAMES = {label: name for name, labels in _LABELS.items() for label in [name, *labels.split()]}
_CODECS = {
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp_ext",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "utf-16be": "utf-16-be",
    "utf-16le": "utf-16-le",
}
"""Codecs of Python for encodings of more than one byte a character."""
_SINGLE_BYTE = {
    "iso-8859-8-i": "iso8859-8",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "windows-874": "cp874",
}
_FAMILIES = (
    *("big5", "cp", "euc", "gb", "hp-roman", "hz", "iso", "johab", "koi8", "kz1048", "mac"),
    *("ptcp154", "shift", "tis-620", "utf-16", "utf-32"),
)
"""Codecs of Python that are character sets of the web; others are, say, compressors."""

_FIRST_BYTES = 64
"""Bytes among which a page in UTF-16 has a zero byte."""
_SPACES = " \t\n\f\r"
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))

# Few pages need these expressions; `re` caches them.
_PARAMETER = r"""(?i)charset\s*+=\s*+["']?+\s*+([^\s"';,]{1,60}+)"""
_IN_CONTENT = (
    rb"""(?i)charset[ \t\n\f\r]*+=[ \t\n\f\r]*+(?:"([^"]*+)"|'([^']*+)'|([^ \t\n\f\r;"']++))"""
)
_XML_DECLARATION = (
    rb"""<\?xml[^>]*?[ \t\n\r]encoding[ \t\n\r]*=[ \t\n\r]*["']([A-Za-z0-9._:-]+)["']"""
)
_MARKUP = rb"(?i)<(?:(!--)|(meta)(?=[ \t\n\f\r/])|/?+([A-Za-z])|[!/?])"
_ATTRIBUTE = (
    rb"""[ \t\n\f\r/]*+(?:(>|\Z)|([^ \t\n\f\r/>][^ \t\n\f\r/>=]*+)[ \t\n\f\r]*+"""
    rb"""(?:=[ \t\n\f\r]*+(?:"([^"]*+)(?:"|\Z)|'([^']*+)(?:'|\Z)|([^ \t\n\f\r>]*+)))?+)"""
)


def to_utf8(body: bytes, content_type: str | None) -> tuple[bytes, str]:
    """Return the body in UTF-8, and the name of the character set it was in."""
    # Every byte order mark begins with 0xEF, 0xFE or 0xFF.
    if body[:1] >= b"\xef":
        name, skipped = _declared(body, content_type)
    else:  # as nearly always: without a mark, so it is not looked for
        name, skipped = (charset_of_type(content_type) if content_type else None), 0
        name = name or prescan(body)
    if name is None and b"\0" in body[:_FIRST_BYTES]:
        name = utf16_without_mark(body)
    if name is None and b"\x1b$" in body and is_plain(body) and is_iso2022_jp(body):
        name = "iso-2022-jp"
    # Nearly all character sets agree on ASCII, and most pages are nothing else.
    if is_plain(body) and (name is None or name in _ASCII_SUPERSETS):
        return body, name or "utf-8"
    if skipped:
        body = body[skipped:]
    if name is None:
        name = charset_of_label(detected(body)) or "windows-1252"
    if name != "utf-8":
        body = decode(body, name).encode("utf-8", "replace")
    elif not is_utf8(body):
        body = body.decode("utf-8", "replace").encode()
    return (body.replace(b"\0", "\ufffd".encode()) if b"\0" in body else body), name


def in_utf8(body: bytes, content_type: str | None, charset: str | None) -> bytes:
    """Return a body in UTF-8, of which the character set may be known already."""
    if charset is None:
        return to_utf8(body, content_type)[0]
    return body if charset == "utf-8" else decode(body, charset).encode()


def _declared(body: bytes, content_type: str | None) -> tuple[str | None, int]:
    """Return the charset that the page is said to be in, and the length of its mark."""
    if body[:1] >= b"\xef":
        for mark, name in _MARKS:
            if body.startswith(mark):
                return name, len(mark)
    return (charset_of_type(content_type) if content_type else None) or prescan(body), 0


def reason(body: bytes, content_type: str | None) -> str:
    """Return the reason for the character set that `to_utf8` chooses."""
    name, skipped = _declared(body, content_type)
    if skipped:
        return "by its byte order mark"
    if content_type and charset_of_type(content_type):
        return "by the content type"
    if name is not None:
        return "by what the page declares"
    if utf16_without_mark(body):
        return "nothing says it, and every other byte is zero"
    if is_plain(body) and is_iso2022_jp(body):
        return "nothing says it, and its escape sequences are those of ISO-2022-JP"
    if is_utf8(body):
        return "nothing says it, and the bytes are UTF-8"
    return "nothing says it; detected from the bytes"


@lru_cache(maxsize=1024)
def charset_of_type(content_type: str) -> str | None:
    """Return the charset that a content type names, if it is a known one."""
    if content_type.isascii() and "charset" not in content_type.lower():
        return None
    found = re.search(_PARAMETER, content_type)
    return charset_of_label(found[1]) if found else None


@lru_cache(maxsize=1024)
def charset_of_label(label: str) -> str | None:
    """Return the name of the encoding that a label means, or None."""
    label = label.strip(_SPACES).lower()
    if label in _NAMES:
        return _NAMES[label]
    try:
        codec = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    return codec.name if codec.name.startswith(_FAMILIES) else None


def decode(body: bytes, name: str) -> str:
    """Decode by the name of an encoding; malformed sequences become U+FFFD."""
    if name == "replacement":
        return "\ufffd" if body else ""
    table = _table(name)
    if table is None:
        return body.decode(_CODECS.get(name, name), "replace")
    return codecs.charmap_decode(body, "replace", table)[0]


@cache
def _table(name: str) -> str | None:
    """Return the 256 characters of a single-byte encoding of the standard, else None."""
    if name not in _LABELS or name in _CODECS or name in ("utf-8", "gb18030"):
        return None
    if name == "x-user-defined":
        return "".join(chr(byte if byte < 0x80 else 0xF700 + byte) for byte in range(256))
    codec = _SINGLE_BYTE.get(name, name)
    known = (bytes([byte]).decode(codec, "replace") for byte in range(256))
    # The standard lets bytes without a meaning through where ISO has control characters.
    return "".join(
        chr(byte) if character == "\ufffd" and byte < 0xA0 else character
        for byte, character in enumerate(known)
    )


_ASCII_SUPERSETS = frozenset(_LABELS) - {"utf-16be", "utf-16le", "iso-2022-jp", "replacement"}


def prescan(body: bytes) -> str | None:
    """Return the character set that the first bytes of a page declare (HTML standard, 13.2.3.2)."""
    if body.startswith((b"<\0?\0", b"\0<\0?")):
        return "utf-16le" if body[0] else "utf-16be"
    usual, name = beginnings.label(body), None
    if usual is not None:
        name = charset_of_label(usual) if usual else None
        name = name or _declared_in_meta(body[:PRESCAN_BYTES])
    if name is None and body.startswith(b"<?xml"):
        found = re.match(_XML_DECLARATION, body[:PRESCAN_BYTES])
        name = charset_of_label(found[1].decode("latin-1")) if found else None
    # A declaration that can be read as ASCII is not in UTF-16.
    if name and name.startswith(("utf-16", "utf-32")):
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def _declared_in_meta(head: bytes) -> str | None:
    position, markup = 0, re.compile(_MARKUP)
    while found := markup.search(head, position):
        position = found.end()
        if found[1]:
            end = head.find(b"-->", position - 2)
            if end < 0:
                return None
            position = end + 3
        elif found[2] or found[3]:
            attributes, position = _attributes(head, position)
            label = _label_of_meta(attributes) if found[2] else None
            name = charset_of_label(label.decode("latin-1")) if label is not None else None
            if name is not None:
                return name
        else:
            end = head.find(b">", position)
            if end < 0:
                return None
            position = end + 1
    return None


def _attributes(head: bytes, position: int) -> tuple[dict[bytes, bytes], int]:
    attributes: dict[bytes, bytes] = {}
    for found in re.compile(_ATTRIBUTE).finditer(head, position):
        which = found.lastindex or 1
        if which == 1:
            return attributes, found.end()
        attributes.setdefault(found[2].lower(), found[which] if which > 2 else b"")
    return attributes, len(head)


def _label_of_meta(attributes: dict[bytes, bytes]) -> bytes | None:
    if b"charset" in attributes:
        return attributes[b"charset"]
    if attributes.get(b"http-equiv", b"").lower() == b"content-type":
        found = re.search(_IN_CONTENT, attributes.get(b"content", b""))
        return found[found.lastindex or 0] if found else None
    return None
