"""Measures CPU time and memory of a process and its children, by the kernel's account.

`wait4` tells of a process together with those of its children that it has waited for. CPU is
user and system together. The peak of memory is that of the largest single process; the kernel
counts this harness's own size in, some 20 MB, which a client must exceed to be seen.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import statistics
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CORE = 0


class ClientFailed(Exception):
    """A client ended with an error, or not at all."""


@dataclass(frozen=True)
class Usage:
    user_seconds: float
    system_seconds: float
    wall_seconds: float
    peak_megabytes: float

    @property
    def cpu_seconds(self) -> float:
        return self.user_seconds + self.system_seconds


@dataclass(frozen=True)
class Run:
    """One run of one client: what it used, and what it left."""

    client: str
    tree: str
    usage: Usage
    pages: int
    complete: bool
    disk_megabytes: float

    @property
    def pages_per_cpu_second(self) -> float:
        return self.pages / self.usage.cpu_seconds


@dataclass(frozen=True)
class Summary:
    """The medians of a client's runs on one tree."""

    client: str
    tree: str
    runs: int
    pages: int
    complete: bool
    pages_per_cpu_second: float
    slowest: float
    fastest: float
    user_seconds: float
    system_seconds: float
    wall_seconds: float
    peak_megabytes: float
    disk_megabytes: float


def summarise(runs: Sequence[Run]) -> Summary:
    """Take the median of each figure by itself."""
    rates = [run.pages_per_cpu_second for run in runs]
    return Summary(
        client=runs[0].client,
        tree=runs[0].tree,
        runs=len(runs),
        pages=statistics.median_low(run.pages for run in runs),
        complete=all(run.complete for run in runs),
        pages_per_cpu_second=statistics.median(rates),
        slowest=min(rates),
        fastest=max(rates),
        user_seconds=statistics.median(run.usage.user_seconds for run in runs),
        system_seconds=statistics.median(run.usage.system_seconds for run in runs),
        wall_seconds=statistics.median(run.usage.wall_seconds for run in runs),
        peak_megabytes=statistics.median(run.usage.peak_megabytes for run in runs),
        disk_megabytes=statistics.median(run.disk_megabytes for run in runs),
    )


def measure(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    most_seconds: float,
    fine: Sequence[int] = (0,),
    cores: str = str(CORE),
) -> Usage:
    """Run a command on the client's core to its end; what it says goes to `folder/output`."""
    began = time.monotonic()
    with started(["taskset", "-c", cores, *command], folder, environment) as process:
        status, usage = _wait(process.pid, began + most_seconds)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in fine:
        end = (folder / "output").read_text(errors="replace")[-2000:]
        raise ClientFailed(f"{' '.join(command)}\n  ended with {process.returncode}\n{end}")
    return Usage(usage.ru_utime, usage.ru_stime, wall, usage.ru_maxrss / 1000)


def _inherited() -> dict[str, str]:
    """Return our environment as a user's would be: Python keeps what it has compiled.

    Without that every start of a program in Python compiles its source again; 0.2 s for Lycosa.
    """
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


@contextlib.contextmanager
def started(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Start a command with a group of its own, which is killed if the block is left by an error."""
    with (folder / "output").open("wb") as file:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**_inherited(), **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
    except BaseException:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        raise


def _wait(pid: int, until: float) -> tuple[int, resource.struct_rusage]:
    pause = 0.01
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            return status, usage
        if time.monotonic() > until:
            raise ClientFailed("a client did not end in time and was killed")
        time.sleep(pause)
