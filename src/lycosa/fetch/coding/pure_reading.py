"""The parser of response heads in Python: the oracle that tests compare `_reading` with.

It also reads what is rare in heads: folded lines, and lengths that are given more than once.
"""

from __future__ import annotations

import re

from lycosa.fetch.coding.head import CHUNKED, UNTIL_CLOSE, BadHead, Head

_HEAD_END = re.compile(rb"\n\r?\n")
_FOLD = re.compile(rb"\r?\n[ \t]+")
_STATUS_LINE = re.compile(rb"HTTP/(\d(?:\.\d)?)[ \t]+(\d{3})(?!\d)")
_PLAIN = re.compile(
    rb"HTTP/1\.[01] [0-9]{3}[^\r\n]*\r\n(?:[!#-'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r\n)*\r\n"
)
BLANKS = " \t\r"
"""Characters that may stand around a name and a value; a byte 0xA0 or 0x85 may be the end of a
letter."""
_BODILESS = frozenset({204, 205, 304})
_ENDS = frozenset({"content-length", "transfer-encoding", "connection", "content-encoding"})
"""Headers that have to do with the end of their answer."""


def cut_head(data: bytes | memoryview) -> tuple[bytes, bytes] | None:
    """Return the first head in `data`, with its empty line, and what follows."""
    data = bytes(data)
    found = _HEAD_END.search(data)
    if found is None or not data.startswith(b"HTTP/"):
        return None
    return data[: found.end()], data[found.end() :]


def read_head(sent: bytes) -> Head:
    """Take a head apart, from its status line to its empty line; raises `BadHead`."""
    lines = sent.split(b"\n")
    if b"\n " in sent or b"\n\t" in sent:
        first, _, rest = sent.partition(b"\n")
        if rest.startswith((b" ", b"\t")):
            raise BadHead  # it continues a line that was never begun (RFC 9112, 2.2)
        lines = [first, *_FOLD.sub(b" ", b"\n" + rest)[1:].split(b"\n")]
    version, status = _status(lines[0])
    headers: list[tuple[str, str]] = []
    by_name: dict[str, str] = {}
    ends: dict[str, list[str]] = {}
    for line in lines[1:-2]:
        header, name = _read_line(line)
        headers.append(header)
        if name in _ENDS:
            ends.setdefault(name, []).append(header[1])
        by_name.setdefault(name, header[1])
    length = UNTIL_CLOSE
    if "transfer-encoding" in ends:
        last = ",".join(ends["transfer-encoding"]).rpartition(",")[2].strip(BLANKS).lower()
        length = CHUNKED if last == "chunked" else UNTIL_CLOSE
    elif "content-length" in ends:
        length = length_of(ends["content-length"])
    # With 101 another protocol begins; what a 205 has promised may still come (RFC 9112, 6.3).
    is_last = status == 101 or (status == 205 and length != 0)
    if status < 200 or status in _BODILESS:
        length = 0
    is_lasting = not is_last and length != UNTIL_CLOSE and _lasts(version, ends)
    is_coded = "transfer-encoding" in ends or "content-encoding" in ends
    return Head(sent, status, tuple(headers), length, is_lasting, is_coded, by_name)


def is_plain(head: bytes) -> bool:
    """Tell whether all readers agree where a head ends, and so what its payload is."""
    return _PLAIN.fullmatch(head) is not None


def length_of(values: list[str]) -> int:
    """Return the length that all these say; raises `BadHead`."""
    one = values[0]
    told: set[str] = set()
    if len(values) > 1 or "," in one:
        told = {part.strip(BLANKS) for value in values for part in value.split(",")}
        one = told.pop()
    if told or not (one.isascii() and one.isdigit()) or len(one) > 18:
        raise BadHead
    return int(one)


def _status(line: bytes) -> tuple[bytes, int]:
    found = _STATUS_LINE.match(line)
    if found is None or b"\0" in line:
        raise BadHead
    return found[1], int(found[2])


def _read_line(line: bytes) -> tuple[tuple[str, str], str]:
    """Return a header, and its name in lower case."""
    name, colon, value = line.decode("latin-1").partition(":")
    if not colon or "\0" in value or "\0" in name:
        raise BadHead
    name = name.strip(BLANKS)
    return (name, value.strip(BLANKS)), name.lower()


def _lasts(version: bytes, ends: dict[str, list[str]]) -> bool:
    """Return whether a connection lasts beyond this answer."""
    is_newest = version == b"1.1"
    if "transfer-encoding" in ends and ("content-length" in ends or not is_newest):
        return False  # the server is confused about lengths (RFC 9112, 6.1)
    return wishes_last(ends.get("connection", []), is_newest)


def wishes_last(wishes: list[str], is_newest: bool) -> bool:
    """Return whether a server that says this of the connection wants to keep it."""
    told = {wish.strip(BLANKS).lower() for value in wishes for wish in value.split(",")}
    return "close" not in told and (is_newest or "keep-alive" in told)
