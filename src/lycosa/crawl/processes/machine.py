"""What a crawl tells the machine it runs on, and what it says of it."""

from __future__ import annotations

import errno
import gc
import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa

from lycosa.errors import ConfigError, StoreError
from lycosa.memory import LARGE_BLOCK_BYTES, TUNABLES, is_told_of_blocks

OTHER_FILES = 64
"""Files of a process that are no connections: log, segments, sealing, names; 33 were counted."""


def require_files(connections: int, workers: int) -> None:
    """Make sure that each process of a crawl may open what it needs, or say how many files that is.

    The soft limit is raised as far as the system permits. `workers` is 0 where nobody has said how
    many there are: then one process may have all connections.
    """
    needed = OTHER_FILES + max(-(-connections // max(workers, 1)), 2 * workers)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY in (soft, hard) or hard >= needed:
        if soft != resource.RLIM_INFINITY and soft < needed:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        return
    fewer = hard - OTHER_FILES
    remedy = f", or ask less at once: --connections {fewer}" if fewer > 0 and workers < 2 else ""
    raise ConfigError(
        f"a process may open {hard} files here, and this crawl needs {needed}:"
        f" {OTHER_FILES} for its files and one for each connection\n"
        f"  raise the limit: ulimit -n {needed}{remedy}"
    )


@contextmanager
def full_disk_told(path: Path) -> Iterator[None]:
    """Say what a full disk means, wherever it was noticed."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise StoreError(
            f"{error.filename or path}: the disk is full\n"
            f"  make room, then go on: lycosa resume {path}"
        ) from error


def give_large_blocks_back() -> None:
    """Tell the C library to return the memory of large bodies to the system at once.

    Left alone it learns from the first large body to keep such blocks, and a crawl that meets
    a few bombs and endless pages at once grows to 230-250 MB; with this it stays below 200.
    Arrow is to ask the C library, too: its own allocator keeps 45 MB of a small crawl's sealing.
    """
    if not is_told_of_blocks(os.environ.get(TUNABLES, "")):
        import ctypes  # a crawl that has begun anew has been told by its environment

        threshold_option = -3  # M_MMAP_THRESHOLD of glibc
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(threshold_option, LARGE_BLOCK_BYTES)
    pa.set_memory_pool(pa.system_memory_pool())


def core_count() -> int:
    """Return how many processor cores this process may use."""
    return len(os.sched_getaffinity(0))


def collect_seldom() -> None:
    """Look for cycles less often: what a crawl makes has next to none, and lives long or briefly.

    With the interpreter's own thresholds the collector takes 3-4 % of a crawl's time.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


_counting = threading.Lock()
_thresholds: list[tuple[int, int, int]] = []
"""The collector's, when each crawl of this process began."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Do that for a while: the process may be another program's, which has objects of its own.

    Of several crawls in one process the first begins it and the last ends it.
    """
    with _counting:
        _thresholds.append(gc.get_threshold())
        if len(_thresholds) == 1:
            collect_seldom()
    try:
        yield
    finally:
        with _counting:
            first = _thresholds[0]
            _thresholds.pop()
            if not _thresholds:
                gc.unfreeze()
                gc.set_threshold(*first)
