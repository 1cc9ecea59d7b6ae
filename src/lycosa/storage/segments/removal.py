"""Removes what one host gave, or single exchanges, from an archive; all else stays unchanged.

All segments must be sealed, and no other process may write to the crawl meanwhile. Per segment:

    1. find the records, and note their positions in a file
    2. overwrite each run of them, in place, by one record without meaning, and give its blocks
       back to the file system: the file has the length that it had, and takes less room
    3. rewrite quads, rows and index without them, and rename them: `pages` and the index last
    4. remove the note

All other records keep their places. Records of other hosts that lean on the host's payloads get
their own before (`leaning`). Links from the host's pages are removed with them; links to the host
belong to other pages, and stay.

Always true:
  * the next removal, of any host, completes one that was killed at any moment. The note is there
    because a half overwritten record cannot be read any more. The rows of `pages`, by which links
    and text are found, are removed after those;
  * a file that holds nothing of the host is not touched.

Not here: the log. It still names the host's URLs, and says that they were forgotten.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.errors import StoreError
from lycosa.model.records import Place
from lycosa.model.url.key import host_of, key_of
from lycosa.storage.archive.files import give_room_back, sync_file, sync_folder, temporary, write_at
from lycosa.storage.archive.layout import (
    CDX,
    ITEMS,
    JOURNAL,
    KINDS,
    SEALED,
    TRIPLES,
    WARC,
    Name,
    cdx_path,
    names_in,
    quads_path,
    sealed_path,
    warc_names,
    warc_path,
)
from lycosa.storage.segments.digests import refresh_digests
from lycosa.storage.segments.leaning import set_upright
from lycosa.storage.segments.sealing import ignore, rows_writer
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.tables.quads import Block, rewrite
from lycosa.storage.warc.exchange import VIEW_OF
from lycosa.storage.warc.record_reader import members
from lycosa.storage.warc.warc_format import Ids, blank

_LONGEST_RUN = 64_000_000
"""Groups are overwritten together up to this many bytes, which stand in memory."""


class Forgotten(NamedTuple):
    """How much a removal dropped."""

    records: int
    """Groups of records: exchanges."""
    rows: int
    room_bytes: int = 0
    """By how much the files take less room on the disk."""


class Chosen(NamedTuple):
    """The records and rows to remove from a segment."""

    hosts: frozenset[str] = frozenset()
    """Everything of these hosts, named as in the rows."""
    offsets: frozenset[int] = frozenset()
    """The exchanges about pages whose response or revisit begins there."""


class _Group(NamedTuple):
    """The records of one exchange."""

    moment: float
    start: int
    length: int


class _Note(NamedTuple):
    """The records to be dropped from a segment."""

    chosen: Chosen
    groups: list[_Group]


def forget_host(folder: Path, host: str, reach: Callable[[str], None] = ignore) -> Forgotten:
    """Remove all that a host (named as in the rows) gave; harmless when repeated."""
    chosen = Chosen(hosts=frozenset({host}))
    what = f"the pages of {host}"
    # A removal that was killed comes first: behind a half overwritten record nothing can be read.
    before = _forget(folder, lambda name: Chosen(), what, reach)
    set_upright(folder, chosen.hosts, reach)
    done = _forget(folder, lambda name: chosen, what, reach)
    return Forgotten(*(a + b for a, b in zip(before, done, strict=True)))


def forget_exchanges(
    folder: Path, places: Iterable[Place], reach: Callable[[str], None] = ignore
) -> Forgotten:
    """Remove the exchanges with these places; harmless when repeated.

    No record that stays may refer to one of them (`leaned_on`).
    """
    offsets: dict[int, set[int]] = {}
    for place in places:
        offsets.setdefault(place.segment, set()).add(place.offset)

    def chosen_in(name: Name) -> Chosen:
        return Chosen(offsets=frozenset(offsets.get(name.segment, ())))

    return _forget(folder, chosen_in, "pages", reach)


def leaned_on(folder: Path, places: Iterable[Place]) -> set[Place]:
    """Return those of the places to whose payload a record of another place refers."""
    segments = {warc_path(folder, name).name: name.segment for name in warc_names(folder)}
    given = {(place.segment, place.offset): place for place in places}
    found: set[Place] = set()
    for name in warc_names(folder):
        for start, _, record in members(warc_path(folder, name)):
            file = record.headers.get("WARC-Refers-To-Filename")
            if file is None or file not in segments or (name.segment, start) in given:
                continue
            at = (segments[file], int(record.headers["WARC-Refers-To-File-Offset"]))
            if at in given:
                found.add(given[at])
    return found


def _forget(
    folder: Path,
    chosen_in: Callable[[Name], Chosen],
    what: str,
    reach: Callable[[str], None],
) -> Forgotten:
    _require_sealed(folder)
    records = rows = 0
    room_before = _room_of(folder)
    names = {*warc_names(folder), *names_in(folder, "pages", SEALED)}
    for name in sorted(names):
        path = warc_path(folder, name)
        try:
            done = _forget_in(folder, name, chosen_in(name), reach)
        except OSError as error:
            raise StoreError(
                f"{path}: {what} cannot be removed: {error.strerror or error}\n"
                "  mend that and run the command again: it completes the removal"
            ) from error
        records, rows = records + done.records, rows + done.rows
    return Forgotten(records, rows, room_before - _room_of(folder))


def _require_sealed(folder: Path) -> None:
    for kind in (ITEMS, *KINDS):
        if left := names_in(folder, kind, JOURNAL):
            raise StoreError(
                f"{folder / kind}: {left[0]} is not sealed, so nothing can be removed from it\n"
                f"  another process may still be writing to it; nothing was changed"
            )


def _room_of(folder: Path) -> int:
    """Return how much of the disk the files of the archive take; holes take nothing."""
    parts = [folder / part for part in (WARC, CDX, TRIPLES, ITEMS, *KINDS)]
    return sum(512 * path.stat().st_blocks for part in parts for path in part.glob("*"))


def _forget_in(folder: Path, name: Name, chosen: Chosen, reach: Callable[[str], None]) -> Forgotten:
    path, note_path = warc_path(folder, name), _note_path(folder, name)
    unfinished = _read_note(note_path)
    records = 0
    if unfinished is not None:
        chosen = Chosen(
            chosen.hosts | unfinished.chosen.hosts, chosen.offsets | unfinished.chosen.offsets
        )
        records += _overwrite(path, unfinished.groups, reach)
    groups = _groups(path, chosen) if any(chosen) else []
    if groups:
        _write_note(note_path, _Note(chosen, groups))
        reach("forget.noted")
        records += _overwrite(path, groups, reach)
    reach("forget.overwritten")
    rows = _rewrite_rows(folder, name, chosen, reach) if any(chosen) else 0
    if records or rows:
        refresh_digests(folder, name)
    note_path.unlink(missing_ok=True)
    return Forgotten(records, rows)


# -- records ----------------------------------------------------------------------------------


def _groups(path: Path, chosen: Chosen) -> list[_Group]:
    """Find the groups of records that are chosen; a group ends with its `metadata`."""
    groups: list[_Group] = []
    if not path.exists():
        return groups
    end = 0
    group: _Group | None = None
    of, is_chosen = "", False
    for start, length, record in members(path):
        end = start + length
        target = record.headers.get("WARC-Target-URI")
        if target is not None:
            target = target.removeprefix(VIEW_OF)  # a picture goes with its page
        if group is not None and target != of:
            groups += [group] if is_chosen else []
            group = None
        if target is None:
            continue
        if group is None:
            moment = datetime.fromisoformat(record.headers["WARC-Date"]).timestamp()
            group, of = _Group(moment, start, 0), target
            is_chosen = bool(chosen.hosts) and host_of(key_of(target)) in chosen.hosts
        group = group._replace(length=end - group.start)
        is_chosen = is_chosen or start in chosen.offsets
        if record.type == "metadata":
            groups += [group] if is_chosen else []
            group = None
    if group is not None and is_chosen:
        groups.append(group)
    if end != path.stat().st_size:
        raise StoreError(
            f"{path}, offset {end}: this record and all after it cannot be read\n"
            "  restore the file from a copy; nothing was changed in it"
        )
    return groups


def _overwrite(path: Path, groups: list[_Group], reach: Callable[[str], None]) -> int:
    descriptor = beneath.descriptor(path, os.O_RDWR)
    try:
        ids = Ids()
        for run in _runs(groups):
            record = blank(run.length, ids.next(), run.moment)
            write_at(descriptor, memoryview(record), run.start)
            give_room_back(descriptor, record, run.start)
            reach("forget.blanked")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return len(groups)


def _runs(groups: list[_Group]) -> list[_Group]:
    """Join groups that stand side by side: one record gives back more room than two."""
    runs: list[_Group] = []
    for group in groups:
        last = runs[-1] if runs else None
        length = last.length + group.length if last is not None else 0
        if last is not None and last.start + last.length == group.start and length <= _LONGEST_RUN:
            runs[-1] = last._replace(length=length)
        else:
            runs.append(group)
    return runs


def _note_path(folder: Path, name: Name) -> Path:
    return folder / WARC / f"{name}.forgetting"


def _write_note(path: Path, note: _Note) -> None:
    hosts, offsets = sorted(note.chosen.hosts), sorted(note.chosen.offsets)
    content = json.dumps({"hosts": hosts, "offsets": offsets, "groups": note.groups})
    beneath.write_text(temporary(path), content)
    sync_file(temporary(path))
    temporary(path).rename(path)
    sync_folder(path.parent)


def _read_note(path: Path) -> _Note | None:
    try:
        content = json.loads(beneath.read_text(path))
    except FileNotFoundError:
        return None
    chosen = Chosen(frozenset(content["hosts"]), frozenset(content.get("offsets", ())))
    return _Note(chosen, [_Group(*group) for group in content["groups"]])


# -- rows and index ---------------------------------------------------------------------------


def _rewrite_rows(folder: Path, name: Name, chosen: Chosen, reach: Callable[[str], None]) -> int:
    """Rewrite the files that hold chosen rows, without them; return how many were dropped."""
    fetches = _fetches_of(folder, name, chosen)
    ids = frozenset(fetches.to_pylist())

    def is_chosen(block: Block) -> bool:
        return block.fetch_id in ids or host_of(key_of(block.url)) in chosen.hosts

    written: list[Path] = []
    count = 0
    quads = quads_path(folder, name)
    if rewrite(quads, temporary(quads), is_chosen):
        written.append(quads)
    for kind in (ITEMS, *KINDS):
        final = sealed_path(folder, kind, name)
        dropped = _rewrite_kind(final, kind, chosen, fetches) if final.exists() else 0
        count += dropped
        if dropped:
            written.append(final)
    index = cdx_path(folder, name)
    if index.exists() and _rewrite_index(index, chosen):
        written.append(index)
    reach("forget.written")
    for final in written:
        sync_file(temporary(final))
        temporary(final).rename(final)
        reach("forget.renamed")
    for part in (TRIPLES, ITEMS, *KINDS, CDX):
        if (folder / part).exists():  # few crawls have items
            sync_folder(folder / part)
    return count


def _fetches_of(folder: Path, name: Name, chosen: Chosen) -> pa.Array:
    """Return the ids of all fetches of pages that are chosen."""
    path = sealed_path(folder, "pages", name)
    if not path.exists():
        return pa.array([], pa.int64())
    with rows_file(path) as file:
        found = [
            batch.column("fetch_id").filter(_is_dropped(batch, chosen))
            for batch in file.iter_batches(columns=["fetch_id", *_CHOSEN_BY])
        ]
    return pa.concat_arrays(found) if found else pa.array([], pa.int64())


_CHOSEN_BY = ["host", "offset", "length"]


def _is_dropped(rows: pa.RecordBatch | pa.Table, chosen: Chosen) -> pa.Array:
    """Return which rows of fetches are chosen; a fetch without a record has no place of its own."""
    of_host = pc.is_in(rows.column("host"), value_set=pa.array(sorted(chosen.hosts), pa.string()))
    at = pc.is_in(rows.column("offset"), value_set=pa.array(sorted(chosen.offsets), pa.int64()))
    return pc.or_(of_host, pc.and_(at, pc.greater(rows.column("length"), 0)))


def _rewrite_kind(path: Path, kind: str, chosen: Chosen, fetches: pa.Array) -> int:
    """Write the rows to keep under a temporary name, if any is dropped; return how many are."""
    columns = _CHOSEN_BY if kind in ("pages", "hosts") else ["fetch_id"]

    def is_dropped(rows: pa.RecordBatch | pa.Table) -> pa.Array:
        if kind in ("pages", "hosts"):
            return _is_dropped(rows, chosen)
        return pc.is_in(rows.column("fetch_id"), value_set=fetches)

    with rows_file(path) as file:
        dropped = sum(
            pc.sum(is_dropped(batch)).as_py() or 0 for batch in file.iter_batches(columns=columns)
        )
        if dropped:
            with rows_writer(path, file.schema_arrow.remove_metadata()) as writer:
                for table in _row_groups(file):
                    writer.write_table(table.filter(pc.invert(is_dropped(table))))
    return int(dropped)


def _row_groups(file: pq.ParquetFile) -> Iterator[pa.Table]:
    return (file.read_row_group(number) for number in range(file.num_row_groups))


def _rewrite_index(path: Path, chosen: Chosen) -> bool:
    """Write the lines to keep under a temporary name; return whether any is dropped."""
    dropped = 0
    with (
        beneath.open_file(path, "r", encoding="ascii", newline="\n") as before,
        beneath.open_new(temporary(path), "w", encoding="ascii", newline="\n") as after,
    ):
        for line in before:
            entry = json.loads(line.split(" ", 2)[2])
            is_at = int(entry["offset"]) in chosen.offsets
            if is_at or host_of(key_of(entry["url"])) in chosen.hosts:
                dropped += 1
            else:
                after.write(line)
    if not dropped:
        temporary(path).unlink()
    return bool(dropped)
