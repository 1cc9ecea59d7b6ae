"""Answers as servers send them, and as servers should not: what a fuzz of HTTP draws from.

A `Play` is what a server says on one connection: one answer after the other, in pieces. Two
answers in three are right; the others have an odd head, a wrong length, broken chunks, or bytes
changed.
"""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st


class Sent(NamedTuple):
    """One answer as it is sent."""

    pieces: tuple[bytes, ...]
    stray: bytes = b""
    """What the server says on its own after the answer, before it is asked again."""


Play = tuple[Sent, ...]

LINE_ENDS = st.sampled_from([b"\r\n"] * 20 + [b"\n", b"\r\r\n", b"\r\n ", b"\r\n\t ", b"\n "])
GOOD_STATUS_LINES = [
    *[b"HTTP/1.1 200 OK"] * 8,
    *(b"HTTP/1.1 200", b"HTTP/1.1 200 ", b"HTTP/1.1 404 Not Found", b"HTTP/1.1 503 \xe9t\xe9"),
    *(b"HTTP/1.1 301 Moved", b"HTTP/1.1 304 Not Modified", b"HTTP/1.1 204 No Content"),
    *(b"HTTP/1.1 205 Reset Content", b"HTTP/1.1 206 Partial", b"HTTP/1.1 999 Odd"),
    *(b"HTTP/1.0 200 OK", b"HTTP/1.0 404 Not Found", b"HTTP/1.0 204 No Content"),
]
ODD_STATUS_LINES = [
    *(b"HTTP/1.1 101 Switching Protocols", b"HTTP/1.1 099 Low", b"HTTP/1.1 000 None"),
    *(b"HTTP/1.2 200 OK", b"HTTP/2.0 200 OK", b"HTTP/2 200", b"HTTP/1 200", b"HTTP/0.9 200"),
    *(b"HTTP/1.1  200 OK", b"HTTP/1.1\t200 OK", b"HTTP/1.1 200\tOK", b"HTTP/1.1 200OK"),
    *(b"HTTP/1.1 2000 OK", b"HTTP/1.1 20 OK", b"http/1.1 200 OK", b"ICY 200 OK"),
    *(b"HTTP/1.1", b"", b" HTTP/1.1 200 OK", b"HTTP/1.1 200 O\0K", b"HTTP/1.1 200 O\x0bK"),
]
INTERIM = st.sampled_from(
    [
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
        b"HTTP/1.1 102 \r\nContent-Length: 7\r\n\r\n",
        b"HTTP/1.1 199 X\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        b"HTTP/1.0 100\r\n\r\n",
    ]
)
GOOD_FIELDS = [
    *[b"Server: nginx", b"Content-Type: text/html", b'ETag: "a, b"', b"X-Empty:"] * 2,
    *(b"Connection: close", b"Connection: keep-alive", b"connection: Keep-Alive, CLOSE"),
    *(b"Connection: upgrade", b"Connection: x-closed", b"Connection: close, x", b"Connection:"),
    *(b"Connection: , ,", b"Connection: not-keep-alive", b"Keep-Alive: timeout=5"),
    *(b"Location: /caf\xc3\xa9", b"Location: /voil\xc3\xa0", b"X: \xa0y\x85", b"X: \x01y"),
    *(b"X:y", b"X:  y \t", b"X:\ty", b"X: a:b", b"X: a\r\n\tb", b"X:\r\n a\r\n  b"),
    *(b"Set-Cookie: a=1", b"Set-Cookie: b=2", b"X-Long: " + b"v" * 300, b"n" * 70 + b": v"),
]
ODD_FIELDS = [
    *(b"X: a\x0bb", b"X: \x0by", b"X: a\rb", b"X: a\0", b"\xa0X: y", b" X: y", b"X: a\n b"),
    *(b"X : y", b"X\t: y", b": y", b"no colon", b"X Y: z", b"X\xe9: y", b"(X): y"),
]
GOOD_LENGTHS = [b"%d"] * 5 + [b"0%d", b"%d, %d", b"%d,%d", b"%d ", b"\t%d"]
ODD_LENGTHS = [
    *(b"%d,", b"%d, 9", b"+%d", b"-%d", b"0x%d", b"%d.0", b"", b"9%d", b"\x0b%d", b"%d\xa0"),
    *(b"1_%d", b"9" * 19, b"000000000000000000%d"),
]
GOOD_CODINGS = [b"chunked", b"Chunked"]
ODD_CODINGS = [
    *(b"identity", b"gzip", b"chunked, identity", b"identity, chunked", b"chunked,", b""),
    *(b"\x0bchunked", b"chunked\xa0", b"xchunked", b"chunked, chunked"),
]
GOOD_SIZES = [b"%x"] * 5 + [b"%X", b"000%x", b"%x ", b"%x\t", b"%x;a=b", b'%x;a="b;c"', b"%x;\xe9"]
ODD_SIZES = [
    *(b" %x", b"%x ;a", b"0x%x", b"+%x", b"-%x", b"%xg", b"", b"%x\r", b"1_%x", b"%x;\x0b"),
    b"0000000000000000%x",
]
ODD_ENDS = [b"\n", b"\r", b"", b"\r\r\n", b"x\r\n", b" \r\n"]
GOOD_TRAILERS = [b"", b"", b"T: x\r\n", b"T: x\r\nU:\r\n"]
ODD_TRAILERS = [b"no colon\r\n", b" T: x\r\n", b"T: x\n", b"\0: x\r\n"]
BODIES = st.binary(max_size=30) | st.sampled_from([b"<html>page</html>", b"a" * 900, b"0\r\n\r\n"])
CHANGES = st.sampled_from([b"", b"\n", b"\r", b" ", b":", b"\0", b",", b"\xe9", b"0", b"9", b";"])


