"""A worker's process as its supervisor sees it: started, heard, and buried."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from lycosa.crawl.processes.channel import Channel
from lycosa.crawl.processes.protocol import Answer, Order, Post
from lycosa.loop import EventLoop

STARTING_SECONDS = 60.0
"""How long a process may take until it says its first word."""

BURIAL_SECONDS = 5.0
"""How long a process that has closed its socket may take to end."""

_LAST_WORDS_BYTES = 2000


class Child:
    """One process that runs `lycosa.crawl.processes.boot`."""

    def __init__(
        self,
        loop: EventLoop,
        path: Path,
        post: Post,
        lock: int,
        on_answer: Callable[[Child, Answer], None],
        on_gone: Callable[[Child], None],
    ) -> None:
        self.number = post.number
        self.heard_at = time.monotonic()
        self.has_spoken = self.is_open = self.has_ended = False
        self._words = tempfile.TemporaryFile()  # noqa: SIM115
        ours, theirs = socket.socketpair()
        with theirs:
            command = [
                sys.executable,
                "-P",
                "-m",
                "lycosa.crawl.processes.boot",
                str(path.absolute()),
            ]
            command += [str(theirs.fileno()), str(os.getpid())]
            command.append(msgspec.json.encode(post).decode())
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._words,
                stderr=self._words,
                pass_fds=[theirs.fileno(), lock],
            )
        self._on_answer = on_answer
        self._on_gone = on_gone
        self._channel: Channel[Answer] = Channel(
            loop, ours, Answer, self._answered, lambda: on_gone(self)
        )

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def send(self, order: Order) -> None:
        """Tell the worker something; nothing happens when it is dead."""
        self._channel.send(order)

    def is_silent(self, now: float, silent_seconds: float) -> bool:
        """Return whether it has not been heard for too long."""
        most = silent_seconds if self.has_spoken else max(silent_seconds, STARTING_SECONDS)
        return now > self.heard_at + most

    def kill(self) -> None:
        """End the process at once; `on_gone` follows."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)

    def bury(self) -> str:
        """Wait for the end of a process that is gone; returns how it ended."""
        self._channel.close()
        try:
            code = self._process.wait(BURIAL_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        if code < 0:
            return f"killed by {signal.Signals(-code).name}"
        return f"ended with code {code}"

    def last_words(self) -> str:
        """Return the end of what the process has said beside its answers."""
        size = self._words.seek(0, os.SEEK_END)
        self._words.seek(max(0, size - _LAST_WORDS_BYTES))
        return self._words.read().decode(errors="replace").strip()

    def close(self) -> None:
        """Kill the process if it lives, and let go of everything."""
        if self._process.poll() is None:
            self.kill()
        self.bury()
        self._words.close()

    def _answered(self, answer: Answer) -> None:
        self.heard_at = time.monotonic()
        self.has_spoken = True
        self._on_answer(self, answer)
