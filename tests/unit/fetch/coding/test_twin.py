"""The compiled reader of heads and its plain twin say the same about any bytes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.fetch.coding import pure_reading
from lycosa.fetch.coding.heads import BadHead, Head, cut_head, is_plain, read_head
from offenders import none_of
from seeds import examples

LINE_ENDS = st.sampled_from(
    [b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r\r\n", b" \n", b"\r", b"\n ", b"\r\n\t"]
)
VERSIONS = st.sampled_from(
    [b"HTTP/1.1", b"HTTP/1.0", b"HTTP/1", b"HTTP/2", b"HTTP/1.", b"HTTP/1.1.1", b"http/1.1"]
)
BLANKS = st.sampled_from([b" ", b" ", b"\t", b"  \t", b"", b"\x0b"])
STATUSES = st.sampled_from(
    [b"200", b"200", b"404", b"100", b"204", b"205", b"304", b"2000", b"20", b"2x0", b"\xb200"]
)
REASONS = st.sampled_from([b"", b" OK", b"\tOK", b"OK", b"\0", b" \xe9", b"7"])
NAMES = st.sampled_from(
    [
        *(b"Content-Length", b"content-length", b"CONTENT-LENGTH ", b" Content-Length"),
        *(b"Transfer-Encoding", b"Connection", b"connection", b"Content-Encoding"),
        *(
            b"Server",
            b"ETag",
            b"X-\xc9t\xe9",
            b"X-\xb5",
            b"",
            b" ",
            b"\xa0Server\x85",
            b"X Y",
            b"N" * 65,
            b"X\0",
        ),
    ]
) | st.binary(max_size=4)
VALUES = st.sampled_from(
    [
        *(
            b"12",
            b"012",
            b"0",
            b"9" * 18,
            b"9" * 19,
            b"12, 12",
            b"12,13",
            b"1 2",
            b"-1",
            b"\xb2",
            b"",
        ),
        *(b"chunked", b"gzip, Chunked", b"chunked, gzip", b"chunked,", b"identity"),
        *(b"close", b"keep-alive", b"Keep-Alive, Close", b"upgrade", b"enclosed"),
        *(b"nginx", b"text/html", b"a:b", b"\xa0x\x1f", b"\xe9", b"v" * 257, b"a\0b"),
    ]
) | st.binary(max_size=6)
COLONS = st.sampled_from([b": ", b": ", b": ", b":", b" :\t", b"", b"::"])


@st.composite
def heads(draw: st.DrawFn) -> bytes:
    """Something that is nearly a head."""
    parts = [draw(VERSIONS), draw(BLANKS), draw(STATUSES), draw(REASONS), draw(LINE_ENDS)]
    for _ in range(draw(st.integers(0, 6))):
        parts += [draw(NAMES), draw(COLONS), draw(VALUES), draw(LINE_ENDS)]
    return b"".join(parts) + draw(
        st.sampled_from([b"\r\n", b"\r\n", b"\n", b"", b"x", b"\r", b" "])
    )


@st.composite
def usual_heads(draw: st.DrawFn) -> bytes:
    """A head as servers send it, with a byte changed or left out now and then."""
    lines = [
        draw(st.sampled_from([b"HTTP/1.1 200 OK", b"HTTP/1.0 304 Not Modified"])),
        b"Server: nginx/1.22.1",
        b"Date: Sun, 15 Nov 2026 13:59:%02d GMT" % draw(st.integers(0, 59)),
        b"Content-Type: " + draw(st.sampled_from([b"text/html", b"text/html; charset=utf-8"])),
        draw(st.sampled_from([b"Content-Length: 12", b"Transfer-Encoding: chunked"])),
        b"Connection: " + draw(st.sampled_from([b"keep-alive", b"close"])),
    ]
    head = b"\r\n".join([*lines, b"", b""])
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(head)))
        put = draw(
            st.sampled_from([b"", b"\n", b"\r", b" ", b":", b"\0", b",", b"\xe9", b"a", b"9"])
        )
        head = head[:at] + put + head[at + draw(st.integers(0, 1)) :]
    return head


ANY = heads() | usual_heads() | st.binary(max_size=60)


def outcome(read: Callable[[bytes], Head], sent: bytes) -> object:
    """Return what reading a head comes to, types and the order of names included."""
    try:
        head = read(sent)
    except BadHead:
        return BadHead
    return type(head), head, [type(value) for value in head], list(head.by_name)


@settings(max_examples=examples(600), deadline=None)
@given(ANY)
def test_reading_a_head_equals_its_twin(sent: bytes) -> None:
    assert outcome(read_head, sent) == outcome(pure_reading.read_head, sent)


@settings(max_examples=examples(300), deadline=None)
@given(ANY, st.binary(max_size=20))
def test_cutting_a_head_off_equals_its_twin(sent: bytes, rest: bytes) -> None:
    cut = pure_reading.cut_head(sent + rest)
    assert cut_head(sent + rest) == cut_head(memoryview(sent + rest)) == cut
    for end in range(0, len(sent), 7):
        assert cut_head(sent[:end]) == pure_reading.cut_head(sent[:end])


@settings(max_examples=examples(400), deadline=None)
@given(ANY)
def test_whether_a_head_is_plain_equals_its_twin(sent: bytes) -> None:
    assert is_plain(sent) is pure_reading.is_plain(sent)


AROUND = [
    b"HTTP/1.1 200 OK\r\n%cX%c: %cv%c\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX%c%c%c%c\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1%c%c%c%c\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n%c%c%cX: y%c\r\n\r\n",
    b"HTTP/1.1%c200%cOK\r\n\r\n",
]


def test_every_byte_means_the_same_to_both() -> None:
    heads = [one % ((code,) * one.count(b"%c")) for one in AROUND for code in range(256)]
    none_of(
        head
        for head in heads
        if outcome(read_head, head) != outcome(pure_reading.read_head, head)
        or is_plain(head) is not pure_reading.is_plain(head)
    )


def test_what_a_head_said_is_not_changed_by_the_next() -> None:
    first = read_head(b"HTTP/1.1 200 OK\r\nServer: a\r\nETag: 1\r\n\r\n")
    second = read_head(b"HTTP/1.1 200 OK\r\nServer: b\r\nSERVER: a\r\nETag: 1\r\n\r\n")
    assert first.headers == (("Server", "a"), ("ETag", "1"))
    assert second.headers == (("Server", "b"), ("SERVER", "a"), ("ETag", "1"))
    assert first.by_name == {"server": "a", "etag": "1"}
    assert second.by_name == {"server": "b", "etag": "1"}


def test_only_bytes_are_heads() -> None:
    with pytest.raises(TypeError):
        read_head(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        cut_head("HTTP/1.1 200 OK\n\n")  # type: ignore[arg-type]