class _Choice:
    """Draws from the good values, and from the odd ones too where odd answers are wanted."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.is_odd = draw(st.integers(0, 2)) == 0

    def one(self, good: list[bytes], odd: list[bytes]) -> bytes:
        return self.draw(st.sampled_from(good * 3 + odd if self.is_odd else good))

    def sometimes(self, once_in: int) -> bool:
        return self.draw(st.integers(1, once_in)) == once_in


def _chunked(choice: _Choice, body: bytes) -> bytes:
    def line_end() -> bytes:
        return choice.one([b"\r\n"] * 5, ODD_ENDS)

    parts = []
    while body:
        size = choice.draw(st.integers(1, len(body)))
        line = choice.one(GOOD_SIZES, ODD_SIZES)
        line = line.replace(b"%x", b"%x" % size).replace(b"%X", b"%X" % size)
        parts += [line, line_end(), body[:size], line_end()]
        body = body[size:]
    last = choice.one([b"0", b"0", b"000", b"0;x=y", b"0 "], [b"", b"-0"])
    return (
        b"".join(parts) + last + line_end() + choice.one(GOOD_TRAILERS, ODD_TRAILERS) + line_end()
    )


def _framed(choice: _Choice, body: bytes) -> tuple[list[bytes], bytes]:
    """Return the fields that say where a body ends, and the body as it is sent."""

    def length() -> bytes:
        return choice.one(GOOD_LENGTHS, ODD_LENGTHS).replace(b"%d", b"%d" % len(content))

    content = body
    ways = ["length"] * 4 + ["chunked"] * 4 + ["close", "both", "two"]
    way = choice.draw(st.sampled_from(ways))
    fields = []
    if way in ("length", "both", "two"):
        fields.append(b"Content-Length: " + length())
    if way == "two":
        fields.append(b"content-length: " + length())
    if way in ("chunked", "both"):
        fields.append(b"Transfer-Encoding: " + choice.one(GOOD_CODINGS, ODD_CODINGS))
        body = _chunked(choice, body)
    return fields, body


@st.composite
def answers(draw: st.DrawFn) -> bytes:
    """One answer, with its interim answers before it."""
    choice = _Choice(draw)
    fields, body = _framed(choice, draw(BODIES))
    fields += [choice.one(GOOD_FIELDS, ODD_FIELDS) for _ in range(draw(st.integers(0, 3)))]
    fields = draw(st.permutations(fields))
    parts = draw(st.lists(INTERIM, min_size=1, max_size=2)) if choice.sometimes(6) else []
    for line in [choice.one(GOOD_STATUS_LINES, ODD_STATUS_LINES), *fields]:
        parts += [line, draw(LINE_ENDS) if choice.is_odd else b"\r\n"]
    sent = b"".join(parts) + choice.one([b"\r\n"] * 4, [b"\n", b""]) + body
    if choice.sometimes(8):
        return sent[: draw(st.integers(0, len(sent)))]
    if choice.sometimes(8):
        at = draw(st.integers(0, len(sent)))
        sent = sent[:at] + draw(CHANGES) + sent[at + draw(st.integers(0, 2)) :]
    return sent


@st.composite
def sendings(draw: st.DrawFn) -> Sent:
    """An answer in pieces, and now and then something that nobody has asked for."""
    sent = draw(answers())
    cuts = sorted(draw(st.sets(st.integers(0, len(sent)), max_size=4)))
    if draw(st.integers(0, 9)) == 0:
        begin = draw(st.integers(0, len(sent)))
        cuts = list(range(begin, min(len(sent), begin + 60)))
    pieces = tuple(sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True) if a < b)
    stray = b""
    if draw(st.integers(0, 9)) == 0:
        stray = draw(st.sampled_from([b"\r\n", b"HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n"]))
    return Sent(pieces, stray)


plays: st.SearchStrategy[Play] = st.lists(sendings(), min_size=1, max_size=3).map(tuple)
