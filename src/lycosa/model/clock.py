"""Clocks: the real one for crawls and a virtual one for simulations.

The worker gets its clock from its caller. It schedules every wait with `Clock.call_at` and hands
every blocking job (a flush, a commit) to `Clock.run_aside`. So the same code runs in real time,
with commits in a thread, and in a simulation, where a month passes in seconds and every run with
the same seed takes the same steps.

Always true:
  * `now` never goes backwards and never jumps, even when the machine's wall clock is set;
  * callbacks run one at a time, in the order of their moments, ties in the order of the calls;
  * no callback runs before its moment.
"""

from __future__ import annotations

import heapq
import itertools
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from lycosa._support.loop import EventLoop
from lycosa.model._loop_clock import LoopClock

T = TypeVar("T")


class Timer(Protocol):
    """A scheduled call that can be cancelled."""

    def cancel(self) -> None:
        """Cancel it; harmless when it has already run."""


class Clock(Protocol):
    """The interface of a clock; moments are seconds since 1970, UTC."""

    def now(self) -> float:
        """Return the present moment."""

    def call_at(self, moment: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        """Run `callback` at `moment`, or as soon as possible after it."""

    def run_aside(self, job: Callable[[], T], done: Callable[[T], object]) -> None:
        """Run `job` beside the callbacks, one job after the other; hand `done` its result."""


class _Scheduled:
    """An entry of the virtual agenda."""

    __slots__ = ("arguments", "callback", "cancelled")

    def __init__(self, callback: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self.callback = callback
        self.arguments = arguments
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class VirtualClock:
    """A clock that stands still until `run` moves it to the next call that is due.

    `aside_seconds` is how long a job given to `run_aside` takes: it is done at one
    virtual moment, so that everything else can happen between its start and its end.
    """

    def __init__(self, start: float = 1_700_000_000.0, aside_seconds: float = 0.004) -> None:
        self._now = start
        self._aside_seconds = aside_seconds
        self._aside_free_at = start
        self._agenda: list[tuple[float, int, _Scheduled]] = []
        self._order = itertools.count()

    def now(self) -> float:
        """Return the virtual moment."""
        return self._now

    def call_at(self, moment: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        """Put a call on the agenda."""
        entry = _Scheduled(callback, arguments)
        heapq.heappush(self._agenda, (max(moment, self._now), next(self._order), entry))
        return entry

    def run_aside(self, job: Callable[[], T], done: Callable[[T], object]) -> None:
        """Run `job` when the jobs before it are done and its own time has passed."""
        self._aside_free_at = max(self._aside_free_at, self._now) + self._aside_seconds
        self.call_at(self._aside_free_at, lambda: done(job()))

    def run(self, until: float = float("inf"), stop: Callable[[], bool] = lambda: False) -> bool:
        """Run what is due, in order, until nothing is left, `until` is passed or `stop` says so.

        Returns whether something is still on the agenda.
        """
        while not stop():
            if not self._agenda or self._agenda[0][0] > until:
                if until != float("inf"):
                    self._now = max(self._now, until)
                break
            moment, _, entry = heapq.heappop(self._agenda)
            if entry.cancelled:
                continue
            self._now = moment
            entry.callback(*entry.arguments)
        return bool(self._agenda)

    def forget_everything(self) -> None:
        """Drop all calls, as a killed process loses its timers."""
        self._agenda.clear()
        self._aside_free_at = self._now


class RealClock(LoopClock):
    """The wall clock as it stood at the start, carried on by the monotonic one.

    A crawl's moments must be comparable between runs, so they are wall-clock moments;
    a clock that is set forward during a crawl must not shorten a pause, so within one
    run only the monotonic clock counts. The processes of one run have one `offset` between the
    two, also those that are started later.
    """

    def __init__(self, loop: EventLoop, offset: float | None = None) -> None:
        self._loop = loop
        self._time = loop.time
        self._offset = time.time() - self._time() if offset is None else offset
        self._aside = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lycosa-aside")
        self.failure: BaseException | None = None
        """The exception of a side job, which has stopped the loop."""

    def call_at(self, moment: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        """Schedule the call on the event loop."""
        return self._loop.call_at(moment - self._offset, callback, *arguments)

    def run_aside(self, job: Callable[[], T], done: Callable[[T], object]) -> None:
        """Run `job` in the one side thread and `done` on the event loop.

        A job that raises stops the loop and leaves the exception in `failure`, for the caller
        that runs the loop to raise. Otherwise the crawl would go on without saving anything.
        """

        def finish(future: Future[T]) -> None:
            problem = future.exception()
            if problem is None:
                self._loop.call_soon_threadsafe(done, future.result())
            else:
                self._loop.call_soon_threadsafe(self._fail, problem)

        self._aside.submit(job).add_done_callback(finish)

    def _fail(self, problem: BaseException) -> None:
        self.failure = self.failure or problem
        self._loop.stop()

    def close(self) -> None:
        """Wait for the job under way and end the side thread."""
        self._aside.shutdown(wait=True)
