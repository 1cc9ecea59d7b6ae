"""Watches the processes of a browser: their memory and their time; ends all of them.

The browser's processes are children of the process that calls this, or of its children. This
process is made their reaper: a process that loses its parent becomes its child, so none is
overlooked.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

LOOK_SECONDS = 0.1
_SIGNAL_WHEN_PARENT_ENDS, _REAPER = 1, 36
"""PR_SET_PDEATHSIG and PR_SET_CHILD_SUBREAPER of linux/prctl.h."""
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def end_with(parent: int) -> None:
    """Let the kernel end this process with its parent; become the reaper of all descendants."""
    libc = ctypes.CDLL(None)
    libc.prctl(_SIGNAL_WHEN_PARENT_ENDS, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    libc.prctl(_REAPER, ctypes.c_ulong(1), 0, 0, 0)
    if os.getppid() != parent:  # the parent ended before the request, so no signal will come
        os._exit(1)


def below(process: int) -> list[int]:
    """Return all processes that descend from one, the nearest first."""
    parents: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                stat = Path(entry.path, "stat").read_bytes()
                fields = stat[stat.rindex(b")") + 2 :].split()
                if fields[0] != b"Z":
                    parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found, todo = [], [process]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def memory_bytes(processes: list[int]) -> int:
    """Return the memory of processes together, without what they share with files."""
    total = 0
    for process in processes:
        with suppress(OSError, ValueError, IndexError):
            _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_bytes().split()
            total += (int(resident) - int(shared)) * _PAGE_BYTES
    return total


def cpu_seconds(processes: list[int]) -> float:
    """Return the CPU time of processes and of their children that have ended."""
    ticks = 0
    for process in processes:
        with suppress(OSError, ValueError, IndexError):
            stat = Path(f"/proc/{process}/stat").read_bytes()
            fields = stat[stat.rindex(b")") + 2 :].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / _TICKS


def end_all(process: int) -> None:
    """Kill everything below a process, until nothing is left."""
    for _ in range(50):
        found = below(process)
        if not found:
            return
        for number in found:
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        time.sleep(0.01)


class Guard:
    """Ends the browser's processes when they take too much memory or time.

    It watches in a thread of its own, since the page may keep the browser from answering.
    """

    def __init__(self, on_breach: Callable[[str], None]) -> None:
        self._on_breach = on_breach
        self._deadline = float("inf")
        self._limit = 0
        self.most_bytes = 0
        """The most memory that was seen since the last `begin`."""
        threading.Thread(target=self._watch, daemon=True).start()

    def begin(self, seconds: float, limit_bytes: int) -> None:
        """Watch over one page."""
        self.most_bytes = 0
        self._limit = limit_bytes
        self.extend(seconds)

    def extend(self, seconds: float) -> None:
        """Give the page so much time from now on."""
        self._deadline = time.monotonic() + seconds

    def end(self) -> None:
        """Stop watching: no page is being rendered."""
        self._deadline = float("inf")
        self._limit = 0

    def _watch(self) -> None:
        newest, processes = b"", [os.getpid()]
        while True:
            time.sleep(LOOK_SECONDS)
            limit = self._limit
            if not limit:
                continue
            # All of /proc is read only after a process was made anywhere; its number is the last.
            if newest != (newest := Path("/proc/loadavg").read_bytes().split()[-1]):
                processes = [os.getpid(), *below(os.getpid())]
            used = memory_bytes(processes)
            self.most_bytes = max(self.most_bytes, used)
            if used > limit:
                self._on_breach("out-of-memory")
            elif time.monotonic() > self._deadline:
                self._on_breach("timed-out")
