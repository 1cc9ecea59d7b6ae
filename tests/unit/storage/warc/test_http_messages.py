from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lycosa.storage.warc import http_messages
from lycosa.storage.warc.http_messages import content_of, parse_head, payload_of, split_block
from unit.storage.archive.exchanges import chunked

CHUNKED = (("Transfer-Encoding", "Chunked"),)


@given(st.binary(max_size=400), st.integers(1, 50))
def test_chunks_are_joined(body: bytes, size: int) -> None:
    assert payload_of(CHUNKED, chunked(body, size)) == body


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (b"5;name=value\r\nhello\r\n0\r\nTrailer: x\r\n\r\n", b"hello"),
        (b"5\nhello\n0\n\n", b"hello"),
        (b"5\r\nhello\r\n5\r\nwo", b"hellowo"),
        (b"5\r\nhello\r\nzz\r\n", b"hello"),
        (b"5\r\nhelloXX5\r\n", b"hello"),
        (b"-5\r\nhello\r\n", b""),
        (b"", b""),
        (b"not chunks", b""),
    ],
)
def test_chunks_are_joined_as_far_as_they_go(sent: bytes, body: bytes) -> None:
    assert payload_of(CHUNKED, sent) == body
    assert payload_of((), sent) == sent


@given(st.binary(max_size=300))
def test_content_codings_are_undone(body: bytes) -> None:
    raw = zlib.compressobj(wbits=-15)
    for name, payload in {
        "gzip": gzip.compress(body),
        "deflate": zlib.compress(body),
        "Deflate": raw.compress(body) + raw.flush(),
        "br": brotli.compress(body),
        "zstd": zstandard.ZstdCompressor().compress(body),
        "identity": body,
        "gzip, br": brotli.compress(gzip.compress(body)),
    }.items():
        assert content_of((("Content-Encoding", name),), payload) == body


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_damaged_content_is_decoded_as_far_as_it_goes(name: str) -> None:
    body = bytes(range(256)) * 400
    payload = {
        "gzip": gzip.compress(body),
        "br": brotli.compress(body, quality=1),
        "zstd": zstandard.ZstdCompressor().compress(body),
    }[name]
    assert body.startswith(content_of((("content-encoding", name),), payload[:-10]))


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_bomb_is_decoded_up_to_the_cap(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_messages, "LARGEST_CONTENT_BYTES", 100_000)
    body = bytes(3_000_000)
    payload = {
        "gzip": gzip.compress(body),
        "br": brotli.compress(body),
        "zstd": zstandard.ZstdCompressor().compress(body),
    }[name]
    assert len(content_of((("content-encoding", name),), payload)) == 100_000


def test_a_head_is_read_with_folded_lines_and_without_sense() -> None:
    head = b"HTTP/1.1 200 OK\r\nA: 1\r\n folded\r\nnonsense\r\nB:2\r\n\r\n"
    assert parse_head(head) == (200, (("A", "1 folded"), ("B", "2")))
    assert parse_head(b"") == (0, ())
    assert split_block(head + b"body\r\n\r\nmore") == (head, b"body\r\n\r\nmore")
    assert split_block(b"HTTP/1.1 200\nA: b\n\nbody") == (b"HTTP/1.1 200\nA: b\n\n", b"body")
