"""Gives orders to a simulated crawl at chosen moments, and lets its workers follow them.

The plan gives each order a number of virtual seconds. An order is noted in the log in the same way
as by `control.desk`, so no kill loses it.
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.crawl.ports import Ports
from lycosa.crawl.worker.worker import Worker
from lycosa.model.clock import Clock
from lycosa.model.job import Job
from lycosa.runtime.orders.applying import Applier, Budget, Steering
from lycosa.runtime.orders.desk import order_name
from lycosa.runtime.orders.live_job import LiveJob
from lycosa.runtime.orders.orders import Numbered, Order, pack
from lycosa.runtime.orders.watch import LOOK_SECONDS, Watch
from lycosa.storage.log.protocol import Log

SELDOM_SECONDS = 10.0
"""Seconds between two looks at the workers when no order is left."""

OrderPlan = Sequence[tuple[float, Order]]


class Unlimited:
    """A network whose bandwidth is not simulated."""

    def limit_bandwidth(self, bytes_per_second: int) -> None:
        """Change nothing."""


class SteeredLife:
    """The workers of one life, which follow orders."""

    def __init__(self, plan: OrderPlan, began: float, log: Log, clock: Clock) -> None:
        self._plan = plan
        self._began = began
        self._log = log
        self._clock = clock
        self._watch = Watch(log)
        self._steered: list[Steering] = []

    def live_job(self, job: Job) -> LiveJob:
        """Return the job that one worker follows."""
        return LiveJob(job, self._clock)

    def employ(self, live: LiveJob, ports: Ports, worker: Worker, budget: Budget) -> None:
        """Let a worker that has opened its partitions follow orders."""
        applier = Applier(ports, worker)
        unlimited, most = Unlimited(), live.job.fetch.connections
        self._steered.append(
            Steering(live, applier, worker, unlimited, budget, share=lambda _: most)
        )

    def begin(self) -> None:
        """Follow the orders of earlier lives, and look for new ones from now on."""
        self._look()

    def _look(self) -> None:
        now = self._clock.now()
        is_over = self._watch.in_force.last == len(self._plan)
        self._clock.call_at(now + (SELDOM_SECONDS if is_over else LOOK_SECONDS), self._look)
        for number, (after, order) in enumerate(self._plan, 1):
            if now >= self._began + after and self._log.noted(order_name(number)) is None:
                self._log.note(order_name(number), pack(Numbered(0, order, str(number), now)))
        given = self._watch.look()
        for one in self._steered:
            if given:
                one.learn(given, now)
            else:
                one.look()
