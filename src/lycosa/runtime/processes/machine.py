"""Settings that a crawl asks of the operating system and the interpreter.

The limit on open files, how the C library returns memory, how often the interpreter collects
garbage, the death of a process with its supervisor, and the error message for a full disk.
"""

from __future__ import annotations

import errno
import gc
import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa

from lycosa._support.memory import LARGE_BLOCK_BYTES, is_told_of_blocks
from lycosa.errors import ConfigError, StoreError
from lycosa.model.job import Fetch
from lycosa.model.job.requests import FILES_A_KEPT

OTHER_FILES = 64
"""Open files of a process besides its connections: log, segments, sealing; 33 were counted."""
_PR_SET_PDEATHSIG = 1
_ORPHANED = 4
"""The exit code of a process whose supervisor is gone."""


def require_files(fetch: Fetch, workers: int) -> None:
    """Raise the limit on open files to the number that a crawl needs, or refuse to start.

    `workers` is 0 if the job leaves their number to Lycosa: then one process may get all
    connections. Connections kept between requests are useful, but not needed.
    """
    processes = max(workers, 1)
    needed = OTHER_FILES + max(-(-fetch.connections // processes), 2 * workers)
    wanted = needed + FILES_A_KEPT * (fetch.kept_connections // processes)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY in (soft, hard) or hard >= needed:
        if soft != resource.RLIM_INFINITY and soft < wanted:
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
def full_disk_explained(path: Path) -> Iterator[None]:
    """Replace the error of a full disk by one that names the way to continue."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise StoreError(
            f"{error.filename or path}: the disk is full\n"
            f"  make room, then continue: lycosa resume {path}"
        ) from error


def give_large_blocks_back() -> None:
    """Tell the C library to return the memory of large bodies to the system at once.

    By default it learns from the first large body to keep such blocks, and a crawl that meets a few
    bombs and endless pages at once grows to 230-250 MB. With this setting it stays below 200. Arrow
    is told to use the C library, because its own allocator keeps 45 MB after a sealing. Its other
    setting can only be changed when it is loaded (`lean_arrow`).
    """
    if not is_told_of_blocks():
        import ctypes  # not loaded if the environment has set it already (`lycosa._support.memory`)

        threshold_option = -3  # M_MMAP_THRESHOLD of glibc
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(threshold_option, LARGE_BLOCK_BYTES)
    pa.set_memory_pool(pa.system_memory_pool())


def core_count() -> int:
    """Return how many processor cores this process may use."""
    return len(os.sched_getaffinity(0))


def collect_seldom() -> None:
    """Collect garbage less often: with the default thresholds it takes 3-4 % of a crawl's time.

    The objects of a crawl have almost no reference cycles.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


_counting = threading.Lock()
_thresholds: list[tuple[int, int, int]] = []
"""Thresholds in force when each running crawl of this process began."""


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Collect garbage less often while the context lasts, then restore the thresholds.

    Of several crawls in one process the first changes them and the last restores them.
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


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its supervisor dies."""
    import ctypes  # a single process does not load it

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        exit_orphaned()


def exit_orphaned() -> None:
    """End the process at once: the supervisor is gone."""
    os._exit(_ORPHANED)
