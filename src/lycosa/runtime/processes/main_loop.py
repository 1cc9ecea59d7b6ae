"""Event loop and clock of one process of a crawl: raises failures, counts stop requests.

The single-process crawl, the supervisor and each worker process run on a `MainLoop`. It is built
before anything that needs a loop or a clock, and closed after all of it.

Always true:
  * the first failure of a callback, or of a job on another thread, stops the loop, and `run` raises
    it: a crawl that went on could not record its decisions, or would skip parts of one;
  * the first stop request (`signals`) ends a crawl cleanly, the second one at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Self

from lycosa._support.loop import EventLoop, Loop
from lycosa.model.clock import RealClock
from lycosa.runtime.processes.signals import Stop

log_messages = logging.getLogger(__name__)


class MainLoop:
    """An event loop with its clock; used as a context manager that closes both."""

    def __init__(self, clock_offset: float | None = None) -> None:
        self.loop = Loop()
        self.loop.set_exception_handler(self._on_exception)
        self.clock = RealClock(self.loop, clock_offset)
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        """Return the loop, ready to run."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def run(self) -> None:
        """Run until the loop is stopped; raise the failure that stopped it, if there was one."""
        self.loop.run_forever()
        failure = self.clock.failure or self._failure
        if failure is not None:
            raise failure

    def run_until_stopped(self, stop: Stop, stop_cleanly: Callable[[], None]) -> None:
        """Run, call `stop_cleanly` at the first stop request, and raise at the second."""
        requests = 0

        def stop_requested() -> None:
            nonlocal requests
            requests += 1
            if requests == 1:
                log_messages.info("stopping cleanly")
                stop_cleanly()
            else:
                self.loop.stop()

        with stop.heard_by(self.loop, stop_requested):
            self.run()
        if requests > 1:
            raise KeyboardInterrupt

    @property
    def has_failed(self) -> bool:
        """Whether `fail` was called."""
        return self._failure is not None

    def fail(self, problem: BaseException) -> None:
        """Stop the loop; `run` raises the first problem that was passed here."""
        self._failure = self._failure or problem
        self.loop.stop()

    def close(self) -> None:
        """Wait for the job on the other thread, then close clock and loop."""
        self.clock.close()
        self.loop.close()

    def _on_exception(self, loop: EventLoop, context: dict[str, Any]) -> None:
        problem = context.get("exception")
        if problem is None:
            loop.default_exception_handler(context)
        else:
            self.fail(problem)
