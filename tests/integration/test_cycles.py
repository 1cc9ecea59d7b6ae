"""A crawl goes in cycles: each begins once, fetches what it chose once, and survives any kill."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from lycosa.frontier.facts.columns import PUT_OFF
from lycosa.model.job import Job, Revisit
from lycosa.model.records import AnyEvent, CycleBegun, Fetched, Outcome, Purpose, Request, Visited
from lycosa.model.url import key_of, url_of
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillEvery, KillPlan, KillRandomly, no_kills
from lycosa.simulation.simulation import Result, Simulation
from lycosa.storage.log.format import decode_events
from lycosa.storage.log.protocol import Log
from lycosa.storage.tables.link_ends import link_ends
from lycosa.storage.tables.rows import signed, url_id
from lycosa_testweb.generated.plan import Listed, Traits
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.sections import Bulletins, Tree
from lycosa_testweb.web import Reply
from seeds import few_of, seeds
from socket_crawls import finish
from worker_crawls import Judged, eventually, start, worker_pids

pytestmark = pytest.mark.quick

PROBES = (Outcome.PROBE_HONEST, Outcome.PROBE_SOFT, Outcome.PROBE_INCONCLUSIVE)
DAY = 600.0
"""A short one: workers that poll make a long one long."""
CYCLES = 5
POLL_SECONDS = 5.0
"""Most of a day several workers have nothing to do but to look for news from each other."""


class CountingWeb(GeneratedWeb):
    """A web that writes down when each page was asked for."""

    def __init__(self, seed: int, hosts: int = 3) -> None:
        sections = (Bulletins(6, fastest_seconds=DAY / 4, slowest_seconds=10 * DAY), Tree(2, 2))
        traits = Traits(sections, validators=bool(seed % 2))
        super().__init__(seed, Listed((traits,) * hosts, addresses=hosts))
        self.asked: dict[str, list[float]] = {}

    def answer(self, request: Request, moment: float) -> Reply:
        if request.purpose is Purpose.PAGE:
            self.asked.setdefault(request.url, []).append(moment)
        return super().answer(request, moment)


def job_for(web: GeneratedWeb, **revisit: object) -> Job:
    return Job.of(
        seeds=[web.home(0)],
        politeness={"delay_seconds": 2.0},
        frontier={"partitions": 4, "scheduler": "profit"},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
        log={"snapshot_batches": 6},
        revisit={
            "policy": "profit",
            "cycles": CYCLES,
            "cycle_seconds": DAY,
            "not_before_seconds": DAY / 2,
            **revisit,
        },
    )


def read_events(log: Log, partitions: int) -> Iterator[tuple[int, AnyEvent]]:
    for number in range(partitions):
        for _, batch in log.read(number, 0):
            yield from ((number, event) for event in decode_events(batch))


def events_of(simulation: Simulation) -> list[tuple[int, AnyEvent]]:
    log, _ = simulation.open_log()
    try:
        return list(read_events(log, simulation.job.frontier.partitions))
    finally:
        log.close()


def check_events(events: Iterable[tuple[int, AnyEvent]], cycles: int) -> None:
    """Every partition went through every cycle, and what it planned was fetched once."""
    plans: dict[tuple[int, int], list[int]] = {}
    fetched: Counter[tuple[int, int, int]] = Counter()
    cycle: dict[int, int] = {}
    round_of: dict[int, int] = {}
    begun_at: dict[tuple[int, int], set[float]] = {}
    for number, event in events:
        if isinstance(event, CycleBegun):
            if event.round:
                assert event.cycle == cycle[number], "a round of another cycle"
                assert event.round == round_of[number] + 1, "a round was skipped, or begun twice"
            else:
                is_next = event.cycle == cycle.get(number, 0) + 1
                assert is_next, "a cycle was skipped, or begun twice"
            cycle[number], round_of[number] = event.cycle, event.round
            plans.setdefault((number, event.cycle), []).extend(event.pages)
            begun_at.setdefault((event.cycle, event.round), set()).add(event.moment)
            assert len(set(event.pages)) == len(event.pages)
        elif isinstance(event, Fetched):
            fetched[number, cycle[number], event.page] += 1
    assert set(cycle.values()) == {cycles}, "not all partitions went through all cycles"
    assert all(len(moments) == 1 for moments in begun_at.values()), "bids of different moments"
    for (number, in_cycle), pages in plans.items():
        for page in pages:
            assert fetched[number, in_cycle, page] == 1, "a planned page was fetched not once"
    assert max(fetched.values()) == 1


def check_cycles(simulation: Simulation, result: Result, cycles: int = CYCLES) -> None:
    """What holds of every crawl in cycles, however often it was killed."""
    assert result.reason == "exhausted"
    assert [str(breach) for breach in result.breaches] == []
    check_events(events_of(simulation), cycles)
    assert all(state.pending == 0 for state in simulation.read_states().values())


@pytest.mark.parametrize("policy", ["profit", "fresh", "uniform", "proportional"])
def test_every_policy_visits_all_pages_in_every_cycle_if_there_is_room(
    tmp_path: Path, policy: str
) -> None:
    web = CountingWeb(1)
    simulation = Simulation(web, job_for(web, policy=policy), tmp_path)
    result = simulation.run()
    check_cycles(simulation, result)
    assert set(web.asked) == set(web.all_pages())
    assert {len(moments) for moments in web.asked.values()} == {CYCLES}
    assert (CYCLES - 1) * DAY < result.virtual_seconds < CYCLES * DAY


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("seed", seeds(1, 6))
def test_killed_anywhere_a_cycle_goes_on_and_fetches_each_page_once(
    tmp_path: Path, seed: int, workers: int
) -> None:
    web = CountingWeb(seed)
    calm, calm_job = CountingWeb(seed), job_for(web, cycle_urls=30)
    Simulation(calm, calm_job, tmp_path / "calm", seed=seed).run()
    simulation = Simulation(
        web,
        calm_job,
        tmp_path / "killed",
        seed=seed,
        log="sqlite" if seed % 3 == 0 else "memory",
        workers=workers,
        conditions=Conditions(poll_seconds=POLL_SECONDS),
    )
    result = simulation.run(KillRandomly(seed, kills=25, probability=0.02))
    assert len(result.kills) == 25
    check_cycles(simulation, result)
    assert set(web.asked) == set(calm.asked)


@pytest.mark.parametrize("name", ["cycle.over", "cycle.bid", "cycle.begun"])
@pytest.mark.parametrize("log", ["memory", "sqlite"])
@pytest.mark.parametrize("times", few_of([2, 1, 7], 1))
def test_killed_while_a_cycle_is_planned(tmp_path: Path, name: str, log: str, times: int) -> None:
    web = CountingWeb(2)
    simulation = Simulation(web, job_for(web, cycle_urls=30), tmp_path, log=log)
    plan: KillPlan = KillEvery({name: times})
    result = simulation.run(plan)
    assert result.kills == ([name] if times < 7 or name != "cycle.over" else [])
    check_cycles(simulation, result)


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_killed_in_the_middle_of_the_messages_about_a_cycle(tmp_path: Path, seed: int) -> None:
    """Where every post and every append is a step of its own, also those between partitions."""
    web = CountingWeb(seed)
    simulation = Simulation(web, job_for(web, cycle_urls=30), tmp_path, seed=seed)
    only = {"log.posted", "log.appended", "inbox.read", "commit.done", "cycle.bid", "cycle.begun"}
    result = simulation.run(KillRandomly(seed, kills=40, probability=0.06, only=only))
    assert len(result.kills) >= 20
    check_cycles(simulation, result)


def test_a_cycle_fetches_no_more_than_it_may_and_puts_the_rest_off(tmp_path: Path) -> None:
    web = CountingWeb(3)
    every = set(web.all_pages())
    simulation = Simulation(web, job_for(web, cycle_urls=12, cycles=2), tmp_path)
    result = simulation.run()
    check_cycles(simulation, result, 2)
    in_cycle = Counter(int((moments[0] - 1_700_000_000.0) // DAY) for moments in web.asked.values())
    assert set(in_cycle) == {0, 1} and max(in_cycle.values()) <= 12
    put_off = [
        url_of(state.table.key(page))
        for state in result.states.values()
        for page, status in enumerate(state.pages.status)
        if status == PUT_OFF
    ]
    assert put_off and set(put_off) <= every - set(web.asked)


@pytest.mark.parametrize("partitions", [1, 4, 64])
@pytest.mark.parametrize("mining", ["off", "full"])
def test_a_cycle_has_as_many_urls_as_it_was_to_have_however_many_partitions_there_are(
    tmp_path: Path, partitions: int, mining: str
) -> None:
    """All of one site, whose pages are in one partition: the room of the others is for it, too."""
    web = CountingWeb(12, hosts=1)
    job = job_for(web, policy="fresh", cycle_urls=9, cycles=3)
    job = dataclasses.replace(
        job,
        frontier=dataclasses.replace(job.frontier, partitions=partitions),
        discovery=dataclasses.replace(job.discovery, mining=mining),
    )
    simulation = Simulation(web, job, tmp_path)
    result = simulation.run()
    check_cycles(simulation, result, 3)
    assert fetched_by_cycle(simulation) == {1: 9, 2: 9, 3: 9}


@pytest.mark.parametrize("seed", seeds(1, 3))
def test_a_killed_cycle_has_as_many_urls_as_it_was_to_have(tmp_path: Path, seed: int) -> None:
    web = CountingWeb(seed)
    simulation = Simulation(web, job_for(web, cycle_urls=10, cycles=3), tmp_path, seed=seed)
    result = simulation.run(KillRandomly(seed, kills=20, probability=0.03))
    check_cycles(simulation, result, 3)
    assert fetched_by_cycle(simulation) == {1: 10, 2: 10, 3: 10}


def fetched_by_cycle(simulation: Simulation) -> dict[int, int]:
    """Return how many different URLs were asked for in every cycle; probes are none of them."""
    fetched: dict[int, set[tuple[int, int]]] = {}
    cycle: dict[int, int] = {}
    for number, event in events_of(simulation):
        if isinstance(event, CycleBegun):
            cycle[number] = event.cycle
        elif isinstance(event, Fetched) and event.outcome not in PROBES:
            fetched.setdefault(cycle[number], set()).add((number, event.page))
    return {number: len(pages) for number, pages in sorted(fetched.items())}


def test_of_a_host_a_cycle_takes_no_more_than_its_pause_permits(tmp_path: Path) -> None:
    web = CountingWeb(4)
    job = job_for(web, cycle_seconds=20.0, not_before_seconds=1.0, cycles=6)
    simulation = Simulation(web, job, tmp_path)
    result = simulation.run()
    check_cycles(simulation, result, 6)
    planned: Counter[tuple[int, int]] = Counter()
    for number, event in events_of(simulation):
        if isinstance(event, CycleBegun):
            planned[number, event.cycle] += len(event.pages)
    assert max(planned.values()) <= 10 * 3


@pytest.mark.parametrize("workers", [1, 3])
def test_a_worker_that_plans_for_long_does_something_else_in_between(
    tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lycosa.crawl.messages.cycles.MOST_AT_ONCE", 1)
    web = CountingWeb(1)
    simulation = Simulation(web, job_for(web, cycles=3), tmp_path, workers=workers)
    check_cycles(simulation, simulation.run(), 3)


def test_a_page_that_was_seen_lately_is_left_out(tmp_path: Path) -> None:
    web = CountingWeb(5)
    job = job_for(web, not_before_seconds=2.5 * DAY)
    result = Simulation(web, job, tmp_path).run()
    assert [str(breach) for breach in result.breaches] == []
    assert {len(moments) for moments in web.asked.values()} == {2}, "in cycles 1 and 4 of 5"


def test_cycles_can_be_added_to_a_crawl_that_had_none_and_taken_away_again(tmp_path: Path) -> None:
    web = CountingWeb(7)
    in_cycles = job_for(web, cycles=3, cycle_urls=8)
    without = dataclasses.replace(in_cycles.revisit, policy="off", cycles=1)
    off = dataclasses.replace(in_cycles, revisit=without)
    simulation = Simulation(web, off, tmp_path, log="sqlite")
    assert simulation.run().reason == "exhausted"
    assert {len(moments) for moments in web.asked.values()} == {1}
    simulation.job = in_cycles
    simulation.referee.rules = dataclasses.replace(simulation.referee.rules, revisit_seconds=1e-9)
    assert simulation.run().reason == "exhausted"
    visits = Counter(len(moments) for moments in web.asked.values())
    assert sum(count * (times - 1) for times, count in visits.items()) == 3 * 8
    simulation.job = off
    last = simulation.run()
    assert last.reason == "exhausted"
    assert not any(PUT_OFF in state.pages.status for state in last.states.values())


def test_a_continuous_crawl_goes_on_until_it_is_stopped(tmp_path: Path) -> None:
    web = CountingWeb(8)
    job = job_for(web, cycles=1, continuous=True)
    result = Simulation(web, job, tmp_path).run(no_kills, virtual_seconds=9.5 * DAY)
    assert result.reason == "" and result.breaches == []
    assert {len(moments) for moments in web.asked.values()} == {10}


def test_what_a_visit_showed_is_what_the_web_did(tmp_path: Path) -> None:
    web = CountingWeb(9)
    simulation = Simulation(web, job_for(web, policy="uniform", cycles=12), tmp_path)
    result = simulation.run()
    seen: dict[str, list[Visited]] = {}
    for number, event in events_of(simulation):
        if isinstance(event, Visited):
            url = url_of(result.states[number].table.key(event.page))
            seen.setdefault(url, []).append(event)
    assert set(seen) == set(web.asked)
    changed = 0
    for url, visits in seen.items():
        versions = [web.version_of(url, moment) for moment in web.asked[url]]
        truth = [one != other for one, other in pairwise(versions)]
        assert [visit.seen.name == "CHANGED" for visit in visits[1:]] == truth
        changed += sum(truth)
    assert changed > 30


def test_a_page_that_has_gone_is_not_visited_again(tmp_path: Path) -> None:
    class Shrinking(CountingWeb):
        def answer(self, request: Request, moment: float) -> Reply:
            reply = super().answer(request, moment)
            is_gone = request.url.endswith("/bulletins/3.html") and moment > 1_700_000_000 + DAY
            return reply._replace(status=404, headers=(), body=b"gone") if is_gone else reply

    web = Shrinking(11)
    result = Simulation(web, job_for(web), tmp_path).run()
    gone = [url for url in web.asked if url.endswith("/bulletins/3.html")]
    assert gone and all(len(web.asked[url]) == 2 for url in gone)
    assert sum(state.outcomes[Outcome.NOT_FOUND] for state in result.states.values()) == len(gone)


def test_the_state_is_the_same_from_snapshots_and_from_the_log_alone(tmp_path: Path) -> None:
    web = CountingWeb(6)
    simulation = Simulation(web, job_for(web), tmp_path, log="sqlite")
    simulation.run(KillRandomly(6, kills=10, probability=0.02))
    with_snapshots = simulation.read_states()
    for path in (tmp_path / "log" / "snapshots").iterdir():
        path.unlink()
    alone = simulation.read_states()
    assert {n: state.pack(0) for n, state in alone.items()} == {
        n: state.pack(0) for n, state in with_snapshots.items()
    }
    assert any(state.history.visits.visits for state in alone.values())


@pytest.mark.soak
def test_real_workers_and_their_supervisor_are_killed_and_go_on_with_the_same_cycle(
    tmp_path: Path,
) -> None:
    """By SIGKILL, over sockets, and with another number of workers than before."""
    traits = Traits((Bulletins(5, fastest_seconds=1.0, slowest_seconds=60.0),), validators=True)
    web = GeneratedWeb(5, Listed((traits,) * 8, addresses=8))
    chance = random.Random(5)
    cycles = 4

    def in_cycles(job: Job) -> Job:
        revisit = Revisit("profit", cycles, cycle_seconds=2.0, not_before_seconds=1.0)
        return dataclasses.replace(
            job,
            revisit=revisit,
            discovery=dataclasses.replace(job.discovery, mining="off"),
            frontier=dataclasses.replace(job.frontier, partitions=6),
        )

    with Judged(web, tmp_path, in_cycles) as judged:
        directory = judged.directory
        process = start(directory, "--workers", "2")
        eventually(lambda: len(worker_pids(directory)) == 2)
        for _ in range(2):
            judged.wait_for_requests(chance.randint(30, 60))
            judged.kill_worker(chance)
        judged.wait_for_requests(20)
        judged.kill_all(process)
        finish(start(directory, "--workers", "3"), directory)
    assert [str(breach) for breach in judged.referee.breaches] == []
    job = directory.job()
    log = directory.log(job)
    try:
        check_events(read_events(log, job.frontier.partitions), cycles)
    finally:
        log.close()
    kept = sum(state.pages.outcome.count(1) for state in directory.states(job).values())
    assert kept == len(list(web.all_pages()))
    ends = link_ends(directory.path)
    assert set(zip(ends.sources, ends.targets, strict=True)) == {
        (number_of(url), number_of(to)) for url in web.all_pages() for to, _ in web.links_of(url)
    }
    assert len(set(zip(*ends, strict=True))) == len(ends.sources), "a link counts once"


def number_of(url: str) -> int:
    return signed(url_id(key_of(url)))
