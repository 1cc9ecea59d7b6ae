"""The supervisor's handle on one worker process: start it, talk to it, notice its end."""

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

from lycosa.channel import Channel
from lycosa.crawl.processes.assignments import Assignment
from lycosa.crawl.processes.workers.protocol import Command, Reply
from lycosa.loop import EventLoop
from lycosa.memory import worker_environment

STARTING_SECONDS = 60.0
"""Seconds that a process has for its first message."""

EXIT_SECONDS = 5.0
"""Seconds that a process has to exit after it closed its socket."""

_LAST_OUTPUT_BYTES = 2000


class Child:
    """A process that runs `lycosa.crawl.processes.workers.boot`."""

    def __init__(
        self,
        loop: EventLoop,
        path: Path,
        assignment: Assignment,
        lock: int,
        on_reply: Callable[[Child, Reply], None],
        on_gone: Callable[[Child], None],
    ) -> None:
        self.number = assignment.number
        self.heard_at = time.monotonic()
        self.has_replied = self.is_open = self.has_finished = False
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        ours, theirs = socket.socketpair()
        with theirs:
            command = [
                sys.executable,
                "-P",
                "-m",
                "lycosa.crawl.processes.workers.boot",
                str(path.absolute()),
            ]
            command += [str(theirs.fileno()), str(os.getpid())]
            command.append(msgspec.json.encode(assignment).decode())
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=self._output,
                pass_fds=[theirs.fileno(), lock],
                env=worker_environment(),
            )
        self._on_reply = on_reply
        self._channel: Channel[Reply] = Channel(loop, ours, Reply)
        self._channel.listen(self._replied, lambda: on_gone(self))

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def send(self, command: Command) -> None:
        """Send a command; a dead process ignores it."""
        self._channel.send(command)

    def is_silent(self, now: float, silent_seconds: float) -> bool:
        """Return whether the process has sent nothing for too long."""
        most = silent_seconds if self.has_replied else max(silent_seconds, STARTING_SECONDS)
        return now > self.heard_at + most

    def kill(self) -> None:
        """Kill the process; `on_gone` is called when its socket closes."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGKILL)

    def wait(self) -> str:
        """Wait for a process that has closed its socket to exit; describe how it ended."""
        self._channel.close()
        try:
            code = self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended with code {code}"

    def last_output(self) -> str:
        """Return the end of the process's output on stdout and stderr."""
        size = self._output.seek(0, os.SEEK_END)
        self._output.seek(max(0, size - _LAST_OUTPUT_BYTES))
        return self._output.read().decode(errors="replace").strip()

    def close(self) -> None:
        """Kill the process if it still runs, and close its socket and output."""
        if self._process.poll() is None:
            self.kill()
        self.wait()
        self._output.close()

    def _replied(self, reply: Reply) -> None:
        self.heard_at = time.monotonic()
        self.has_replied = True
        self._on_reply(self, reply)
