"""Starts commands of Lycosa as processes of their own, which outlive the server.

A crawl that the server starts is an ordinary crawl: it is in a session of its own, so it goes on
when the server ends, and `lycosa status`, `pause` and `stop` know it like any other.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lycosa._support.safe_text import visible
from lycosa.web.rest.problems import Refusal

LOOK_SECONDS = 0.05
BEGIN_SECONDS = 15.0
"""Seconds within which a crawl must have begun, or failed with a message."""
LONGEST_TEXT = 2_000


class Children:
    """The processes that were started; those that have ended are waited for."""

    def __init__(self) -> None:
        self._all: list[subprocess.Popen[bytes]] = []

    def start(self, words: Sequence[str], folder: Path, has_begun: Callable[[int], bool]) -> int:
        """Start a command; return its process id once it has begun.

        Raises `Refusal` with the command's message if it ends before that.
        """
        self.collect()
        with tempfile.TemporaryFile() as output:
            process = self.spawn(words, folder, output.fileno())
            until = time.monotonic() + BEGIN_SECONDS
            while time.monotonic() < until:
                code = process.poll()
                if code:
                    output.seek(0)
                    said = output.read(LONGEST_TEXT).decode("utf-8", "replace")
                    raise Refusal(422, visible(said.strip()) or f"it ended with code {code}")
                if code == 0 or has_begun(process.pid):
                    return process.pid
                time.sleep(LOOK_SECONDS)
        return process.pid

    def spawn(
        self, words: Sequence[str], folder: Path, output: int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        """Start a command in the background."""
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lycosa", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        self._all.append(process)
        return process

    def collect(self) -> None:
        """Wait for the processes that have ended."""
        self._all = self.running()

    def running(self) -> list[subprocess.Popen[bytes]]:
        """Return the processes that have not ended."""
        return [process for process in self._all if process.poll() is None]
