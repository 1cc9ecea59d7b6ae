"""Large pages for the heap: a crawl touches a little of everything with every page.

What a process allocates lies in pages of 4 kB, and the processor has to look up each of them.
Linux gives pages of 2 MB to those who ask (`madvise`). The C library asks if its environment
tells it to, and it looks there once, before anything else happens: so a crawl begins by starting
itself anew in such an environment, which takes 10 ms, and saves a twentieth of all CPU time
(docs/decisions/0030-large-pages.md). Workers inherit it. Python's small objects do not come from
the C library: their arenas are put into large pages by `_arenas`, in every process of a crawl.

Always true:
  * nothing depends on it: where it cannot be done or has been done, nothing happens;
  * who has set `glibc.malloc.hugetlb` or `mmap_threshold`, to whatever, is not overruled; 0 for
    the first means no large pages at all.
"""

import gc
import os
import sys

TUNABLES = "GLIBC_TUNABLES"
_NAME = "glibc.malloc.hugetlb"
_BLOCKS_NAME = "glibc.malloc.mmap_threshold"
LARGE_BLOCK_BYTES = 1 << 20
"""Blocks from this size on go back to the system at once (`crawl.processes.machine`)."""
_FIRST_VERSION = (2, 35)
_MOST_TOOLS = 6
_PAGES = "/sys/kernel/mm/transparent_hugepage/enabled"


def begin_anew() -> None:
    """Start this process again with large pages, if it can have them and does not.

    To be called before anything is loaded. Somebody who watches (a debugger, a profiler) would
    lose sight of it, so then it is not done.
    """
    tunables = with_large_pages(os.environ.get(TUNABLES, ""))
    if tunables is None or _is_watched():
        return
    if not sys.executable or not are_given():
        return
    try:
        os.execve(
            sys.executable,
            [sys.executable, *sys.orig_argv[1:]],
            {**os.environ, TUNABLES: tunables},
        )
    except OSError:
        return  # it goes on as it is


def _is_watched() -> bool:
    if sys.gettrace() or sys.getprofile():
        return True
    if sys.version_info < (3, 12):
        return False
    # From Python 3.12 on profilers and debuggers may be here instead (PEP 669).
    return any(sys.monitoring.get_tool(number) for number in range(_MOST_TOOLS))


def expect_much() -> None:
    """Make ready for all that is about to be loaded, and stays: 70,000 objects.

    To look through them for cycles takes 15 ms, so that is done only by a command that makes many
    more; a crawl sets them aside when it begins (`crawl.processes.machine`).
    """
    gc.set_threshold(200_000, 20, 20)


def enlarge_arenas() -> None:
    """Let small objects lie in large pages from now on, if there are any and they are wanted.

    To be called before much is loaded: what has been made stays where it is.
    """
    if f"{_NAME}=0" in os.environ.get(TUNABLES, "").split(":") or not _has_pages():
        return
    from lycosa.memory._arenas import install  # not before the process has begun anew

    install()


def with_large_pages(tunables: str) -> str | None:
    """Return what to tell the C library; None when it has been told."""
    if _NAME in tunables:
        return None
    more = [f"{_NAME}=1"]
    if not is_told_of_blocks(tunables):
        more.append(f"{_BLOCKS_NAME}={LARGE_BLOCK_BYTES}")
    return ":".join(filter(None, (tunables, *more)))


def is_told_of_blocks(tunables: str) -> bool:
    """Return whether the C library has been told which blocks to give back at once."""
    return _BLOCKS_NAME in tunables


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
