"""A member of the cluster on a machine of its own: network, disk, clock, process.

Its crawl directory lies on a small disk in memory, which can be filled. A library that is
preloaded (`broken.c`) makes the disk slow and lets the wall clock jump. The machine has a name of
its own and keeps its own pace towards addresses, as real ones do.
"""

from __future__ import annotations

import mmap
import os
import signal
import struct
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from servers.processes import halt, spawn
from soak.network import Network

DISK = "48m"
_NUMBERS = struct.Struct("=qqq")


def build_broken(folder: Path) -> Path:
    """Compile the library that members are started with."""
    library = folder / "broken.so"
    source = Path(__file__).with_name("broken.c")
    words = ["cc", "-O2", "-fPIC", "-shared", "-o", str(library), str(source), "-ldl"]
    subprocess.run(words, check=True)
    return library


class Machine:
    """One machine of the cluster, with one member."""

    def __init__(self, number: int, folder: Path, network: Network, library: Path) -> None:
        self.name = f"m{number}"
        self.address = f"10.77.2.{number + 1}"
        network.add(self.name, self.address)
        self._network = network
        self._library = library
        self.disk = folder / self.name
        self.disk.mkdir()
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK}", self.name, str(self.disk)], check=True
        )
        self.path = self.disk / "crawl"
        self.output = folder / f"{self.name}.said"
        self._runtime = folder / f"{self.name}.runtime"
        self._runtime.mkdir(mode=0o700)
        self._told = folder / f"{self.name}.broken"
        self._told.write_bytes(bytes(_NUMBERS.size))
        with self._told.open("r+b") as file:
            self._numbers = mmap.mmap(file.fileno(), _NUMBERS.size)
        self.process: subprocess.Popen[bytes] | None = None
        self.words: list[str] = []
        """The command that lets it join; `resume` as soon as there is a directory."""
        self.starts = 0
        self.is_faulty = False
        """A fault has not ended: whoever starts machines leaves it alone."""
        self.is_doubtful = False
        """What it has asked may be unknown to all others."""

    def start(self) -> None:
        """Start its process."""
        is_there = (self.path / "crawl.toml").exists()
        words = ["resume", str(self.path)] if is_there else self.words
        command = [
            *("env", f"LD_PRELOAD={self._library}", f"LYCOSA_BROKEN={self._told}"),
            f"LYCOSA_RUNTIME_DIR={self._runtime}",
            *(sys.executable, "-m", "lycosa", *words, "--quiet"),
        ]
        named = ["unshare", "--uts", "sh", "-c", f'hostname {self.name} && exec "$@"', "sh"]
        self.process = spawn([*self._network.inside(self.name), *named, *command], self.output)
        self.starts += 1

    @property
    def is_running(self) -> bool:
        """Whether its process is there, stopped or not."""
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """End its process as a crash does."""
        assert self.process is not None
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Stop all its threads."""
        assert self.process is not None
        halt(self.process.pid)

    def go_on(self) -> None:
        """Let it run again."""
        if self.process is not None and self.is_running:
            os.kill(self.process.pid, signal.SIGCONT)

    def fill_disk(self) -> None:
        """Take every free byte of its disk."""
        with suppress(OSError), (self.disk / "filling").open("ab", buffering=0) as file:
            while True:
                file.write(bytes(1 << 12))

    def free_disk(self) -> None:
        """Give the bytes back."""
        (self.disk / "filling").unlink(missing_ok=True)

    def break_down(
        self, clock_seconds: int = 0, sync_seconds: float = 0.0, write_seconds: float = 0.0
    ) -> None:
        """Set how wrong its clock is, and how slow its disk."""
        numbers = (clock_seconds, int(sync_seconds * 1e6), int(write_seconds * 1e6))
        self._numbers[:] = _NUMBERS.pack(*numbers)

    def said(self) -> str:
        """Return what its processes have written to the terminal."""
        return self.output.read_text(errors="replace")

    def last_words(self) -> str:
        """Return the ends of what it said and of its log file."""
        file = self.path / "lycosa.log"
        log = file.read_text(errors="replace") if file.exists() else ""
        return f"{self.said()[-3000:]}\n{log[-5000:]}"
