"""Reads a WARC file from end to end, also where it is damaged.

    for piece in pieces(path):
        piece.record is None       # these bytes are not a record; the next piece is one, or the end

After damage the scan goes on at the next gzip signature that begins a record.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from isal import isal_zlib

from lycosa._support import beneath
from lycosa.storage.warc import warc_format
from lycosa.storage.warc.exchange import payload_digest_in
from lycosa.storage.warc.http_messages import parse_head, payload_of, split_block

_GzipError: type[Exception] = isal_zlib.error  # type: ignore[assignment]
_GZIP = 31
_MARK = b"\x1f\x8b\x08"
_PIECE_BYTES = 1 << 16


class Piece(NamedTuple):
    """Some bytes of a file: a record, or damage."""

    offset: int
    length: int
    record: warc_format.Record | None

    @property
    def end(self) -> int:
        """The offset of the next piece."""
        return self.offset + self.length

    @property
    def type(self) -> str:
        """The type of the record, "" for damage."""
        return self.record.type if self.record is not None else ""

    @property
    def url(self) -> str:
        """The URL of the record, "" when it has none."""
        return self.record.headers.get("WARC-Target-URI", "") if self.record is not None else ""


def pieces(path: Path) -> Iterator[Piece]:
    """Yield all pieces of a file, in order and without a gap."""
    size = path.stat().st_size
    if not size:
        return
    with (
        beneath.open_file(path, "rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        offset = 0
        while offset < size:
            found = _member(data, offset)
            if found is not None:
                yield found
                offset = found.end
                continue
            following = _next_member(data, offset + 1)
            end = following.offset if following is not None else size
            yield Piece(offset, end - offset, None)
            offset = end


def _member(data: mmap.mmap, offset: int) -> Piece | None:
    decoder, parts, at = isal_zlib.decompressobj(_GZIP), list[bytes](), offset
    try:
        while not decoder.eof:
            content = data[at : at + _PIECE_BYTES]
            if not content:
                return None
            parts.append(decoder.decompress(content))
            at += len(content)
        return Piece(
            offset, at - len(decoder.unused_data) - offset, warc_format.parse(b"".join(parts))
        )
    except (_GzipError, ValueError, KeyError):
        return None


def _next_member(data: mmap.mmap, offset: int) -> Piece | None:
    while (at := data.find(_MARK, offset)) >= 0:
        found = _member(data, at)
        if found is not None:
            return found
        offset = at + 1
    return None


def fits(response: Piece, metadata: Piece) -> bool:
    """Return whether a response has the payload whose digest its metadata tells."""
    if response.record is None or metadata.record is None or response.type != "response":
        return response.record is not None and metadata.record is not None
    told = payload_digest_in(metadata.record)
    head, sent = split_block(response.record.block)
    _, headers = parse_head(head)
    return not told or told == warc_format.digest(payload_of(headers, sent))
