"""Removes all that one host gave from an archive, and leaves everything else unchanged.

All segments must be sealed, and no other process may write to the crawl meanwhile. Per segment:

    1. find the host's records, and note their positions in a file
    2. overwrite each group of them, in place, by one record without meaning
    3. rewrite quads, rows and index without the host, and rename them: `pages` and the index last
    4. remove the note

All other records keep their places. Links from the host's pages are removed with them; links to the
host belong to other pages, and stay.

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
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa.errors import StoreError
from lycosa.store.files import sync_folder, write_at
from lycosa.store.layout import (
    CDX,
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
from lycosa.store.segments.digests import refresh_digests
from lycosa.store.segments.sealing import ignore, rows_writer, sync_file, temporary
from lycosa.store.tables.quads import rewrite
from lycosa.store.warc.record_reader import members
from lycosa.store.warc.warc_format import Ids, blank
from lycosa.url.key import host_of, key_of


class Forgotten(NamedTuple):
    """How much a removal dropped."""

    records: int
    """Groups of records: exchanges."""
    rows: int


class _Group(NamedTuple):
    """The records of one exchange."""

    moment: float
    start: int
    length: int


class _Note(NamedTuple):
    """The records to be dropped from a segment."""

    hosts: frozenset[str]
    groups: list[_Group]


def forget_host(folder: Path, host: str, reach: Callable[[str], None] = ignore) -> Forgotten:
    """Remove all that a host (named as in the rows) gave; harmless when repeated."""
    for kind in KINDS:
        if left := names_in(folder, kind, JOURNAL):
            raise StoreError(
                f"{folder / kind}: {left[0]} is not sealed, so no host can be removed from it\n"
                f"  another process may still be writing to it; nothing was changed"
            )
    records = rows = 0
    names = {*warc_names(folder), *names_in(folder, "pages", SEALED)}
    for name in sorted(names):
        path = warc_path(folder, name)
        try:
            done = _forget_in(folder, name, host, reach)
        except OSError as error:
            raise StoreError(
                f"{path}: the pages of {host} cannot be removed: {error.strerror or error}\n"
                "  mend that and run the command again: it completes the removal"
            ) from error
        records, rows = records + done.records, rows + done.rows
    return Forgotten(records, rows)


def _forget_in(folder: Path, name: Name, host: str, reach: Callable[[str], None]) -> Forgotten:
    path, note_path = warc_path(folder, name), _note_path(folder, name)
    hosts = {host}
    unfinished = _read_note(note_path)
    records = 0
    if unfinished is not None:
        hosts |= unfinished.hosts
        records += _overwrite(path, unfinished.groups, reach)
    groups = _groups(path, frozenset(hosts))
    if groups:
        _write_note(note_path, _Note(frozenset(hosts), groups))
        reach("forget.noted")
        records += _overwrite(path, groups, reach)
    reach("forget.overwritten")
    rows = _rewrite_rows(folder, name, frozenset(hosts), reach)
    if records or rows:
        refresh_digests(folder, name)
    note_path.unlink(missing_ok=True)
    return Forgotten(records, rows)


# -- records ----------------------------------------------------------------------------------


def _groups(path: Path, hosts: frozenset[str]) -> list[_Group]:
    """Find the hosts' records; a group ends with its `metadata`."""
    groups: list[_Group] = []
    if not path.exists():
        return groups
    end, is_open = 0, False
    for start, length, record in members(path):
        end = start + length
        target = record.headers.get("WARC-Target-URI")
        if target is None or host_of(key_of(target)) not in hosts:
            is_open = False
        elif is_open:
            groups[-1] = groups[-1]._replace(length=end - groups[-1].start)
        else:
            moment = datetime.fromisoformat(record.headers["WARC-Date"]).timestamp()
            groups.append(_Group(moment, start, length))
            is_open = True
        is_open = is_open and record.type != "metadata"
    if end != path.stat().st_size:
        raise StoreError(
            f"{path}, offset {end}: this record and all after it cannot be read\n"
            "  restore the file from a copy; nothing was changed in it"
        )
    return groups


