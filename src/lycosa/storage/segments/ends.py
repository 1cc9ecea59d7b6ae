"""How far the files of an open segment reached when the log last committed.

An Arrow stream says neither how long it is nor whether its bytes are right: a table that was cut
looks like a shorter one. So every commit to a log in a file names, for each open segment of its
worker, the length of every journal and the XXH3 of its bytes. Journals are flushed before the
commit and only grow, so a file that is shorter has lost rows, also beside a crawl that runs.

A flush takes rows along that were decided on after the commit was cut: their events follow with the
next commit, or never, after a kill. So the ends also say how many rows of `pages` the commit has
decided on.

Cost: a row of the log per commit and 0.1 ms per megabyte. `sql` compares lengths alone; `verify`
compares the bytes, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from xxhash import xxh3_64

from lycosa._support import beneath
from lycosa._support.decoders import msgpack_decoder
from lycosa._support.tuples import NamedTuple
from lycosa.storage.archive.layout import (
    ITEMS,
    KINDS,
    TRIPLES,
    Name,
    cdx_path,
    journal_path,
    quad_journal_path,
    sealed_path,
    warc_path,
)

_PIECE_BYTES = 1 << 20


class End(NamedTuple):
    """How far one file reaches."""

    size_bytes: int
    digest: int
    """XXH3 of these bytes."""


class OpenEnds(NamedTuple):
    """The ends of one open segment, by the names of its folders."""

    worker: int
    segment: int
    ends: dict[str, End]
    decided: int | None = None
    """How many rows of `pages` have an event in the log; None in logs of older versions."""

    @property
    def name(self) -> Name:
        """The segment's name."""
        return Name(self.segment, self.worker)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgpack_decoder(list[OpenEnds]).decode


def pack(ends: Iterable[OpenEnds]) -> bytes:
    """Write the ends of a worker's segments as bytes."""
    return _encode(list(ends))


def unpack(packed: Iterable[bytes]) -> list[OpenEnds]:
    """Read the ends of all workers; those that cannot be read are left out."""
    found: list[OpenEnds] = []
    for one in packed:
        try:
            found += _decode(one)
        except msgspec.DecodeError:
            continue
    return found


def is_open(folder: Path, name: Name) -> bool:
    """Return whether a segment is not sealed, and some of its files are there."""
    if cdx_path(folder, name).exists():
        return False
    files = [
        warc_path(folder, name),
        *(_file(folder, part, name) for part in (*KINDS, ITEMS, TRIPLES)),
    ]
    return any(path.exists() for path in files)


def missing_bytes(folder: Path, kind: str, ends: OpenEnds) -> int:
    """Return how many committed bytes a table of an open segment has lost; 0 if it is sealed."""
    end = ends.ends.get(kind)
    path = journal_path(folder, kind, ends.name)
    if end is None or sealed_path(folder, kind, ends.name).exists():
        return 0
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        size = 0
    if size >= end.size_bytes or not is_open(folder, ends.name):
        return 0
    # It may have been sealed since we have looked first.
    return 0 if sealed_path(folder, kind, ends.name).exists() else end.size_bytes - size


def changed(folder: Path, ends: OpenEnds) -> list[str]:
    """Return the parts of an open segment whose committed bytes are missing or not the same."""
    return [
        part
        for part, end in ends.ends.items()
        if _digest(_file(folder, part, ends.name), end.size_bytes) != end.digest
    ]


def _file(folder: Path, part: str, name: Name) -> Path:
    is_quads = part == TRIPLES
    return quad_journal_path(folder, name) if is_quads else journal_path(folder, part, name)


def _digest(path: Path, size_bytes: int) -> int | None:
    """Return the XXH3 of the first bytes of a file; None if it has fewer."""
    found, left = xxh3_64(), size_bytes
    try:
        with beneath.open_file(path, "rb") as file:
            while left and (piece := file.read(min(left, _PIECE_BYTES))):
                found.update(piece)
                left -= len(piece)
    except FileNotFoundError:
        return None
    return None if left else found.intdigest()
