"""A ZIP archive of stored files as a list of pieces, each in memory or a part of a file.

Headers say "stored" and name the size in four bytes, so a file in the archive has less than 4 GiB.
The archive may be larger: the central directory has ZIP64 fields then, local headers never.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lycosa.errors import StoreError

LARGEST_FILE_BYTES = 0xFFFF_FFFE
_LIMIT_32, _LIMIT_16 = 0xFFFF_FFFF, 0xFFFF
_LOCAL = struct.Struct("<IHHHHHIIIHH")
_CENTRAL = struct.Struct("<IHHHHHHIIIHHHHHII")
_END = struct.Struct("<IHHHHIIH")
_END_64 = struct.Struct("<IQHHIIQQQQ")
_LOCATOR_64 = struct.Struct("<IIQI")
_VERSION, _VERSION_64 = 20, 45
_TIME, _DATE = 0, 0x21
"""The first of January 1980: an archive does not depend on when it is written."""


Source = Path | bytes
"""Where the bytes are: a file as a whole, or here."""


class ZipMember(NamedTuple):
    """A file of the archive."""

    name: str
    size: int
    crc: int
    source: Source


class Piece(NamedTuple):
    """Bytes of the archive from a position on."""

    start: int
    size: int
    source: Source


def pieces_of(members: Sequence[ZipMember]) -> list[Piece]:
    """Return the archive of these files."""
    found: list[Piece] = []
    position = 0
    directory = bytearray()
    for member in members:
        if member.size > LARGEST_FILE_BYTES:
            raise StoreError(
                f"{member.name}: has 4 GiB or more, which a WACZ that replays cannot hold\n"
                "  give a replay tool the folders warc and cdx instead: docs/howto/replay.md"
            )
        directory += _central(member, position)
        header = _local(member)
        for source, size in ((header, len(header)), (member.source, member.size)):
            found.append(Piece(position, size, source))
            position += size
    end = bytes(directory) + _end(len(members), position, len(directory))
    found.append(Piece(position, len(end), end))
    return [piece for piece in found if piece.size]


def _local(member: ZipMember) -> bytes:
    name = member.name.encode()
    head = _LOCAL.pack(
        *(0x04034B50, _VERSION, 0, 0, _TIME, _DATE),
        *(member.crc, member.size, member.size, len(name), 0),
    )
    return head + name


def _central(member: ZipMember, offset: int) -> bytes:
    name = member.name.encode()
    is_far = offset >= _LIMIT_32
    extra = struct.pack("<HHQ", 1, 8, offset) if is_far else b""
    version = _VERSION_64 if is_far else _VERSION
    head = _CENTRAL.pack(
        *(0x02014B50, version, version, 0, 0, _TIME, _DATE),
        *(member.crc, member.size, member.size, len(name), len(extra), 0, 0, 0, 0),
        min(offset, _LIMIT_32),
    )
    return head + name + extra


def _end(count: int, offset: int, size: int) -> bytes:
    """Return what ends the archive: where its directory is."""
    end = _END.pack(
        *(0x06054B50, 0, 0, min(count, _LIMIT_16), min(count, _LIMIT_16)),
        *(min(size, _LIMIT_32), min(offset, _LIMIT_32), 0),
    )
    if count < _LIMIT_16 and offset < _LIMIT_32:
        return end
    versions = (_VERSION_64, _VERSION_64)
    end_64 = _END_64.pack(0x06064B50, 44, *versions, 0, 0, count, count, size, offset)
    return end_64 + _LOCATOR_64.pack(0x07064B50, 0, offset + size, 1) + end
