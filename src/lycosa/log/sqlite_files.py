"""Opens SQLite files, and tells what their errors mean."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

_AGAIN_SECONDS = 0.01
_CODE = 0xFF
"""The part of an error's code that says what kind it is."""


def connected(path: Path, timeout: float) -> sqlite3.Connection:
    """Open a file for any thread; who finds it locked waits that long."""
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=timeout)


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


def is_damage(problem: Exception) -> bool:
    """Return whether an error of SQLite means a damaged file, not a full disk."""
    if isinstance(problem, sqlite3.OperationalError):
        return "no such table" in str(problem) or "no such column" in str(problem)
    return isinstance(problem, sqlite3.DatabaseError)
