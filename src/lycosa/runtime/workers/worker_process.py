"""A worker in a process of its own, which follows the supervisor's commands.

The supervisor starts this process through `boot`. Commands arrive and replies leave through a
socket (`protocol`). When the socket closes, the supervisor is gone and this process exits at once;
the next run fetches its uncommitted pages again.

A worker process ignores SIGINT and SIGTERM, which reach all processes of a crawl: the supervisor
handles them and sends `StopCleanly`. The process holds the crawl's lock as long as it lives, so
that no other crawl starts in the directory before the last worker is gone.
"""

from __future__ import annotations

import faulthandler
import logging
import socket
import time
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path

from lycosa._support.channel import Channel
from lycosa._support.decoders import json_decoder
from lycosa._support.failpoints import arm_from_environment
from lycosa._support.loop import EventLoop
from lycosa.crawl.budget import Limit
from lycosa.crawl.ending import EndingElsewhere
from lycosa.crawl.status.progress import Progress
from lycosa.errors import LycosaError
from lycosa.features.plugins.loader import load_hooks
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job.requests import Limits
from lycosa.runtime.directory import CrawlDirectory, OpenCrawl
from lycosa.runtime.limits.document import Amount
from lycosa.runtime.orders.applying import Applier, Steering
from lycosa.runtime.orders.desk import orders
from lycosa.runtime.orders.live_job import LiveJob
from lycosa.runtime.processes.assignments import Assignment, share_of
from lycosa.runtime.processes.machine import (
    collect_seldom,
    die_with,
    exit_orphaned,
    full_disk_explained,
    give_large_blocks_back,
)
from lycosa.runtime.processes.main_loop import MainLoop
from lycosa.runtime.processes.runtime import Duties, Runtime
from lycosa.runtime.workers.grants import GrantedBudget, SupervisorLink
from lycosa.runtime.workers.protocol import (
    Account,
    Adopt,
    Alive,
    Begin,
    Command,
    Committed,
    Failed,
    Finished,
    Found,
    Granted,
    GrantWanted,
    Heartbeat,
    Idle,
    LimitReached,
    LogLine,
    Noticed,
    OrdersApplied,
    PartitionsOpened,
    Recall,
    Relimited,
    SeedFailed,
    StopCleanly,
)

HEARTBEAT_SECONDS = 1.0
_FAILED = 3


