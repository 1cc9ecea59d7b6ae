"""Readiness of hosts that several partitions share: a host is asked only with its set's baton.

With a partitioner that splits hosts, every partition has a part of a host's URLs. Hosts are grouped
into host sets, and one partition at a time holds the baton of a set. A host whose baton is
elsewhere waits, however long it is due; when it has something to fetch and is due, the baton is
asked for. Others may ask for it a slot earlier where

  * the host has refused us: pages that are always refused must not be all that is asked for, until
    the host is given up;
  * its robots file redirects, and the end of that is not known: another holder may learn it.

Always true: a host is awake or taken only while this partition holds the baton of its set.

Not here: how batons pass from partition to partition (`lycosa.crawl.messages.batons`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.readiness.agenda import NEVER
from lycosa.frontier.readiness.hosts import Readiness
from lycosa.frontier.readiness.phases import AWAKE, IDLE, TAKEN, WAITING, WorkerContext
from lycosa.frontier.schedulers import Scheduler
from lycosa.model.records import RobotsState

ELSEWHERE = int(RobotsState.ELSEWHERE)


class Turns(Protocol):
    """The batons of a worker's partitions."""

    slot_seconds: float

    def holds(self, partition: int, host: int) -> bool:
        """Return whether a partition may ask a host now."""

    def want(self, partition: int, host: int) -> None:
        """Ask for the baton of a host's set, if that was not done."""

    def has_settled(self, partition: int, host: int, now: float) -> None:
        """Note that nothing is under way on a host: perhaps its baton can be passed."""


class TurnReadiness(Readiness):
    """The phases of hosts that have a baton."""

    def __init__(
        self,
        number: int,
        state: PartitionState,
        scheduler: Scheduler,
        around: WorkerContext,
        turns: Turns,
    ) -> None:
        super().__init__(number, state, scheduler, around)
        self._turns = turns
        self._asked: set[int] = set()
        """Hosts that were asked since their baton came."""
        self._delayed: dict[int, float] = {}
        """Until when hosts rest because of a Crawl-delay of a site that has no URL here."""
        self._after: dict[int, float] = {}
        """Before these moments the batons of hosts are not asked for, because others go first."""

    def take(self, host: int) -> str:
        """Begin a request, and note that the host was asked."""
        self._asked.add(host)
        return super().take(host)

    def give_back(self, host: int, now: float, keeps: bool = False) -> None:
        """End a request; a Crawl-delay of a site that has no URL here counts, too."""
        delay = self._state.batons.others_delay(host)
        if delay:
            self._delayed[host] = now + delay
        super().give_back(host, now, keeps)

    def let_through(self, host: int, now: float) -> bool:
        """Wake a queued host's sites, if its baton is still here."""
        if self._is_abandoned or self._turns.holds(self._number, host):
            return super().let_through(host, now)
        self._phase[host] = IDLE
        del self._address[host]
        self._plan(host, now)
        return False

    def rest_seconds(self, host: int, now: float) -> float:
        """Return how long a host must be left alone from now on, whoever asks it."""
        due = max(self._state.hosts.due[host], self._delayed.get(host, 0.0), self._floor(host))
        return max(due - now, 0.0)

    def has_asked(self, hosts: Iterable[int]) -> bool:
        """Return whether one of these was asked since their baton came."""
        return bool(self._asked) and not self._asked.isdisjoint(hosts)

    def wants_before(self, host: int, moment: float) -> bool:
        """Return whether a host that has not just refused us is to be asked before this moment."""
        phase = self._phase[host] if host < len(self._phase) else IDLE
        if phase == IDLE or (host in self._asked and self._state.hosts.strikes[host]):
            return False
        return phase != WAITING or self._wake_at[host] < moment

    def hand_over(self, hosts: Iterable[int], now: float) -> None:
        """Let hosts rest whose baton was passed; none of them may be taken."""
        for host in hosts:
            phase = self._phase[host] if host < len(self._phase) else IDLE
            if phase == TAKEN:
                raise AssertionError(f"the baton of host {host} is passed during a request")
            self._bursting.discard(host)
            self._let_others_go_first(host, now)
            if phase == AWAKE:
                self._rest_sites(host)
                self.put_back(host, now)
            elif phase == WAITING:
                self._plan(host, now)

    def _due(self, host: int) -> float:
        return max(super()._due(host), self._delayed.get(host, 0.0))

    def _floor(self, host: int) -> float:
        resumed_at = self._around.resumed_at
        delay = self._state.batons.others_delay(host) if resumed_at is not None else 0.0
        return max(super()._floor(host), (resumed_at or 0.0) + delay + 1.0 if delay else 0.0)

    def _let_others_go_first(self, host: int, now: float) -> None:
        slot_seconds, hosts = self._turns.slot_seconds, self._state.hosts
        self._after.pop(host, None)
        if host in self._asked:
            self._asked.discard(host)
            if hosts.strikes[host]:
                self._after[host] = max(now, hosts.due[host]) + slot_seconds
        if self._is_redirected(host):
            self._after[host] = max(now + slot_seconds, self._after.get(host, 0.0))

    def _is_redirected(self, host: int) -> bool:
        """Return whether the end of a redirected robots file is not known."""
        robots = self._state.sites.robots
        return any(robots[site] == ELSEWHERE for site in self._state.sites_of(host))

    def _plan(self, host: int, now: float) -> None:
        if self._is_abandoned:
            return
        if self._turns.holds(self._number, host):
            super()._plan(host, now)
            self._turns.has_settled(self._number, host, now)
            return
        moment = self._moment_of_work(host)
        if moment == NEVER:
            self._phase[host] = IDLE
            return
        moment = 0.0 if self._is_redirected(host) else moment
        moment = max(moment, self._due(host), self._floor(host), self._after.get(host, 0.0))
        is_news = self._phase[host] != WAITING or moment != self._wake_at[host]
        self._phase[host] = WAITING
        if moment > now:
            self._wake_at[host] = moment
            if is_news:
                self._agenda.note(moment, self._when_due, host)
        else:
            self._wake_at[host] = NEVER
            self._turns.want(self._number, host)
