"""A frontier of made-up URLs, and the loop of a worker over it: for `frontier_scale.py`."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from benchmarks.urltable_rows import made_up_on_hosts

from lycosa.crawl.worker.turns import PartitionTurns
from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.partitioners import make_partitioner
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.model.records import (
    Fetched,
    HostChanged,
    HostResolved,
    Outcome,
    Place,
    RobotsLearned,
    RobotsState,
)
from lycosa.model.url import host_of, site_of, url_of

PARTITIONS = 64
START = 1_700_000_000.0
HOUR = 3_600.0
FOREVER = START + 1e9
PAUSE_SECONDS = 5.0
STEP_SECONDS = 0.001
BATCH = 500
COMMITTED = 500
"""After so many choices there is a commit: what was decided is handed over."""


def filled_states(urls: int) -> list[PartitionState]:
    """Return partitions that have found all URLs and asked for none."""
    partition_of = make_partitioner("domain", PARTITIONS).partition_of
    states = [PartitionState() for _ in range(PARTITIONS)]
    waiting: list[tuple[list[str], list[int]]] = [([], []) for _ in range(PARTITIONS)]
    owners = array("b", [-1]) * (urls // 100 or 1)
    sites = array("i", [-1]) * len(owners)
    for host, key in made_up_on_hosts(urls):
        number = owners[host]
        if number < 0:
            number = owners[host] = partition_of(key)
        keys, hosts = waiting[number]
        keys.append(key)
        hosts.append(host)
        if len(keys) == BATCH:
            admit(states[number], keys, hosts, sites)
    for number, state in enumerate(states):
        admit(state, *waiting[number], sites)
        learn_hosts(number, state)
    return states


def admit(state: PartitionState, keys: list[str], hosts: list[int], sites: array[int]) -> None:
    """Do what `Admitted(START, "", keys, [1, ...])` does to a state, in half the time."""
    pages, count = state.pages, len(keys)
    state.table.add_many(keys)
    for key, host in zip(keys, hosts, strict=True):
        if sites[host] < 0:
            sites[host] = state.site_for(site_of(key))
        state.sites.pending[sites[host]] += 1
    pages.site.extend([sites[host] for host in hosts])
    pages.distance.extend([1] * count)
    pages.fetch.extend([NONE] * count)
    for column in (pages.status, pages.outcome, pages.tries, pages.guess, pages.hops):
        column.frombytes(bytes(count))
    state.pending += count
    keys.clear()
    hosts.clear()


def learn_hosts(number: int, state: PartitionState) -> None:
    """Let robots rules and addresses be known; every host has an address of its own."""
    for site in range(len(state.site_names)):
        state.apply(RobotsLearned(START, site, RobotsState.KNOWN, b"", 0.0, FOREVER, 0.0))
    for host in range(len(state.host_names)):
        place = host * PARTITIONS + number
        address = f"{10 + (place >> 24)}.{place >> 16 & 255}.{place >> 8 & 255}.{place & 255}"
        state.apply(HostResolved(START, host, address, FOREVER))


def let_rest(states: Sequence[PartitionState], share: float) -> None:
    """Let a share of the hosts wait for an hour, and then come due one after the other."""
    turn = 0.0
    for state in states:
        for host in range(len(state.host_names)):
            turn += share
            if turn >= 1:
                turn -= 1
                due = START + HOUR + host * PARTITIONS * STEP_SECONDS
                state.apply(HostChanged(START, host, due, 1))


class Frontier:
    """The partitions of one worker in breadth-first order, and its clock."""

    def __init__(self, states: Sequence[PartitionState]) -> None:
        self.now = START
        self.agenda = Agenda()
        self._changed: dict[int, None] = {}
        with_work: dict[int, None] = {}
        around = WorkerContext(
            agenda=self.agenda,
            addresses=Addresses(self.agenda, 0.0, 0.0),
            resolve=lambda number, host: states[number].address_of(host),
            pause_of=lambda state, host: PAUSE_SECONDS,
            resumed_at=None,
            with_work=with_work,
            changed=self._changed,
        )
        self.partitions = [
            Partition(number, state, "breadth-first", around) for number, state in enumerate(states)
        ]
        self._turns = PartitionTurns(dict(enumerate(self.partitions)), with_work)
        for partition in self.partitions:
            partition.resume(self.now)

    def ask(self, choices: int) -> None:
        """Choose so many pages and fetch each at once."""
        agenda, turns = self.agenda, self._turns
        left = choices
        while left:
            agenda.run(self.now)
            partition = turns.next()
            if partition is None:
                moment = agenda.next_moment()
                assert moment is not None, "no host has anything left"
                self.now = moment
                continue
            task = partition.next_task()
            if task is None:
                continue
            readiness, now = partition.readiness, self.now
            if not readiness.claim(task.host, now):
                partition.hand_back(task, now)
                continue
            key = partition.state.table.key(task.subject)
            url_of(key), host_of(key)
            readiness.take(task.host)
            due = now + PAUSE_SECONDS
            place = Place(1, left, 9_000)
            partition.finish(Fetched(now, task.subject, Outcome.KEPT, 200, 9_000, 0.0, due, place))
            readiness.give_back(task.host, now)
            left -= 1
            self.now += STEP_SECONDS
            if left % COMMITTED == 0:
                self._commit()

    def _commit(self) -> None:
        for number in self._changed:
            self.partitions[number].cut()
        self._changed.clear()
