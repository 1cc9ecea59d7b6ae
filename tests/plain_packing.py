"""`_packing` in pure Python: the reference that a test compares the compiled module with."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter

from isal import isal_zlib

from lycosa.storage.warc.stored_blocks import mixed_member, stored_member

LEVEL = 0
"""Of isal: half the time of level 1 for a tenth more bytes (docs/decisions/0011-archive.md)."""

_GZIP = 31
"""The `wbits` that ask for a gzip header and trailer."""
_RAW = -15

PACKED = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"\x1f\x8b\x08", b"wOF2", b"wOFF", b"PK\x03\x04")
"""The beginnings of formats that are compressed; WebP has its own check."""

_PIECE = 8192
"""Bytes of a block that are judged by themselves."""
_PLACES, _AT_PLACE = 4, 32
_SAMPLE_BYTES = _PLACES * _AT_PLACE
_COLLISIONS = 264
"""Random bytes give 192, with a deviation of 11."""
_TRIAL = 512
_GROWTH = 64
"""By which a block may grow."""
_SMALL = 2048


def digest(*content: bytes) -> str:
    """Return the digest of bytes as it stands in a header: SHA-1 in base 32."""
    hashed = hashlib.sha1(b"".join(content), usedforsecurity=False)
    return "sha1:" + base64.b32encode(hashed.digest()).decode()


def pack(headers: str, *blocks: bytes) -> bytes:
    """Return a record as a gzip member; the headers are lines that end in CR LF."""
    beginning = f"WARC/1.1\r\n{headers}Content-Length: {sum(map(len, blocks))}\r\n\r\n"
    block = blocks[-1] if blocks else b""
    content = b"".join((beginning.encode(), *blocks, b"\r\n\r\n"))
    start = len(content) - 4 - len(block)
    runs = [(start + begin, start + stop) for begin, stop in _packed_runs(block)]
    if not runs:
        packed = isal_zlib.compress(content, LEVEL, _GZIP)
        # Headers shrink by an eighth at most. A longer record has a body that grew; the block of a
        # record that has no body is a few lines of text.
        if len(blocks) < 2 or len(packed) <= len(content) - 4 + _GROWTH - start // 8:
            return packed
        runs = [(start, len(content) - 4)]
    return mixed_member(content, start, runs) if len(content) >= _SMALL else stored_member(content)


def _packed_runs(block: bytes) -> list[tuple[int, int]]:
    """Return beginning and end of the runs of a block that are compressed already."""
    runs: list[tuple[int, int]] = []
    at = 0
    while len(block) - at >= _SAMPLE_BYTES:
        # The rest behind the last whole piece belongs to that piece.
        stop = at + _PIECE if len(block) - at >= 2 * _PIECE else len(block)
        piece, goes_on = block[at:stop], bool(runs) and runs[-1][1] == at
        looks_packed = _is_flat(piece) or (at == 0 and _is_named(piece))
        if looks_packed and (goes_on or not _shrinks(piece)):
            runs.append((runs.pop()[0] if goes_on else at, stop))
        at = stop
    return runs


def _is_named(block: bytes) -> bool:
    return block.startswith(PACKED) or (block[:4], block[8:12]) == (b"RIFF", b"WEBP")


def _shrinks(piece: bytes) -> bool:
    """Tell whether a piece can be deflated though it looks compressed: bytes repeat in order."""
    begin = (len(piece) - _TRIAL) // 2
    trial = piece[begin : begin + _TRIAL]
    return len(piece) >= 2 * _TRIAL and len(isal_zlib.compress(trial, LEVEL, _RAW)) < _TRIAL


def _is_flat(piece: bytes) -> bool:
    """Tell whether the bytes of a piece are about equally frequent, as if they were random."""
    middle = len(piece) // 2
    if piece[middle : middle + _AT_PLACE].isascii():
        return False
    places = (place * (len(piece) - _AT_PLACE) // (_PLACES - 1) for place in range(_PLACES))
    counts = Counter(b"".join(piece[at : at + _AT_PLACE] for at in places))
    return sum(count * count for count in counts.values()) < _COLLISIONS
