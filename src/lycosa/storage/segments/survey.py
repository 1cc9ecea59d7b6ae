"""Finds out which exchanges of an open segment count, and which of those are incomplete.

Whether a page's exchange counts depends on its place and its key: the partition of the key decides
(`frontier.fold.accounts`). Robots files are asked about without a key; they stay in any case.

The groups of records in a segment follow each other without a gap, and every group has a row with
its offset and length. So a lost row leaves a hole, and a WARC file that lost its end is shorter
than its rows say. The row of a page also says how many links, texts, blocks of quads and items
belong to it.

A kill cannot damage an exchange that counts: bytes are flushed before the event that names them is
written. A file system that lost the end of a file, or a person who cut it, can. After a power cut
pages of the WARC file may be missing, and blocks of it end with zeros. Few others do, so the
records around such blocks are read.

Cost: the rows of a segment are read once; records are read only where rows are missing, and where
a block of 512 bytes ends with a zero: one in 256.
"""

from __future__ import annotations

import mmap
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import Path

import pyarrow as pa

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.model.records import Place
from lycosa.model.url.key import key_of
from lycosa.storage.archive.layout import ITEMS, Name, journal_path, quad_journal_path, warc_path
from lycosa.storage.tables import arrow_functions
from lycosa.storage.tables.extra import DAMAGE, journal_schema
from lycosa.storage.tables.missing_tables import unreadable
from lycosa.storage.tables.quads import blocks
from lycosa.storage.tables.rows import plain
from lycosa.storage.warc.record_reader import members
from lycosa.storage.warc.warc_format import LEAST_BLANK_BYTES, Record

Counted = Callable[[Place, str], bool]
"""Tells of a place and the key of the URL ("" of a robots file) whether the record counts."""

_PLACES = ["fetch_id", "fetched_at", "offset", "length", "group_offset", "group_length"]
_CONTENT = ["link_rows", "text_rows", "quad_blocks", "item_rows"]
_BLOCK_BYTES = 512
"""The least that a disk writes or loses."""
_MAIN = ("response", "revisit", "conversion")


def everything(place: Place, key: str) -> bool:
    """Say that every record counts: then keys are not even read."""
    return True


class Survey(NamedTuple):
    """The exchanges of a segment: which count, and which of those are damaged."""

    kept: int
    """Exchanges and failures that count."""
    end: int
    """The end of the last exchange that counts."""
    dropped: list[tuple[int, int, int]]
    """Moment, first byte and length of what does not count."""
    dropped_ids: list[int]
    page_ids: array[int]
    """Of the fetches whose row in `pages` stays: links and text belong to those."""
    lost: list[Place]
    """Exchanges that count and are damaged, as far as rows or records show."""
    whole: array[int]
    """Offsets of the whole records that count; of robots files those that the log names."""
    last_end: int
    """The end of the last of them."""
    is_damaged: bool
    """Whether something is missing that no kill can explain."""
    is_dead: bool
    """Whether another process has written the segment."""


class _Found:
    """The findings gathered while the rows are read."""

    def __init__(self) -> None:
        self.kept = self.end = self.last_end = self.known_end = 0
        self.dropped: list[tuple[int, int, int]] = []
        self.dropped_ids: list[int] = []
        self.page_ids = array("q")
        self.lost: list[Place] = []
        self.whole = array("Q")
        self.groups: list[tuple[int, int]] = []
        self.is_damaged = False
        self.moment = 0


