"""Gzip members with stored blocks, for content that does not shrink (RFC 1951, section 3.2.4).

isal at level 0 codes bytes by a table that was made for text: a picture, a font or a body in gzip
grows by a fifth under it. In a record with such content the headers are deflated, and each run of
the block is deflated or stored.

Always true: a run takes at most 5 bytes more for every 65,000 that it has.

Not here: which runs are stored (`_packing`).
"""

from __future__ import annotations

from collections.abc import Iterable

from isal.isal_zlib import DEFLATED, Z_SYNC_FLUSH, compressobj, crc32

BLOCK_BYTES = 65_000
_LEVEL = 0
_RAW = -15
"""The `wbits` that ask for a deflate stream without header and trailer."""
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

_Parts = list[bytes | memoryview]


def stored_member(content: bytes) -> bytes:
    """Return a gzip member that stores its content."""
    return _member([_HEADER, *_stored(memoryview(content), is_last=True)], content)


def mixed_member(content: bytes, start: int, runs: Iterable[tuple[int, int]]) -> bytes:
    """Return a gzip member of a record whose block begins at `start`, with some runs of it stored.

    A run between them is deflated, unless that makes it longer.
    """
    whole, at, end = memoryview(content), start, len(content) - 4
    parts: _Parts = [_HEADER, _deflated(whole[:start])]
    for begin, stop in runs:
        parts += _shorter(whole[at:begin])
        parts += _stored(whole[begin:stop])
        at = stop
    parts += _shorter(whole[at:end])
    parts += _stored(whole[end:], is_last=True)
    return _member(parts, content)


def _shorter(run: memoryview) -> _Parts:
    if not run:
        return []
    deflated, stored = _deflated(run), _stored(run)
    return [deflated] if len(deflated) < sum(map(len, stored)) else stored


def _deflated(content: memoryview) -> bytes:
    """Return blocks that end at a whole byte, none of them the last one of the stream."""
    packer = compressobj(_LEVEL, DEFLATED, _RAW)
    return packer.compress(content) + packer.flush(Z_SYNC_FLUSH)


def _stored(content: memoryview, *, is_last: bool = False) -> _Parts:
    parts: _Parts = []
    for start in range(0, len(content), BLOCK_BYTES):
        piece = content[start : start + BLOCK_BYTES]
        size = len(piece)
        ends = is_last and start + size == len(content)
        parts.append(
            b"%c%b%b" % (ends, size.to_bytes(2, "little"), (~size & 0xFFFF).to_bytes(2, "little"))
        )
        parts.append(piece)
    return parts


def _member(parts: _Parts, content: bytes) -> bytes:
    parts.append(
        crc32(content).to_bytes(4, "little") + (len(content) & 0xFFFFFFFF).to_bytes(4, "little")
    )
    return b"".join(parts)
