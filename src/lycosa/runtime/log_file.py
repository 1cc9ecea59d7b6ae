"""Write the program's messages to the log file of a crawl (`lycosa.log`)."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lycosa._support import beneath
from lycosa._support.safe_text import on_screen

logger = logging.getLogger("lycosa")


_counting = threading.Lock()
_levels: list[int] = []
"""The logger's level at the beginning of each running crawl of this process."""


class _LogFile(logging.FileHandler):
    """A log file whose failures are ignored: on a full disk the crawl reports the disk itself."""

    def _open(self) -> IO[str]:  # type: ignore[override]
        """Open the file to append to it; a link is not followed."""
        return beneath.open_file(self.baseFilename, "a", encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Drop the line."""


class _Formatter(logging.Formatter):
    """Escapes characters that would control the reader's terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line for a message."""
        return on_screen(super().format(record))


@contextmanager
def said_to(path: Path, level: int = logging.INFO) -> Iterator[None]:
    """Write the program's messages to a file while the context lasts.

    Crawls that run in one process at the same time write to each other's files.
    """
    handler = _LogFile(path, encoding="utf-8")
    formatter = _Formatter("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    with _counting:
        _levels.append(logger.level)
        logger.addHandler(handler)
        logger.setLevel(level)
    try:
        yield
    finally:
        with _counting:
            logger.removeHandler(handler)
            first = _levels[0]
            _levels.pop()
            if not _levels:
                logger.setLevel(first)
        with suppress(OSError):
            handler.close()
