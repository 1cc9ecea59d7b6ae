"""Writes messages beside the results: to standard error, and to the log file of a crawl.

The log file (`lycosa.log` in the crawl directory) is for an operator who looks the next
day: it has the begin and end of each run, refusals, the progress every minute, and the traceback of
every bug.
"""

from __future__ import annotations

import logging
import sqlite3
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from lycosa._support import beneath
from lycosa.runtime.log_file import said_to

logger = logging.getLogger("lycosa")

DAMAGED = 10
"""The exit code of commands that find damaged files in a crawl."""


class Session:
    """A call of the program, with the data that `main` needs to report an error."""

    def __init__(self, *, is_debugging: bool = False, messages: Path | None = None) -> None:
        self.is_debugging = is_debugging
        self.messages = messages
        """The log file of the crawl that the command is about."""


def notice(text: str) -> None:
    """Print a message that is not a result, to standard error."""
    click.echo(text, err=True)


class _Shown(logging.Handler):
    """Shows a message as a notice."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print it to standard error."""
        notice(record.getMessage())


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Show the warnings that an operator must see (`lycosa.warnings`), beside the log file."""
    shown, warnings = _Shown(), logging.getLogger("lycosa.warnings")
    warnings.addHandler(shown)
    try:
        yield
    finally:
        warnings.removeHandler(shown)


@contextmanager
def log_file(session: Session, path: Path) -> Iterator[None]:
    """Write the program's messages to a file for a while."""
    with said_to(path, logging.DEBUG if session.is_debugging else logging.INFO):
        yield


def unexpected(session: Session, error: BaseException) -> str:
    """Report a bug of Lycosa; the traceback goes to the log file, or to the screen."""
    details = "".join(traceback.format_exception(error))
    what = " ".join(f"{type(error).__name__}: {error}".split())
    text = f"this is a bug in lycosa: {what[:300]}\n"
    if session.is_debugging:
        text = f"{details}{text}"
    if session.messages is not None and _append(session.messages, details):
        text += f"  the details are in {session.messages}\n"
        return text + "  please report it with that file and the command that you ran"
    again = (
        ""
        if session.is_debugging
        else "  see the details: run the command again as lycosa --debug …\n"
    )
    return f"{text}{again}  please report it with the details and the command that you ran"


_READERS = ("pyarrow", "duckdb", "_duckdb", "zstd", "zstandard", "isal")
_UNREADABLE = (
    "IOException",
    "InvalidInputException",
    "ArrowInvalid",
    "ArrowSerializationError",
    "ZstdError",
    "error",
    "Error",  # DuckDB raises this if the footer of a table is damaged
)


def is_damage(error: BaseException) -> bool:
    """Return whether the error of a library means a damaged file."""
    kind = type(error)
    if isinstance(error, sqlite3.DatabaseError):
        return not isinstance(error, sqlite3.OperationalError | sqlite3.ProgrammingError)
    if any(base.__name__ == "ArrowException" for base in kind.__mro__):
        return True
    is_reader = kind.__module__.partition(".")[0] in _READERS
    return is_reader and kind.__name__ in _UNREADABLE


def damaged(session: Session, error: BaseException) -> str:
    """Report that a file of the crawl cannot be read, and what to do."""
    folder = session.messages.parent if session.messages is not None else "DIR"
    what = " ".join(str(error).split())[:300]
    return (
        f"a file of the crawl cannot be read: {what}\n"
        f"  find the damage: lycosa verify {folder}   repair it: lycosa verify {folder} --repair"
    )


def _append(path: Path, details: str) -> bool:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        with beneath.open_file(path, "a", encoding="utf-8") as file:
            file.write(f"{moment} CRITICAL unexpected\n{details}")
    except OSError:
        return False
    return True