def _overwrite(path: Path, groups: list[_Group], reach: Callable[[str], None]) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        ids = Ids()
        for group in groups:
            record = blank(group.length, ids.next(), group.moment)
            write_at(descriptor, memoryview(record), group.start)
            reach("forget.blanked")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return len(groups)


def _note_path(folder: Path, name: Name) -> Path:
    return folder / WARC / f"{name}.forgetting"


def _write_note(path: Path, note: _Note) -> None:
    content = json.dumps({"hosts": sorted(note.hosts), "groups": note.groups})
    temporary(path).write_text(content, encoding="utf-8")
    sync_file(temporary(path))
    temporary(path).rename(path)
    sync_folder(path.parent)


def _read_note(path: Path) -> _Note | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return _Note(frozenset(content["hosts"]), [_Group(*group) for group in content["groups"]])


# -- rows and index ---------------------------------------------------------------------------


def _rewrite_rows(
    folder: Path, name: Name, hosts: frozenset[str], reach: Callable[[str], None]
) -> int:
    """Rewrite the files that hold rows of the hosts, without them; return how many were dropped."""
    fetches = _fetches_of(folder, name, hosts)
    written: list[Path] = []
    count = 0
    quads = quads_path(folder, name)
    if rewrite(quads, temporary(quads), lambda block: host_of(key_of(block.url)) in hosts):
        written.append(quads)
    for kind in KINDS:
        final = sealed_path(folder, kind, name)
        dropped = _rewrite_kind(final, kind, hosts, fetches) if final.exists() else 0
        count += dropped
        if dropped:
            written.append(final)
    index = cdx_path(folder, name)
    if index.exists() and _rewrite_index(index, hosts):
        written.append(index)
    reach("forget.written")
    for final in written:
        sync_file(temporary(final))
        temporary(final).rename(final)
        reach("forget.renamed")
    for part in (TRIPLES, *KINDS, CDX):
        sync_folder(folder / part)
    return count


def _fetches_of(folder: Path, name: Name, hosts: frozenset[str]) -> pa.Array:
    """Return the ids of all fetches of the hosts' pages."""
    path = sealed_path(folder, "pages", name)
    if not path.exists():
        return pa.array([], pa.int64())
    wanted = pa.array(sorted(hosts), pa.string())
    with pq.ParquetFile(path) as file:
        found = [
            batch.column("fetch_id").filter(pc.is_in(batch.column("host"), value_set=wanted))
            for batch in file.iter_batches(columns=["fetch_id", "host"])
        ]
    return pa.concat_arrays(found) if found else pa.array([], pa.int64())


def _rewrite_kind(path: Path, kind: str, hosts: frozenset[str], fetches: pa.Array) -> int:
    """Write the rows to keep under a temporary name, if any is dropped; return how many are."""
    column, wanted = "fetch_id", fetches
    if kind in ("pages", "hosts"):
        column, wanted = "host", pa.array(sorted(hosts), pa.string())
    with pq.ParquetFile(path) as file:
        dropped = sum(
            pc.sum(pc.is_in(batch.column(column), value_set=wanted)).as_py() or 0
            for batch in file.iter_batches(columns=[column])
        )
        if dropped:
            with rows_writer(temporary(path), file.schema_arrow) as writer:
                for table in _row_groups(file):
                    is_dropped = pc.is_in(table.column(column), value_set=wanted)
                    writer.write_table(table.filter(pc.invert(is_dropped)))
    return int(dropped)


def _row_groups(file: pq.ParquetFile) -> Iterator[pa.Table]:
    return (file.read_row_group(number) for number in range(file.num_row_groups))


def _rewrite_index(path: Path, hosts: frozenset[str]) -> bool:
    """Write the lines to keep under a temporary name; return whether any is dropped."""
    dropped = 0
    with (
        path.open(encoding="ascii", newline="\n") as before,
        temporary(path).open("w", encoding="ascii", newline="\n") as after,
    ):
        for line in before:
            url = json.loads(line.split(" ", 2)[2])["url"]
            if host_of(key_of(url)) in hosts:
                dropped += 1
            else:
                after.write(line)
    if not dropped:
        temporary(path).unlink()
    return bool(dropped)
