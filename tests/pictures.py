"""Reads the pixels of a PNG as Chromium writes it: 8 bits a sample, RGB or RGBA, not interlaced."""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple


class Picture(NamedTuple):
    """A picture, row by row."""

    width: int
    height: int
    samples: int
    rows: list[bytes]

    def pixel(self, x: int, y: int) -> tuple[int, int, int]:
        """Return red, green and blue."""
        start = x * self.samples
        red, green, blue = self.rows[y][start : start + 3]
        return red, green, blue


def picture(png: bytes, most_rows: int = 160) -> Picture:
    """Return the pixels of the first rows of a file."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    place, packed, head = 8, b"", b""
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        kind, content = png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        head = content if kind == b"IHDR" else head
        packed += content if kind == b"IDAT" else b""
        place += 12 + length
    width, height, depth, colours, *rest = struct.unpack(">IIBBBBB", head)
    assert depth == 8 and colours in (2, 6) and rest == [0, 0, 0]
    samples = 3 if colours == 2 else 4
    size = width * samples
    content = zlib.decompress(packed)[: most_rows * (size + 1)]
    return Picture(width, height, samples, _rows(content, size, samples))


def _rows(content: bytes, size: int, samples: int) -> list[bytes]:
    rows: list[bytes] = []
    above = bytes(size)
    for start in range(0, len(content), size + 1):
        way, row = content[start], bytearray(content[start + 1 : start + 1 + size])
        for at in range(size) if way else ():
            left = row[at - samples] if at >= samples else 0
            corner = above[at - samples] if at >= samples else 0
            row[at] = (row[at] + _foreseen(way, left, above[at], corner)) & 255
        above = bytes(row)
        rows.append(above)
    return rows


def _foreseen(way: int, left: int, up: int, corner: int) -> int:
    """Return what a filter foresees of a byte (PNG specification, 9.2)."""
    if way == 4:
        guess = left + up - corner
        return min((left, up, corner), key=lambda one: abs(guess - one))
    return (0, left, up, (left + up) // 2)[way]
