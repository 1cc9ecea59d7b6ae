"""What heads of answers say: by rules of RFC 9112."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetch.coding.heads import CHUNKED, UNTIL_CLOSE, BadHead, cut_head, read_head


class Frame(NamedTuple):
    """What a head says about the end of its answer."""

    status: int
    length: int
    is_lasting: bool


def frame(*headers: str, line: str = "HTTP/1.1 200 OK") -> Frame:
    head = "\r\n".join([line, *headers, "", ""]).encode()
    assert cut_head(head) == (head, b"")
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
        ("HTTP/1.0 200 OK", "Connection: keep-alive, close", False),
        ("HTTP/1.0 200 OK", "Connection: not-keep-alive", False),
        ("HTTP/1.1 200 OK", "Connection: x-closed", True),
        ("HTTP/1.1 101 Switching Protocols", "X: y", False),
        ("HTTP/1.1 204 No Content", "X: y", True),
        ("HTTP/1.1 205 Reset Content", "X: y", False),
    ],
)
def test_whether_a_connection_lasts(line: str, header: str, is_lasting: bool) -> None:
    assert frame("Content-Length: 1", header, line=line).is_lasting is is_lasting


def test_a_205_without_a_body_keeps_its_connection() -> None:
    assert frame("Content-Length: 0", line="HTTP/1.1 205 Reset") == Frame(205, 0, True)
    assert frame("Transfer-Encoding: chunked", line="HTTP/1.1 205 Reset") == Frame(205, 0, False)


def test_chunks_of_an_old_server_cost_the_connection() -> None:
    headers = ("Transfer-Encoding: chunked", "Connection: keep-alive")
    assert frame(*headers, line="HTTP/1.0 200 OK") == Frame(200, CHUNKED, False)


@pytest.mark.parametrize("path", ["/voilà", "/Å", "/…"])
def test_a_value_keeps_the_last_byte_of_its_last_letter(path: str) -> None:
    head = b"HTTP/1.1 302 Found\r\nLocation:\t" + path.encode() + b" \r\n\r\n"
    assert read_head(head).by_name["location"].encode("latin-1").decode() == path


def test_a_head_does_not_begin_with_the_rest_of_a_line() -> None:
    with pytest.raises(BadHead):
        frame(" Content-Length: 3", "X: y")


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
        "Content-Length: \x0b1",
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
    assert cut_head(head + b"abc\n\n") == (head, b"abc\n\n")
    assert read_head(head)[1:6] == (200, (("Content-Length", "3"),), 3, True, False)


@given(st.binary(max_size=300))
def test_any_head_is_a_frame_or_bad(data: bytes) -> None:
    cut = cut_head(b"HTTP/1.1 200 OK\r\n" + data + b"\r\n\r\n")
    assert cut is not None
    head, _ = cut
    try:
        found = read_head(head)
    except BadHead:
        return
    assert found.length >= CHUNKED and found.sent == head
