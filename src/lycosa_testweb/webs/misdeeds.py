"""Answers that are not, or not quite, HTTP: one generator for each misdeed of a server.

Each is named after what it does. None needs memory for what it sends, and each comes to
an end by itself, though some take longer than any client should wait: `Tempo` says how
long a byte of a dripping body takes and how long silence lasts.
"""

from __future__ import annotations

import asyncio
import functools
import zlib
from collections.abc import AsyncIterator, Callable
from typing import NamedTuple

from lycosa_testweb.servers.raw import Reset, StayOpen

BOMB_BYTES = 10_000_000_000
"""Size of the gzip bomb, unpacked: zeros."""
HUGE_HEAD_BYTES = 1_000_000
ENDLESS_BYTES = 1 << 40
"""Where what has no end ends after all."""
_DRIPS = 3600
_BLOCK = b"<p>There is always more. " * 2622
"""About 64 kB."""


class Tempo(NamedTuple):
    """The pace of slow answers."""

    drip_seconds: float = 1.0
    """From one byte to the next."""
    silence_seconds: float = 600.0


Raw = Callable[[Tempo, bytes], AsyncIterator[bytes]]
"""Given the tempo and a good page, the bytes that are sent instead."""

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"


def _whole(page: bytes) -> bytes:
    return _OK + b"Content-Length: %d\r\n\r\n" % len(page) + page


async def drip(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send a byte a second, of an hour's worth of bytes."""
    yield _OK + b"Content-Length: %d\r\n\r\n" % _DRIPS
    body = page.ljust(_DRIPS)
    for at in range(_DRIPS):
        yield body[at : at + 1]
        await asyncio.sleep(tempo.drip_seconds)


async def drip_head(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send the head a byte a second."""
    for byte in _whole(page).ljust(_DRIPS):
        yield bytes((byte,))
        await asyncio.sleep(tempo.drip_seconds)


async def endless_head(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send headers without an end."""
    yield _OK
    lines = b"".join(b"X-Header-%d: %s\r\n" % (n, b"and so on" * 5) for n in range(100))
    for _ in range(ENDLESS_BYTES // len(lines)):
        yield lines


async def endless_body(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send a body without length and without end."""
    yield _OK + b"Connection: close\r\n\r\n" + page
    for _ in range(ENDLESS_BYTES // len(_BLOCK)):
        yield _BLOCK


async def endless_chunks(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send chunk after chunk."""
    yield _OK + b"Transfer-Encoding: chunked\r\n\r\n"
    yield _chunk(page)
    chunk = _chunk(_BLOCK)
    for _ in range(ENDLESS_BYTES // len(_BLOCK)):
        yield chunk


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


async def bomb(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send ten gigabytes of zeros, well packed.

    After a full flush a deflate stream owes nothing to what came before, so one packed block
    can be sent again and again.
    """
    yield _OK + b"Content-Encoding: gzip\r\nConnection: close\r\n\r\n"
    first, block, zeros = _packed()
    yield first
    for _ in range(BOMB_BYTES // zeros):
        yield block


@functools.cache
def _packed() -> tuple[bytes, bytes, int]:
    zeros = 5_000_000
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first = packer.compress(b"<!doctype html><title>Bomb</title>")
    first += packer.flush(zlib.Z_FULL_FLUSH)
    some = bytes(1_000_000)
    block = b"".join(packer.compress(some) for _ in range(zeros // len(some)))
    return first, block + packer.flush(zlib.Z_FULL_FLUSH), zeros


async def length_too_long(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Promise more than comes, and close."""
    yield _OK + b"Content-Length: %d\r\n\r\n" % (2 * len(page)) + page


async def length_too_short(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send more than was promised."""
    yield _whole(page) + b"<p>This was not promised.</p>" * 20
    raise StayOpen


async def length_no_number(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Give a length that is not a number."""
    yield _OK + b"Content-Length: plenty\r\n\r\n" + page


async def two_lengths(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Give two lengths (RFC 9112, 6.3: not to be trusted)."""
    lengths = b"Content-Length: %d\r\nContent-Length: %d\r\n\r\n"
    yield _OK + lengths % (len(page), len(page) // 2) + page


async def bad_chunks(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Give a chunk a size that is not a number."""
    half = len(page) // 2
    yield _OK + b"Transfer-Encoding: chunked\r\n\r\n"
    yield _chunk(page[:half]) + b"some\r\n" + page[half:] + b"\r\n0\r\n\r\n"


async def huge_chunk(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Announce a chunk of more bytes than there are, and close."""
    yield _OK + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffff0\r\n" + page


async def no_last_chunk(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Close after a chunk that was not the last."""
    yield _OK + b"Transfer-Encoding: chunked\r\n\r\n" + _chunk(page)


async def bad_headers(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send lines among the headers that are none."""
    yield (
        _OK + b"no colon here\r\n: no name\r\nspace in name : x\r\n"
        b"X-Bytes: \xff\xfe\x01\r\nContent-Length: %d\r\n\r\n" % len(page) + page
    )


async def huge_head(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send a megabyte of headers."""
    line = b"X-Filler: " + b"f" * 988 + b"\r\n"
    yield _OK
    for _ in range(HUGE_HEAD_BYTES // len(line)):
        yield line
    yield b"Content-Length: %d\r\n\r\n" % len(page) + page


async def empty_header(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send headers without values, Location among them."""
    yield _OK + b"X-Empty:\r\nLocation:\r\nContent-Length: %d\r\n\r\n" % len(page) + page
    raise StayOpen


async def bad_status(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Begin with a status line that means nothing."""
    yield b"HTTP/banana fine thanks\r\nContent-Length: %d\r\n\r\n" % len(page) + page


async def no_head(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Answer as before 1992: the page, nothing else."""
    yield page


async def noise(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send bytes at random, more or less."""
    yield bytes(number * number % 251 for number in range(5000))


async def nothing(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Close without a word."""
    return
    yield b""


async def reset_at_once(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Tear the connection down instead of answering."""
    raise Reset
    yield b""


async def reset_midway(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Tear the connection down in the middle of the page."""
    yield _whole(page)[: -len(page) // 2]
    await asyncio.sleep(0.05)
    raise Reset


async def silence(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Take the request, and never answer."""
    await asyncio.sleep(tempo.silence_seconds)
    return
    yield b""


async def half_and_silence(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send half a page, and never the rest."""
    yield _whole(page)[: -len(page) // 2]
    await asyncio.sleep(tempo.silence_seconds)


async def broken_promise(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Promise to keep the connection, and close it."""
    yield (
        _OK + b"Connection: keep-alive\r\nKeep-Alive: timeout=600, max=1000\r\n"
        b"Content-Length: %d\r\n\r\n" % len(page) + page
    )


async def stuffing(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send, after the answer, another one without a request."""
    forged = b"<!doctype html><title>Forged</title><a href='/forged.html'>no</a>"
    yield _whole(page) + _whole(forged)
    raise StayOpen


async def early_hints(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send two interim answers before the final one (RFC 9110, 15.2)."""
    yield b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\n"
    yield _whole(page)
    raise StayOpen


async def not_packed(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Say gzip, and send a plain page."""
    yield _OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(page) + page
    raise StayOpen


async def half_packed(tempo: Tempo, page: bytes) -> AsyncIterator[bytes]:
    """Send a gzip stream that breaks off, with a length that fits."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = packer.compress(page * 50) + packer.flush()
    packed = packed[: len(packed) // 2]
    yield _OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed
    raise StayOpen
