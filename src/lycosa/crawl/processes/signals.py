"""How a running crawl is told to stop: by a signal, or by another thread.

SIGINT and SIGTERM are heard while the crawl runs in the main thread of its process; afterwards
they mean what they meant before. In any other thread the process has signals of its own, and a
crawl is stopped by `ask`.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from lycosa.loop import EventLoop

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Tells a crawl to stop; asked once it stops cleanly, asked twice at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: EventLoop | None = None
        self._hear: Callable[[], None] | None = None
        self._asked = 0

    @property
    def is_asked(self) -> bool:
        """Whether anybody has asked."""
        return self._asked > 0

    def ask(self) -> None:
        """Stop the crawl, from any thread; also if it has not begun."""
        with self._lock:
            self._asked += 1
            if self._loop is not None and self._hear is not None:
                # The loop may have ended by itself a moment ago.
                with suppress(RuntimeError):
                    self._loop.call_soon_threadsafe(self._hear)

    @contextmanager
    def heard_by(self, loop: EventLoop, hear: Callable[[], None]) -> Iterator[None]:
        """Pass every stop on to a loop while it runs."""
        with self._lock:
            self._loop, self._hear = loop, hear
            for _ in range(self._asked):
                loop.call_soon(hear)
        is_main = threading.current_thread() is threading.main_thread()
        before = {number: signal.getsignal(number) for number in SIGNALS} if is_main else {}
        for number in before:
            loop.add_signal_handler(number, hear)
        try:
            yield
        finally:
            with self._lock:
                self._loop = None
            for number, handler in before.items():
                loop.remove_signal_handler(number)
                if handler is not None:  # None: it was set by others than Python
                    signal.signal(number, handler)