def journal_batches(
    path: Path,
    columns: list[str] | None = None,
    *,
    is_trusted: bool = False,
    has_dictionaries: bool = False,
    committed: int = 0,
) -> Iterator[pa.RecordBatch]:
    """Yield the batches of an open segment; a kill may have left half of the last one.

    Strings that repeat are handed on as dictionaries only to those who ask for that.

    A batch of which a byte was changed may point beyond its own end. So all are looked through
    first, unless this process has written them.

    Damage in the first `committed` bytes is an error: no kill explains it. Behind them, and where
    no commit is known, the rows end there.
    """
    begins = 0
    try:
        with pa.OSFile(str(beneath.checked(path))) as file, pa.ipc.open_stream(file) as stream:
            begins = file.tell()
            for batch in stream:
                if not is_trusted:
                    batch.validate(full=True)
                    arrow_functions.refuse_moments(batch)
                some = batch.select(columns) if columns else batch
                yield some if has_dictionaries else plain(some)
                begins = file.tell()
    except FileNotFoundError:
        return
    except DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        if begins < committed:
            raise unreadable(path.parent.parent, path, error) from None
        return
    if begins < committed:
        raise unreadable(path.parent.parent, path, ValueError("its rows end too early"))


def survey(folder: Path, name: Name, is_counted: Counted, *, is_dead: bool = True) -> Survey:
    """Look through the rows of a segment; one that this process writes is trusted."""
    path = warc_path(folder, name)
    size = path.stat().st_size if path.exists() else 0
    found = _Found()
    content = _Content(folder, name) if is_dead else None
    blocks = _Blocks(path) if is_dead and size else None
    for kind in ("hosts", "pages"):
        _read_rows(folder, kind, name, (size, blocks), is_counted, content=content, found=found)
    first = min(found.groups, default=(size, 0))[0]
    if is_dead and size:
        _find_holes(path, name, is_counted, found)
    ids = found.page_ids
    if found.dropped_ids:
        gone = frozenset(found.dropped_ids)
        ids = array("q", (number for number in ids if number not in gone))
    return Survey(
        kept=found.kept,
        end=found.end or min(first, size),
        dropped=found.dropped,
        dropped_ids=found.dropped_ids,
        page_ids=ids,
        lost=found.lost,
        whole=found.whole,
        last_end=found.last_end,
        is_damaged=found.is_damaged or bool(found.lost),
        is_dead=is_dead,
    )


def _read_rows(
    folder: Path,
    kind: str,
    name: Name,
    records: tuple[int, _Blocks | None],
    is_counted: Counted,
    *,
    content: _Content | None,
    found: _Found,
) -> None:
    size, blocks = records
    path = journal_path(folder, kind, name)
    is_page = kind == "pages"
    said = _said_content(path) if content is not None and is_page else []
    counts_all = is_counted is everything
    needs_keys = is_page and not counts_all
    columns = [*_PLACES, *said]
    for batch in journal_batches(
        path, [*columns, "key"] if needs_keys else columns, is_trusted=content is None
    ):
        values = [batch.column(column) for column in columns]
        values[1] = values[1].view(pa.int64())
        keys = batch.column("key").to_pylist() if needs_keys else [""] * len(batch)
        for key, number, moment, offset, length, start, extent, *parts in zip(
            keys, *(column.to_pylist() for column in values), strict=True
        ):
            found.moment = moment
            found.groups.append((start, extent))
            found.known_end = max(found.known_end, start + extent)
            if is_page:
                found.page_ids.append(number)
            is_named = extent > 0 and (
                counts_all or is_counted(Place(name.segment, offset, length), key)
            )
            # A failure has a row and no record: the file of records cannot contradict it.
            if extent == 0:
                found.kept += 1
            # Its event was not committed before the kill, so the page is fetched again.
            elif is_page and not is_named:
                found.dropped.append((moment, start, extent))
                found.dropped_ids.append(number)
            elif (
                start + extent > size
                or (blocks is not None and blocks.is_torn(start, extent))
                or not (content is None or not parts or content.is_whole(number, parts))
            ):
                found.is_damaged = found.is_damaged or is_named
                found.dropped.append((moment, start, extent))
                found.dropped_ids.append(number)
                if is_page:
                    found.lost.append(Place(name.segment, offset, length))
            else:
                found.kept += 1
                found.end = max(found.end, start + extent)
                if is_named:
                    found.whole.append(offset)
                    found.last_end = max(found.last_end, offset + length)


