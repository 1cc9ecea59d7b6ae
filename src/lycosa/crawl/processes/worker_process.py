"""One worker in a process of its own, under a supervisor.

Started by `lycosa.crawl.processes.supervisor` and by nobody else (`joining`). Orders come and
answers go through the socket (`orders`). When it closes, the supervisor is gone, and this process
ends at once: what it has not committed is asked for again.

Signals are the supervisor's to hear: a Ctrl-C, or the end of a service, reaches all processes
of the crawl, and it is the supervisor that tells the others what to do. It holds the
crawl's lock for as long as it lives, as its supervisor does.
"""

from __future__ import annotations

import ctypes
import faulthandler
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from lycosa.crawl.budget import Limit
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.ending import Report
from lycosa.crawl.ports import Reservations
from lycosa.crawl.processes.channel import Channel, frame
from lycosa.crawl.processes.grants import GrantedBudget, Told
from lycosa.crawl.processes.machine import collect_seldom, full_disk_told, give_large_blocks_back
from lycosa.crawl.processes.protocol import (
    Alive,
    Beat,
    Begin,
    CycleOver,
    Ended,
    Failed,
    GiveUp,
    Grant,
    Idle,
    Opened,
    Order,
    Over,
    PatienceOver,
    Post,
    Reached,
    Recall,
    Said,
    SeedFailed,
    Stop,
    Stuck,
    Want,
)
from lycosa.crawl.processes.runtime import Station
from lycosa.crawl.status.progress import Progress
from lycosa.errors import LycosaError
from lycosa.failpoints import arm_from_environment
from lycosa.log.protocol import Head
from lycosa.loop import EventLoop
from lycosa.plugins.loader import load_hooks

BEAT_SECONDS = 1.0
_PR_SET_PDEATHSIG = 1
_FAILED, _ORPHANED = 3, 4


class RemoteEnding:
    """Passes what idle partitions report on to the supervisor, who looks for the end."""

    def __init__(
        self, on_news: Callable[[], object], on_patience_over: Callable[[], object]
    ) -> None:
        self._on_news = on_news
        self._on_patience_over = on_patience_over
        self._known: dict[int, Report | None] = {}
        self._new: dict[int, tuple[int, int, bool, bool, bool] | None] = {}
        self.found_stuck = False
        self.has_answers = False
        self.patience_ended = 0
        self.is_over = False
        self.is_between = False

    def report(self, partition: int, report: Report | None) -> None:
        """Note what has changed."""
        if self._known.get(partition) != report or partition not in self._known:
            self._known[partition] = report
            if not self._new:
                self._on_news()
            self._new[partition] = None if report is None else (*report,)

    def is_possible(self) -> bool:
        """Leave that to the supervisor."""
        return False

    def look(self, heads: Sequence[Head]) -> bool:
        """Return what the supervisor has found."""
        return self.is_over

    def may_be_stuck(self) -> bool:
        """Return what the supervisor has found."""
        return self.found_stuck

    def is_stuck(self, heads: Sequence[Head]) -> bool:
        """Return what the supervisor has found."""
        return self.found_stuck

    def end_patience(self) -> None:
        """Let the supervisor tell all workers."""
        self._on_patience_over()

    def news(self) -> dict[int, tuple[int, int, bool, bool, bool] | None]:
        """Return what was reported since the last time."""
        news, self._new = self._new, {}
        return news


