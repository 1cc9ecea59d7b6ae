"""Where an answer ends: by rules of RFC 9112, and against the decoder of chunks."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.coding.chunks import Framing, dechunk
from lycosa.fetch.framing import (
    CHUNKED,
    UNTIL_CLOSE,
    BadHead,
    ChunkReader,
    head_end,
    may_be_http,
    read_head,
)


class Frame(NamedTuple):
    """What a head says about the end of its answer."""

    status: int
    length: int
    is_lasting: bool


def frame(*headers: str, line: str = "HTTP/1.1 200 OK") -> Frame:
    head = "\r\n".join([line, *headers, "", ""]).encode()
    assert head_end(head) == len(head)
    found = read_head(head)
    assert found.sent == head
    return Frame(found.status, found.length, found.is_lasting)


def test_a_length_ends_a_body() -> None:
    assert frame("Content-Length: 12") == Frame(200, 12, True)


def test_without_a_length_the_connection_ends_a_body() -> None:
    assert frame("Server: x") == Frame(200, UNTIL_CLOSE, False)


def test_chunks_go_before_a_length_and_cost_the_connection() -> None:
    assert frame("Transfer-Encoding: chunked") == Frame(200, CHUNKED, True)
    assert frame("Content-Length: 3", "Transfer-Encoding: chunked") == Frame(200, CHUNKED, False)


def test_chunked_ends_a_body_only_as_the_last_coding() -> None:
    assert frame("Transfer-Encoding: gzip, Chunked").length == CHUNKED
    assert frame("Transfer-Encoding: gzip", "Transfer-Encoding: chunked").length == CHUNKED
    assert frame("Transfer-Encoding: chunked, gzip").length == UNTIL_CLOSE


@pytest.mark.parametrize("status", [100, 101, 103, 204, 304])
def test_some_statuses_have_no_body(status: int) -> None:
    assert frame("Content-Length: 5", line=f"HTTP/1.1 {status} X").length == 0


@pytest.mark.parametrize(
    ("line", "header", "is_lasting"),
    [
        ("HTTP/1.1 200 OK", "X: y", True),
        ("HTTP/1.1 200 OK", "Connection: Close", False),
        ("HTTP/1.1 200 OK", "Connection: keep-alive, close", False),
        ("HTTP/1.0 200 OK", "X: y", False),
        ("HTTP/1.0 200 OK", "Connection: Keep-Alive", True),
    ],
)
def test_whether_a_connection_lasts(line: str, header: str, is_lasting: bool) -> None:
    assert frame("Content-Length: 1", header, line=line).is_lasting is is_lasting


def test_the_same_length_twice_is_one() -> None:
    assert frame("Content-Length: 7", "content-length: 7").length == 7
    assert frame("Content-Length: 7, 7").length == 7


@pytest.mark.parametrize(
    "header",
    [
        "Content-Length: 1\r\nContent-Length: 2",
        "Content-Length: -1",
        "Content-Length: +1",
        "Content-Length: 0x10",
        "Content-Length:",
        "Content-Length: 1e3",
        "Content-Length: " + "9" * 30,
        "no colon",
        "X: \0",
    ],
)
def test_what_is_no_head_is_said_to_be_none(header: str) -> None:
    with pytest.raises(BadHead):
        frame(header)


@pytest.mark.parametrize("line", ["HTTP/1.1", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/x 200"])
def test_what_is_no_status_line_is_said_to_be_none(line: str) -> None:
    with pytest.raises(BadHead):
        frame(line=line)


def test_a_folded_line_belongs_to_the_one_before() -> None:
    head = read_head(b"HTTP/1.1 200 OK\r\nX: a\r\n  b\r\n\tc\r\nY: d\r\n\r\n")
    assert head.headers == (("X", "a b c"), ("Y", "d"))


def test_bare_line_feeds_end_lines() -> None:
    head = b"HTTP/1.1 200 OK\nContent-Length: 3\n\n"
    assert head_end(head + b"abc\n\n") == len(head)
    assert read_head(head)[1:6] == (200, (("Content-Length", "3"),), 3, True, False)


def test_what_begins_otherwise_is_no_answer() -> None:
    assert may_be_http(b"HT") and may_be_http(b"HTTP/1.1 200")
    assert not may_be_http(b"SSH-2.0") and not may_be_http(b"\r\nHTTP")


@given(st.binary(max_size=300))
def test_any_head_is_a_frame_or_bad(data: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\n" + data + b"\r\n\r\n"
    head = head[: head_end(head)]
    try:
        found = read_head(head)
    except BadHead:
        return
    assert found.length >= CHUNKED and found.sent == head


pieces = st.lists(st.binary(max_size=40), max_size=6)


def chunked(bodies: list[bytes], line_end: bytes, trailer: bytes) -> bytes:
    chunks = b"".join(b"%x;e=1%s%s%s" % (len(b), line_end, b, line_end) for b in bodies if b)
    return chunks + b"0" + line_end + trailer + line_end


@given(
    pieces,
    st.sampled_from([b"\r\n", b"\n"]),
    st.sampled_from([b"", b"T: x\r\n"]),
    st.binary(max_size=20),
    st.integers(1, 50),
)
def test_chunks_end_where_they_end_however_they_are_cut(
    bodies: list[bytes], line_end: bytes, trailer: bytes, rest: bytes, step: int
) -> None:
    sent = chunked(bodies, line_end, trailer)
    assert dechunk(sent).framing is Framing.WHOLE
    assert taken(sent + rest, step) == len(sent)
    if sent[:-1]:
        assert taken(sent[:-1], step) is None


@given(st.binary(max_size=200), st.integers(1, 50))
def test_whatever_comes_the_chunk_reader_agrees_with_the_decoder(data: bytes, step: int) -> None:
    end, framing = taken(data, step), dechunk(data).framing
    if framing is Framing.CUT:
        assert end is None
    elif framing is Framing.BAD and end is None:
        # The decoder knows it from half a line already; the reader waits for its end.
        assert b"\n" not in data.rpartition(b"\n")[2]


def taken(data: bytes, step: int) -> int | None:
    """Return where a reader that is fed piece by piece finds the end."""
    reader = ChunkReader()
    for at in range(0, len(data), step):
        end = reader.take(data[at : at + step])
        if end is not None:
            return at + end
    return None
