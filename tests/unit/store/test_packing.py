"""The compiled packing of records against its twin in plain Python, and against `zlib`."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lycosa.store import _packing, plain

PIECES = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.0 ", b"404", b"\r\n", b"\n", b"\r", b":", b" ", b"a", b"X-Y_z~"]
    + [b"A: b\r\n", b"Content-Length: 12\r\n", b"\r\n\r\n", b"\x00", b"\xff", b"\x7f", b'"', b"("]
)
HEADS = st.lists(PIECES, max_size=12).map(b"".join)
WHOLE = st.builds(
    lambda status, lines: b"HTTP/1.1 " + status + b"\r\n" + b"".join(lines) + b"\r\n",
    st.sampled_from([b"200 OK", b"200", b"20 ", b"2000", b"404 Not Found\r", b"999 \xff"]),
    st.lists(st.sampled_from([b"A: b\r\n", b"a:\r\n", b"a b: c\r\n", b": c\r\n", b"x\r\n"])),
)


@given(HEADS | WHOLE | st.binary(max_size=40))
@example(b"HTTP/1.1 200\r\n\r\n")
@example(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n\r\n")
@example(b"HTTP/1.1 200 OK\r\nA: b\r\n")
@example(b"")
def test_heads_that_all_readers_take_apart_alike(head: bytes) -> None:
    assert _packing.is_plain(head) == plain.is_plain(head)


@given(st.binary(max_size=3))
def test_every_byte_of_a_name(piece: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nA" + piece + b": b\r\n\r\n"
    assert _packing.is_plain(head) == plain.is_plain(head)


@given(st.lists(st.binary(max_size=200), max_size=4))
def test_digests(content: list[bytes]) -> None:
    assert _packing.digest(*content) == plain.digest(*content)


@given(st.text(max_size=60), st.lists(st.binary(max_size=300), max_size=3))
def test_records(headers: str, blocks: list[bytes]) -> None:
    packed = _packing.pack(headers, *blocks)
    assert packed == plain.pack(headers, *blocks)
    length = sum(map(len, blocks))
    beginning = f"WARC/1.1\r\n{headers}Content-Length: {length}\r\n\r\n".encode()
    assert zlib.decompress(packed, 31) == beginning + b"".join(blocks) + b"\r\n\r\n"


def test_what_is_no_text_is_refused() -> None:
    for pack in (_packing.pack, plain.pack):
        with pytest.raises(UnicodeEncodeError):
            pack("WARC-Target-URI: \ud800\r\n")
