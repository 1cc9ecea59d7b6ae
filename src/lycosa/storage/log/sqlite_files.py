"""Opens SQLite files, and explains their errors.

A file may come from an untrusted source. SQLite executes parts of its schema: a view in place of a
table may never end, a trigger or a generated column runs at every write. A file is therefore opened
only if it has plain tables and indexes; functions with side effects are disabled
(`trusted_schema`), and pages are checked before they are used (`cell_size_check`). SQLite opens
further files by the name of the first (`-wal`, `-shm`, `-journal`): none of them may be a link.
"""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

from lycosa._support import beneath
from lycosa.errors import FormatError, LogError
from lycosa.storage.archive.files import sync_file

SCHEMA = """
CREATE TABLE heads (
    partition INTEGER PRIMARY KEY, log INTEGER NOT NULL, inbox INTEGER NOT NULL,
    owner TEXT NOT NULL);
CREATE TABLE log (
    partition INTEGER, sequence INTEGER, batch BLOB NOT NULL,
    PRIMARY KEY (partition, sequence)) WITHOUT ROWID;
CREATE TABLE inbox (
    partition INTEGER, sequence INTEGER, batch BLOB NOT NULL,
    PRIMARY KEY (partition, sequence)) WITHOUT ROWID;
CREATE TABLE notes (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""

ENDS = "CREATE TABLE IF NOT EXISTS ends (worker INTEGER PRIMARY KEY, value BLOB NOT NULL)"
"""Ends of open tables; older crawls get the table at their first commit."""

_PROGRAM = re.compile(r"(?i)\b(?:virtual|generated|check|default|as)\b")
"""Words of tables with code: modules, generated columns, checks, expressions."""
_WRITER_SECONDS = 60
"""Seconds a writer waits for another process's lock."""
_AGAIN_SECONDS = 0.01
_CODE = 0xFF
"""Part of an error's code that names its kind."""


def connected(path: Path, timeout: float = _WRITER_SECONDS) -> sqlite3.Connection:
    """Open a file for any thread; a locked file is waited for up to `timeout` seconds."""
    for ending in ("", "-wal", "-shm", "-journal"):
        beneath.checked_if_there(path.with_name(path.name + ending))
    connection = sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, timeout=timeout
    )
    try:
        refuse_programs(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def refuse_programs(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file whose schema has more than plain tables and indexes, before it is used."""
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    for kind, name, text in connection.execute("SELECT type, name, sql FROM sqlite_schema"):
        # The index of a primary key has no text. Any other could contain expressions.
        is_plain = (
            text is None if kind == "index" else kind == "table" and not _PROGRAM.search(text)
        )
        if not is_plain:
            raise FormatError(
                f"{path}: has a {kind} {str(name)[:40]!r} that would run its own code; Lycosa makes"
                " no such objects\n  another program has changed the file: do not use it"
            )


def write_ahead(connection: sqlite3.Connection, timeout: float = _WRITER_SECONDS) -> None:
    """Switch a file to write-ahead mode.

    SQLite itself does not wait while another process does the same to a new file.
    """
    until = time.monotonic() + timeout
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as problem:
            is_busy = problem.sqlite_errorcode & _CODE == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() >= until:
                raise
        time.sleep(_AGAIN_SECONDS)


def sync_commits(path: Path) -> None:
    """Bring the commits of a file in write-ahead mode to the disk.

    Commits that are not in the database yet are in the write-ahead file; SQLite syncs the database
    before it starts that file again. The write-ahead file has no locks; closing a descriptor of the
    database itself would drop the locks that SQLite holds.
    """
    with suppress(FileNotFoundError):
        sync_file(path.with_name(path.name + "-wal"))


def failure(path: Path, crawl_folder: Path, problem: Exception) -> LogError:
    """Return the error that describes a log's problem and its remedy."""
    if is_damaged_log(problem):
        return LogError(
            f"{path}: is damaged: {problem}\n  repair it: lycosa verify {crawl_folder} --repair"
        )
    return LogError(
        f"{path}: cannot be written: {problem}\n"
        f"  make room or repair the disk, then continue: lycosa resume {crawl_folder}"
    )


def is_damaged_log(problem: Exception) -> bool:
    """Return whether an error of SQLite means a damaged file, not a full disk."""
    if isinstance(problem, sqlite3.OperationalError):
        return "no such table" in str(problem) or "no such column" in str(problem)
    return isinstance(problem, sqlite3.DatabaseError)


def log_signature(folder: Path) -> tuple[int, ...]:
    """Return numbers that change with the log of a crawl directory; costs two `stat`."""
    found: list[int] = []
    for name in ("log.sqlite", "log.sqlite-wal"):
        try:
            stat = (folder / "log" / name).stat()
        except OSError:
            continue
        found += (stat.st_mtime_ns, stat.st_size)
    return tuple(found)
