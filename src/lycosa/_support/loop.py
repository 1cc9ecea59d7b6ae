"""The event loop of a crawl: waits for sockets, timers, signals and calls from other threads.

It has the few methods of `asyncio` loops that a crawl uses, by the same names and with the same
meaning, so that every part takes either (`EventLoop`). The parts of a crawl call back; they use no
coroutines, contexts or streams, which `asyncio` would load with every start.

The loop exists for a quick start, not for speed. The CPU time of a crawl that asks for one page is
703 ms with it and 727 ms with `asyncio`; every worker process pays the difference. A turn that
reads one socket takes 5.2 instead of 7.4 µs, of some 1,200 µs a page: crawls of 2,843 pages took
the same time with both (docs/decisions/0031-a-start-in-less-time.md).

Always true:
  * callbacks run one at a time, on the thread that runs the loop, and never from within the call
    that asks for them; what was called off does not run;
  * those of `call_soon` run in the order of the calls, and no timer before its moment;
  * a callback that raises does not end the loop; the exception handler is told of it;
  * a call from another thread, and a signal, wake a loop that waits.
"""

from __future__ import annotations

import heapq
import logging
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, Protocol

_log = logging.getLogger(__name__)

_READING = ~select.EPOLLOUT
_WRITING = ~select.EPOLLIN
_MOST_EVENTS = 256
_LONGEST_WAIT_SECONDS = 3600.0
_FEW_TIMERS = 256

Callback = Callable[..., object]


class Cancellable(Protocol):
    """A scheduled call."""

    def cancel(self) -> None:
        """Cancel the call; harmless when it has run."""


