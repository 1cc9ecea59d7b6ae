"""The members of a trial: processes that share the crawl, each with a crawl directory.

The first member resumes the directory in which the crawl was begun; the others join by the address
of the log, as other machines would. The output of a member goes to `member-N.txt`.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from lycosa.cli.trial.children import last_lines, spawn

STOP_SECONDS = 60.0
"""Time for members to hand over, seal and leave before they are killed."""


class TrialMember:
    """A member process with its directory."""

    def __init__(self, folder: Path, number: int) -> None:
        self.name = f"member-{number}"
        self.path = folder / self.name
        self.output = folder / f"{self.name}.txt"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether its process lives."""
        return self._process is not None and self._process.poll() is None

    @property
    def code(self) -> int | None:
        """The exit code of its process: below 0 a signal, None while it runs."""
        return None if self._process is None else self._process.poll()

    @property
    def was_killed(self) -> bool:
        """Whether its process was killed by SIGKILL."""
        return self.code == -signal.SIGKILL

    def start(self, words: list[str]) -> None:
        """Run a command of ours in a process."""
        command = [sys.executable, "-m", "lycosa", *words, "--quiet"]
        self._process = spawn(command, self.output, folder=self.path.parent)

    def send(self, how: signal.Signals) -> None:
        """Send a signal, if its process lives."""
        if self._process is not None and self.is_running:
            self._process.send_signal(how)

    def kill(self) -> None:
        """End the process as a crash of its machine does, and wait until it is gone."""
        self.send(signal.SIGKILL)
        self.wait()

    def wait(self) -> None:
        """Wait until its process has ended."""
        if self._process is not None:
            self._process.wait()

    def last_words(self) -> str:
        """Return the end of what it has printed."""
        return last_lines(self.output)


class Members:
    """All members of a trial."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.all: list[TrialMember] = []

    @property
    def running(self) -> list[TrialMember]:
        """The members whose processes are alive."""
        return [member for member in self.all if member.is_running]

    @property
    def failed(self) -> list[TrialMember]:
        """The members that ended with an error; being killed or stopped does not count as one."""
        fine = (0, 130, -signal.SIGKILL)
        return [member for member in self.all if member.code not in (None, *fine)]

    def new(self) -> TrialMember:
        """Return the next member, which is not started yet."""
        member = TrialMember(self._folder, len(self.all) + 1)
        self.all.append(member)
        return member

    def stop(self) -> None:
        """Let all members leave in order, and kill those that are too slow."""
        for member in self.all:
            member.send(signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while self.running and time.monotonic() < deadline:
            time.sleep(0.05)
        self.kill()

    def kill(self) -> None:
        """End all at once; what they have committed stays."""
        for member in self.all:
            member.kill()
