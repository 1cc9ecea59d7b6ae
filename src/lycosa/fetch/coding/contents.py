"""Decompresses bodies (gzip, deflate, brotli, zstd) up to a size limit (RFC 9110, 8.4).

Each coding is undone by a streaming decompressor that is asked for at most one byte more than
the limit. So a few kilobytes that would expand to gigabytes cost no more than the limit, in
memory and in time. A truncated body gives everything that could be decoded, and so does one whose
checksum is wrong (gzip, deflate); a corrupt one gives all but the last `_SMALL_STEP_BYTES` before
the fault.

A decompressor may still hold output after it has taken its last input. So decoding ends not with
the input, but when the decompressor is asked once more and returns nothing.

Cost: per coding, at most the limit in memory, and a window of at most 16 MB (brotli) or
8 MB (zstd, RFC 9659).
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Sequence
from typing import cast

import brotli
import zstandard
from isal import isal_zlib

from lycosa._support.tuples import NamedTuple

ACCEPTED = "gzip, br, zstd"
"""The value of the `Accept-Encoding` header."""

MOST_CODINGS = 4
"""A body in more codings than this is not decoded: no honest server sends it."""

_IsalError = cast(type[Exception], isal_zlib.error)
_GZIP, _ZLIB, _RAW = 31, 15, -15
_ZSTD_LARGEST_WINDOW_BYTES = 8 << 20


class Decoded(NamedTuple):
    """Content, or as much of it as was allowed or possible."""

    content: bytes
    is_cut: bool = False
    """There was more than the bound allows."""
    is_corrupt: bool = False
    """The coding is unknown, broken off or broken; the content ends where it broke."""


def decode(body: bytes, codings: Sequence[str], most_bytes: int) -> Decoded:
    """Undo codings, given in the order in which they were applied; never raises."""
    names = [name for name in codings if name not in ("", "identity")]
    if not names or not body:
        return Decoded(body[:most_bytes], len(body) > most_bytes)
    if len(names) > MOST_CODINGS or any(name not in _DECODERS for name in names):
        return Decoded(body[:most_bytes], len(body) > most_bytes, True)
    is_cut = is_corrupt = False
    for name in reversed(names):
        body, cut, corrupt = _DECODERS[name](body, most_bytes)
        is_cut, is_corrupt = is_cut or cut, is_corrupt or (corrupt and not is_cut)
    return Decoded(body, is_cut, is_corrupt)


def codings_of(values: Sequence[str]) -> list[str]:
    """Return the codings that the values of a header name, in lower case."""
    return [name.strip(" \t\r").lower() for value in values for name in value.split(",")]


class _Collected:
    """Output up to a bound, and whether there was more."""

    def __init__(self, most_bytes: int) -> None:
        self.room = most_bytes + 1
        self.pieces: list[bytes] = []

    def add(self, piece: bytes) -> None:
        self.pieces.append(piece)
        self.room -= len(piece)

    def begin_again(self) -> None:
        self.room += sum(map(len, self.pieces))
        self.pieces = []

    def result(self, most_bytes: int, is_corrupt: bool) -> Decoded:
        content = self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces)
        is_cut = len(content) > most_bytes
        return Decoded(content[:most_bytes] if is_cut else content, is_cut, is_corrupt)


_STEP_BYTES = 1 << 16
_SMALL_STEP_BYTES = 256
_ZSTD_STEP_BYTES = 64


def _inflate(body: bytes, most_bytes: int, window_bits: int) -> Decoded:
    """Undo deflate in one of its wrappings; several gzip members are one content.

    Most contents are one member, which is handed over whole. The rest is handed over in steps that
    grow with the member: an engine copies what it did not need, and members can be as many as a
    body has room for.
    """
    out = _Collected(most_bytes)
    is_corrupt = False
    at, step = 0, len(body)
    while out.room > 0:
        engine = isal_zlib.decompressobj(wbits=window_bits)
        try:
            while at < len(body) and not engine.eof and out.room > 0:
                rest = body[at : at + step]
                at += len(rest)
                step *= 2
                while rest and not engine.eof and out.room > 0:
                    out.add(engine.decompress(rest, out.room))
                    rest = engine.unconsumed_tail
        except _IsalError:
            _salvage(body, out, window_bits)
            is_corrupt = True
            break
        if not engine.eof:
            is_corrupt = out.room > 0
            if is_corrupt:  # this engine may keep a last byte, which zlib gives
                _salvage(body, out, window_bits)
            break
        at -= len(engine.unused_data)
        if window_bits != _GZIP or body[at : at + 2] != b"\x1f\x8b":
            break  # what follows a whole stream is padding
        step = _SMALL_STEP_BYTES
    return out.result(most_bytes, is_corrupt)


_TRAILER_BYTES = {_GZIP: 8, _ZLIB: 4, _RAW: 0}
"""Checksum and, in gzip, length behind the data."""


def _salvage(body: bytes, out: _Collected, window_bits: int) -> None:
    """Decode again in small steps, so that what stands before the fault is not lost.

    Checksums are not looked at: zlib gives nothing of a step in which one turns out to be wrong,
    and a small body is one step.
    """
    out.begin_again()
    at = _data_begins(body, 0, window_bits)
    engine = zlib.decompressobj(_RAW)
    with contextlib.suppress(zlib.error):
        while at < len(body) and out.room > 0:
            step = body[at : at + _SMALL_STEP_BYTES]
            at += len(step)
            while step and out.room > 0:
                out.add(engine.decompress(step, out.room))
                step = engine.unconsumed_tail
            if engine.eof:
                at += _TRAILER_BYTES[window_bits] - len(engine.unused_data)
                at = _data_begins(body, at, window_bits)
                engine = zlib.decompressobj(_RAW)


_HAS_EXTRA, _HAS_NAME, _HAS_COMMENT, _HAS_CHECKSUM = 4, 8, 16, 2


def _data_begins(body: bytes, at: int, window_bits: int) -> int:
    """Return where the compressed data of the stream at a place begins; the end if none is there.

    The header of a gzip member has optional fields (RFC 1952, 2.3).
    """
    if window_bits != _GZIP:
        return at + 2 if window_bits == _ZLIB else at
    head = body[at : at + 10]
    if len(head) < 10 or head[:3] != b"\x1f\x8b\x08":
        return len(body)
    flags, at = head[3], at + 10
    if flags & _HAS_EXTRA:
        at += 2 + int.from_bytes(body[at : at + 2], "little")
    for field in (_HAS_NAME, _HAS_COMMENT):
        if flags & field:
            at = body.find(b"\0", at) + 1 or len(body)
    return at + 2 if flags & _HAS_CHECKSUM else at


def _gzip(body: bytes, most_bytes: int) -> Decoded:
    return _inflate(body, most_bytes, _GZIP)


def _deflate(body: bytes, most_bytes: int) -> Decoded:
    """Undo `deflate`, which is zlib by the standard and raw by half of its users."""
    is_zlib = len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0
    return _inflate(body, most_bytes, _ZLIB if is_zlib else _RAW)


def _brotli(body: bytes, most_bytes: int) -> Decoded:
    out = _Collected(most_bytes)
    try:
        return out.result(most_bytes, not _unbrotli(body, out, _STEP_BYTES))
    except brotli.error:
        out.begin_again()
    with contextlib.suppress(brotli.error):  # again, so that what stands before the fault is kept
        _unbrotli(body, out, _SMALL_STEP_BYTES)
    return out.result(most_bytes, True)


def _unbrotli(body: bytes, out: _Collected, step_bytes: int) -> bool:
    """Decode in steps; returns whether the content ended, or the bound did."""
    engine = brotli.Decompressor()
    at = 0
    while out.room > 0 and not engine.is_finished():
        step = body[at : at + step_bytes]
        at += len(step)
        piece = engine.process(step, output_buffer_limit=min(out.room, 1 << 20))
        while piece:
            out.add(piece)
            if out.room <= 0 or engine.is_finished():
                return True
            piece = engine.process(b"", output_buffer_limit=min(out.room, 1 << 20))
        if not step:
            return False
    return True


def _zstd(body: bytes, most_bytes: int) -> Decoded:
    out = _Collected(most_bytes)
    engine = zstandard.ZstdDecompressor(max_window_size=_ZSTD_LARGEST_WINDOW_BYTES)
    is_corrupt = False
    try:
        with engine.stream_reader(body, read_across_frames=True) as reader:
            while out.room > 0:
                piece = reader.read(min(out.room, 1 << 20))
                if not piece:
                    is_corrupt = not _is_whole_zstd(body)
                    break
                out.add(piece)
    except zstandard.ZstdError:
        is_corrupt = True
    if is_corrupt:
        _salvage_zstd(engine, body, out)
    return out.result(most_bytes, is_corrupt)


def _salvage_zstd(engine: zstandard.ZstdDecompressor, body: bytes, out: _Collected) -> None:
    """Decode again in small steps: the reader keeps what it holds when its input has run out.

    A block of four bytes can say 128 kB, so that a step says 2 MB at most.
    """
    out.begin_again()
    decompressor = engine.decompressobj(read_across_frames=True)
    with contextlib.suppress(zstandard.ZstdError):
        for at in range(0, len(body), _ZSTD_STEP_BYTES):
            if out.room <= 0:
                break
            out.add(decompressor.decompress(body[at : at + _ZSTD_STEP_BYTES]))


def _is_whole_zstd(body: bytes) -> bool:
    """Return whether all frames of a body are complete (RFC 8878, 3.1).

    The decompressor takes the end of its input for the end of the content.
    """
    at = 0
    while at < len(body):
        magic = int.from_bytes(body[at : at + 4], "little")
        if magic & 0xFFFFFFF0 == 0x184D2A50:
            at += 8 + int.from_bytes(body[at + 4 : at + 8], "little")
            continue
        if magic != 0xFD2FB528 or at + 4 >= len(body):
            return False
        end = _frame_end(body, at + 4)
        if end is None:
            return False
        at = end
    return at == len(body)


def _frame_end(body: bytes, at: int) -> int | None:
    descriptor = body[at]
    is_single = descriptor >> 5 & 1
    sizes = (is_single, 2, 4, 8)
    at += 1 + (1 - is_single) + (0, 1, 2, 4)[descriptor & 3] + sizes[descriptor >> 6]
    while at + 3 <= len(body):
        block = int.from_bytes(body[at : at + 3], "little")
        at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
        if block & 1:
            at += 4 * (descriptor >> 2 & 1)
            return at if at <= len(body) else None
    return None


_DECODERS: dict[str, Callable[[bytes, int], Decoded]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
