"""Child processes that die with us, loopback addresses of their own, and waiting for servers."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from lycosa.cli.trial import launch
from lycosa.errors import LogError

READY_SECONDS = 60.0
_END_SECONDS = 30.0
_SHOWN_LINES = 15


def spawn(
    command: Sequence[str | Path],
    output: Path,
    *,
    user: str = "-",
    last_signal: signal.Signals = signal.SIGKILL,
    folder: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Start a program that gets `last_signal` when we end; what it prints goes to a file.

    The child has a session of its own: only this process hears Ctrl-C, and stops the child in
    order. Call this in the main thread: the kernel sends the signal when the calling thread ends.
    """
    program, *words = command
    launcher = [sys.executable, "-I", launch.__file__, str(os.getpid()), user]
    with output.open("ab") as file:
        return subprocess.Popen(
            [*launcher, str(int(last_signal)), str(program), *map(str, words)],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            cwd=folder or "/",
            start_new_session=True,
        )


def end(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    """Send a signal to a child and wait for its end; kill it if it does not obey."""
    if process.poll() is not None:
        return
    process.send_signal(how)
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_address(*ports: int) -> str:
    """Return a loopback address on which these ports are free."""
    chance = random.SystemRandom()
    while True:
        address = "127." + ".".join(str(chance.randrange(64, 250)) for _ in range(3))
        if all(_is_free(address, port) for port in ports):
            return address


def _is_free(address: str, port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


def wait_until(
    is_ready: Callable[[], bool], process: subprocess.Popen[bytes], output: Path, what: str
) -> None:
    """Wait until a server answers; raise `LogError` with its last lines if it does not."""
    deadline = time.monotonic() + READY_SECONDS
    while not is_ready():
        if process.poll() is not None:
            raise LogError(f"{what} ended while it started:\n{last_lines(output)}")
        if time.monotonic() > deadline:
            raise LogError(
                f"{what} did not answer within {READY_SECONDS:g} s:\n{last_lines(output)}"
            )
        time.sleep(0.05)


def last_lines(output: Path) -> str:
    """Return the last lines of a child's output, indented."""
    lines = output.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join(f"  {line}" for line in lines[-_SHOWN_LINES:])