class EventLoop(Protocol):
    """The methods of a loop that the parts of a crawl use; `asyncio` loops have them, too."""

    def time(self) -> float:
        """Return the moment by the loop's clock, which never goes backwards."""

    def call_soon(self, callback: Callback, *args: Any) -> Cancellable:
        """Call back in the next turn."""

    def call_soon_threadsafe(self, callback: Callback, *args: Any) -> Cancellable:
        """Call back in the next turn; may be called from any thread."""

    def call_later(self, delay: float, callback: Callback, *args: Any) -> Cancellable:
        """Call back after `delay` seconds."""

    def call_at(self, when: float, callback: Callback, *args: Any) -> Cancellable:
        """Call back at this moment of the loop's clock."""

    def add_reader(self, fd: Any, callback: Callback, *args: Any) -> None:
        """Call back whenever a file or socket can be read."""

    def remove_reader(self, fd: Any) -> bool:
        """Stop watching for reading; returns whether there was a callback."""

    def add_writer(self, fd: Any, callback: Callback, *args: Any) -> None:
        """Call back whenever a file or socket can be written to."""

    def remove_writer(self, fd: Any) -> bool:
        """Stop watching for writing; returns whether there was a callback."""

    def add_signal_handler(self, sig: int, callback: Callback, *args: Any) -> None:
        """Call back when the process gets a signal; the loop must run on the main thread."""

    def remove_signal_handler(self, sig: int) -> bool:
        """Give a signal its default action again; returns whether there was a callback."""

    def stop(self) -> None:
        """End `run_forever` after this turn."""

    def is_closed(self) -> bool:
        """Return whether it can run no more."""

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Log an exception for which no handler was set."""


class _Call:
    """A callback and its arguments; None once it is called off."""

    __slots__ = ("arguments", "callback")

    def __init__(self, callback: Callback, arguments: tuple[Any, ...]) -> None:
        self.callback: Callback | None = callback
        self.arguments = arguments

    def cancel(self) -> None:
        self.callback = None
        self.arguments = ()


class Loop:
    """Implements `EventLoop` with epoll."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._readers: dict[int, _Call] = {}
        self._writers: dict[int, _Call] = {}
        self._ready: deque[_Call] = deque()
        self._timers: list[tuple[float, int, _Call]] = []
        self._most_timers = _FEW_TIMERS
        self._order = count()
        self._on_exception: Callable[[Any, dict[str, Any]], object] | None = None
        self._signals: dict[int, Any] = {}
        self._is_stopping = self._is_closed = False
        # A byte in this pipe ends a wait.
        self._wakes, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self.add_reader(self._wakes, self._woken)

    time = staticmethod(time.monotonic)

    # -- calls ----------------------------------------------------------------------------

    def call_soon(self, callback: Callback, *args: Any) -> Cancellable:
        """Call back in the next turn."""
        if self._is_closed:
            raise RuntimeError("the event loop is closed")
        call = _Call(callback, args)
        self._ready.append(call)
        return call

    def call_soon_threadsafe(self, callback: Callback, *args: Any) -> Cancellable:
        """Call back in the next turn; may be called from any thread."""
        call = self.call_soon(callback, *args)
        self._wake()
        return call

    def call_later(self, delay: float, callback: Callback, *args: Any) -> Cancellable:
        """Call back after `delay` seconds."""
        return self.call_at(time.monotonic() + delay, callback, *args)

    def call_at(self, when: float, callback: Callback, *args: Any) -> Cancellable:
        """Call back at this moment of the loop's clock."""
        call = _Call(callback, args)
        heapq.heappush(self._timers, (when, next(self._order), call))
        if len(self._timers) > self._most_timers:
            # Most timers were cancelled, and would stay in the heap until their moment.
            self._timers = [entry for entry in self._timers if entry[2].callback is not None]
            heapq.heapify(self._timers)
            self._most_timers = max(_FEW_TIMERS, 2 * len(self._timers))
        return call

    # -- files and sockets ----------------------------------------------------------------

    def add_reader(self, fd: Any, callback: Callback, *args: Any) -> None:
        """Call back whenever a file or socket can be read."""
        self._watch(_number(fd), self._readers, _Call(callback, args))

    def remove_reader(self, fd: Any) -> bool:
        """Stop watching for reading; returns whether there was a callback."""
        return self._forget(_number(fd), self._readers)

    def add_writer(self, fd: Any, callback: Callback, *args: Any) -> None:
        """Call back whenever a file or socket can be written to."""
        self._watch(_number(fd), self._writers, _Call(callback, args))

    def remove_writer(self, fd: Any) -> bool:
        """Stop watching for writing; returns whether there was a callback."""
        return self._forget(_number(fd), self._writers)

    def _watch(self, number: int, calls: dict[int, _Call], call: _Call) -> None:
        before = calls.get(number)
        if before is not None:
            before.cancel()
        calls[number] = call
        events = self._events(number)
        try:
            self._epoll.modify(number, events)
        except FileNotFoundError:  # the file is not registered with epoll yet, or no longer
            self._epoll.register(number, events)

    def _forget(self, number: int, calls: dict[int, _Call]) -> bool:
        call = calls.pop(number, None)
        if call is None:
            return False
        call.cancel()  # the file may be among those that are ready in this turn
        events = self._events(number)
        try:
            if events:
                self._epoll.modify(number, events)
            else:
                self._epoll.unregister(number)
        except OSError:
            pass  # the file was closed before, so epoll has removed it
        return True

    def _events(self, number: int) -> int:
        reading = select.EPOLLIN if number in self._readers else 0
        return reading | (select.EPOLLOUT if number in self._writers else 0)

    # -- signals --------------------------------------------------------------------------

    def add_signal_handler(self, sig: int, callback: Callback, *args: Any) -> None:
        """Call back when the process gets a signal; the loop must run on the main thread."""
        # Another thread may receive the signal while this one waits; the byte wakes the loop.
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        self._signals[sig] = None
        signal.signal(sig, lambda *_: self.call_soon_threadsafe(callback, *args))
        signal.siginterrupt(sig, False)

    def remove_signal_handler(self, sig: int) -> bool:
        """Give a signal its default action again; returns whether there was a callback."""
        if sig not in self._signals:
            return False
        del self._signals[sig]
        is_interrupt = sig == signal.SIGINT
        signal.signal(sig, signal.default_int_handler if is_interrupt else signal.SIG_DFL)
        if not self._signals:
            signal.set_wakeup_fd(-1)
        return True

    # -- running --------------------------------------------------------------------------

    def set_exception_handler(self, handler: Callable[[Any, dict[str, Any]], object]) -> None:
        """Set the function that is told of a callback that raised."""
        self._on_exception = handler

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        """Log an exception for which no handler was set."""
        _log.error("%s", context.get("message"), exc_info=context.get("exception"))

    def run_forever(self) -> None:
        """Run until `stop` is called."""
        try:
            while True:
                self._turn()
                if self._is_stopping:
                    return
        finally:
            self._is_stopping = False

    def stop(self) -> None:
        """End `run_forever` after this turn."""
        self._is_stopping = True

    def is_closed(self) -> bool:
        """Return whether it can run no more."""
        return self._is_closed

    def close(self) -> None:
        """Release all resources; pending calls are dropped. Harmless when done twice."""
        if self._is_closed:
            return
        self._is_closed = True
        for number in list(self._signals):
            self.remove_signal_handler(number)
        self._ready.clear()
        self._timers.clear()
        self._readers.clear()
        self._writers.clear()
        self._epoll.close()
        os.close(self._wakes)
        os.close(self._waker)

    def _turn(self) -> None:
        """Wait for what comes first, then make every call that is ready by then."""
        ready, timers = self._ready, self._timers
        # a cancelled timer at the head must not wake the loop
        while timers and timers[0][2].callback is None:
            heapq.heappop(timers)
        if ready or self._is_stopping:
            wait = 0.0
        elif timers:
            wait = min(max(timers[0][0] - time.monotonic(), 0.0), _LONGEST_WAIT_SECONDS)
        else:
            # Nothing is due: only a socket can wake the loop.
            wait = -1.0
        for number, events in self._epoll.poll(wait, _MOST_EVENTS):
            if events & _READING and (call := self._readers.get(number)) is not None:
                ready.append(call)
            if events & _WRITING and (call := self._writers.get(number)) is not None:
                ready.append(call)
        if timers:
            now = time.monotonic()
            while timers and timers[0][0] <= now:
                ready.append(heapq.heappop(timers)[2])
        # calls made by these callbacks wait for the next turn, so sockets are not starved
        for _ in range(len(ready)):
            call = ready.popleft()
            callback = call.callback
            if callback is None:
                continue
            try:
                callback(*call.arguments)
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as problem:
                self._tell(callback, problem)

    def _tell(self, callback: Callback, problem: BaseException) -> None:
        context = {"message": f"an error in the callback {callback!r}", "exception": problem}
        if self._on_exception is None:
            self.default_exception_handler(context)
        else:
            self._on_exception(self, context)

    def _wake(self) -> None:
        with suppress(BlockingIOError):  # the pipe is full, so the loop will wake anyway
            os.write(self._waker, b"\0")

    def _woken(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._wakes, 4096)


def _number(fd: Any) -> int:
    number: int = fd if isinstance(fd, int) else fd.fileno()
    return number
