"""Processes under a supervisor: start them, talk to them, bury them, start others in their place.

A `Child` is one process and the socket to it. A `Brood` is all of a supervisor's processes, by
number: the workers of a crawl (`supervisor`), or the members of a cluster on one machine
(`member.crew`), each of which is a `Keeper`.

Always true:
  * a process is buried as soon as its exit was seen: its socket closes, and its end is awaited. No
    other process of its number is started before that;
  * a process that reads one page for too long, or with too much memory, is killed. So is one that
    says nothing for too long, where the keeper expects signs of life;
  * a suspended machine loses nothing: silence counts only while the supervisor itself runs.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from lycosa._support.channel import Channel
from lycosa._support.loop import EventLoop
from lycosa._support.memory import worker_environment
from lycosa._support.tuples import NamedTuple
from lycosa.crawl.suspects.marks import LOOK_SECONDS
from lycosa.runtime.isolation.watching import Watching

STARTING_SECONDS = 60.0
"""Seconds that a process has for its first message."""

EXIT_SECONDS = 5.0
"""Seconds that a process has to exit after it closed its socket."""

STALLED_SECONDS = 5.0
"""A look this late means that the supervisor itself was suspended: no process was silent."""

_LAST_OUTPUT_BYTES = 2000

M = TypeVar("M")

log_messages = logging.getLogger(__name__)


class Program(NamedTuple):
    """The program of a child, with its arguments."""

    module: str
    path: Path
    """Its crawl directory."""
    log_folder: Path
    """Where it notes the page that it is reading."""
    messages: Any
    """The union of its messages."""
    words: Sequence[str] = ()
    """Arguments after directory, socket and parent."""
    inherits: Sequence[int] = ()
    """File descriptors that it gets besides the socket."""
    mark: int = 0
    """The number of its mark in that folder."""
    is_apart: bool = False
    """Whether a Ctrl-C does not reach it, and its errors go to the terminal."""


class Child(Generic[M]):
    """A process that was started here, and the socket to it."""

    def __init__(
        self,
        loop: EventLoop,
        number: int,
        program: Program,
        on_message: Callable[[Child[M], M], None],
        on_gone: Callable[[Child[M]], None],
    ) -> None:
        self.number = number
        self.began_at = self.heard_at = time.monotonic()
        self.has_replied = False
        self._output = None if program.is_apart else tempfile.TemporaryFile()  # noqa: SIM115
        ours, theirs = socket.socketpair()
        with theirs:
            words = [str(program.path.absolute()), str(theirs.fileno()), str(os.getpid())]
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", program.module, *words, *program.words],
                stdin=subprocess.DEVNULL,
                stdout=self._output or subprocess.DEVNULL,
                stderr=self._output,
                pass_fds=[theirs.fileno(), *program.inherits],
                env=worker_environment(),
                start_new_session=program.is_apart,
            )
        self._on_message = on_message
        self._channel: Channel[M] = Channel(loop, ours, program.messages)
        self._channel.listen(self._came, lambda: on_gone(self))

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, message: msgspec.Struct) -> None:
        """Send a message; a dead process ignores it."""
        self._channel.send(message)

    def is_silent(self, now: float, silent_seconds: float) -> bool:
        """Return whether the process has sent nothing for too long."""
        most = silent_seconds if self.has_replied else max(silent_seconds, STARTING_SECONDS)
        return now > self.heard_at + most

    def signal(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Kill the process, or send it another signal."""
        with suppress(ProcessLookupError):
            self._process.send_signal(number)

    def wait(self) -> str:
        """Wait for a process that has closed its socket to exit; describe how it ended."""
        self._channel.close()
        try:
            code = self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.signal()
            code = self._process.wait()
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended with code {code}"

    def last_output(self) -> str:
        """Return the end of the process's output, if it does not go to the terminal."""
        if self._output is None:
            return ""
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - _LAST_OUTPUT_BYTES))
        return self._output.read().decode(errors="replace").strip()

    def close(self) -> None:
        """Kill the process if it still runs, and close its socket and output."""
        if self._process.poll() is None:
            self.signal()
        self.wait()
        if self._output is not None:
            self._output.close()

    def _came(self, message: M) -> None:
        self.heard_at = time.monotonic()
        self.has_replied = True
        self._on_message(self, message)