class WorkerProcess:
    """A worker that takes its commands from a channel and sends its replies there."""

    def __init__(
        self, main: MainLoop, channel: Channel[Command], crawl: OpenCrawl, assignment: Assignment
    ) -> None:
        self._main = main
        self._channel = channel
        live = LiveJob(crawl.job, main.clock, workers=assignment.workers)
        crawl = crawl._replace(job=live.job)
        self._log = crawl.log
        self._reason = ""
        self._has_begun = False
        self._ordered = 0
        """Number of the last order that the supervisor told of."""
        self._figures: Progress | None = None
        self._next_figures = 0.0
        self._ending = EndingElsewhere(lambda: main.loop.call_soon(self._send_news))
        link = SupervisorLink(
            want_grant=lambda: channel.send(GrantWanted()),
            account=lambda durable, returned: channel.send(Account(durable, returned)),
            limit_reached=lambda limit: channel.send(LimitReached(str(limit))),
            call_soon=main.loop.call_soon,
            when_durable=self._when_durable,
        )
        self._budget = GrantedBudget(crawl.job, crawl.directory.free_disk, link)
        self._runtime = Runtime(main, crawl, assignment)
        self._runtime.employ(
            Duties(
                self._budget,
                self._ending,
                self._on_end,
                lambda seed, why: channel.send(SeedFailed(seed, why)),
                lambda text: channel.send(Noticed(text)),
            )
        )
        runtime = self._runtime
        self._steering = Steering(
            live,
            Applier(
                runtime.ports, runtime.worker, lambda number: channel.send(OrdersApplied(number))
            ),
            runtime.worker,
            runtime.transport,
            self,
            share=lambda connections: share_of(connections, assignment.number, assignment.workers),
        )

    def run(self) -> None:
        """Open the partitions, then follow commands until the end."""
        self._channel.listen(self._commanded, exit_orphaned)
        states = self._runtime.open(lambda: self._channel.send(Alive()))
        self._channel.send(
            PartitionsOpened(
                _kept(states),
                max((state.seconds_run() for state in states), default=0.0),
            )
        )
        self._main.loop.call_soon(self._heartbeat)
        self._main.run()
        self._channel.send(Finished(self._reason, self._runtime.progress()._asdict()))
        self._channel.flush()

    def close(self) -> None:
        """Close the runtime."""
        self._runtime.close()

    def _when_durable(self, callback: Callable[[], None]) -> None:
        self._runtime.worker.when_durable(callback)

    def _tell_first_commit(self) -> None:
        """Tell the supervisor at once: the heartbeat may come after this process was killed."""
        if self._runtime.worker.commit_times.commits:
            self._channel.send(Committed())
        else:
            self._when_durable(self._tell_first_commit)  # there was nothing to commit

    def _commanded(self, command: Command) -> None:
        worker, budget = self._runtime.worker, self._budget
        match command:
            case Begin():
                self._follow_orders(command.orders)
                budget.begin_at(self._main.clock.now() - command.seconds_run)
                self._has_begun = True
                self._when_durable(self._tell_first_commit)
                self._runtime.begin()
            case Adopt():
                self._follow_orders(command.orders)
            case Granted():
                budget.grant(command.grant)
                worker.pump()
            case Recall():
                budget.recall()
            case LimitReached():
                budget.end(Limit(command.limit))
                worker.look()
            case Found():
                self._found(command)
            case StopCleanly():
                worker.stop()

    def _found(self, found: Found) -> None:
        ending, worker = self._ending, self._runtime.worker
        ended_before = ending.patience_ended
        ending.learn(found.finding)
        ending.patience_noted(found.patience_ended)
        if found.is_between:
            worker.cycle_over()
        if found.finding.is_over or ending.patience_ended > ended_before:
            worker.look()

    # -- orders of the operator -----------------------------------------------------------

    def _follow_orders(self, last: int) -> None:
        """Read the new orders from the log, up to a number, and follow them."""
        known = self._steering.in_force.last
        if last > known:
            self._ordered = last
            given = orders(self._log, known)[: last - known]
            self._steering.learn(given, self._main.clock.now())

    def adopt(self, limits: Limits) -> None:
        """Follow other limits; report kept and reserved amounts once they are durable."""
        kept = _kept(self._runtime.worker.states().values())
        reply = Relimited(kept, self._budget.relimit(limits), self._ordered)
        if self._has_begun:
            self._when_durable(lambda: self._channel.send(reply))
        else:
            self._channel.send(reply)  # no partition is open yet, so nothing must become durable

    def halt(self, now: float) -> None:
        """Stop the time limit's clock."""
        self._budget.halt(now)

    def go_on(self, now: float) -> None:
        """Start the time limit's clock again."""
        self._budget.go_on(now)

    # -- the rhythm -----------------------------------------------------------------------

    def _heartbeat(self) -> None:
        """Send a sign of life, with old figures if new ones would take much of the time."""
        self._steering.look()
        now = time.monotonic()
        if self._figures is None or now >= self._next_figures:
            self._figures = self._runtime.progress()
            self._next_figures = time.monotonic() + 30 * (time.monotonic() - now)
        self._channel.send(Heartbeat(self._figures._asdict()))
        self._main.loop.call_later(HEARTBEAT_SECONDS, self._heartbeat)

    def _send_news(self) -> None:
        ending = self._ending
        is_patience_over, ending.wants_to_give_up = ending.wants_to_give_up, False
        self._channel.send(Idle(ending.news(), is_patience_over))

    def _on_end(self, reason: str) -> None:
        self._reason = reason
        self._runtime.seal_all(self._main.loop.stop)


def _kept(states: Collection[PartitionState]) -> Amount:
    return Amount(
        sum(state.kept_pages for state in states), sum(state.kept_bytes for state in states)
    )


class _Forwarding(logging.Handler):
    """Sends log messages to the supervisor, which writes them to the crawl's log file."""

    def __init__(self, loop: EventLoop, channel: Channel[Command]) -> None:
        super().__init__(logging.INFO)
        self._loop = loop
        self._channel = channel

    def emit(self, record: logging.LogRecord) -> None:
        """Send one message; other threads than the loop's may log too."""
        line = LogLine(record.levelno, self.format(record))
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._channel.send, line)


def _failure(directory: CrawlDirectory, error: Exception) -> Failed:
    try:
        with full_disk_explained(directory.path):
            raise error
    except Exception as explained:
        return Failed(type(explained).__name__, str(explained))


def main(arguments: list[str]) -> int:
    """Run one worker until its supervisor ends it; return the exit code."""
    faulthandler.enable()
    path, descriptor, parent, packed = arguments
    die_with(int(parent))
    give_large_blocks_back()
    collect_seldom()
    arm_from_environment()
    directory = CrawlDirectory(Path(path))
    assignment = json_decoder(Assignment).decode(packed)
    with MainLoop(assignment.clock_offset) as main_loop:
        channel: Channel[Command] = Channel(
            main_loop.loop, socket.socket(fileno=int(descriptor)), Command
        )
        try:
            _work(main_loop, channel, directory, assignment)
        except (LycosaError, OSError) as error:
            channel.send(_failure(directory, error))
            channel.flush()
            return _FAILED
        finally:
            channel.close()
    return 0


def _work(
    main_loop: MainLoop,
    channel: Channel[Command],
    directory: CrawlDirectory,
    assignment: Assignment,
) -> None:
    logger = logging.getLogger("lycosa")
    logger.addHandler(_Forwarding(main_loop.loop, channel))
    logger.setLevel(logging.INFO)
    job = directory.whole_job()
    hooks = load_hooks(job)
    with (
        closing(directory.log(job, joins=True)) as log,
        closing(
            WorkerProcess(main_loop, channel, OpenCrawl(directory, job, log, hooks), assignment)
        ) as process,
    ):
        process.run()
