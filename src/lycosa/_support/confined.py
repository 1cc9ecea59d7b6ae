"""Runs a function on what strangers made, in a process with limits and without network.

Libraries that read documents or pages are large, and some inputs crash them, take minutes or all
memory. Such an end costs this process only: it is told as an `End`, and another process is started
for the next input.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from enum import Enum

LENGTH_BYTES = 4
UNGUARDED_CODE = 3
TOO_LARGE_CODE = 4


class End(Enum):
    """How the process ended instead of answering."""

    TOO_SLOW = "too_slow"
    TOO_LARGE = "too_large"
    """It needed more memory than it may have."""
    DIED = "died"
    UNGUARDED = "unguarded"
    """The kernel does not let a process give up the network, so nothing is read."""


class Confined:
    """Answers inputs one by one; the process is started with the first."""

    def __init__(self, maker: str, *given: str, memory_bytes: int, seconds: float) -> None:
        """`maker` is `module:function`; called with `given`, it returns what answers an input."""
        self._arguments = (str(memory_bytes), str(seconds), maker, *given)
        self._process: subprocess.Popen[bytes] | None = None

    def answer(self, asked: bytes) -> bytes | End:
        """Return the answer to an input, or how the process has ended."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(len(asked).to_bytes(LENGTH_BYTES, "little"))
            process.stdin.write(asked)
            process.stdin.flush()
        head = process.stdout.read(LENGTH_BYTES)
        if len(head) == LENGTH_BYTES:
            length = int.from_bytes(head, "little")
            reply = process.stdout.read(length)
            if len(reply) == length:
                return reply
        return _end_of(self.close())

    def close(self) -> int:
        """End the process, if there is one; returns its code."""
        process, self._process = self._process, None
        if process is None or process.stdin is None or process.stdout is None:
            return 0
        with suppress(OSError):
            process.stdin.close()
        process.stdout.close()
        return process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "lycosa._support.confined_process", *self._arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # only the parent handles Ctrl-C
            )
        return self._process


def _end_of(code: int) -> End:
    ends = {
        -signal.SIGALRM: End.TOO_SLOW,
        TOO_LARGE_CODE: End.TOO_LARGE,
        UNGUARDED_CODE: End.UNGUARDED,
    }
    return ends.get(code, End.DIED)
