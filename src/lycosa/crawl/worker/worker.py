"""The worker: wakes what is due, sends requests, decides on answers, and commits.

Everything runs in callbacks of one loop:

    pump       wake hosts that are due; while connections are free, let the next partition that has
               work send a request (`sending`)
    on_answer  decide on the answer (`answers.stages`, `answers.robots`), free the host, pump
    tick       read inboxes (`inbox`), commit (`commits`), look for the end (`end_search`)

No callback blocks or waits: blocking work is handed to the clock.

Always true:
  * a request is sent only for a host that readiness says is awake, with a reservation
    if it is for a page, and while the log says that the partition is ours;
  * a host that asked to be left alone, or whose robots file came in, is given back only
    when that is durable: no request is sent in the knowledge of what a kill could make us forget;
  * the same holds for a host whose pause is long enough for a commit (`release`): a kill
    repeats one request to it, its last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lycosa._support.failpoints import reach
from lycosa.crawl.answers.robots import RobotsFiles
from lycosa.crawl.answers.stages import PageAnswers
from lycosa.crawl.budget import Limit
from lycosa.crawl.links.router import Router
from lycosa.crawl.messages.cycles import Cycles
from lycosa.crawl.messages.inbox import InboxReader
from lycosa.crawl.pauses.due import FORGETTABLE_SECONDS, pause_since_resume
from lycosa.crawl.pauses.release import HostRelease
from lycosa.crawl.points import Feature, Points, Spine
from lycosa.crawl.ports import Ports
from lycosa.crawl.status.unreachable import SeedWatch
from lycosa.crawl.status.waiting import ASKED_BY_WORKER, ASKED_ELSEWHERE, Waits, next_waits
from lycosa.crawl.suspects.marking import marking
from lycosa.crawl.takeover import Opened
from lycosa.crawl.worker._pump import Alarm, Pump
from lycosa.crawl.worker.commits import Committer, CommitTimes, Count
from lycosa.crawl.worker.cutting import Cutting
from lycosa.crawl.worker.end_search import EndSearch, Verdict
from lycosa.crawl.worker.lookups import Lookups
from lycosa.crawl.worker.ownership import Ownership
from lycosa.crawl.worker.partings import Partings
from lycosa.crawl.worker.running_time import RunningTime
from lycosa.crawl.worker.sending import Sender
from lycosa.crawl.worker.turns import make_turns
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.memory_limit import MemoryLimit
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.readiness.slots import AddressSlots
from lycosa.frontier.task import Task, TaskKind
from lycosa.model.records import Answer, AnyEvent, Outcome, Request, Resolved

if TYPE_CHECKING:
    from lycosa.crawl.links.raised_depth import RaisedDepth

EXHAUSTED = "exhausted"
"""The end of a crawl that no limit ended."""


class Worker(Pump):
    """Crawls the partitions it is given."""

    def __init__(
        self,
        ports: Ports,
        on_end: Callable[[str], None],
        features_of: Callable[[Spine], Sequence[Feature]],
    ) -> None:
        self._ports, self._job, self._clock = ports, ports.job, ports.clock
        self._on_end = on_end
        self.on_begin: Callable[[Partition], None] = lambda partition: None
        """Told of a partition before it has its turns: orders of the operator are applied to it."""
        self._wants_commit = False
        self._partitions: dict[int, Partition] = {}
        self._with_work: dict[int, None] = {}
        self._changed: dict[int, None] = {}
        # Parts that need ports, partitions and callbacks alone.
        self._agenda = Agenda()
        self._tick_alarm = Alarm(self._clock, self._tick)
        self._wake_alarm = Alarm(self._clock, self._wake)
        self._memory_limit = MemoryLimit(0)
        self._router = Router(ports)
        self._raised_depth: RaisedDepth | None = None
        self._seeds = SeedWatch(self._job, ports.seed_failed)
        self._committer = Committer(ports, self._lose)
        self._release = HostRelease(ports, self._committer, self._tick_alarm)
        self._lookups = Lookups(ports, self._partitions, self._has_no_address, self.pump)
        self._running_time = RunningTime(ports, self._partitions)
        self._partings = Partings(ports, self._partitions)
        self._cutting = Cutting(ports, lambda: self.in_flight, self._tick)
        self._cycles = Cycles(ports, self._partitions, self._agenda, self.when_durable, self._tick)
        # Features are made before the parts that call them, and given the parts above.
        spine = Spine(
            *(ports, self._partitions, self._router, self._agenda),
            *(self._look_soon, self._has_looked, self._when_on_disk),
        )
        self._points = points = Points(features_of(spine))
        self._router.companion = points.companion
        self.topic_names = points.topic_names
        """The topics of the job's model; none without one."""
        self._pages = PageAnswers(ports, self._router, self._cycles.planner_if_on, points)
        self._robots = RobotsFiles(ports, self._router, points)
        on_answer = marking(ports, self._on_answer)
        self._sender = Sender(
            *(ports, self._seeds, points, on_answer, self._lose), when_durable=self._when_on_disk
        )
        self._inbox = InboxReader(spine, self._robots, self._cycles, self._sender, points)
        self._end = EndSearch(spine, points, self._cycles, self._tick_alarm, self._lose)
        super().__init__(
            *(ports, self._agenda, self._sender, self._committer, self._changed),
            *(self._tick_alarm, self._wake_alarm),
        )
        self.connections = ports.connections or self._job.fetch.connections
        """How many requests may be under way at once; 0 begins none."""
        self._turns = make_turns(self._job.frontier.scheduler, self._partitions, self._with_work)
        for turns in points.turns:
            self._turns = turns(self._with_work)
        self._ownership = Ownership(
            ports,
            self._partitions,
            self._context(),
            self._committer,
            begin=self._begin,
            commit=self._commit,
            on_lost=(
                *(self._router.forget, self._pages.forget, self._sender.forget),
                *(self._inbox.forget, *points.lost),
            ),
        )

    def _context(self) -> WorkerContext:
        """Return what partitions share."""
        ip_delay = self._job.politeness.ip_delay_seconds
        return WorkerContext(
            self._agenda,
            Addresses(
                *(self._agenda, ip_delay, 0.0, self._ports.slots, self._ports.machines_at),
                connections=lambda: self.connections,
            ),
            self._lookups.resolve,
            self._pause_after_resume,
            None,
            self._with_work,
            self._changed,
            self._lookups.look_ahead,
            self._inbox.make_readiness,
        )

    # -- beginning and end ----------------------------------------------------------------

    def open(self, numbers: Iterable[int]) -> None:
        """Take partitions over: everything is known, nothing is asked yet."""
        self._ownership.open(numbers)
        self._share_memory()

    def take(self, numbers: Iterable[int], on_taken: Callable[[int], None]) -> None:
        """Take more partitions while crawling; each is reported when it is begun."""
        self._ownership.take(numbers, on_taken)

    def add(self, number: int, opened: Opened) -> None:
        """Begin with a partition that has been taken in the log."""
        self._ownership.add(number, opened)

    def release(self, numbers: Iterable[int], on_released: Callable[[int], None]) -> None:
        """Hand partitions over; each is reported when others may take it."""
        self._ownership.release(numbers, on_released)

    def drop(self, numbers: Iterable[int]) -> None:
        """Drop partitions at once, because others may take them from now on."""
        for number in numbers:
            self._lose(number)
        self.pump()

    def abandon(self) -> None:
        """Drop everything and do nothing more: others may take our partitions from now on."""
        self._rest()
        self._lookups.stop()
        for number in list(self._partitions):
            self._lose(number)

    def begin(self, on_partition: Callable[[], None] = lambda: None) -> None:
        """Start crawling; `on_partition` is called before each partition is looked through."""
        for partition in self._partitions.values():
            on_partition()
            self._begin(partition)
        self._tick()

    def _begin(self, partition: Partition) -> None:
        """Let a partition that was taken have its turns; it may come while others are crawled."""
        now = self._clock.now()
        self.on_begin(partition)
        for attach in self._points.attached:
            attach(partition)
        partition.resume(now)
        self._router.pay(partition, now)
        if partition.state.limits.end_page and self._raised_depth is None:
            from lycosa.crawl.links.raised_depth import RaisedDepth  # few limits are raised

            self._raised_depth = RaisedDepth(self._clock, self._partitions, self._router)
        self._cycles.resume(partition, now)
        for begin in self._points.begun:
            begin(partition, now)
        self._share_memory()
        self._tick_alarm.set_before(now)

    def _share_memory(self) -> None:
        frontier = self._job.frontier
        share = frontier.url_memory_bytes * len(self._partitions) // frontier.partitions
        self._memory_limit.allow(share)

    def stop(self) -> None:
        """Send nothing more; end when what is under way is answered, or cut, and committed."""
        self.is_stopping = True
        self._lookups.stop()
        self._tick()

    def look(self) -> None:
        """Look around at once: somebody else has seen the end, or a limit."""
        self._tick()

    def cycle_over(self) -> None:
        """Note that a cycle has ended everywhere, as somebody else has seen."""
        self._cycles.over(self._clock.now())
        self.pump()

    def when_durable(self, callback: Callable[[], None]) -> None:
        """Call back when everything decided so far is durable."""
        self._committer.after_next(callback)

    @property
    def in_flight(self) -> int:
        """How many requests are under way."""
        return self._sender.in_flight

    @property
    def requests(self) -> int:
        """How many requests were sent."""
        return self._sender.requests

    @property
    def durable_counts(self) -> Mapping[int, Count]:
        """Durable counts of each partition, also of those that are ours no longer."""
        return self._committer.counts

    @property
    def commit_times(self) -> CommitTimes:
        """How long commits have waited and taken."""
        return self._committer.times

    def states(self) -> dict[int, PartitionState]:
        """Return the state of every partition owned."""
        return {number: partition.state for number, partition in self._partitions.items()}

    def waits(self, total: int) -> Waits:
        """Return what the worker waits for, from a few that are due next; `total` hosts wait."""
        looking_up, now = self._lookups.under_way(), self._clock.now()
        slots = self._ports.slots
        address = slots.asked_elsewhere if isinstance(slots, AddressSlots) else ""
        is_alone = self._ports.connections in (0, self._job.fetch.connections)
        return next_waits(
            *(self._agenda, self._partitions, looking_up, total, self._job),
            now=now,
            elsewhere=address,
            asked_by=(ASKED_ELSEWHERE if is_alone else ASKED_BY_WORKER).format(address),
        )

    def patience_left(self) -> float | None:
        """Return after how many seconds what is out of reach is given up, if all else is done."""
        return self._end.patience_left()

    @property
    def addresses(self) -> Addresses:
        """The gates of the addresses that were asked, or are about to be."""
        return self._ownership.addresses

    def partitions(self) -> dict[int, Partition]:
        """Return every partition owned."""
        return self._partitions

    def _finish(self, reason: str) -> None:
        if self.is_over:
            return
        reach("end.seen")
        self._rest()
        self._on_end(reason)

    def _rest(self) -> None:
        self.is_over = True
        for timer in (self._wake_alarm, self._tick_alarm, self._cutting):
            timer.cancel()
        for stop in self._points.stopped:
            stop()

    def _lose(self, number: int, refused: Sequence[AnyEvent] = ()) -> None:
        """Drop a partition that another owner has taken."""
        self._ownership.lose(number, refused)
        self._share_memory()

    # -- answers --------------------------------------------------------------------------

    def _on_answer(
        self, partition: Partition, task: Task, reserved: int, request: Request, answer: Answer
    ) -> None:
        reach("answer.before")
        self._sender.in_flight -= 1
        partition.in_flight -= 1
        readiness, host = partition.readiness, task.host
        # The page stays pending: its next owner, or the next run, asks for it again.
        if partition.is_lost or self._cutting.has_begun:
            if task.kind is TaskKind.PAGE:
                self._ports.budget.give_back(reserved)
            readiness.give_back(host, self._clock.now())
            self.pump()
            return
        is_news = answer.failure is not None or readiness.addresses.newcomers
        if is_news and self._sender.has_missed(partition, task, reserved, request, answer):
            self.pump()
            return
        # The host may have moved, so its name is looked up again before the next request.
        if answer.failure is Outcome.CONNECT_FAILURE:
            self._lookups.failed(partition, host, answer.ended)
        must_commit = True
        if self._points.claimed and self._sender.is_claimed(
            partition, task, reserved, request, answer
        ):
            pass
        elif task.kind is TaskKind.PAGE:
            must_commit = self._pages.decide(partition, task.subject, request, answer, reserved)
            if answer.failure is not None:
                site = partition.state.pages.site[task.subject]
                self._seeds.answered(partition, site, request.address, answer)
        elif task.kind is TaskKind.ROBOTS:
            self._sender.forget_rules(partition.number, task.subject)
            self._robots.site_answered(partition, task.subject, request, answer)
            self._seeds.answered(partition, task.subject, request.address, answer)
        else:
            self._robots.errand_answered(partition, task.subject, request, answer)
        # No request is sent to a closed host, so its errands would wait for ever.
        if partition.state.errands and partition.state.hosts.closed[host]:
            self._robots.errands_failed(partition, host, answer.ended)
        if must_commit:
            self._release.when_sure(partition, host, answer.ended)
            self._commit()
        elif self._release.after_answer(partition, host, answer.ended):
            self._commit()
        reach("answer.applied")
        if partition.is_leaving:
            self._ownership.look()
        self.pump()

    def _when_on_disk(self, callback: Callable[[], None]) -> None:
        """Call back soon, when a power cut cannot take what was decided so far."""
        self._committer.sync_next()
        self._committer.after_next(callback)
        self._look_soon()

    def _look_soon(self) -> None:
        self._tick_alarm.set_within(0.0)

    def _has_looked(self) -> None:
        """See to it that an end which waited for a look at some site is found."""
        self._tick_alarm.set_within(self._job.log.commit_seconds)

    def _has_no_address(self, partition: Partition, host: int, found: Resolved) -> None:
        """Record that a host cannot be asked because its name leads nowhere."""
        now = self._clock.now()
        self._seeds.has_no_address(partition, host, found.is_missing)
        self._pages.host_pauses.after_no_address(partition, host, found, now)
        self._robots.errands_failed(partition, host, now)

    def _pause_after_resume(self, state: PartitionState, host: int) -> float:
        return pause_since_resume(self._job, state, host) + FORGETTABLE_SECONDS

    # -- the rhythm -----------------------------------------------------------------------

    def _tick(self) -> None:
        """Read what has come in, make what was decided durable, look for the end."""
        if self.is_over:
            return
        if self._ports.ending.finding.is_over:
            self._finish(EXHAUSTED)
            return
        self._ports.budget.look(self._clock.now())
        if self.is_stopping or self._ports.budget.reached:
            self._cutting.cut_later()
        else:
            self._cutting.cancel()
        self._read_inbox()
        self._running_time.note(self._tick_alarm)
        self._end.give_up_if_told()
        self._commit()
        self._memory_limit.look(self._partitions.values(), self._clock.now())
        self._partings.look(self._clock.now())
        self.pump()

    def _commit(self) -> None:
        if self._committer.is_busy:
            self._wants_commit = True
            return
        self._turns.settle(self._changed)
        changed = [self._partitions[number] for number in self._changed]
        # Before the commit: who waited for it may decide something more when it is done.
        self._changed.clear()
        self._release.committed()
        self._committer.commit(changed, self._committed)

    def _committed(self) -> None:
        """Go on after a commit: more may have come, or everything may be over."""
        if self._wants_commit:
            self._wants_commit = False
            self._commit()
        self._read_inbox()
        self._look_for_end()
        self.pump()

    def _read_inbox(self) -> None:
        if self._cycles.is_measuring or self.is_stopping:
            return
        if self._inbox.read():
            self._tick_alarm.set_within(0.0)
        # Links that are found wait in memory for their commit, so no more are read meanwhile.
        reading = None if self._committer.is_busy else self._raised_depth
        if reading is not None and reading.look():
            self._tick_alarm.set_within(0.0)

    def _look_for_end(self) -> None:
        """End when a limit is reached and nothing is under way, or when all is done."""
        if self._changed or self._committer.is_busy:
            return
        if any(is_working() for is_working in self._points.working):
            return  # some work is done in spite of a limit
        if not self.in_flight and (self.is_stopping or self._ports.budget.reached):
            if self._ports.is_shared and self._partitions:
                self._ownership.release(list(self._partitions), lambda number: None)
                return  # comes back when the last one is released
            self._finish(str(self._ports.budget.reached or Limit.STOPPED))
            return
        verdict = self._end.look(self.requests)
        if verdict is Verdict.OVER:
            self._finish(EXHAUSTED)
        elif verdict is Verdict.CYCLE_OVER:
            self._cycles.over(self._clock.now())

    def _wake(self) -> None:
        """Go on at the moment for which the next thing was due."""
        budget = self._ports.budget
        if self._clock.now() >= budget.next_moment() and not budget.reached:
            self._tick()
        self.pump()
