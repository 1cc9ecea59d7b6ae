"""Puts the heap into large memory pages, which saves a twentieth of a crawl's CPU time.

Memory comes in pages of 4 kB, and the processor has to look up each of them; a crawl touches a
little of everything with every web page. Linux provides pages of 2 MB on request (`madvise`). The C
library requests them if its environment says so, but reads the environment only once, at the very
start. So the process that crawls is started in such an environment by the one that watches it
(docs/decisions/0015-one-page.md). Python's small objects do not come from the C library:
`_arenas` puts their arenas into large pages, in every process of a crawl.

The setting is meant for our own processes. A process that was started with it puts its
environment back as it was, and passes the setting on only to the workers that it starts
(`worker_environment`), which do the same. A program that a plugin starts sees nothing of it.

    _arenas  an allocator of Python's arenas, compiled

Always true:
  * nothing depends on it: where large pages are impossible or already in use, nothing happens;
  * a user's own value of `glibc.malloc.hugetlb` or `mmap_threshold` is not overruled; 0 for
    the first means no large pages at all;
  * once `restore_environment` has returned, `os.environ` is what the user gave.
"""

import gc
import os
import sys

TUNABLES = "GLIBC_TUNABLES"
_NAME = "glibc.malloc.hugetlb"
_BEFORE = "LYCOSA_TUNABLES_BEFORE"
"""The value of `GLIBC_TUNABLES` before we set it, after an equals sign; empty if it was not set."""
_BLOCKS_NAME = "glibc.malloc.mmap_threshold"
LARGE_BLOCK_BYTES = 1 << 20
"""Blocks from this size on go back to the system at once (`runtime.processes.machine`)."""
_FIRST_VERSION = (2, 35)
_MOST_TOOLS = 6
_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"

_told: str | None = None
"""The settings that we gave the C library of this process; None if the user gave them, or
nobody."""


def anew_environment() -> dict[str, str] | None:
    """Return the environment to start a crawl's process in, with large pages.

    None where it has them, or cannot have them. A debugger or a profiler would lose sight of a
    process that is started, so then it is None, too.
    """
    tunables = with_large_pages(told())
    if tunables is None or _is_watched() or not are_given():
        return None
    return _with_tunables(tunables)


def _is_watched() -> bool:
    if sys.gettrace() or sys.getprofile():
        return True
    if sys.version_info < (3, 12):
        return False
    # From Python 3.12 on profilers and debuggers may be here instead (PEP 669).
    return any(sys.monitoring.get_tool(number) for number in range(_MOST_TOOLS))


def restore_environment() -> None:
    """Put the environment back as it was before we set the tunables in it.

    To be called at the start of every process that a watcher or a supervisor has started.
    """
    global _told
    before = os.environ.pop(_BEFORE, None)
    if before is None:
        return
    _told = os.environ.pop(TUNABLES, "")
    if before.startswith("="):
        os.environ[TUNABLES] = before[1:]


def told() -> str:
    """Return what the C library of this process was told at its start."""
    return os.environ.get(TUNABLES, "") if _told is None else _told


def worker_environment() -> dict[str, str] | None:
    """Return the environment to start a worker in; None where it is to inherit ours."""
    return None if _told is None else _with_tunables(_told)


def _with_tunables(tunables: str) -> dict[str, str]:
    before = f"={os.environ[TUNABLES]}" if TUNABLES in os.environ else ""
    return {**os.environ, TUNABLES: tunables, _BEFORE: before}


def expect_much() -> None:
    """Make ready for all that is about to be loaded, and stays: 70,000 objects.

    To look through them for cycles takes 15 ms, so that is done only by a command that makes many
    more; a crawl sets them aside when it begins (`runtime.processes.machine`).
    """
    gc.set_threshold(200_000, 20, 20)


def enlarge_arenas() -> None:
    """Let small objects lie in large pages from now on, if there are any and they are wanted.

    To be called before much is loaded: what has been made stays where it is.
    """
    if f"{_NAME}=0" in told().split(":") or not _has_pages():
        return
    from lycosa._support.memory._arenas import install  # a watcher has none

    install()


def with_large_pages(tunables: str) -> str | None:
    """Return what to tell the C library; None when it has been told."""
    if _NAME in tunables:
        return None
    more = [f"{_NAME}=1"]
    if _BLOCKS_NAME not in tunables:
        more.append(f"{_BLOCKS_NAME}={LARGE_BLOCK_BYTES}")
    return ":".join(filter(None, (tunables, *more)))


def is_told_of_blocks() -> bool:
    """Return whether the C library has been told which blocks to give back at once."""
    return _BLOCKS_NAME in told()


def are_given() -> bool:
    """Return whether the system gives large pages to those who ask, and the library can ask.

    Where it gives them to all, or to nobody, there is nothing to ask for.
    """
    try:
        library, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
        if library != "glibc" or tuple(map(int, version.split(".")[:2])) < _FIRST_VERSION:
            return False
    except (OSError, ValueError):
        return False
    return _has_pages()


def _has_pages() -> bool:
    try:
        with open(_PAGES, encoding="utf-8") as file:  # noqa: PTH123  pathlib is slow to load
            return "[madvise]" in file.read()
    except OSError:
        return False
