"""WARC 1.1 records (ISO 28500:2017), each a gzip member of its own.

A record is a few header lines, a block and two empty lines. The block of a `response` is what the
server sent, byte for byte; digests are SHA-1 in base 32, as most archives write them. Records that
hold only our own lines have no digest: gzip's checksum guards them. Packing and hashing are
compiled (`_packing`).

The payload of an HTTP answer is its body without the transfer coding (section 5.9, RFC
9110 section 6.4). `warcio check` and `fastwarc check --verify-payloads` hash the body
*with* its chunks instead, and report the right digest as wrong. So a `response` that was sent in
chunks has no `WARC-Payload-Digest`, nor has one whose head readers may split differently; the
digest stands in the `metadata` record beside it, in the index and in the rows.

Not here: which records are written and where (`archive`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lycosa._support.tuples import NamedTuple
from lycosa.storage.warc._packing import digest as digest
from lycosa.storage.warc._packing import pack as pack
from lycosa.storage.warc._records import Ids as Ids
from lycosa.storage.warc._records import date as date
from lycosa.storage.warc.stored_blocks import BLOCK_BYTES, stored_member

FIELDS = "application/warc-fields"


class Record(NamedTuple):
    """A record as it was read: header lines in order, and the block."""

    headers: dict[str, str]
    block: bytes

    @property
    def type(self) -> str:
        """The WARC-Type."""
        return self.headers.get("WARC-Type", "")


def fields(values: Iterable[tuple[str, str]] | Mapping[str, str]) -> bytes:
    """Return lines of `name: value`; a line break in a value becomes a space."""
    pairs = values.items() if isinstance(values, Mapping) else values
    return "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in pairs).encode(
        "utf-8", "replace"
    )


LEAST_BLANK_BYTES = 210
"""No record without meaning is shorter."""


def blank(length: int, record_id: str, moment: float) -> bytes:
    """Return a record without meaning that is exactly `length` bytes long.

    It is not compressed: the length of a stored block is known beforehand. Its content is zeros, so
    that the file system need not keep it (`files.give_room_back`).
    """
    headers = f"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: {record_id}\r\n"
    headers += f"WARC-Date: {date(moment)}\r\nContent-Type: text/plain\r\nContent-Length: "
    for padding in ("", " "):
        # The number of digits may change with the number: then one space makes up for it.
        for digits in range(1, 11):
            overhead = len(headers) + len(padding) + digits + 8
            content = _stored_capacity(length) - overhead
            if content >= 0 and len(str(content)) == digits:
                text = f"{headers}{padding}{content}\r\n\r\n".encode()
                return stored_member(text + bytes(content) + b"\r\n\r\n")
    raise ValueError(f"a record cannot be {length} bytes long")


def _stored_capacity(length: int) -> int:
    """Return how many bytes a gzip member of this length can hold uncompressed."""
    inside = length - 18
    blocks = -(-inside // (BLOCK_BYTES + 5))
    return inside - 5 * blocks


def parse(content: bytes) -> Record:
    """Return the record that stands in a decompressed member."""
    headers, rest = parse_beginning(content)
    length = int(headers["Content-Length"])
    if len(rest) < length:
        raise ValueError("its end is missing")
    return Record(headers, rest[:length])


def parse_beginning(content: bytes) -> Record:
    """Return a record as far as it was decompressed: its headers, and the rest as the block."""
    beginning, separator, rest = content.partition(b"\r\n\r\n")
    lines = beginning.decode("utf-8", "replace").split("\r\n")
    if not separator or not lines[0].startswith("WARC/"):
        raise ValueError("it is not a WARC record")
    headers: dict[str, str] = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name] = value.strip()
    return Record(headers, rest)
