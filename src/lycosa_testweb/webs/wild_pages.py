"""Pages that are valid HTTP and yet hard to read: deep, long, or in other scripts."""

from __future__ import annotations

from typing import NamedTuple

from lycosa_testweb.web import Headers

NESTED_ELEMENTS = 100_000
LINE_BYTES = 10_000_000

GUARDED = (
    "http://127.0.0.1/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://0.0.0.0/",
    "http://[::1]/",
    "http://[::ffff:7f00:1]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
)
"""Where no crawler may be sent: as canonical URLs."""


def nested(link: str, elements: int = NESTED_ELEMENTS) -> bytes:
    """Return a page with a link at the bottom of that many nested elements."""
    inner = f'<a href="{link}">the bottom</a>'
    return f"<!doctype html><title>Deep</title>{'<div>' * elements}{inner}".encode()


def long_line(link: str, size_bytes: int = LINE_BYTES) -> bytes:
    """Return a page that is one line of exactly that size, with a link at its end."""
    head, tail = b"<!doctype html><title>Long</title><p>", f'<a href="{link}">end</a>'.encode()
    room = size_bytes - len(head) - len(tail)
    return head + (b"on and " * (room // 7 + 1))[:room] + tail


class Encoding(NamedTuple):
    """A way of writing letters, and how a page declares it."""

    codec: str
    label: str
    text: str
    declared: str
    """By `header`, by `meta`, by a byte order `mark`, or by `none`."""


ENCODINGS = {
    "utf-16": Encoding("utf-16-le", "utf-16", "Пауки и сети", "mark"),
    "utf-16-be": Encoding("utf-16-be", "utf-16be", "Spinnen über Netze", "header"),
    "utf-8-mark": Encoding("utf-8", "utf-8", "Araignées et toiles", "mark"),
    "shift-jis": Encoding("shift_jis", "Shift_JIS", "蜘蛛と網", "meta"),
    "euc-jp": Encoding("euc_jp", "EUC-JP", "蜘蛛の糸", "header"),
    "iso-2022-jp": Encoding("iso2022_jp", "ISO-2022-JP", "蜘蛛の巣", "meta"),
    "euc-kr": Encoding("euc_kr", "EUC-KR", "거미와 그물", "meta"),
    "gb18030": Encoding("gb18030", "gb18030", "蜘蛛与网", "header"),
    "big5": Encoding("big5", "Big5", "蜘蛛與網", "meta"),
    "windows-1251": Encoding("cp1251", "windows-1251", "Пауки и сети", "header"),
    "koi8-r": Encoding("koi8_r", "KOI8-R", "Паук и сеть", "meta"),
    "latin-1": Encoding("cp1252", "iso-8859-1", "Araña – “tarántula”", "meta"),
    "unsaid": Encoding("cp1252", "", "Araña y telaraña", "none"),
}
"""By host name; `text` is each page's title."""

_MARKS = {"utf-16-le": b"\xff\xfe", "utf-8": b"\xef\xbb\xbf"}


def encoded(name: str, link: str) -> tuple[bytes, Headers]:
    """Return a page in that encoding, with a link, and its headers."""
    encoding = ENCODINGS[name]
    meta = f'<meta charset="{encoding.label}">' if encoding.declared == "meta" else ""
    text = (
        f"<!doctype html><html><head>{meta}<title>{encoding.text}</title></head>"
        f'<body><h1>{encoding.text}</h1><a href="{link}">{encoding.text}</a></body></html>'
    )
    mark = _MARKS[encoding.codec] if encoding.declared == "mark" else b""
    kind = "text/html"
    if encoding.declared == "header":
        kind += f"; charset={encoding.label}"
    return mark + text.encode(encoding.codec), (("Content-Type", kind),)
