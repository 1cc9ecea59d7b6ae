"""Named places in the code where a test can kill the crawler.

A crash can strike anywhere, but it is dangerous only between two steps whose order decides
whether something is lost or done twice. Each of these places has a name here and a call of
`reach` in the code. Unarmed, a call costs some nanoseconds (`lycosa._support._failpoint`).

In a simulation the armed hook raises `Killed`, which only the test harness catches.
In a real process `arm_from_environment` reads `LYCOSA_KILL_AT=name:n` and sends SIGKILL
to the process itself when it reaches the place for the n-th time.

`read.bomb` is another kind: `LYCOSA_READ_BOMB=1` lets a page choose the fate of its reader, by
a comment `read.bomb:READER:EFFECT` (`lycosa_testweb.webs.bombs.marked`). It stands for a page that
overloads a reader in a way for which there is no bound yet. The effects are those of `EFFECTS`.
"""

from __future__ import annotations

import os
import re
import signal
from collections import deque
from collections.abc import Callable
from itertools import repeat

from lycosa._support._failpoint import arm, armed, reach

__all__ = [
    "EFFECTS",
    "NAMES",
    "Killed",
    "arm",
    "arm_from_environment",
    "arm_readers_from_environment",
    "armed",
    "reach",
    "read_bomb",
]

NAMES: dict[str, str] = {
    "seeds.before-post": "seeds are known, nothing is written",
    "seeds.posted": "some seeds are written to inboxes, it is not known that all are",
    "take.before": "the log is read, the partition not yet taken",
    "take.written": "some or all partitions are taken, the worker does not know yet",
    "take.after": "the partition is taken, nothing has been done with it",
    "send.before": "a URL is chosen and its host taken; nothing has been sent",
    "send.after": "the request is on its way",
    "answer.before": "an answer has arrived and has not been processed",
    "answer.stored": "the answer is in the segment's buffer, no event exists",
    "answer.applied": "the events exist in memory, none of them is durable",
    "commit.before-flush": "a batch is cut, its segment bytes are not flushed",
    "commit.flushed": "segment bytes are flushed, links and events are not written",
    "log.posted": "some or all links are in inboxes, the events are not in the log",
    "log.appended": "some or all events are in the log, the worker does not know yet",
    "commit.done": "everything is written, the worker has not been told",
    "inbox.read": "links were read from an inbox, nothing was decided",
    "links.read_again": "links of pages at an old limit are about to be read from their records",
    "snapshot.before-rename": "a snapshot is written under its temporary name",
    "snapshot.renamed": "a snapshot is in place, the log still holds what it covers",
    "trim.archived": "log batches are in the archive and still in the log",
    "urls.before-seal": "a site's URLs are compressed, nothing is put away",
    "urls.sealed": "a site's URLs are in the vault and no longer in memory",
    "end.seen": "the end was found and has not been recorded",
    "cycle.over": "a cycle has ended everywhere, nothing is known of the next one",
    "cycle.bid": "all bids for a cycle are durable, no partition knows its share",
    "move.noted": "the note says where the log goes; some partitions can still be written to",
    "move.fenced": "no partition of the old log can be written to, nothing is copied",
    "move.copying": "a partition is in the new log, others are not",
    "move.copied": "everything is in the new log, which is not yet said to be whole",
    "move.whole": "the new log is said to be whole, the directory names the old one",
    "move.archive": "the new archive is in its place, the new log's file is not",
    "move.placed": "the new log's file is in its place, the directory names the old one",
    "render.before": "a page waits to be rendered, the browser has not got it",
    "render.done": "a page has come back from the browser, nothing was decided",
    "cycle.begun": "a partition has begun a cycle in memory, nothing of it is durable",
}


class Killed(BaseException):
    """The simulated SIGKILL. A BaseException, so that no `except Exception` survives it."""


def arm_from_environment() -> None:
    """Arm a real SIGKILL from `LYCOSA_KILL_AT=name:n`, and `read.bomb`, if they are set."""
    arm_readers_from_environment()
    wanted = os.environ.get("LYCOSA_KILL_AT")
    if not wanted:
        return
    name, _, count = wanted.partition(":")
    if name not in NAMES:
        raise SystemExit(f"LYCOSA_KILL_AT: no fail point {name!r}; there are: {', '.join(NAMES)}")
    left = int(count or 1)

    def kill(reached: str) -> None:
        nonlocal left
        if reached == name:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    arm(kill)


_MARK = rb"read\.bomb:([a-z-]+):([a-z]+)"
_ALLOCATED_BYTES = 2 << 30
_PIECE_BYTES = 8 << 20

read_bomb: Callable[[bytes, str], None] | None = None
"""Called with a page and the name of its reader, before that begins; None while unarmed."""


def arm_readers_from_environment() -> None:
    """Arm `read.bomb` in this process if `LYCOSA_READ_BOMB` is set."""
    global read_bomb
    read_bomb = _misread if os.environ.get("LYCOSA_READ_BOMB") else None


def _misread(page: bytes, reader: str) -> None:
    for found in re.finditer(_MARK, page):
        if found[1] == reader.encode():
            EFFECTS[found[2].decode()]()


def _loop() -> None:
    """Never return, in compiled code that holds the GIL and looks at no signal."""
    deque(repeat(0), maxlen=0)


def _allocate() -> None:
    """Fill memory; die like a process that the kernel kills when it has none left."""
    pieces: list[bytes] = []
    while len(pieces) * _PIECE_BYTES < _ALLOCATED_BYTES:
        pieces.append(b"x" * _PIECE_BYTES)
    os.kill(os.getpid(), signal.SIGKILL)


def _crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


EFFECTS: dict[str, Callable[[], None]] = {"loop": _loop, "allocate": _allocate, "crash": _crash}
"""Effects on a reader, by name. If memory runs out, `allocate` raises a MemoryError."""
