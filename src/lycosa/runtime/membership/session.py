"""The driver of a life: two threads that make its calls to the board.

The worker's thread calls `may_begin` before every request. That compares two numbers and takes no
lock: `ends_at` is one value, and in whatever order two threads read and write it, the value read
was right a moment ago.

When a life is lost, the worker drops its partitions and calls `begin_again` for a new life with a
new number. The worker must call it, because it alone knows when the old life's work is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Condition, Thread
from time import CLOCK_BOOTTIME, clock_gettime
from typing import Protocol

from lycosa.errors import LogError
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.membership.calls import Call, Result, make
from lycosa.runtime.membership.life import OVER, Life, Phase
from lycosa.runtime.membership.record import Member, Progress
from lycosa.runtime.membership.tenure import Instant, read_clocks

_LONGEST_WAIT_SECONDS = 0.25
"""Longest sleep of a thread, because the machine may be suspended in the meantime."""


class _Lane(Protocol):
    """A lane of a life."""

    def call(self, life: Life, now: Instant) -> Call | None:
        """Return the call that is due."""

    def answered(self, life: Life, result: Result, now: Instant) -> None:
        """Hand over its answer."""


class _Own:
    def call(self, life: Life, now: Instant) -> Call | None:
        return life.own_call(now)

    def answered(self, life: Life, result: Result, now: Instant) -> None:
        life.own_answered(result, now)


class _Watching:
    def call(self, life: Life, now: Instant) -> Call | None:
        return life.watch_call(now)

    def answered(self, life: Life, result: Result, now: Instant) -> None:
        life.watch_answered(result, now)


class Session:
    """A worker process's membership, over all its lives."""

    def __init__(
        self,
        open_board: Callable[[], Board],
        make_life: Callable[[], Life],
        on_news: Callable[[str], object] = lambda text: None,
    ) -> None:
        """Each thread opens a connection of its own; `on_news` is called from both."""
        self._make_life = make_life
        self._on_news = on_news
        self._life = make_life()
        self._changed = Condition()
        self._is_closed = False
        self.failure: Exception | None = None
        """The error that ended a thread, and with it the renewals; the worker ends with it too."""
        self._threads = [
            Thread(target=self._run, args=(open_board, lane), name=f"lycosa-{name}", daemon=True)
            for name, lane in (("renewals", _Own()), ("members", _Watching()))
        ]
        for thread in self._threads:
            thread.start()

    @property
    def number(self) -> int:
        """The number of the present life."""
        return self._life.number

    @property
    def phase(self) -> Phase:
        """Phase of the present life."""
        return self._life.phase

    @property
    def is_joined(self) -> bool:
        """Whether the present life has a record, and a clock that agrees with the cluster's."""
        return self._life.is_joined

    @property
    def refusal(self) -> LogError | None:
        """Reason why the present life may not join."""
        return self._life.refusal

    def may_begin(self) -> bool:
        """Return whether a request may begin at this moment."""
        return self._life.may_begin(clock_gettime(CLOCK_BOOTTIME))

    def members(self) -> Mapping[int, Member]:
        """Return the records of all lives, as last read."""
        with self._changed:
            return dict(self._life.members)

    def clock_offset(self) -> float:
        """Return the seconds by which this machine's wall clock is certainly wrong."""
        return self._life.clock_offset

    def join(self, seconds: float) -> bool:
        """Wait until the life has joined; False if the board did not answer. Raises the life's
        refusal."""
        with self._changed:
            self._changed.wait_for(self._is_decided, seconds)
            if self.failure is not None:
                raise self.failure
            if self._life.refusal is not None:
                raise type(self._life.refusal)(str(self._life.refusal))
            return self._life.is_joined

    def tell(self, progress: Progress, settings: int, *, is_cordoned: bool = False) -> None:
        """Set the member's news, for the next renewal."""
        with self._changed:
            self._life.tell(progress, settings, is_cordoned=is_cordoned)

    def drain(self) -> None:
        """Announce that this worker hands its partitions over."""
        with self._changed:
            self._life.drain()
            self._changed.notify_all()

    def stay(self) -> None:
        """Cancel that announcement, while partitions are left."""
        with self._changed:
            self._life.stay()
            self._changed.notify_all()

    def leave(self, seconds: float) -> bool:
        """End the life, once everything is released; False if the board did not answer."""
        self.leave_soon()
        with self._changed:
            return self._changed.wait_for(self._is_over, seconds)

    def leave_soon(self) -> None:
        """End the life; `phase` reports when it is over."""
        with self._changed:
            self._life.leave()
            self._changed.notify_all()

    def begin_again(self) -> None:
        """Begin a new life after a loss; all work of the old life must be dropped."""
        with self._changed:
            assert self._is_over()
            self._life = self._make_life()
            self._changed.notify_all()

    def close(self) -> None:
        """End both threads; the record stays as it is."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _is_decided(self) -> bool:
        return self._life.is_joined or self._is_over()

    def _is_over(self) -> bool:
        return self._life.phase in OVER or self.failure is not None

    def _run(self, open_board: Callable[[], Board], lane: _Lane) -> None:
        try:
            self._drive(open_board(), lane)
        except Exception as failure:
            with self._changed:
                self.failure = self.failure or failure
                self._changed.notify_all()

    def _drive(self, board: Board, lane: _Lane) -> None:
        try:
            while not self._is_closed:
                with self._changed:
                    life = self._life
                    call = lane.call(life, read_clocks())
                    if call is None:
                        self._changed.wait(_LONGEST_WAIT_SECONDS)
                        continue
                result = make(call, board)
                with self._changed:
                    lane.answered(life, result, read_clocks())
                    news, life.news = life.news, []
                    self._changed.notify_all()
                for text in news:
                    self._on_news(text)
        finally:
            board.close()
