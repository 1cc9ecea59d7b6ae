"""The crawl of one worker, in the user's own process.

It counts the job's limits (`Budget`), looks for the end (`Ending`), seals the segments that killed
processes have left, and looks for orders of the operator.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from lycosa.crawl.budget import Budget
from lycosa.crawl.ending import Ending
from lycosa.crawl.status.progress import Listener, Progress
from lycosa.runtime.directory import OpenCrawl
from lycosa.runtime.orders.applying import Applier, Steering
from lycosa.runtime.orders.live import State
from lycosa.runtime.orders.live_job import LiveJob
from lycosa.runtime.orders.watch import LOOK_SECONDS, Standing, Watch, wants_stop
from lycosa.runtime.processes.assignments import Assignment
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.runtime import Duties, Runtime
from lycosa.runtime.processes.signals import Stop


class SingleProcess:
    """A worker that does the whole crawl."""

    def __init__(
        self, main: MainLoop, crawl: OpenCrawl, assignment: Assignment, listener: Listener
    ) -> None:
        self._main = main
        self._listener = listener
        self._reason = ""
        self._is_stopping = False
        self._applied = 0
        assignment = msgspec.structs.replace(assignment, job_digest=crawl.job.digest())
        self._live = live = LiveJob(crawl.job, main.clock)
        crawl = crawl._replace(job=live.job)
        self._watch = Watch(crawl.log)
        self._budget = Budget(crawl.job, crawl.directory.free_disk)
        self._runtime = Runtime(main, crawl, assignment)
        ending = Ending(crawl.job.frontier.partitions)
        told = (listener.seed_failed, listener.noticed)
        self._runtime.employ(Duties(self._budget, ending, self._on_end, *told))
        runtime = self._runtime
        self._steering = Steering(
            live,
            Applier(runtime.ports, runtime.worker, self._orders_applied),
            runtime.worker,
            runtime.transport,
            self._budget,
            share=lambda connections: connections,
        )

    def run(self, stop: Stop, on_progress: Callable[[Progress], None]) -> str:
        """Crawl until the end, a limit or a stop request; return the reason."""
        runtime = self._runtime
        states = runtime.open()
        for damage in runtime.damage:
            self._listener.waiting(damage)
        # An earlier order to stop has ended its own run.
        self._steering.learn(self._watch.look(), self._main.clock.now())
        self._budget.resume(
            sum(state.kept_pages for state in states),
            sum(state.kept_bytes for state in states),
            max(state.seconds_run() for state in states),
            self._main.clock.now(),
        )
        runtime.begin()
        self._on_progress = on_progress
        self._main.loop.call_soon(self._report)
        self._main.loop.call_later(LOOK_SECONDS, self._look_for_orders)
        self._main.run_until_stopped(stop, self._stop_cleanly)
        return self._reason

    def progress(self) -> Progress:
        """Return the progress of the crawl, without time and speed."""
        return self._runtime.progress()

    def standing(self) -> Standing:
        """Return the crawl's state, orders and job, which are shown with its progress."""
        in_force = self._steering.in_force
        is_stopping = self._is_stopping or self._budget.reached
        state: State = "stopping" if is_stopping else "paused" if in_force.is_paused else "running"
        return Standing(state, in_force, self._live.job, self._applied)

    def close(self) -> None:
        """Close the runtime; committed work is not lost."""
        self._runtime.close()

    def _report(self) -> None:
        """Report progress, less often in a crawl of many hosts, where the figures take long."""
        began = time.monotonic()
        self._on_progress(self._runtime.progress())
        took = time.monotonic() - began
        self._main.loop.call_later(self._listener.seconds_to_next(took), self._report)

    def _look_for_orders(self) -> None:
        self._main.loop.call_later(LOOK_SECONDS, self._look_for_orders)
        if given := self._watch.look():
            self._steering.learn(given, self._main.clock.now())
            if wants_stop(given) and not self._is_stopping:
                self._stop_cleanly()
        else:
            self._steering.look()

    def _orders_applied(self, number: int) -> None:
        self._applied = number

    def _stop_cleanly(self) -> None:
        self._is_stopping = True
        self._listener.stopping()
        self._runtime.worker.stop()

    def _on_end(self, reason: str) -> None:
        self._reason = reason
        self._runtime.seal_all(self._main.loop.stop)
