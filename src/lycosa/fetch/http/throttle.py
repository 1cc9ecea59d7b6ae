"""Limits the bandwidth of all connections together.

A bucket fills with bytes at the rate of the job and holds a tenth of a second's worth.
A transfer that finds it empty is paused, its socket is not read, and TCP slows
the server down. When the bucket fills again, paused transfers continue in turn.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

from lycosa._support.loop import Cancellable, EventLoop

BURST_BYTES = 16_384
UNLIMITED = 10**12
"""Bytes a second that no network has."""
"""The least that the bucket holds, and the most that is read at once."""


class Pausable(Protocol):
    """A transfer that can wait."""

    is_paused: bool

    def go_on(self) -> None:
        """Read again."""


class Throttle:
    """The bucket, and the transfers that wait for it."""

    def __init__(self, bytes_per_second: int, loop: EventLoop) -> None:
        self._loop = loop
        self._waiting: deque[Pausable] = deque()
        self._waker: Cancellable | None = None
        self.change(bytes_per_second)
        self._level = self._most
        self._looked = loop.time()

    def change(self, bytes_per_second: int) -> None:
        """Change the rate; 0 is as fast as it goes."""
        self._rate = float(bytes_per_second or UNLIMITED)
        self._most = max(self._rate / 10.0, float(BURST_BYTES))

    def has_some(self) -> bool:
        """Return whether the bucket has bytes."""
        now = self._loop.time()
        self._level = min(self._most, self._level + (now - self._looked) * self._rate)
        self._looked = now
        return self._level > 0.0

    def spend(self, size_bytes: int) -> None:
        """Take bytes out; the last transfer may take more than is left."""
        self._level -= size_bytes

    def pause(self, transfer: Pausable) -> None:
        """Pause a transfer until the bucket has bytes again."""
        transfer.is_paused = True
        self._waiting.append(transfer)
        if self._waker is None:
            wait_seconds = max(0.001, -self._level / self._rate + 0.001)
            self._waker = self._loop.call_later(wait_seconds, self._wake)

    def forget_all(self) -> None:
        """Drop all waiting transfers, without calling back."""
        self._waiting.clear()
        if self._waker is not None:
            self._waker.cancel()
            self._waker = None

    def _wake(self) -> None:
        self._waker = None
        waiting, self._waiting = self._waiting, deque()
        for transfer in waiting:
            if transfer.is_paused:  # it may have ended while it waited
                transfer.is_paused = False
                transfer.go_on()
