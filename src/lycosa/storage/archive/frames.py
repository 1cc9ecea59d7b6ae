"""The record format of a journal: packs, checks and unpacks one page with its links.

A record has two parts, packed and compressed separately: the links, and the rest. So the links of
a page are read without its body when a shorter path has to be passed on along them.

    file    "LYCOSAJ" version record*
    record  links_bytes links_crc rest_bytes rest_crc frame_crc links rest

The numbers are little-endian with 32 bits; `frame_crc` covers the four before it, so that
lengths are checked before they are used.

Always true: unpacking returns exactly what was packed, or raises a `StoreError` that says where
the damage is.
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import msgspec
import zstandard

from lycosa._support.decoders import msgpack_decoder
from lycosa.errors import FormatError, StoreError
from lycosa.model.records import KeyedLink, Place

MAGIC = b"LYCOSAJ"
VERSION = 1
HEADER = MAGIC + bytes((VERSION,))

_LENGTHS = struct.Struct("<IIII")
_FRAME = struct.Struct("<IIIII")
FRAME_BYTES = _FRAME.size
_LEVEL = 1
"""Of zstd: a journal lives until it is sealed; here speed counts."""


class Kept(msgspec.Struct, frozen=True):
    """A page that was kept: the answer, and the links found in it."""

    key: str
    moment: float
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    links: list[KeyedLink]


class _Rest(msgspec.Struct, frozen=True, array_like=True):
    """All of a record but its links; fields may be added at the end, with a default."""

    key: str
    moment: float
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


_decode_links = msgpack_decoder(list[KeyedLink]).decode
_decode_rest = msgpack_decoder(_Rest).decode
_encode = msgspec.msgpack.Encoder().encode


class Packer:
    """Turns records into frames; belongs to one thread."""

    def __init__(self) -> None:
        self._compress = zstandard.ZstdCompressor(level=_LEVEL).compress

    def pack(self, record: Kept) -> bytes:
        """Return the record as it stands in a file."""
        links = self._compress(_encode(record.links))
        answer = _Rest(record.key, record.moment, record.status, record.headers, record.body)
        rest = self._compress(_encode(answer))
        lengths = _LENGTHS.pack(len(links), zlib.crc32(links), len(rest), zlib.crc32(rest))
        return b"".join((lengths, zlib.crc32(lengths).to_bytes(4, "little"), links, rest))


def check_version(header: bytes, path: Path) -> None:
    """Refuse a file whose first bytes are not those of a journal that we read."""
    if header[: len(MAGIC)] != MAGIC:
        raise FormatError(f"{path}: this is not a journal of Lycosa")
    if header != HEADER:
        raise FormatError(
            f"{path}: the journal has format {header[-1]}, this Lycosa reads {VERSION}\n"
            "  use the Lycosa that wrote it, or a newer one"
        )


def lengths_of(frame: bytes, place: Place) -> tuple[int, int]:
    """Return how many bytes of links and of the rest follow the frame."""
    if len(frame) < FRAME_BYTES:
        raise bad_place(place, "it is beyond the end of the segment")
    links_bytes, _, rest_bytes, _, crc = _FRAME.unpack_from(frame)
    if zlib.crc32(frame[: _LENGTHS.size]) != crc:
        raise bad_place(place, "the checksum of its frame is wrong")
    return links_bytes, rest_bytes


def unpack(record: bytes, place: Place) -> Kept:
    """Return the record that stands at a place."""
    links_bytes, rest_bytes = lengths_of(record, place)
    middle = FRAME_BYTES + links_bytes
    if middle + rest_bytes != place.length:
        raise bad_place(place, f"it is not {place.length} bytes long")
    links = unpack_links(record[:middle], place)
    content = _checked(record[middle:], _FRAME.unpack_from(record)[3], place)
    try:
        rest = _decode_rest(zstandard.ZstdDecompressor().decompress(content))
    except (zstandard.ZstdError, msgspec.DecodeError) as error:
        raise bad_place(place, str(error)) from error
    return Kept(rest.key, rest.moment, rest.status, rest.headers, rest.body, links)


def unpack_links(frame_and_links: bytes, place: Place) -> list[KeyedLink]:
    """Return the links of a record of which the rest need not be there."""
    crc = _FRAME.unpack_from(frame_and_links)[1]
    content = _checked(frame_and_links[FRAME_BYTES:], crc, place)
    try:
        return _decode_links(zstandard.ZstdDecompressor().decompress(content))
    except (zstandard.ZstdError, msgspec.DecodeError) as error:
        raise bad_place(place, str(error)) from error


def _checked(content: bytes, crc: int, place: Place) -> bytes:
    if zlib.crc32(content) != crc:
        raise bad_place(place, "its checksum is wrong, or its end is missing")
    return content


def bad_place(place: Place, reason: str) -> StoreError:
    """Return the error that says where and why a record cannot be read."""
    return StoreError(
        f"segment {place.segment}, offset {place.offset}: the record cannot be read: {reason}\n"
        "  see what is damaged, and mend it: lycosa verify DIR --repair"
    )
