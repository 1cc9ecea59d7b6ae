"""The crawl of one worker, in the process that the user has started.

It counts the job's limits itself (`Budget`), looks for the end itself (`Ending`), and seals the
segments that killed processes have left.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from lycosa.crawl.budget import Budget
from lycosa.crawl.directory import OpenCrawl
from lycosa.crawl.ending import Ending
from lycosa.crawl.processes.assignments import Assignment
from lycosa.crawl.processes.main_loop import MainLoop
from lycosa.crawl.processes.runtime import Duties, Runtime
from lycosa.crawl.processes.signals import Stop
from lycosa.crawl.status.progress import Listener, Progress


class SingleProcess:
    """One worker that does the whole crawl."""

    def __init__(
        self, main: MainLoop, crawl: OpenCrawl, assignment: Assignment, listener: Listener
    ) -> None:
        self._main = main
        self._listener = listener
        self._reason = ""
        self._budget = Budget(crawl.job, crawl.directory.free_disk)
        self._runtime = Runtime(main, crawl, assignment)
        ending = Ending(crawl.job.frontier.partitions)
        self._runtime.employ(Duties(self._budget, ending, self._on_end, listener.seed_failed))

    def run(self, stop: Stop, on_progress: Callable[[Progress], None]) -> str:
        """Crawl until the end, a limit or a stop request; return which it was."""
        runtime = self._runtime
        states = runtime.open()
        for damage in runtime.damage:
            self._listener.waiting(damage)
        self._budget.resume(
            sum(state.kept_pages for state in states),
            sum(state.kept_bytes for state in states),
            max(state.seconds_run() for state in states),
            self._main.clock.now(),
        )
        runtime.begin()
        self._on_progress = on_progress
        self._main.loop.call_soon(self._report)
        self._main.run_until_stopped(stop, self._stop_cleanly)
        return self._reason

    def progress(self) -> Progress:
        """Return how the crawl is getting on, without time and speed."""
        return self._runtime.progress()

    def close(self) -> None:
        """Close the runtime; nothing that was committed is lost."""
        self._runtime.close()

    def _report(self) -> None:
        """Report progress; less often in a crawl of many hosts, whose figures take long."""
        began = time.monotonic()
        self._on_progress(self._runtime.progress())
        took = time.monotonic() - began
        self._main.loop.call_later(max(self._listener.progress_seconds, 30 * took), self._report)

    def _stop_cleanly(self) -> None:
        self._listener.stopping()
        self._runtime.worker.stop()

    def _on_end(self, reason: str) -> None:
        self._reason = reason
        self._runtime.seal_all(self._main.loop.stop)