class Member:
    """The worker's side of the conversation."""

    def __init__(self, directory: CrawlDirectory, post: Post, end: socket.socket) -> None:
        self._ending = RemoteEnding(
            lambda: self._loop.call_soon(self._tell_news),
            lambda: self._channel.send(PatienceOver()),
        )
        self._reason = ""
        self._figures: Progress | None = None
        self._next_figures = 0.0
        job = directory.job()
        hooks = load_hooks(job)
        self._log = directory.log(job)
        self._station = Station(
            directory,
            job,
            self._log,
            post,
            self._make_budget,
            self._ending,
            self._over,
            hooks,
            lambda seed, why: self._channel.send(SeedFailed(seed, why)),
        )
        self._loop = self._station.loop
        self._channel: Channel[Order] = Channel(
            self._loop, end, Order, self._ordered, self._orphaned
        )
        handler = _Forwarding(self._loop, self._channel)
        logging.getLogger("lycosa").addHandler(handler)
        logging.getLogger("lycosa").setLevel(logging.INFO)

    def run(self) -> None:
        """Open the partitions, then do as told until the end."""
        states = self._station.open(lambda: self._channel.send(Alive()))
        self._channel.send(
            Opened(
                sum(state.kept_pages for state in states),
                sum(state.kept_bytes for state in states),
                max((state.seconds_run() for state in states), default=0.0),
            )
        )
        self._loop.call_soon(self._beat)
        self._station.run()
        self._channel.send(Ended(self._reason, self._station.progress()._asdict()))
        self._channel.flush()

    def failed(self, error: Exception) -> None:
        """Tell the supervisor that it is no use to go on."""
        self._channel.send(_failure(self._station.directory, error))
        self._channel.flush()

    def close(self) -> None:
        """Let go of everything."""
        self._station.close()
        self._log.close()

    def _make_budget(self, station: Station) -> Reservations:
        self._budget = GrantedBudget(
            station.job,
            station.free_disk,
            Told(
                want=lambda: self._channel.send(Want()),
                account=lambda account: self._channel.send(account),
                reached=lambda limit: self._channel.send(Reached(str(limit))),
                soon=station.loop.call_soon,
                when_durable=lambda callback: station.worker.when_durable(callback),
            ),
        )
        return self._budget

    def _ordered(self, order: Order) -> None:
        worker, budget = self._station.worker, self._budget
        match order:
            case Begin():
                if order.seconds_left is not None:
                    budget.begin(self._station.clock.now() + order.seconds_left)
                self._station.begin()
            case Grant():
                budget.grant(order)
                worker.pump()
            case Recall():
                budget.recall()
            case Reached():
                budget.end(Limit(order.limit))
                worker.look()
            case CycleOver():
                worker.cycle_over()
            case Stuck():
                self._ending.found_stuck = order.is_stuck
                self._ending.has_answers = order.has_answers
            case GiveUp():
                self._ending.patience_ended += 1
                worker.look()
            case Over():
                self._ending.is_over = True
                worker.look()
            case Stop():
                worker.stop()

    def _beat(self) -> None:
        """Give a sign of life. Figures of a large crawl take long: so not always new ones."""
        now = time.monotonic()
        if self._figures is None or now >= self._next_figures:
            self._figures = self._station.progress()
            self._next_figures = time.monotonic() + 30 * (time.monotonic() - now)
        self._channel.send(Beat(self._figures._asdict()))
        self._loop.call_later(BEAT_SECONDS, self._beat)

    def _tell_news(self) -> None:
        self._channel.send(Idle(self._ending.news()))

    def _over(self, reason: str) -> None:
        self._reason = reason
        self._station.seal_all(self._loop.stop)

    def _orphaned(self) -> None:
        os._exit(_ORPHANED)


class _Forwarding(logging.Handler):
    """Lets the supervisor write down what is said here."""

    def __init__(self, loop: EventLoop, channel: Channel[Order]) -> None:
        super().__init__(logging.INFO)
        self._loop = loop
        self._channel = channel

    def emit(self, record: logging.LogRecord) -> None:
        """Pass the line on, from whichever thread it is."""
        said = Said(record.levelno, self.format(record))
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._channel.send, said)


def _failure(directory: CrawlDirectory, error: Exception) -> Failed:
    try:
        with full_disk_told(directory.path):
            raise error
    except Exception as told:
        return Failed(type(told).__name__, str(told))


def _die_with(parent: int) -> None:
    """Ask the kernel to end this process with its supervisor, whatever it is doing."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(_ORPHANED)


def main(arguments: list[str]) -> int:
    """Run one worker until its supervisor says that all is done."""
    faulthandler.enable()
    path, descriptor, parent, post = arguments
    _die_with(int(parent))
    give_large_blocks_back()
    collect_seldom()
    arm_from_environment()
    directory, end = CrawlDirectory(Path(path)), socket.socket(fileno=int(descriptor))
    try:
        member = Member(directory, msgspec.json.decode(post, type=Post), end)
    except (LycosaError, OSError) as error:
        end.sendall(frame(_failure(directory, error)))
        return _FAILED
    try:
        member.run()
    except (LycosaError, OSError) as error:
        member.failed(error)
        return _FAILED
    finally:
        member.close()
    return 0
