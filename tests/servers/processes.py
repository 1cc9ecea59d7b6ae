"""Child processes that do not outlive us, and the folders and addresses that they use.

A server dies with the process that started it, however that one ends: the kernel sends a signal
(`PR_SET_PDEATHSIG`). Every group of servers gets a loopback address of its own, so that fixed
ports never collide with those of other tests.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lycosa.cli.trial.children import free_address as free_address

_PR_SET_PDEATHSIG = 1
_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 4 << 30
_libc = ctypes.CDLL(None)


def fresh_name(kind: str = "test") -> str:
    """Return a name that no other test uses."""
    return f"{kind}{uuid.uuid4().hex[:16]}"


def spawn(
    command: Sequence[str | Path],
    log: Path,
    *,
    user: str | None = None,
    last_signal: signal.Signals = signal.SIGKILL,
) -> subprocess.Popen[bytes]:
    """Start a process that gets `last_signal` when this one ends; its output goes to a file."""

    def die_with_parent() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, int(last_signal), 0, 0, 0)

    entry = pwd.getpwnam(user) if user is not None else None
    with log.open("ab") as output:
        return subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd="/",
            start_new_session=True,  # Ctrl-C ends the tests, and they end the servers
            preexec_fn=die_with_parent,
            user=entry and entry.pw_uid,
            group=entry and entry.pw_gid,
            extra_groups=[] if entry else None,
        )


@contextmanager
def temporary_folder(*, in_memory: bool) -> Iterator[Path]:
    """Make a folder with a short path (a socket's path has 107 bytes), and remove it."""
    room = _MEMORY if in_memory and _has_room() else Path(tempfile.gettempdir())
    folder = Path(tempfile.mkdtemp(prefix="lys-", dir=room))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _has_room() -> bool:
    return os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES


def halt(pid: int, seconds: float = 20.0) -> None:
    """Stop a process with SIGSTOP, and return when none of its threads runs any more.

    The signal reaches threads one by one: until the last has it, a server may still answer.
    """
    os.kill(pid, signal.SIGSTOP)
    end = time.monotonic() + seconds
    while any(state not in b"Tt" for state in _thread_states(pid)):
        if time.monotonic() > end:
            raise RuntimeError(f"process {pid} did not stop within {seconds} s")
        time.sleep(0.001)


def _thread_states(pid: int) -> Iterator[bytes]:
    for task in Path(f"/proc/{pid}/task").iterdir():
        yield (task / "stat").read_bytes().rpartition(b")")[2].split()[0]


def wait_until(
    is_ready: Callable[[], bool],
    process: subprocess.Popen[bytes] | None,
    log: Path,
    seconds: float = 60.0,
) -> None:
    """Wait until a server answers; its log is the error's text when it does not."""
    end = time.monotonic() + seconds
    while not is_ready():
        if (process is not None and process.poll() is not None) or time.monotonic() > end:
            told = log.read_text(errors="replace")[-4000:]
            raise RuntimeError(f"a server did not become ready within {seconds} s:\n{told}")
        time.sleep(0.02)
