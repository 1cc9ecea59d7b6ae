"""The worker's handle on the process that reads pages apart.

The process starts with the first page and lives as long as the worker. If it dies, its successor
reads its pages. A page whose process dies twice is kept without findings.
"""

from __future__ import annotations

import dataclasses
import logging
import marshal
import os
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from lycosa._support.loop import EventLoop
from lycosa._support.tuples import NamedTuple
from lycosa.model.job import Job

if TYPE_CHECKING:
    import subprocess

    from lycosa._support.channel import Channel
    from lycosa.crawl.suspects.findings import Asked, Findings
    from lycosa.runtime.isolation.parcels import Parcel

EVERYTHING = "type links"
"""The value of `unread` if even the process of a page died."""
MOST_STARTS = 2
"""Number of times that a page is given to a process."""

log_messages = logging.getLogger(__name__)


class _Page(NamedTuple):
    content: bytes
    on_found: Callable[[Findings | None], None]
    starts: int


class Helper:
    """Reads pages apart; one per worker."""

    def __init__(self, loop: EventLoop, job: Job, *, has_plugins: bool) -> None:
        self._loop = loop
        self._job = job
        self._has_plugins = has_plugins
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel[Parcel] | None = None
        self._pages: dict[int, _Page] = {}
        self._last = 0

    def read(self, asked: Asked, on_found: Callable[[Findings | None], None]) -> None:
        """Read an answer; `on_found` is called later, once: with None if it was cut."""
        self._last += 1
        self._pages[self._last] = _Page(marshal.dumps(tuple(asked)), on_found, 0)
        self._give(self._last)

    def cut_all(self) -> None:
        """Kill the process; its pages are not read."""
        pages, self._pages = self._pages, {}
        self._end()
        for page in pages.values():
            page.on_found(None)

    def close(self) -> None:
        """Kill the process without calling back."""
        self._pages.clear()
        self._end()

    def _give(self, number: int) -> None:
        page = self._pages[number]
        self._pages[number] = page._replace(starts=page.starts + 1)
        if self._channel is None:
            self._start()
        assert self._channel is not None
        from lycosa.runtime.isolation.parcels import Parcel  # most workers never read a page apart

        self._channel.send(Parcel(number, page.content))

    def _start(self) -> None:
        import pickle  # most workers never read a page apart
        import subprocess

        from lycosa._support.channel import Channel
        from lycosa.runtime.isolation.parcels import Parcel, Setup

        crawl = self._job.crawl
        # There may be millions of seeds, and readers must not get the secrets of a login.
        read_by = dataclasses.replace(self._job, seeds=(), login=type(self._job.login)())
        limits = (crawl.reading_seconds, crawl.reading_memory_bytes)
        setup = Setup(read_by, self._has_plugins, *limits)
        ours, theirs = socket.socketpair()
        with theirs:
            words = [str(theirs.fileno()), str(os.getpid())]
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "lycosa.runtime.isolation.process", *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # a Ctrl-C is handled by the worker
            )
        self._channel = Channel(self._loop, ours, Parcel)
        self._channel.listen(self._found, self._gone)
        self._channel.send(Parcel(0, pickle.dumps(setup)))

    def _found(self, parcel: Parcel) -> None:
        page = self._pages.pop(parcel.number, None)
        if page is None:
            return
        from lycosa.crawl.suspects.findings import Findings  # most workers never read a page apart

        if parcel.content:
            packed = marshal.loads(parcel.content)
            page.on_found(Findings.unpacked(packed))
        else:
            page.on_found(Findings(unread=EVERYTHING))

    def _gone(self) -> None:
        """Give the pages of a dead process to a new one."""
        log_messages.warning("the process that reads pages apart has died; starting another one")
        self._end()
        from lycosa.crawl.suspects.findings import Findings  # most workers never read a page apart

        for number, page in list(self._pages.items()):
            if page.starts < MOST_STARTS:
                self._give(number)
            elif self._pages.pop(number, None) is not None:
                page.on_found(Findings(unread=EVERYTHING))

    def _end(self) -> None:
        channel, self._channel = self._channel, None
        process, self._process = self._process, None
        if channel is not None:
            channel.close()
        if process is not None:
            process.kill()
            process.wait()
