"""The compiled packing of records against its twin in plain Python, and against `zlib`."""

from __future__ import annotations

import gzip
import random
import struct
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import isal_zlib

import plain_packing
from lycosa.storage.warc import _packing

HEADERS = (
    "WARC-Type: response\r\nWARC-Date: 2026-11-18T07:02:10.123456Z\r\n"
    "WARC-Record-ID: <urn:uuid:0c4ad99c-62cc-4a1b-8a44-000000000123>\r\n"
    "WARC-Target-URI: https://www.example.org/some/page\r\nWARC-IP-Address: 192.0.2.7\r\n"
    "Content-Type: application/http;msgtype=response\r\n"
    "WARC-Payload-Digest: sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567\r\n"
)
HEAD = (
    b"HTTP/1.1 200 OK\r\nDate: Wed, 18 Nov 2026 07:02:10 GMT\r\nServer: nginx\r\n"
    b"Content-Type: application/octet-stream\r\nConnection: keep-alive\r\n\r\n"
)
CHANCE = random.Random()
SIZES = (1, 64, 100, 200, 256, 300, 700, 1500, 3000, 16_000, 16_384, 33_000, 70_000, 200_000)


def _words(size: int) -> bytes:
    """Return text of many different words: as it is coded, it does not repeat itself."""
    words = [f"{CHANCE.randrange(10**6):x}{CHANCE.choice('aeiou')} <b>" for _ in range(size // 6)]
    return "".join(words).encode()[:size]


def _png(size: int) -> bytes:
    data = zlib.compress(CHANCE.randbytes(size), 6)
    header = struct.pack(">IIBBBBB", 64, 64, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(part)) + kind + part + struct.pack(">I", zlib.crc32(kind + part))
        for kind, part in ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    )


def _pdf(size: int) -> bytes:
    """Return objects in plain text, and streams that are compressed, in turns."""
    made = b"%PDF-1.7\n"
    while len(made) < size:
        data = zlib.compress(_words(40_000))
        made += b"<< /Length %d /Filter /FlateDecode >>\nstream\n%b\nendstream\n" % (
            len(data),
            data,
        )
        made += b"".join(b"%010d 00000 n \n" % number for number in range(600))
    return made


CONTENTS: dict[str, Callable[[int], bytes]] = {
    "random": CHANCE.randbytes,
    "gzip": lambda size: gzip.compress(_words(2 * size), mtime=0),
    "brotli": lambda size: brotli.compress(_words(2 * size), quality=4),
    "png": _png,
    "jpeg": lambda size: b"\xff\xd8\xff\xe0\x00\x10JFIF" + CHANCE.randbytes(size),
    "woff2": lambda size: b"wOF2" + bytes(40) + brotli.compress(CHANCE.randbytes(size), quality=4),
    "pdf": _pdf,
    "high bytes": lambda size: bytes(CHANCE.randrange(128, 256) for _ in range(size)),
    "text, then gzip": lambda size: _words(size) + gzip.compress(_words(2 * size), mtime=0),
    "text": _words,
}


@given(st.lists(st.binary(max_size=200), max_size=4))
def test_digests(content: list[bytes]) -> None:
    assert _packing.digest(*content) == plain_packing.digest(*content)


@given(st.text(max_size=60), st.lists(st.binary(max_size=300), max_size=3))
def test_records(headers: str, blocks: list[bytes]) -> None:
    packed = _packing.pack(headers, *blocks)
    assert packed == plain_packing.pack(headers, *blocks)
    length = sum(map(len, blocks))
    beginning = f"WARC/1.1\r\n{headers}Content-Length: {length}\r\n\r\n".encode()
    assert zlib.decompress(packed, 31) == beginning + b"".join(blocks) + b"\r\n\r\n"


def test_what_is_no_text_is_refused() -> None:
    for pack in (_packing.pack, plain_packing.pack):
        with pytest.raises(UnicodeEncodeError):
            pack("WARC-Target-URI: \ud800\r\n")


@pytest.mark.parametrize("content", CONTENTS)
def test_no_body_grows_in_its_record(content: str) -> None:
    CHANCE.seed(content)
    for size in SIZES:
        body = CONTENTS[content](size)
        packed = _packing.pack(HEADERS, HEAD, body)
        assert zlib.decompress(packed, 31).endswith(HEAD + body + b"\r\n\r\n")
        grown = len(packed) - len(_packing.pack(HEADERS, HEAD)) - len(body)
        assert grown <= len(body) / 1000 + 64, f"{content}, {len(body):,} bytes, +{grown:,}"
        assert packed == plain_packing.pack(HEADERS, HEAD, body)


def test_text_between_packed_parts_still_shrinks() -> None:
    CHANCE.seed("pdf")
    body = _pdf(200_000)
    packed = _packing.pack(HEADERS, HEAD, body)
    at_once = isal_zlib.compress(zlib.decompress(packed, 31), 0, 31)
    assert len(packed) < 0.97 * len(at_once) < 0.97 * len(body)


def test_bytes_that_are_equally_frequent_and_repeat_are_deflated() -> None:
    assert len(_packing.pack(HEADERS, HEAD, bytes(range(256)) * 400)) < 10_000


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["random", "text", "gzip", "high bytes"]), st.integers(1, 40_000)
        ),
        min_size=1,
        max_size=4,
    )
)
def test_records_of_mixed_content(parts: list[tuple[str, int]]) -> None:
    CHANCE.seed(repr(parts))
    body = b"".join(CONTENTS[content](size) for content, size in parts)
    packed = _packing.pack(HEADERS, HEAD, body)
    assert packed == plain_packing.pack(HEADERS, HEAD, body)
    assert zlib.decompress(packed, 31).endswith(HEAD + body + b"\r\n\r\n")
