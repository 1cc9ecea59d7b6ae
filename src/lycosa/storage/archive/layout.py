"""The names of the store's files in a crawl directory.

A segment is a number, and a family of files with one name:

    warc/lycosa-<worker>-<segment>.warc.gz      the records
    <kind>/lycosa-<worker>-<segment>.arrows     rows, while the segment is open
    <kind>/lycosa-<worker>-<segment>.parquet    rows, once it is sealed
    triples/lycosa-<worker>-<segment>.nq.zst    quads; `.nq.zst.open` while the segment is open
    cdx/lycosa-<worker>-<segment>.cdxj          the index of the records, once it is sealed
    digests/lycosa-<worker>-<segment>.sha256    of all but the records, once it is sealed
    digests/lycosa-<worker>-<segment>.flushes   of the rows, while the segment is open

`items` is a kind that a segment has only if a plugin has emitted any there; the checksums of its
open rows are in `….items.flushes`.

A segment number is unique in its crawl directory, whichever worker wrote the segment, so that every
worker can read every place. Machines of a cluster number their directories, and the segments of
each have a range of numbers to themselves: a place in the log is one place. A name that ends in
`.tmp` belongs to a file that was never finished.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from lycosa._support.tuples import NamedTuple

MOST_IN_DIRECTORY = 1 << 20
"""Segments of directory n of a cluster have numbers from n times this, plus one, on."""
MOST_DIRECTORIES = 1 << 12
"""Directories that fit into the 32 bits of a segment number; 0 is a crawl on one machine."""

KINDS = ("links", "text", "hosts", "pages")
"""Of rows, in the order in which they are flushed: a row of `pages` has its links and text."""

WARC, CDX, TRIPLES, DIGESTS = "warc", "cdx", "triples", "digests"
ITEMS = "items"
"""Rows that few segments have: those in which a plugin has emitted items."""
DAMAGED = "damaged"
"""The folder for files that a repair has put aside, with the same folders in it."""
JOURNAL, SEALED = ".arrows", ".parquet"
QUAD_JOURNAL, QUADS = ".nq.zst.open", ".nq.zst"
FLUSHES, ITEM_FLUSHES = ".flushes", ".items.flushes"

_NAME = re.compile(r"lycosa-(\d+)-(\d{5,})(?=\.)")
_ENDING = re.compile(r"(?:\.[a-z0-9]+)+")


class Name(NamedTuple):
    """A segment and the worker that wrote it; sorts by segment."""

    segment: int
    worker: int

    def __str__(self) -> str:
        return f"lycosa-{self.worker}-{self.segment:05d}"


def warc_path(folder: Path, name: Name) -> Path:
    """Return the path of the WARC file of a segment."""
    return folder / WARC / f"{name}.warc.gz"


def cdx_path(folder: Path, name: Name) -> Path:
    """Return the path of the index of a sealed segment."""
    return folder / CDX / f"{name}.cdxj"


def journal_path(folder: Path, kind: str, name: Name) -> Path:
    """Return the path of the rows of an open segment."""
    return folder / kind / f"{name}{JOURNAL}"


def sealed_path(folder: Path, kind: str, name: Name) -> Path:
    """Return the path of the rows of a sealed segment."""
    return folder / kind / f"{name}{SEALED}"


def quad_journal_path(folder: Path, name: Name) -> Path:
    """Return the path of the quads of an open segment, if it has any."""
    return folder / TRIPLES / f"{name}{QUAD_JOURNAL}"


def quads_path(folder: Path, name: Name) -> Path:
    """Return the path of the quads of a sealed segment, if it has any."""
    return folder / TRIPLES / f"{name}{QUADS}"


def digests_path(folder: Path, name: Name) -> Path:
    """Return the path of the digests of a sealed segment."""
    return folder / DIGESTS / f"{name}.sha256"


def flushes_path(folder: Path, name: Name, ending: str = FLUSHES) -> Path:
    """Return the path of the checksums of an open segment's rows."""
    return folder / DIGESTS / f"{name}{ending}"


def quad_names(folder: Path) -> list[Name]:
    """Return the sealed segments that have quads, in order."""
    return names_in(folder, TRIPLES, QUADS)


def make_folders(folder: Path) -> None:
    """Make the folders of the store."""
    for part in (WARC, CDX, TRIPLES, DIGESTS, *KINDS):
        (folder / part).mkdir(parents=True, exist_ok=True)


def names_in(folder: Path, part: str, ending: str) -> list[Name]:
    """Return the segments that have a file with this ending in a part of the directory."""
    found: list[Name] = []
    try:
        entries = [path.name for path in (folder / part).iterdir()]
    except FileNotFoundError:
        return found
    for entry in entries:
        match = _NAME.match(entry)
        if match and entry[match.end() :] == ending:
            found.append(Name(int(match[2]), int(match[1])))
    return sorted(found)


def warc_names(folder: Path) -> list[Name]:
    """Return the segments whose records are there, in order."""
    return names_in(folder, WARC, ".warc.gz")


def highest_segment(folder: Path, directory: int = 0) -> int:
    """Return the highest number that any file bears; 0 when there is none.

    Of a directory of a cluster only the numbers in its own range count.
    """
    numbers = set[int]()
    for root in (folder, folder / DAMAGED):  # the log has given up the places in those, too
        for part in (WARC, CDX, TRIPLES, DIGESTS, ITEMS, *KINDS):
            with suppress(FileNotFoundError):
                matches = (_NAME.match(path.name) for path in (root / part).iterdir())
                numbers.update(int(match[2]) for match in matches if match)
    return max((number for number in numbers if is_in(directory, number)), default=0)


def is_store_file(key: str) -> bool:
    """Return whether a path names a file of a segment: a store or a stranger may name any other."""
    part, _, name = key.partition("/")
    match = _NAME.match(name)
    ending = name[match.end() :] if match else ""
    return (
        part in (WARC, CDX, TRIPLES, DIGESTS, ITEMS, *KINDS)
        and _ENDING.fullmatch(ending) is not None
    )


def is_in(directory: int, segment: int) -> bool:
    """Return whether a number is in the range of a directory; that of 0 has no end."""
    return not directory or segment // MOST_IN_DIRECTORY == directory
