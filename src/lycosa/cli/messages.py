"""What is said beside the results: notices on standard error, and the log file of a crawl.

The log file (`lycosa.log` in the crawl directory) has what a person wants to know the
next day: when a run began and ended, what was refused, how far it was every minute, and
the traceback of whatever should not have happened.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import click

logger = logging.getLogger("lycosa")


@dataclass
class Session:
    """One call of the program: what `main` must know when something goes wrong."""

    is_debugging: bool = False
    messages: Path | None = None
    """The log file of the crawl that the command is about."""


def notice(text: str) -> None:
    """Tell the user something that is not a result."""
    click.echo(text, err=True)


class _LogFile(logging.FileHandler):
    """A log file that may fail: on a full disk the crawl's own message matters, not this one."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Lose the line."""


@contextmanager
def log_file(session: Session, path: Path) -> Iterator[None]:
    """Write the program's messages to a file for a while."""
    handler = _LogFile(path, encoding="utf-8")
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG if session.is_debugging else logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        with suppress(OSError):
            handler.close()


def unexpected(session: Session, error: BaseException) -> str:
    """Say that we made a mistake; the traceback goes to the log file, or to the screen."""
    details = "".join(traceback.format_exception(error))
    what = " ".join(f"{type(error).__name__}: {error}".split())
    text = f"lycosa made a mistake: {what[:300]}\n"
    if session.is_debugging:
        text = f"{details}{text}"
    if session.messages is not None and _append(session.messages, details):
        text += f"  the details are in {session.messages}\n"
        return text + "  please report it with that file and the command that you ran"
    again = (
        "" if session.is_debugging else "  to see the details: lycosa --debug and your command\n"
    )
    return f"{text}{again}  please report it with the details and the command that you ran"


def _append(path: Path, details: str) -> bool:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{moment} CRITICAL unexpected\n{details}")
    except OSError:
        return False
    return True
