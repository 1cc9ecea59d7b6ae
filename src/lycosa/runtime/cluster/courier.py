"""A thread that makes the calls of several state machines, in turn, over one connection.

The ledger's desk and the desk of log lines do no I/O of their own. The worker calls them on its own
thread, under `lock`; the courier asks each for its next call to the board. A slow call delays the
others, so renewals have threads of their own (`runtime.membership.session`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Condition, Thread
from typing import Protocol

from lycosa.runtime.coordination.protocol import Answer, Board, Entry
from lycosa.runtime.membership.calls import Call, Get, Put, Result, make

_PAUSE_SECONDS = 0.1


class Desk(Protocol):
    """A state machine that returns calls to be made."""

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due."""

    def answered(self, result: Result, now: float) -> None:
        """Process its answer."""


class OwnDocument:
    """A value that one life alone writes, whole, whenever it has changed: a desk without I/O."""

    def __init__(self, key: str, pause_seconds: float) -> None:
        self.value = b""
        """The value that is to stand on the board."""
        self.due = float("-inf")
        self._key = key
        self._pause_seconds = pause_seconds
        self._written = b""
        self._revision: int | None = 0
        self._in_flight: Call | None = None

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due."""
        if self._in_flight is not None or self.value == self._written or now < self.due:
            return None
        at = self._revision
        self._in_flight = Get(self._key) if at is None else Put(self._key, self.value, at)
        return self._in_flight

    def answered(self, result: Result, now: float) -> None:
        """Process the answer."""
        call, self._in_flight = self._in_flight, None
        if isinstance(result, Entry):
            self._revision, self._written = result.revision, result.value
            return
        self.due = now + self._pause_seconds
        if isinstance(result, Answer) and result.is_written:
            assert isinstance(call, Put)
            self._revision, self._written = result.revision, call.value
        else:
            self._revision = None  # the write may have happened: the next read shows it


class Courier:
    """Carries calls between desks and the board."""

    def __init__(self, open_board: Callable[[], Board], desks: Sequence[Desk]) -> None:
        self.lock = Condition()
        """Held during every call of a desk; `notify` it to have a board call made at once."""
        self._desks = desks
        self._is_closed = False
        self.failure: Exception | None = None
        """The error that ended the thread; the worker ends with it too."""
        self._thread = Thread(target=self._run, args=(open_board,), name="lycosa-courier")
        self._thread.daemon = True
        self._thread.start()

    def serve(self, desks: Sequence[Desk]) -> None:
        """Serve these desks from now on, after a change of the life."""
        with self.lock:
            self._desks = desks
            self.lock.notify_all()

    def close(self) -> None:
        """End the thread, after the present call."""
        with self.lock:
            self._is_closed = True
            self.lock.notify_all()
        self._thread.join()

    def _run(self, open_board: Callable[[], Board]) -> None:
        try:
            self._drive(open_board())
        except Exception as failure:
            self.failure = failure

    def _drive(self, board: Board) -> None:
        try:
            while not self._is_closed:
                served = [self._serve(desk, board) for desk in self._desks]
                if not any(served):
                    with self.lock:
                        self.lock.wait(_PAUSE_SECONDS)
        finally:
            board.close()

    def _serve(self, desk: Desk, board: Board) -> bool:
        with self.lock:
            call = desk.call(time.monotonic())
        if call is None:
            return False
        result = make(call, board)
        with self.lock:
            desk.answered(result, time.monotonic())
        return True
