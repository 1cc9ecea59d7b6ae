"""A worker: chooses what may be asked for, sends it, and keeps the rhythm of commits.

One loop, driven by callbacks:

    pump      wake what is due; while connections are free, take the next task of the next
              partition that has one, reserve, check that the partition is still ours and that
              no other process asks the address, send
    answered  decide (gathering, robots_files), give the host back, pump
    tick      read inboxes, commit, look for the end

Nothing here blocks and nothing waits: blocking work is handed to the clock.

Always true:
  * a request is sent only for a host that readiness says is awake, with a reservation
    if it is for a page, and while the log says that the partition is ours;
  * a host that asked to be left alone, or whose robots file came in, is given back only
    when the log knows it: nothing is asked of it in the knowledge of what a kill could
    make us forget;
  * nor is a host whose pause is long enough for a commit (`HOLDING_PAUSE_SECONDS`): a kill costs
    it one request, its last.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from lycosa.clock import Timer
from lycosa.crawl.answers.links import Router
from lycosa.crawl.answers.mining import Mining
from lycosa.crawl.answers.novelty.copies import Novelty
from lycosa.crawl.answers.novelty.mirrors import Mirrors
from lycosa.crawl.answers.novelty.traps import Trapper
from lycosa.crawl.answers.page import FORGETTABLE_SECONDS, Gatherer
from lycosa.crawl.answers.robots_file import RobotsFiles
from lycosa.crawl.budget import Limit
from lycosa.crawl.ending import Report
from lycosa.crawl.pauses import resume_pause
from lycosa.crawl.ports import Parts
from lycosa.crawl.status.unreachable import SeedWatch
from lycosa.crawl.status.waiting import Waits, next_waits
from lycosa.crawl.takeover import take_partitions
from lycosa.crawl.worker.commits import Committer, CommitTimes
from lycosa.crawl.worker.cycles import Cycles
from lycosa.crawl.worker.lookups import Lookups
from lycosa.crawl.worker.patience import Patience
from lycosa.errors import StoreError
from lycosa.failpoints import reach
from lycosa.fetch.robots import Rules
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.memory_limit import MemoryLimit
from lycosa.frontier.partition import Partition, Task, TaskKind
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.hosts import WorkerContext
from lycosa.frontier.urltable import FileVault
from lycosa.log.format import decode_messages
from lycosa.plugins.scheduling import scheduler_of
from lycosa.records import (
    Answer,
    BidMade,
    BidsWanted,
    CycleShare,
    Discovered,
    HostChanged,
    InboxRead,
    Outcome,
    Passed,
    Purpose,
    Request,
    Resolved,
    RobotsWanted,
    Taken,
    Validators,
)
from lycosa.url import host_of, url_of

MOST_AT_ONCE = 10_000
"""How many URLs of inboxes are decided on before something else has its turn."""

MISSING_CHECK_SECONDS = 30.0
"""When a name is looked up again that does not exist."""

EXHAUSTED = "exhausted"
"""The end of a crawl that no limit ended."""

log_messages = logging.getLogger(__name__)

HOLDING_PAUSE_SECONDS = 0.2
"""A host with at least this pause is asked again only when the log has its last answer."""

COMMIT_WITHIN_PAUSE = 0.9
"""After this part of a pause its answer is committed: the rest is for the commit, so that no host
waits for it (docs/decisions/0037-repeats-after-a-kill.md)."""

_TICK_SECONDS = 0.001  # a pause of 0.2 s is a little shorter as a difference of two moments


class Worker:
    """Crawls the partitions it is given."""

    def __init__(self, parts: Parts, on_end: Callable[[str], None]) -> None:
        self._parts = parts
        self._job = parts.job
        self._clock = parts.clock
        self._on_end = on_end
        self._agenda = Agenda()
        self._thrift = MemoryLimit(0)
        self._router = Router(parts)
        self._partitions: dict[int, Partition] = {}
        novelty = Novelty()
        self._mining = Mining(parts, self._partitions, self._agenda, self._has_looked, novelty)
        self._trapper = Trapper(self._job.traps, novelty)
        mirrors = Mirrors(self._job.traps, self._partitions)
        self._committer = Committer(parts, self._lose)
        self._cycles = Cycles(
            parts, self._partitions, self._agenda, self.when_durable, self._has_measured
        )
        self._gatherer = Gatherer(
            parts,
            self._router,
            self._mining,
            novelty,
            self._trapper,
            mirrors,
            self._cycles.planner,
        )
        self._robots = RobotsFiles(parts, self._gatherer, self._router)
        self._patience = Patience(parts, self._partitions)
        self._seeds = SeedWatch(self._job, parts.seed_failed)
        self._with_work: dict[int, None] = {}
        self._changed: dict[int, None] = {}
        self._rules: dict[tuple[int, int], Rules] = {}
        self._lookups = Lookups(parts, self._partitions, self._has_no_address, self.pump)
        self._timer: Timer | None = None
        self._timer_moment = float("inf")
        self._tick_timer: Timer | None = None
        self._tick_moment = float("inf")
        self._noted_time = 0.0
        self._has_reported = False
        self._wants_commit = False
        self._unsaved_answers = 0
        """Of hosts that may be asked again before the next commit."""
        self._is_stopping = False
        self._cut_timer: Timer | None = None
        self._is_cutting = False
        self.in_flight = 0
        self.is_over = False
        self.requests = 0

    # -- beginning and end ----------------------------------------------------------------

    def open(self, numbers: Iterable[int]) -> None:
        """Take partitions over: everything is known, nothing is asked yet."""
        now = self._clock.now()
        parts = self._parts
        taken = Taken(now, parts.owner, parts.clock_ahead)
        digest = parts.job_digest or self._job.digest()
        opened = take_partitions(parts.log, parts.snapshots, numbers, taken, digest)
        is_resumed = any(partition.is_resumed for partition in opened.values())
        scheduler = scheduler_of(self._job, parts.hooks, self._clock.now)
        politeness = self._job.politeness
        addresses = Addresses(
            self._agenda,
            politeness.ip_delay_seconds,
            now + politeness.ip_delay_seconds if is_resumed else 0.0,
            parts.slots,
        )
        frontier = self._job.frontier
        self._thrift = MemoryLimit(frontier.url_memory_bytes * len(opened) // frontier.partitions)
        for number, (state, _, snapshot_sequence) in opened.items():
            around = WorkerContext(
                self._agenda,
                addresses,
                self._lookups.resolve,
                self._pause_after_resume,
                now if is_resumed else None,
                self._with_work,
                self._changed,
                self._lookups.look_ahead,
            )
            if parts.sealed_folder is not None:
                state.table.put_into(FileVault(parts.sealed_folder))
            partition = Partition(number, state, scheduler, around)
            self._partitions[number] = partition
            self._committer.note_snapshot(number, state.sequence - snapshot_sequence)

    def begin(self, on_partition: Callable[[], None] = lambda: None) -> None:
        """Start crawling; `on_partition` is called before each partition is looked through."""
        for partition in self._partitions.values():
            on_partition()
            partition.resume(self._clock.now())
            self._cycles.resume(partition, self._clock.now())
            self._mining.resume(partition)
        self._tick()

    def stop(self) -> None:
        """Send nothing more; end when what is under way is answered, or cut, and committed."""
        self._is_stopping = True
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
    def commit_times(self) -> CommitTimes:
        """How long commits have waited and taken."""
        return self._committer.times

    def states(self) -> dict[int, PartitionState]:
        """Return the state of every partition owned."""
        return {number: partition.state for number, partition in self._partitions.items()}

    def waits(self, total: int) -> Waits:
        """Return what the worker waits for, as far as a few of what is due next tell.

        `total` is how many hosts wait.
        """
        looking_up, now = self._lookups.under_way(), self._clock.now()
        return next_waits(self._agenda, self._partitions, looking_up, total, self._job, now)

    def patience_left(self) -> float | None:
        """Return after how many seconds what is out of reach is given up, if all else is done."""
        return self._patience.seconds_left() if self._is_stuck_everywhere() else None

    def partitions(self) -> dict[int, Partition]:
        """Return every partition owned."""
        return self._partitions

    def _finish(self, reason: str) -> None:
        if self.is_over:
            return
        reach("end.seen")
        self.is_over = True
        for timer in (self._timer, self._tick_timer, self._cut_timer):
            if timer is not None:
                timer.cancel()
        self._on_end(reason)

    def _cut_later(self) -> None:
        """Once nothing more is sent, give what is under way some seconds and no more."""
        if self._cut_timer is None and (self._is_stopping or self._parts.budget.reached):
            moment = self._clock.now() + self._job.fetch.stop_seconds
            self._cut_timer = self._clock.call_at(moment, self._cut)

    def _cut(self) -> None:
        """End every request: its page stays pending, as if it had not been asked for."""
        if self.is_over or not self.in_flight:
            return
        were = "1 request was" if self.in_flight == 1 else f"{self.in_flight} requests were"
        log_messages.info(
            "%s still under way %g s after the stop: cut, and asked for again by `resume`",
            were,
            self._job.fetch.stop_seconds,
        )
        self._is_cutting = True
        self._parts.transport.cut_all()
        self._tick()

    def _lose(self, number: int) -> None:
        """Drop a partition that another owner has taken."""
        partition = self._partitions.pop(number, None)
        if partition is not None:
            self._with_work.pop(number, None)
            self._changed.pop(number, None)
            self._router.forget(number)
            self._parts.ending.report(number, None)
            partition.abandon(self._clock.now())

    # -- choosing and sending -------------------------------------------------------------

    def pump(self) -> None:
        """Start everything that may be started now, and see to being woken again."""
        if self.is_over:
            return
        now = self._clock.now()
        self._agenda.run(now)
        connections = self._parts.connections or self._job.fetch.connections
        while self.in_flight < connections and not self._is_stopping:
            partition = self._next_partition()
            if partition is None or not self._start_task(partition, now):
                break
        if self._changed and not self._committer.is_busy:
            self._tick_before(now + self._job.log.commit_seconds)
        if self._parts.poll_seconds != float("inf"):
            self._tick_before(now + self._parts.poll_seconds)
        self._set_timer()

    def _next_partition(self) -> Partition | None:
        """Return the next partition in turn that has something to ask for."""
        turns = self._with_work
        while turns:
            number = next(iter(turns))
            del turns[number]
            partition = self._partitions[number]
            if partition.has_work():
                turns[number] = None
                return partition
        return None

    def _start_task(self, partition: Partition, now: float) -> bool:
        """Start one task; False when the job's limits permit none."""
        budget = self._parts.budget
        reserved = budget.reserve(now)
        if reserved is None:
            return False
        task = self._next_permitted(partition, now)
        if task is None:
            budget.give_back(reserved)
            return True
        if task.kind is not TaskKind.PAGE:
            budget.give_back(reserved)
            reserved = self._job.robots.largest_bytes
        is_ours = self._parts.log.owner(partition.number) == self._parts.owner
        if not is_ours or not partition.readiness.claim(task.host, now):
            if task.kind is TaskKind.PAGE:
                budget.give_back(reserved)
            if is_ours:
                partition.hand_back(task, now)
            else:
                self._lose(partition.number)
            return True
        self._send(partition, task, reserved)
        return True

    def _next_permitted(self, partition: Partition, now: float) -> Task | None:
        """Return the next task that is permitted, after settling what robots rules forbid.

        What belongs to a trap ends here, too.
        """
        sites, pages = partition.state.sites, partition.state.pages
        while (task := partition.next_task()) is not None:
            if task.kind is not TaskKind.PAGE:
                return task
            site = pages.site[task.subject]
            if sites.robots_expires[site] <= now:
                partition.hand_back(task, now)
                continue
            outcome: Outcome | None = Outcome.DISALLOWED
            if self._is_allowed(partition, site, task.subject):
                outcome = self._trapper.put_aside(partition.state, task.subject)
            if outcome is None:
                return task
            if outcome is Outcome.DISALLOWED:
                self._seeds.disallowed(partition, task.subject)
            partition.settle(now, [task.subject], outcome)
            self._mining.look_if_idle(partition, site)
            partition.readiness.look_again(task.host, now)
        return None

    def _is_allowed(self, partition: Partition, site: int, page: int) -> bool:
        stored = partition.state.rules.get(site)
        if stored is None:
            return True
        cached = (partition.number, site)
        rules = self._rules.get(cached)
        if rules is None:
            if len(self._rules) >= 10_000:
                self._rules.clear()
            rules = self._rules[cached] = Rules.from_bytes(stored)
        path = partition.state.table.key(page)[len(partition.state.site_names[site]) :]
        return rules.is_allowed(path)

    def _send(self, partition: Partition, task: Task, reserved: int) -> None:
        reach("send.before")
        state = partition.state
        if task.kind is TaskKind.PAGE:
            key = state.table.key(task.subject)
        elif task.kind is TaskKind.ROBOTS:
            key = state.site_names[task.subject] + "/robots.txt"
        else:
            key = state.errands[task.subject].key
        fetch = self._job.fetch
        request = Request(
            url_of(key),
            host_of(key),
            partition.readiness.take(task.host),
            Purpose.PAGE if task.kind is TaskKind.PAGE else Purpose.ROBOTS,
            fetch.user_agent,
            fetch.largest_body_bytes if task.kind is TaskKind.PAGE else reserved,
            partition.number,
            self._validators(state, task.subject) if task.kind is TaskKind.PAGE else None,
        )
        self.in_flight += 1
        self.requests += 1
        self._parts.transport.send(
            request, lambda answer: self._answered(partition, task, reserved, request, answer)
        )
        reach("send.after")

    def _validators(self, state: PartitionState, page: int) -> Validators | None:
        """Return what tells the server which version of a page we hold, if we hold one."""
        if state.pages.outcome[page] != Outcome.KEPT or not self._job.revisit.conditional:
            return None
        place = state.place_of(page)
        try:
            return self._parts.store.validators(place) if place is not None else None
        except StoreError:  # its site was forgotten meanwhile
            return None

    # -- answers --------------------------------------------------------------------------

    def _answered(
        self, partition: Partition, task: Task, reserved: int, request: Request, answer: Answer
    ) -> None:
        reach("answer.before")
        self.in_flight -= 1
        readiness, host = partition.readiness, task.host
        if partition.is_lost or self._is_cutting:
            if task.kind is TaskKind.PAGE:
                self._parts.budget.give_back(reserved)
            readiness.give_back(host, self._clock.now())
            self.pump()
            return
        if answer.failure is Outcome.CONNECT_FAILURE:
            self._lookups.failed(partition, host, answer.ended)
        must_commit = True
        if task.kind is TaskKind.PAGE:
            must_commit = self._gatherer.page_answered(
                partition, task.subject, request, answer, reserved
            )
            if answer.failure is not None:
                site = partition.state.pages.site[task.subject]
                self._seeds.answered(partition, site, request.address, answer)
        elif task.kind is TaskKind.ROBOTS:
            self._rules.pop((partition.number, task.subject), None)
            self._robots.site_answered(partition, task.subject, request, answer)
            self._seeds.answered(partition, task.subject, request.address, answer)
        else:
            self._robots.errand_answered(partition, task.subject, request, answer)
        if partition.state.errands and partition.state.hosts.closed[host]:
            self._robots.errands_failed(partition, host, answer.ended)
        if must_commit:
            self._committer.after_next(lambda: readiness.give_back(host, self._clock.now()))
            self._commit()
        else:
            self._give_back(partition, host, answer.ended)
        reach("answer.applied")
        self.pump()

    def _give_back(self, partition: Partition, host: int, ended: float) -> None:
        """Let a host be asked again: if it rests, when its answer is durable; else at once."""
        readiness, log = partition.readiness, self._job.log
        pause = partition.state.hosts.due[host] - ended
        if pause > HOLDING_PAUSE_SECONDS - _TICK_SECONDS and not readiness.goes_on(host):
            readiness.free_address(host, self._clock.now())
            self._committer.after_next(lambda: readiness.give_back(host, self._clock.now()))
            self._tick_before(ended + min(log.commit_seconds, COMMIT_WITHIN_PAUSE * pause))
            return
        readiness.give_back(host, self._clock.now())
        self._unsaved_answers += 1
        if self._unsaved_answers == log.commit_answers:
            self._commit()

    def _has_measured(self) -> None:
        """Go on with what waited for the qualities of pages."""
        if not self.is_over:
            self._tick()

    def _has_looked(self) -> None:
        """See to it that an end which waited for a look at some site is found."""
        self._tick_within(self._job.log.commit_seconds)

    def _has_no_address(self, partition: Partition, host: int, found: Resolved) -> None:
        """Record that a host cannot be asked because its name leads nowhere.

        That there is no such name is an answer: it is checked once, then it is final.
        """
        now, most = self._clock.now(), self._job.politeness.backoff_most_seconds
        hosts = partition.state.hosts
        self._seeds.has_no_address(partition, host, found.is_missing)
        if found.is_missing:
            closed = Outcome.NO_SUCH_HOST if hosts.missing[host] > 1 else None
            due = now + MISSING_CHECK_SECONDS
            partition.change_host(HostChanged(now, host, due, hosts.strikes[host], closed))
        else:
            strikes = hosts.strikes[host] + 1
            pause = max(self._gatherer.back_off(strikes), min(found.seconds_valid, most))
            self._gatherer.strike(partition, host, now, pause, strikes)
        self._robots.errands_failed(partition, host, now)

    def _pause_after_resume(self, state: PartitionState, host: int) -> float:
        return resume_pause(self._job, state, host) + FORGETTABLE_SECONDS

    # -- the rhythm -----------------------------------------------------------------------

    def _tick(self) -> None:
        """Read what has come in, make what was decided durable, look for the end."""
        self._tick_timer = None
        if self.is_over:
            return
        if self._parts.ending.is_over:
            self._finish(EXHAUSTED)
            return
        self._parts.budget.look(self._clock.now())
        self._cut_later()
        self._read_inboxes()
        self._note_time()
        self._patience.give_up_if_told(self._clock.now())
        self._commit()
        self._thrift.look(self._partitions.values(), self._clock.now())
        self.pump()

    def _note_time(self) -> None:
        """Write down that we are running, so that a limit on the running time holds over kills.

        Always in one partition, whoever owns it: how long the crawl has run is what the
        partition that has run longest says.
        """
        now, first = self._clock.now(), self._partitions.get(0)
        if self._job.limits.seconds and first is not None and now >= self._noted_time + 1.0:
            self._noted_time = now
            first.record(Passed(now))
            self._tick_within(1.0)

    def _tick_within(self, seconds: float) -> None:
        self._tick_before(self._clock.now() + seconds)

    def _tick_before(self, moment: float) -> None:
        if self._tick_timer is not None:
            if self._tick_moment <= moment:
                return
            self._tick_timer.cancel()
        self._tick_moment = moment
        self._tick_timer = self._clock.call_at(moment, self._tick)

    def _commit(self) -> None:
        if self._committer.is_busy:
            self._wants_commit = True
            return
        changed = [self._partitions[number] for number in self._changed]
        # Before the commit: who waited for it may decide something more when it is done.
        self._changed.clear()
        self._unsaved_answers = 0
        self._committer.commit(changed, self._committed)

    def _committed(self) -> None:
        """Go on after a commit: more may have come, or everything may be over."""
        if self._wants_commit:
            self._wants_commit = False
            self._commit()
        self._read_inboxes()
        self._look_for_end()
        self.pump()

    def _read_inboxes(self) -> None:
        """Decide on everything that other partitions have sent.

        What another worker let into the scope it noted before it posted anything: so that is
        looked at between the heads and the inboxes.
        """
        if self._cycles.is_measuring or self._is_stopping:
            return
        log = self._parts.log
        heads = log.heads()
        self._parts.scope.look_again()
        admitted = 0
        for number, partition in self._partitions.items():
            head = heads[number].inbox
            while (after := partition.state.inbox_read) < head:
                for sequence, batch in log.inbox(number, after):
                    if sequence > head:
                        break
                    reach("inbox.read")
                    admitted += self._read_messages(partition, batch)
                    partition.record(InboxRead(sequence))
                    if admitted >= MOST_AT_ONCE:  # a long list of seeds: let requests go out, too
                        self._tick_within(0.0)
                        return
                if partition.state.inbox_read == after:
                    break
            if self._cycles.wants_breath():
                self._tick_within(0.0)
                return

    def _read_messages(self, partition: Partition, batch: bytes) -> int:
        """Decide on the messages of one batch; returns how many URLs were in them."""
        now, urls = self._clock.now(), 0
        for message in decode_messages(batch):
            if isinstance(message, Discovered):
                if not message.source:
                    for key in message.keys:  # seeds, perhaps added while we were running
                        self._parts.scope.join(key)
                self._router.admit(partition, message)
                urls += len(message.keys)
            elif isinstance(message, RobotsWanted):
                self._robots.wanted(partition, message, now)
            elif isinstance(message, BidsWanted):
                self._cycles.bids_wanted(partition, message)
            elif isinstance(message, BidMade):
                self._cycles.bid_made(partition, message)
            elif isinstance(message, CycleShare):
                self._cycles.share_came(partition, message, now)
            else:
                site = partition.state.site_number(message.site)
                if site is not None:
                    self._rules.pop((partition.number, site), None)
                self._robots.found(partition, message, now)
        return urls

    def _look_for_end(self) -> None:
        """End when a limit is reached and nothing is under way, or when all is done."""
        if self._changed or self._committer.is_busy:
            return
        if not self.in_flight and (self._is_stopping or self._parts.budget.reached):
            self._finish(str(self._parts.budget.reached or Limit.STOPPED))
            return
        if self._mining.is_busy:
            return
        for partition in self._partitions.values():
            if partition.state.pending or partition.state.errands:
                self._look_at_patience()
                return
        if not self._cycles.is_ready(self.requests):
            return
        ending = self._parts.ending
        self._report()
        self._patience.count(self._clock.now(), self._is_stuck_everywhere())
        if ending.is_possible():
            if ending.look(self._parts.log.heads()):
                self._finish(EXHAUSTED)
            elif ending.is_between:
                self._cycles.over(self._clock.now())
            else:
                self._tick_within(self._job.log.commit_seconds)

    def _report(self, *, is_stuck: bool = False) -> None:
        """Say that the partitions are idle, or that those that are not are stuck."""
        for number, partition in self._partitions.items():
            state = partition.state
            report = Report(
                state.sequence,
                state.inbox_read,
                self._cycles.goes_on(partition),
                is_stuck and bool(state.pending),
                bool(state.segment_ends),
            )
            self._parts.ending.report(number, report)
        self._has_reported = True

    def _look_at_patience(self) -> None:
        """Say that nothing is left but what is out of reach, or that something is."""
        now, patience = self._clock.now(), self._patience
        if patience.is_stuck(now):
            self._report(is_stuck=True)
            patience.count(now, self._is_stuck_everywhere())
        else:
            for number in self._partitions if self._has_reported else ():
                self._parts.ending.report(number, None)
            self._has_reported = False
            patience.count(now, False)
        if patience.look_again_at < float("inf"):
            self._tick_before(max(patience.look_again_at, now))

    def _is_stuck_everywhere(self) -> bool:
        ending = self._parts.ending
        return ending.may_be_stuck() and ending.is_stuck(self._parts.log.heads())

    def _set_timer(self) -> None:
        """Be woken when the next thing is due."""
        moment = min(self._agenda.next_moment() or float("inf"), self._parts.budget.next_moment())
        if moment >= self._timer_moment or moment == float("inf"):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_moment = moment
        self._timer = self._clock.call_at(moment, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._timer_moment = float("inf")
        budget = self._parts.budget
        if self._clock.now() >= budget.next_moment() and not budget.reached:
            self._tick()
        self.pump()
