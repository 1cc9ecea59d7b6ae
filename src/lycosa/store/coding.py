"""From the bytes that a server sent to the content that it meant.

Transfer coding (chunks) is taken off first, then the content codings, the last one first.
What is cut short or damaged is decoded as far as it goes: the record holds all of it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import brotli
import zstandard

Headers = tuple[tuple[str, str], ...]

LARGEST_CONTENT_BYTES = 100_000_000
"""More is not decoded: a small record may be a bomb."""


def parse_head(head: bytes) -> tuple[int, Headers]:
    """Return the status and the headers of an answer."""
    lines = head.decode("latin-1").split("\n")
    parts = lines[0].split(None, 2)
    status = int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        if line[:1] in (" ", "\t") and headers and line.strip():
            name, value = headers[-1]
            headers[-1] = (name, f"{value} {line.strip()}")
            continue
        name, colon, value = line.partition(":")
        if colon:
            headers.append((name.strip(), value.strip()))
    return status, tuple(headers)


def split_block(block: bytes) -> tuple[bytes, bytes]:
    """Return the head, with the empty line that ends it, and the body of an HTTP message."""
    ends = [at + len(mark) for mark in (b"\r\n\r\n", b"\n\n") if (at := block.find(mark)) >= 0]
    end = min(ends, default=len(block))
    return block[:end], block[end:]


def header(headers: Headers, name: str) -> str:
    """Return the values of a header (its name in lower case), joined."""
    return ", ".join(value for key, value in headers if key.lower() == name)


def is_chunked(headers: Headers) -> bool:
    """Tell whether the body was sent in chunks."""
    for name, value in headers:
        if len(name) == 17 and name.lower() == "transfer-encoding":
            return value.rpartition(",")[2].strip().lower() == "chunked"
    return False


def unchunk(sent: bytes) -> bytes:
    """Return a body without its chunks (RFC 9112 section 7.1), as far as they go."""
    parts: list[bytes] = []
    at = 0
    while (end := sent.find(b"\n", at)) >= 0:
        try:
            size = int(sent[at:end].partition(b";")[0].strip() or b"0", 16)
        except ValueError:
            break
        if size <= 0:
            break
        parts.append(sent[end + 1 : end + 1 + size])
        at = end + 1 + size
        if sent[at : at + 2] == b"\r\n":
            at += 2
        elif sent[at : at + 1] == b"\n":
            at += 1
        else:
            break
    return b"".join(parts)


def payload_of(headers: Headers, sent: bytes) -> bytes:
    """Return the body without its transfer coding."""
    return unchunk(sent) if is_chunked(headers) else sent


def content_of(headers: Headers, payload: bytes) -> bytes:
    """Return the content of a payload: its content codings undone."""
    codings = [part.strip().lower() for part in header(headers, "content-encoding").split(",")]
    for coding in reversed(codings):
        undo = _CODINGS.get(coding)
        if undo is None:
            break
        payload = undo(payload)
    return payload


def _inflate(payload: bytes) -> bytes:
    """Undo gzip or deflate, also the deflate without a header that some servers send."""
    for wbits in (47, -15):
        try:
            decoder = zlib.decompressobj(wbits)
            return decoder.decompress(payload, LARGEST_CONTENT_BYTES)
        except zlib.error:
            continue
    return payload


def _unbrotli(payload: bytes) -> bytes:
    decoder, parts, size = brotli.Decompressor(), list[bytes](), 0
    try:
        for start in range(0, len(payload), 4096):
            parts.append(decoder.process(payload[start : start + 4096]))
            size += len(parts[-1])
            if size > LARGEST_CONTENT_BYTES:
                break
    except brotli.error:
        pass
    return b"".join(parts)[:LARGEST_CONTENT_BYTES]


def _unzstd(payload: bytes) -> bytes:
    parts, size = list[bytes](), 0
    reader = zstandard.ZstdDecompressor().stream_reader(payload, read_across_frames=True)
    try:
        while size < LARGEST_CONTENT_BYTES and (piece := reader.read(1 << 16)):
            parts.append(piece)
            size += len(piece)
    except zstandard.ZstdError:
        pass
    return b"".join(parts)


_CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": _inflate,
    "x-gzip": _inflate,
    "deflate": _inflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