class Keeper(Protocol[M]):
    """Decides for a `Brood` what its processes run, and what follows from their ends."""

    def program(self, number: int) -> Program:
        """Return what the next process of a number is to run."""

    def told(self, child: Child[M], message: M) -> None:
        """Process a message."""

    def buried(self, child: Child[M], how: str, *, by_page: bool) -> float | None:
        """Return after how many seconds to start another process, None for never.

        `by_page` is whether a page has killed it that the next process will read apart.
        """

    def goes_on(self) -> bool:
        """Return whether a process that was to be started later is still wanted."""

    def all_gone(self) -> None:
        """Learn that no process is left, and none will be started."""


class Brood(Generic[M]):
    """The processes of one supervisor."""

    def __init__(
        self,
        loop: EventLoop,
        keeper: Keeper[M],
        noun: str,
        on_pids: Callable[[list[int]], None] = lambda pids: None,
    ) -> None:
        """Call `on_pids` with the ids of all processes whenever one was started."""
        self._loop = loop
        self._on_pids = on_pids
        self._keeper = keeper
        self._noun = noun
        """The name of a process in messages."""
        self.children: dict[int, Child[M]] = {}
        self._waiting: set[int] = set()
        """Numbers whose next process is to be started later."""
        self._reading = Watching()
        self._watched_at = time.monotonic()

    def start(self, number: int) -> None:
        """Start a process."""
        self._waiting.discard(number)
        program = self._keeper.program(number)
        child = Child(self._loop, number, program, self._keeper.told, self._bury)
        self.children[number] = child
        self._reading.started(number, program.log_folder, child.pid, mark=program.mark)
        self._on_pids([child.pid for child in self.children.values()])

    def send_to_all(self, message: msgspec.Struct) -> None:
        """Send a message to every process."""
        for child in self.children.values():
            child.send(message)

    def stopping(self, stop_seconds: float) -> None:
        """Start no other process, and kill those that still read when the time is over."""
        self._reading.stopping(stop_seconds)
        self._waiting.clear()
        self._look_whether_empty()

    def watch(self) -> None:
        """Watch from now on for processes that read a page for too long."""
        for number, why in self._reading.look():
            if number in self.children:
                log_messages.warning("%s %d: %s; killing it", self._noun, number, why)
                self.children[number].signal()
        self._loop.call_later(LOOK_SECONDS, self.watch)

    def kill_silent(self, silent_seconds: float) -> None:
        """Kill the processes that have said nothing for too long; called once a second."""
        now = time.monotonic()
        is_stalled, self._watched_at = now > self._watched_at + STALLED_SECONDS, now
        for child in self.children.values():
            if is_stalled:
                child.heard_at = now
            if child.is_silent(now, silent_seconds):
                log_messages.warning(
                    "%s %d (pid %d) has been silent for %.0f s; killing it",
                    self._noun,
                    child.number,
                    child.pid,
                    now - child.heard_at,
                )
                child.heard_at = now
                child.signal()

    def close(self) -> None:
        """Kill every process that still runs."""
        for child in self.children.values():
            child.close()

    def _bury(self, child: Child[M]) -> None:
        """Await the end of a process whose socket has closed; start another if that is wanted."""
        number, how = child.number, child.wait()
        del self.children[number]
        by_page = self._reading.died(number) is not None
        pause = self._keeper.buried(child, how, by_page=by_page)
        child.close()
        if pause is None:
            self._look_whether_empty()
        else:
            self._waiting.add(number)
            self._loop.call_later(pause, self._start_again, number)

    def _start_again(self, number: int) -> None:
        if number not in self._waiting:
            return
        if self._keeper.goes_on():
            self.start(number)
            pid = self.children[number].pid
            log_messages.warning("%s %d is replaced by pid %d", self._noun, number, pid)
        else:
            self._waiting.discard(number)
            self._look_whether_empty()

    def _look_whether_empty(self) -> None:
        if not self.children and not self._waiting:
            self._keeper.all_gone()
