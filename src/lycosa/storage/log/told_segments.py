"""Segments in the log's file: committed ends of the open ones, names of the sealed ones.

A reader of tables sees neither that an open table was cut nor that all files of a sealed segment
are gone: the crawl merely looks smaller. So each commit writes the ends of open tables, and a
process that has sealed segments writes their names. A reader asks for both before it looks at the
tables.

Always true:
  * a name is written after the index of its segment stands, and removed before a repair gives the
    segment up: at whatever moment a process is killed, a segment that is named has files;
  * nothing else removes the files of a sealed segment, also beside a crawl.

A segment that was sealed just before a kill is named at the next sealing of the crawl; until then,
and in logs of older versions, it is not missed. Logs in servers name none, nor does the file of a
log that was moved to one: it stays as it was then.

Cost: one transaction per sealing; a reader opens the file once (0.2 ms, and 0.6 µs a segment).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.errors import FormatError
from lycosa.storage.archive.layout import CDX, Name, names_in
from lycosa.storage.log.sqlite_files import connected, failure, refuse_programs

_SEALED = "CREATE TABLE IF NOT EXISTS sealed (segment INTEGER PRIMARY KEY, worker INTEGER NOT NULL)"
_MOVED = "SELECT 1 FROM notes WHERE name = 'moved'"


class Told(NamedTuple):
    """Segments of a crawl in the file of its log."""

    ends: list[bytes]
    """Committed ends of open tables, one value for each worker (`Write.ends`)."""
    sealed: frozenset[Name]


def told_in(log_folder: Path) -> Told:
    """Return the segments that a log's file names.

    The call writes nothing and waits for no process. A log without these tables, or one that cannot
    be read, names none; `verify` reports its damage.
    """
    path = log_folder / "log.sqlite"
    try:
        for ending in ("", "-wal", "-shm"):
            beneath.checked_if_there(path.with_name(path.name + ending))
        # Without a write-ahead file there is no writer, and SQLite need not make one.
        is_still = not path.with_name(path.name + "-wal").exists()
        place = f"file:{quote(str(path.absolute()))}?mode=ro{'&immutable=1' if is_still else ''}"
        with closing(sqlite3.connect(place, uri=True, timeout=1.0)) as connection:
            refuse_programs(connection, path)
            ends = [value for (value,) in _rows(connection, "SELECT value FROM ends")]
            is_moved = _rows(connection, _MOVED)
            sealed = () if is_moved else _rows(connection, "SELECT segment, worker FROM sealed")
            return Told(ends, names_of(sealed))
    except (sqlite3.Error, OSError, FormatError):
        return Told([], frozenset())


def _rows(connection: sqlite3.Connection, question: str) -> list[tuple[Any, ...]]:
    """Return the rows of a table; none if the log is of before the table."""
    try:
        return connection.execute(question).fetchall()
    except sqlite3.OperationalError:
        return []


def names_of(rows: Iterable[tuple[object, ...]]) -> frozenset[Name]:
    """Return the segments that rows of `sealed` name; SQLite lets a stranger write any value."""
    return frozenset(
        Name(segment, worker)
        for segment, worker in rows
        if isinstance(segment, int) and isinstance(worker, int)
    )


def note_sealed(crawl_folder: Path) -> None:
    """Name all sealed segments of a crawl whose log is in a file; the caller has its lock."""
    with _file_of(crawl_folder) as connection:
        if connection is not None:
            connection.execute(_SEALED)
            known = names_of(connection.execute("SELECT segment, worker FROM sealed"))
            new = [name for name in names_in(crawl_folder, CDX, ".cdxj") if name not in known]
            connection.executemany("REPLACE INTO sealed VALUES (?, ?)", new)


def drop_sealed(crawl_folder: Path, segments: Iterable[int]) -> None:
    """Name some segments no more; call it before the log gives them up."""
    with _file_of(crawl_folder) as connection:
        if connection is not None:
            connection.execute(_SEALED)
            connection.executemany("DELETE FROM sealed WHERE segment = ?", [(n,) for n in segments])


@contextmanager
def _file_of(crawl_folder: Path) -> Iterator[sqlite3.Connection | None]:
    """Open the log's file in a transaction; None where the log is in a server."""
    path = crawl_folder / "log" / "log.sqlite"
    if not path.exists():
        yield None
        return
    try:
        with closing(connected(path)) as connection:
            # A name need not outlive a power cut; the write-ahead file keeps the order of writes.
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            yield None if connection.execute(_MOVED).fetchone() else connection
            connection.execute("COMMIT")
    except sqlite3.DatabaseError as problem:
        raise failure(path, crawl_folder, problem) from problem
