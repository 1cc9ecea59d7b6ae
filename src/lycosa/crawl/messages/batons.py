"""Lets partitions take turns at hosts that they share: KSpider's phases, without a common clock.

With `url-hash` and `url-sum` every partition has pages of a host. A host belongs to a *host set*,
and only the partition that holds the **baton** of the set asks its hosts. A baton begins at the
set's home partition and rests where it is until another partition asks for it:

    1. a partition with something to ask a host of the set tells the home (`BatonWanted`);
    2. the home puts it at the end of the line: it tells whoever was last until now (`BatonDue`);
    3. who holds the baton and has somebody after it passes it on (`BatonCame`), when nothing is
       under way on the set's hosts, and its slot is over or it has nothing to ask any more; a slot
       that is shorter than a host's usual pause lasts for one request;
    4. with the baton go the rest that each host is owed, its robots rules, strikes and pages kept.

Each of these steps is an event in the log of the partition that takes it, and the message that
follows from it is part of the same write. So a kill loses no request and no baton.

Always true:
  * a baton is held by one partition, or lies in the inbox of one; passing is one write, and it
    holds every answer of the set's hosts or comes after the write that does;
  * nobody passes a baton before the full pause of a partition that was taken by force is over;
  * the slot says when a baton is passed to one who waits, never whether it may be held;
  * no message is sent while nobody has anything to ask: an idle crawl stands still, and ends.

Why a line needs no more than its end: who was last is told once who comes after it, and passes the
baton there once. Messages of the home arrive in the order in which it decided.

The answer at the end of a redirected robots file takes the same way: to the home, then to the last
in line. That one has it before it passes the baton on, so that all who come later know it.

Cost: three messages and five events a pass; about 80 bytes for each host of the set that was ever
asked, and its robots rules. With other partitioners none of this is imported.
Not here: who may be asked (`frontier.readiness.turns`), what a report holds (`fold.reports`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping

from lycosa.crawl.answers.robots import FIRST_RETRIES_SECONDS
from lycosa.crawl.pauses.due import FORGETTABLE_SECONDS, usual_pause
from lycosa.frontier.fold.reports import report_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.partitioners.urls import UrlPartitioner
from lycosa.frontier.readiness.agenda import NEVER, Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.readiness.turns import TurnReadiness
from lycosa.frontier.schedulers import Scheduler
from lycosa.model.clock import Clock
from lycosa.model.job import Job
from lycosa.model.records import (
    BatonCame,
    BatonDue,
    BatonPassed,
    BatonQueued,
    BatonStep,
    BatonTaken,
    BatonWanted,
    HostReport,
    RobotsFound,
    RobotsState,
    SiteReport,
)
from lycosa.model.url.key import reversed_host_of

ELSEWHERE = RobotsState.ELSEWHERE


class _HostSets:
    """The host sets of one partition's hosts, brought up to date when asked."""

    def __init__(self, state: PartitionState, set_of: Callable[[str], int]) -> None:
        self._names = state.host_names
        self._set_of = set_of
        self._sets = array("I")
        self._hosts: dict[int, list[int]] = {}

    def of_host(self, host: int) -> int:
        if host >= len(self._sets):
            self._grow()
        return self._sets[host]

    def hosts(self, host_set: int) -> list[int]:
        if len(self._sets) < len(self._names):
            self._grow()
        return self._hosts.get(host_set, [])

    def _grow(self) -> None:
        for host in range(len(self._sets), len(self._names)):
            host_set = self._set_of(self._names[host])
            self._sets.append(host_set)
            self._hosts.setdefault(host_set, []).append(host)