def _said_content(path: Path) -> list[str]:
    """Return the columns that say what belongs to a page; older versions have fewer or none."""
    schema = journal_schema(path)
    return [column for column in _CONTENT if schema is not None and column in schema.names]


def _find_holes(path: Path, name: Name, is_counted: Counted, found: _Found) -> None:
    """Look for groups of records without a row: between others, and after the last."""
    first = next(members(path), None)
    cursor = first[1] if first is not None else 0
    for start, extent in sorted(found.groups):
        if start > cursor:
            _add_hole(name, _until(members(path, cursor), start), is_counted, found)
            # A shorter one held no record: the first record is another file's, and ends elsewhere.
            if start - cursor >= LEAST_BLANK_BYTES:
                found.dropped.append((found.moment, cursor, start - cursor))
            found.is_damaged = True
        cursor = max(cursor, start + extent)
    _add_hole(name, members(path, max(cursor, found.known_end)), is_counted, found)


def _until(
    records: Iterator[tuple[int, int, Record]], end: int
) -> Iterator[tuple[int, int, Record]]:
    return takewhile(lambda one: one[0] < end, records)


def _add_hole(
    name: Name,
    records: Iterator[tuple[int, int, Record]],
    is_counted: Counted,
    found: _Found,
) -> None:
    for offset, length, record in records:
        place = Place(name.segment, offset, length)
        if record.type in _MAIN and is_counted(place, _key_of(record)):
            found.lost.append(place)


def _key_of(record: Record) -> str:
    url = record.headers["WARC-Target-URI"]
    return "" if url.endswith("/robots.txt") else key_of(url)


class _Blocks:
    """The blocks of a WARC file that may have been lost: a file system gives zeros for them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ends = array("Q")
        with (
            beneath.open_file(path, "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            last, size = content[_BLOCK_BYTES - 1 :: _BLOCK_BYTES], len(content)
            is_last_torn = content[size - 1] == 0
        at = last.find(0)
        while at >= 0:
            self._ends.append((at + 1) * _BLOCK_BYTES - 1)
            at = last.find(0, at + 1)
        if is_last_torn and size % _BLOCK_BYTES:
            self._ends.append(size - 1)

    def is_torn(self, start: int, extent: int) -> bool:
        """Return whether a group of records has a part of such a block and cannot be read."""
        first = bisect_left(self._ends, start)
        if first == len(self._ends):
            return False
        if self._ends[first] // _BLOCK_BYTES * _BLOCK_BYTES >= start + extent:
            return False
        end = start
        for offset, length, _ in _until(members(self._path, start), start + extent):
            end = offset + length
        return end != start + extent


class _Content:
    """Numbers of links, texts, blocks of quads and items of each fetch."""

    def __init__(self, folder: Path, name: Name) -> None:
        self._links = _counts(journal_path(folder, "links", name))
        self._texts = _counts(journal_path(folder, "text", name))
        self._items = _counts(journal_path(folder, ITEMS, name))
        self._blocks: dict[int, int] = {}
        for block in blocks(quad_journal_path(folder, name), is_sealed=False):
            self._blocks[block.fetch_id] = self._blocks.get(block.fetch_id, 0) + 1

    def is_whole(self, fetch: int, parts: list[int]) -> bool:
        """Return whether everything that a page's row speaks of is there."""
        links, texts, said, *items = parts
        return (
            self._links.get(fetch, 0) >= links
            and self._texts.get(fetch, 0) >= texts
            and self._blocks.get(fetch, 0) >= said
            and all(self._items.get(fetch, 0) >= count for count in items)
        )


def _counts(path: Path) -> dict[int, int]:
    counts: dict[int, int] = {}
    for batch in journal_batches(path, ["fetch_id"]):
        counts.update(arrow_functions.counted(batch.column("fetch_id")))
    return counts
