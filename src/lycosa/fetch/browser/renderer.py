"""A browser process as its worker sees it: pages in, links and documents out, on the event loop.

The process (`browser_process`) is started with the first page, and again after a page that crashed
it. It renders one page at a time. It watches over memory and time by itself; should it fail to, it
is ended here, some seconds later, with everything below it.

Always true:
  * `on_done` is called once for every page, even if the process dies;
  * after `close` no process of the browser is left, and neither is its folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from lycosa._support.channel import Channel
from lycosa._support.loop import Cancellable, EventLoop
from lycosa.fetch.browser.guard import below
from lycosa.fetch.browser.protocol import (
    LARGEST_FRAME_BYTES,
    Done,
    Ending,
    FoundLink,
    FromBrowser,
    Holding,
    Part,
    PartWanted,
    RenderPage,
    Shown,
)

GRACE_SECONDS = 15.0
"""Extra seconds beyond the limits of a page and of a start before the browser is ended."""
PAGES_A_BROWSER = 200
"""Pages after which a new browser is started, which frees leftovers of earlier pages."""

OnDone = Callable[[Done, list[FoundLink]], None]


class Renders(Protocol):
    """The interface of a browser to a worker."""

    @property
    def is_free(self) -> bool:
        """Whether a page may be handed over."""

    def render(self, page: RenderPage, find: Callable[[PartWanted], Part], on_done: OnDone) -> None:
        """Render a page; `find` is asked for its parts, `on_done` is called once, later."""

    def drop(self) -> None:
        """Give up the page under way, without a call."""

    def close(self) -> None:
        """End the browser."""


class BrowserProcess:
    """A browser in processes of its own."""

    def __init__(
        self, loop: EventLoop, program: Path, home: Path, *, may_lack_sandbox: bool = False
    ) -> None:
        self._loop = loop
        self._program = program
        self._home = home
        self._may_lack_sandbox = may_lack_sandbox
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel[FromBrowser] | None = None
        self._links: list[FoundLink] = []
        self._shown: Shown | None = None
        self._missing: dict[str, None] = {}
        """Parts of the page under way that may come."""
        self._find: Callable[[PartWanted], Part] | None = None
        self._on_done: OnDone | None = None
        self._backstop: Cancellable | None = None
        self._pages = 0
        self.starts = 0
        """Number of starts of a browser."""

    @property
    def pid(self) -> int:
        """The number of the process; 0 when there is none."""
        return self._process.pid if self._process is not None else 0

    @property
    def is_free(self) -> bool:
        """Whether no page is under way."""
        return self._on_done is None

    def render(self, page: RenderPage, find: Callable[[PartWanted], Part], on_done: OnDone) -> None:
        """Render a page."""
        assert self.is_free
        if self._pages >= PAGES_A_BROWSER:
            self._end()
        if self._process is None:
            self._start()
        self._pages += 1
        self._find, self._on_done = find, on_done
        timer = self._loop.call_later(page.seconds + 2 * GRACE_SECONDS, self._is_overdue)
        self._backstop = timer
        assert self._channel is not None
        self._channel.send(page)

    def drop(self) -> None:
        """Give up the page under way."""
        if self._on_done is not None:
            self._forget()
            self._end()

    def close(self) -> None:
        """End the browser."""
        self._forget()
        self._end()
        shutil.rmtree(self._home, ignore_errors=True)

    # -- the process ------------------------------------------------------------------------

    def _start(self) -> None:
        self._empty_home()
        ours, theirs = socket.socketpair()
        words = ["-P", "-m", "lycosa.fetch.browser.browser_process", str(theirs.fileno())]
        home, sandbox = str(self._home), "perhaps" if self._may_lack_sandbox else "always"
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *words, str(os.getpid()), str(self._program), home, sandbox],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": home, "HOME": home},
                start_new_session=True,
            )
        self.starts += 1
        self._pages = 0
        self._channel = Channel(self._loop, ours, FromBrowser, LARGEST_FRAME_BYTES)
        self._channel.listen(self._take, self._is_gone, self._is_too_large)

    def _empty_home(self) -> None:
        """Make the browser's folder, or empty it; others cannot look into it."""
        self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in self._home.iterdir():
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)

    def _end(self) -> None:
        """End the process and everything below it."""
        process, self._process = self._process, None
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if process is None:
            return
        found = below(process.pid)
        for number in [process.pid, *found]:
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        process.wait()

    def _is_overdue(self) -> None:
        self._backstop = None
        self._end()
        self._finish(Done(Ending.TIMED_OUT, detail="the browser did not answer"))

    # -- messages ---------------------------------------------------------------------------

    def _is_gone(self) -> None:
        self._end()
        self._finish(Done(Ending.CRASHED, detail="the browser process ended"))

    def _is_too_large(self) -> None:
        self._end()
        self._finish(Done(Ending.OUT_OF_MEMORY, detail="the document is too large"))

    def _take(self, message: FromBrowser) -> None:
        if isinstance(message, FoundLink):
            self._links.append(message)
        elif isinstance(message, PartWanted):
            if self._find is not None and self._channel is not None:
                part = self._find(message)
                if part.holding is Holding.MISSING and message.is_needed:
                    self._missing[message.url] = None
                self._channel.send(part)
        elif isinstance(message, Shown):
            self._shown = message
        elif isinstance(message, Done):
            if message.ending is not Ending.RENDERED or message.is_last:
                self._end()
            self._finish(message)

    def _finish(self, done: Done) -> None:
        on_done, links = self._on_done, self._links
        if self._shown is not None:
            done.html, done.base = self._shown.html, self._shown.base
        done.missing = done.missing or list(self._missing)  # a browser that died tells of none
        self._forget()
        if on_done is not None:
            on_done(done, links)

    def _forget(self) -> None:
        self._on_done, self._find, self._links = None, None, []
        self._shown, self._missing = None, {}
        backstop, self._backstop = self._backstop, None
        if backstop is not None:
            backstop.cancel()
