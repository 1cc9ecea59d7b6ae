"""Opens SQLite files, and tells what their errors mean.

A file may come from a stranger. SQLite runs what its schema says: a view in the place of a table
may never end, a trigger or a generated column runs at every write. So a file is opened only if it
has plain tables and indexes; functions with side effects are barred (`trusted_schema`), and pages
are checked before they are used (`cell_size_check`). SQLite opens further files by the name of the
first (`-wal`, `-shm`, `-journal`): none of them may be a link.
"""

from __future__ import annotations

import re
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from lycosa import beneath
from lycosa.errors import FormatError, LogError
from lycosa.store.files import sync_file

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
"""How far open tables reach; crawls from before get the table at their first commit."""

_PROGRAM = re.compile(r"(?i)\b(?:virtual|generated|check|default|as)\b")
"""Words by which a table is more than its rows: modules, generated columns, checks, expressions."""
_AGAIN_SECONDS = 0.01
_CODE = 0xFF
"""The part of an error's code that says what kind it is."""


def connected(path: Path, timeout: float) -> sqlite3.Connection:
    """Open a file for any thread; who finds it locked waits that long."""
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
        # The index of a primary key has no text. Any other could be one of expressions.
        is_plain = (
            text is None if kind == "index" else kind == "table" and not _PROGRAM.search(text)
        )
        if not is_plain:
            raise FormatError(
                f"{path}: has a {kind} {str(name)[:40]!r} that would run code of its own; Lycosa"
                " makes none such\n  another program has changed the file: do not use it"
            )


def write_ahead(connection: sqlite3.Connection, timeout: float) -> None:
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

    Those that are not in the database yet are in the write-ahead file; SQLite syncs the database
    before it begins that file again. The write-ahead file has no locks: closing a descriptor of
    the database itself would drop those that SQLite holds.
    """
    with suppress(FileNotFoundError):
        sync_file(path.with_name(path.name + "-wal"))


def failure(path: Path, crawl_folder: Path, problem: Exception) -> LogError:
    """Return the error that says what is wrong with a log, and what to do."""
    if is_damage(problem):
        return LogError(
            f"{path}: is damaged: {problem}\n  repair it: lycosa verify {crawl_folder} --repair"
        )
    return LogError(
        f"{path}: cannot be written: {problem}\n"
        f"  make room or repair the disk, then continue: lycosa resume {crawl_folder}"
    )


def ends_in(log_folder: Path) -> list[bytes]:
    """Return how far open tables reached at the last commit of each worker (`Write.ends`).

    Nothing is written and nobody is waited for. A log without ends, or one that cannot be read, has
    none: what is wrong with it, `verify` says.
    """
    path = log_folder / "log.sqlite"
    try:
        for ending in ("", "-wal", "-shm"):
            beneath.checked_if_there(path.with_name(path.name + ending))
        # Without a write-ahead file nobody writes, and SQLite need not make one.
        is_still = not path.with_name(path.name + "-wal").exists()
        place = f"file:{quote(str(path.absolute()))}?mode=ro{'&immutable=1' if is_still else ''}"
        with closing(sqlite3.connect(place, uri=True, timeout=1.0)) as connection:
            refuse_programs(connection, path)
            return [value for (value,) in connection.execute("SELECT value FROM ends")]
    except (sqlite3.Error, OSError, FormatError):
        return []


def is_damage(problem: Exception) -> bool:
    """Return whether an error of SQLite means a damaged file, not a full disk."""
    if isinstance(problem, sqlite3.OperationalError):
        return "no such table" in str(problem) or "no such column" in str(problem)
    return isinstance(problem, sqlite3.DatabaseError)
