"""Stop a running crawl at SIGINT, SIGTERM, or a call from another thread.

A crawl in the main thread of its process handles both signals while it runs, and restores the
previous handlers afterwards. A crawl in any other thread leaves signals to the surrounding program
and is stopped with `Stop.ask`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from lycosa._support.loop import EventLoop
from lycosa.crawl.suspects import marks

SIGNALS = (signal.SIGINT, signal.SIGTERM)
PASSED_ON = (signal.SIGUSR1, signal.SIGUSR2)
"""Signals for a process that the user's own process watches, in place of SIGINT and SIGTERM."""


class Stop:
    """Requests that a crawl stop: the first request ends it cleanly, the second at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: EventLoop | None = None
        self._on_request: Callable[[], None] | None = None
        self._requests = 0

    @property
    def is_asked(self) -> bool:
        """Whether `ask` was called."""
        return self._requests > 0

    @property
    def requests(self) -> int:
        """Number of calls of `ask`."""
        return self._requests

    def ask(self) -> None:
        """Request a stop, from any thread; a crawl that has not begun will stop at its
        beginning."""
        with self._lock:
            self._requests += 1
            if self._loop is not None and self._on_request is not None:
                # The loop may have ended by itself a moment ago.
                with suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._on_request)

    @contextmanager
    def heard_by(self, loop: EventLoop, on_request: Callable[[], None]) -> Iterator[None]:
        """Call `on_request` on the loop for every request and signal while the context lasts."""
        with self._lock:
            self._loop, self._on_request = loop, on_request
            for _ in range(self._requests):
                loop.call_soon(on_request)
        is_main = threading.current_thread() is threading.main_thread()
        heard = PASSED_ON if marks.is_watched() else SIGNALS
        before = {number: signal.getsignal(number) for number in heard} if is_main else {}
        for number in before:
            loop.add_signal_handler(number, on_request)
        try:
            yield
        finally:
            with self._lock:
                self._loop = None
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                if handler is not None:  # None: code other than Python has set it
                    signal.signal(number, handler)