class Batons:
    """The batons of a worker's partitions; one per worker."""

    def __init__(
        self,
        job: Job,
        clock: Clock,
        partitioner: UrlPartitioner,
        partitions: Mapping[int, Partition],
        forget_rules: Callable[[int, int], None],
    ) -> None:
        self._clock = clock
        self._partitioner = partitioner
        self._partitions = partitions
        self._forget_rules = forget_rules
        self.slot_seconds = job.frontier.slot_seconds
        self._job = job
        self._robots = job.robots
        self._agenda = Agenda()
        self._sets: dict[int, _HostSets] = {}
        self._readiness: dict[int, TurnReadiness] = {}
        self._may_pass_at: dict[int, float] = {}
        """By partition: the end of its full pause, if it was taken by force."""
        self._slot_ends: dict[tuple[int, int], float] = {}
        """(partition, host set) → until when it may go on although another one waits."""
        self._noted: dict[int, float] = {}
        """When the agenda looks next at a partition and a host set."""

    def make_readiness(
        self, number: int, state: PartitionState, scheduler: Scheduler, around: WorkerContext
    ) -> TurnReadiness:
        """Return the readiness of a partition that was taken."""
        self._agenda = around.agenda
        self._sets[number] = _HostSets(state, self._partitioner.set_of)
        resumed_at = around.resumed_at
        self._may_pass_at[number] = 0.0 if resumed_at is None else resumed_at + self._full_pause
        made = self._readiness[number] = TurnReadiness(number, state, scheduler, around, self)
        for host_set in state.batons.next:
            self._look_at(number, host_set, 0.0)
        return made

    @property
    def _full_pause(self) -> float:
        """The pause of a host after a takeover; it covers everything that may be forgotten."""
        job = self._job
        return job.politeness.burst_urls * usual_pause(job, 0) + FORGETTABLE_SECONDS

    def forget(self, number: int) -> None:
        """Forget a partition that is no longer ours."""
        for volatile in (self._sets, self._readiness, self._may_pass_at):
            volatile.pop(number, None)
        for slot in [slot for slot in self._slot_ends if slot[0] == number]:
            del self._slot_ends[slot]

    # -- what readiness asks and tells ----------------------------------------------------

    def holds(self, partition: int, host: int) -> bool:
        """Return whether a partition may ask a host now."""
        sets = self._sets.get(partition)
        return sets is not None and self._holds(partition, sets.of_host(host))

    def want(self, partition: int, host: int) -> None:
        """Ask for the baton of a host's set, if that was not done."""
        ours = self._partitions[partition]
        if ours.is_leaving:
            return
        host_set = self._sets[partition].of_host(host)
        if host_set in ours.state.batons.asked:
            return
        ours.record(BatonQueued(host_set, partition, BatonStep.ASKED))
        home = self._partitioner.home_of(host_set)
        if home == partition:
            self._queue(ours, host_set, partition)
        else:
            ours.post(home, BatonWanted(host_set, partition))

    def has_settled(self, partition: int, host: int, now: float) -> None:
        """Note that nothing is under way on a host: perhaps its baton can be passed."""
        host_set = self._sets[partition].of_host(host)
        if host_set in self._partitions[partition].state.batons.next:
            self._look_at(partition, host_set, now)

    # -- messages -------------------------------------------------------------------------

    def decide(self, partition: Partition, message: BatonWanted | BatonDue | BatonCame) -> None:
        """Decide on a message from another partition."""
        if isinstance(message, BatonWanted):
            self._queue(partition, message.host_set, message.by)
        elif isinstance(message, BatonDue):
            self._follow(partition, message.host_set, message.to)
        else:
            self._take(partition, message)

    def passes_on(self, partition: Partition, message: RobotsFound) -> bool:
        """Pass on what became of a redirected robots file, or prepare for it if it is for us."""
        partitioner, state = self._partitioner, partition.state
        host_set = partitioner.set_of(reversed_host_of(message.site))
        last = state.batons.last.get(host_set, partition.number)
        if partitioner.home_of(host_set) == partition.number != last:
            partition.post(last, message)
            return True
        is_new = state.site_number(message.site) is None
        if is_new or not self._holds(partition.number, host_set):
            known = self._report_of(message) if is_new else SiteReport(message.site, ELSEWHERE)
            news = [HostReport(reversed_host_of(message.site), sites=[known])]
            now, cycle = self._clock.now(), state.history.cycle
            partition.record(BatonTaken(now, host_set, news, cycle, is_held=False))
        return is_new

    def _report_of(self, message: RobotsFound) -> SiteReport:
        """Return what a robots file says about a site of which no URL is known here."""
        now, robots = self._clock.now(), self._robots
        is_there = message.state is RobotsState.KNOWN
        seconds = robots.cache_seconds if is_there else FIRST_RETRIES_SECONDS[0]
        return SiteReport(
            message.site,
            message.state,
            0 if is_there else 1,
            now + seconds,
            message.crawl_delay_seconds,
            message.rules,
        )

    def _queue(self, home: Partition, host_set: int, by: int) -> None:
        """Put a partition at the end of the line."""
        last = home.state.batons.last.get(host_set, home.number)
        if last == by:
            return
        home.record(BatonQueued(host_set, by, BatonStep.LAST))
        if last == home.number:
            self._follow(home, host_set, by)
        else:
            home.post(last, BatonDue(host_set, by))

    def _follow(self, partition: Partition, host_set: int, by: int) -> None:
        """Note who comes after us."""
        partition.record(BatonQueued(host_set, by, BatonStep.NEXT))
        self._look_at(partition.number, host_set, self._clock.now())

    def _take(self, partition: Partition, message: BatonCame) -> None:
        """Take a baton that has come."""
        now, number, host_set = self._clock.now(), partition.number, message.host_set
        state = partition.state
        partition.record(BatonTaken(now, host_set, message.hosts, message.cycle))
        self._slot_ends[number, host_set] = now + self.slot_seconds
        for report in message.hosts:
            for known in report.sites:
                site = state.site_number(known.name)
                if site is not None:
                    self._forget_rules(number, site)
                    if state.sites.closed[site]:
                        partition.drop(site)
        for host in self._sets[number].hosts(host_set):
            partition.readiness.work_came(host, now)
        if host_set in state.batons.next:
            self._look_at(number, host_set, now)

    # -- passing --------------------------------------------------------------------------

    def _look_at(self, number: int, host_set: int, moment: float) -> None:
        """Look, at this moment and not in the middle of something else, whether to pass a baton."""
        subject = number * self._partitioner.phases + host_set
        if moment < self._noted.get(subject, NEVER):
            self._noted[subject] = moment
            self._agenda.note(moment, self._on_look, subject)

    def _on_look(self, subject: int, now: float) -> None:
        if self._noted.get(subject, NEVER) > now:
            return
        del self._noted[subject]
        number, host_set = divmod(subject, self._partitioner.phases)
        partition = self._partitions.get(number)
        if partition is None or partition.is_leaving or not self._holds(number, host_set):
            return
        if host_set in partition.state.batons.next:
            moment = self._passes_at(number, host_set, now)
            if moment <= now:
                self._pass(partition, host_set, now)
            elif moment < NEVER:
                self._look_at(number, host_set, moment)

    def _passes_at(self, number: int, host_set: int, now: float) -> float:
        """Return when a baton may be passed, as is known now; never while an answer is awaited."""
        readiness, hosts = self._readiness[number], self._sets[number].hosts(host_set)
        if any(readiness.is_taken(host) for host in hosts):
            return NEVER  # `has_settled` is called when the answer is durable
        if self._may_pass_at[number] > now:
            return self._may_pass_at[number]
        end = self._slot_ends.setdefault((number, host_set), now + self.slot_seconds)
        if self.slot_seconds < self._full_pause and not readiness.has_asked(hosts):
            end += self._full_pause - self.slot_seconds
        has_work = end > now and any(readiness.wants_before(host, end) for host in hosts)
        return end if has_work else now

    def _pass(self, partition: Partition, host_set: int, now: float) -> None:
        number, state = partition.number, partition.state
        readiness, hosts = self._readiness[number], self._sets[number].hosts(host_set)
        reports = [
            report
            for host in hosts
            if (report := report_of(state, host, readiness.rest_seconds(host, now))) is not None
        ]
        to = state.batons.next[host_set][0]
        partition.post(to, BatonCame(host_set, reports, state.history.cycle))
        partition.record(BatonPassed(now, host_set, to))
        self._slot_ends.pop((number, host_set), None)
        readiness.hand_over(hosts, now)

    def _holds(self, number: int, host_set: int) -> bool:
        is_home = self._partitioner.home_of(host_set) == number
        return self._partitions[number].state.batons.holds(host_set, is_home)
