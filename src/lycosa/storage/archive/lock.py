"""A lock file that one process holds at a time; the kernel releases it when the holder dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lycosa._support import beneath
from lycosa.errors import LycosaError


@contextmanager
def alone(path: Path, otherwise: LycosaError) -> Iterator[None]:
    """Hold the lock while the block runs; where another process has it, raise the error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = beneath.descriptor(path, os.O_RDWR | os.O_CREAT)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise otherwise from None
        yield
    finally:
        os.close(lock)
