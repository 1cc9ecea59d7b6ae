"""The log file of a crawl: what the program says while it runs (`lycosa.log`)."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

logger = logging.getLogger("lycosa")


class _LogFile(logging.FileHandler):
    """A log file that may fail: on a full disk the crawl's own message matters, not this one."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Lose the line."""


@contextmanager
def said_to(path: Path, level: int = logging.INFO) -> Iterator[None]:
    """Write the program's messages to a file for a while."""
    handler = _LogFile(path, encoding="utf-8")
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%SZ")
    formatter.converter = time.gmtime
    handler.setFormatter(formatter)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
        with suppress(OSError):
            handler.close()
