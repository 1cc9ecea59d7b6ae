"""Crawls whose partitions share every host and take turns at it: KSpider's phases, by batons.

Nothing is lost, nothing is kept twice, limits are exact, the end is found, and no host is asked by
two partitions within its pause, whatever is killed and whoever owns a partition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.phases import HeapWeb, TurnReferee, crawl, job_for

import cluster_crawl
from lycosa._support.failpoints import NAMES
from lycosa.crawl.messages.batons import Batons
from lycosa.frontier.facts.batons import Batons as FoldedBatons
from lycosa.frontier.fold import reports
from lycosa.frontier.fold.holdings import Holdings
from lycosa.frontier.readiness.turns import TurnReadiness
from lycosa.model.job import Job
from lycosa.model.records import HostReport, Outcome
from lycosa.simulation.cluster.cluster import Cluster
from lycosa.simulation.cluster.cluster import Result as ClusterResult
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillEvery, KillPlan, KillRandomly, no_kills
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.simulation import Result, Simulation
from lycosa.storage.log.format import decode_events
from lycosa_testweb.robots import Group, Robots
from lycosa_testweb.webs.graph import GraphWeb
from mover import Mover
from seeds import few_of, seeds, soak
from small_crawl import DEPTH, PARTITIONS, check, small_web

pytestmark = pytest.mark.quick

Patch = pytest.MonkeyPatch
WORKERS = 3


def small_job(seed: int, partitioner: str, **limits: object) -> Job:
    """Return the job of `small_crawl`, with turns and shorter back-offs: those wait in turns."""
    return Job.of(
        seeds=[small_web(seed).home(number) for number in range(13)],
        limits={"depth_static": DEPTH, "depth_dynamic": DEPTH, **limits},
        politeness={
            "delay_seconds": 2.0,
            "large_site_delay_seconds": 1.0,
            "backoff_first_seconds": 20.0,
            "backoff_most_seconds": 200.0,
        },
        fetch={"retries": 8},
        frontier={
            "partitions": PARTITIONS,
            "partitioner": partitioner,
            "phases": PARTITIONS + seed,
            "slot_seconds": 30.0,
        },
        robots={"sitemaps": False},
        log={"snapshot_batches": 6},
    )


def run(
    folder: Path,
    seed: int,
    job: Job,
    kills: KillPlan = no_kills,
    log: str = "memory",
    mover: Mover | None = None,
) -> tuple[Simulation, Result, TurnReferee]:
    web = small_web(seed)
    referee = TurnReferee(referee_rules(job), web)
    conditions = Conditions(poll_seconds=2.0, referee=referee)
    if mover is not None:
        conditions = conditions._replace(on_begun=mover)
    simulation = Simulation(
        web, job, folder, seed=seed, log=log, workers=WORKERS, conditions=conditions
    )
    if mover is not None:
        mover.watch(simulation)
    return simulation, simulation.run(kills), referee


def check_turns(simulation: Simulation, result: Result, referee: TurnReferee, seed: int) -> None:
    check(simulation, result, seed)
    assert referee.handed_on > 50
    assert referee.too_soon == 0
    holders = [
        sum(
            state.batons.holds(host_set, host_set % PARTITIONS == number)
            for number, state in result.states.items()
        )
        for host_set in range(simulation.job.frontier.phases)
    ]
    assert set(holders) == {1}


@pytest.mark.parametrize("partitioner", few_of(["url-hash", "url-sum"], 1))
def test_partitions_that_take_turns_find_what_others_find(partitioner: str, tmp_path: Path) -> None:
    job = small_job(1, partitioner)
    check_turns(*run(tmp_path, 1, job), 1)


def test_an_order_by_the_url_table_and_little_memory(tmp_path: Path) -> None:
    """Table and state give a site one number, though batons tell of sites without a URL here."""
    job = small_job(7, "url-hash")
    order = replace(job.frontier, scheduler="round-robin", url_memory_bytes=20_000)
    kills = KillRandomly(7, kills=4, probability=0.01)
    check_turns(*run(tmp_path, 7, replace(job, frontier=order), kills), 7)


@pytest.mark.parametrize("log", few_of(["sqlite", "memory"], 1))
@pytest.mark.parametrize("seed", seeds(1, 2, start=2))
def test_killed_while_batons_pass(seed: int, log: str, tmp_path: Path) -> None:
    kills = KillRandomly(seed, kills=12, probability=0.01)
    simulation, result, referee = run(tmp_path, seed, small_job(seed, "url-hash"), kills, log)
    check_turns(simulation, result, referee, seed)
    assert len(result.kills) == 12


OFTEN = sorted(
    name
    for name in NAMES
    if name.startswith(("take.", "send.", "answer.", "commit.", "log.", "inbox.", "end."))
)


def test_killed_at_every_fail_point_that_a_baton_passes(tmp_path: Path) -> None:
    kills = KillEvery({name: 3 * (number + 1) for number, name in enumerate(OFTEN)})
    simulation, result, referee = run(tmp_path, 4, small_job(4, "url-sum"), kills, "sqlite")
    check_turns(simulation, result, referee, 4)
    assert len(set(result.kills)) >= len(OFTEN) - 2


@pytest.mark.parametrize("by_force", few_of([0.5, 0.0], 1))
def test_batons_pass_while_partitions_do(by_force: float, tmp_path: Path) -> None:
    mover = Mover(5, moves=60, by_force=by_force)
    simulation, result, referee = run(tmp_path, 5, small_job(5, "url-hash"), mover=mover)
    check_turns(simulation, result, referee, 5)
    assert mover.handed_over + mover.taken_by_force > 40


@pytest.mark.soak
@pytest.mark.parametrize("partitioner", ["url-hash", "url-sum"])
@pytest.mark.parametrize("seed", range(10, 40))
def test_many_crawls_in_turns(seed: int, partitioner: str, tmp_path: Path) -> None:
    mover = Mover(seed, moves=80, by_force=0.3)
    kills = KillRandomly(seed, kills=16, probability=0.01)
    log = "sqlite" if seed % 2 else "memory"
    job = small_job(seed, partitioner)
    check_turns(*run(tmp_path, seed, job, kills, log, mover), seed)


def crawl_by_machines(seed: int, folder: Path) -> tuple[Cluster, ClusterResult]:
    """Crawl by machines that die, stop and are cut off; each host has an address of its own."""
    web = cluster_crawl.drawn_web(seed % 20)
    robots = {name: Robots((Group("*", (), 3.0),)) for name in cluster_crawl.NAMES[::7]}
    own_addresses = GraphWeb(web.edges, web.redirects, robots=robots, latency=0.5)
    job = cluster_crawl.job_for()
    turns = replace(job.frontier, partitioner="url-hash", phases=20, slot_seconds=10.0)
    job = replace(job, frontier=turns)
    cluster = Cluster(own_addresses, job, folder, seed=seed, machines=2 + seed % 4)
    return cluster, cluster.run()


@pytest.mark.parametrize("seed", seeds(1, 4))
def test_machines_that_fail_pass_batons_on(seed: int, tmp_path: Path) -> None:
    cluster_crawl.check(*crawl_by_machines(seed, tmp_path), seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_machines_that_fail_pass_batons_on(seed: int, tmp_path: Path) -> None:
    cluster_crawl.check(*crawl_by_machines(seed, tmp_path), seed)


def test_the_limit_of_pages_is_exact(tmp_path: Path) -> None:
    kills = KillRandomly(6, kills=5, probability=0.01)
    simulation, result, _ = run(tmp_path, 6, small_job(6, "url-hash", pages=60), kills)
    assert result.reason == "pages"
    assert result.kept_pages == 60 == len(simulation.kept_urls())
    assert [str(breach) for breach in result.breaches] == []


def test_the_limit_of_pages_of_a_host_is_exact(tmp_path: Path) -> None:
    """It is one number for all partitions, and travels with the baton."""
    web = HeapWeb(3, 200)
    job = job_for(web, 4, 5, slot_seconds=10.0, pause=1.0)
    job = replace(job, limits=replace(job.limits, host_pages=37))
    done = crawl(web, job, tmp_path, workers=2)
    assert done.result.reason == "exhausted"
    kept = [take_host(url) for url in done.simulation.kept_urls()]
    assert {host: kept.count(host) for host in kept} == {f"www.h{n}.test": 37 for n in range(3)}
    for state in done.result.states.values():
        outcomes = {state.outcome_of(page) for page in range(len(state.table))}
        assert outcomes <= {Outcome.KEPT, Outcome.HOST_LIMIT}


def take_host(url: str) -> str:
    return url.split("/")[2]


def test_no_host_is_asked_by_two_partitions_within_its_pause(tmp_path: Path) -> None:
    """As `python -m benchmarks.phases --requests 1000000` counts, in small."""
    web = HeapWeb(12, 150)
    job = job_for(web, 5, 6, slot_seconds=20.0, pause=1.0)
    done = crawl(web, job, tmp_path, workers=3, kills=6)
    assert done.referee.handed_on > 200
    assert done.referee.too_soon == 0
    assert [str(breach) for breach in done.result.breaches] == []
    kept = done.simulation.kept_urls()
    assert len(kept) == len(set(kept)) == 12 * 150


def test_other_partitioners_pass_no_batons(tmp_path: Path) -> None:
    web = HeapWeb(6, 20)
    job = job_for(web, 4, 0, slot_seconds=10.0, pause=1.0)
    job = replace(job, frontier=replace(job.frontier, partitioner="host-hash"))
    done = crawl(web, job, tmp_path, workers=2)
    log, _ = done.simulation.open_log()
    tags = {
        type(event).__name__
        for number in range(4)
        for _, batch in log.read(number, 0)
        for event in decode_events(batch)
    }
    assert not {name for name in tags if name.startswith("Baton")}
    assert done.referee.handed_on == 0


# -- broken on purpose --------------------------------------------------------------------


def passed_during_a_request(patch: Patch) -> None:
    """A baton is passed although an answer is awaited."""
    original = TurnReadiness.hand_over

    def hand_over(self: TurnReadiness, hosts: Iterable[int], now: float) -> None:
        original(self, [host for host in hosts if not self.is_taken(host)], now)

    patch.setattr(TurnReadiness, "hand_over", hand_over)
    patch.setattr(Batons, "_passes_at", lambda self, number, host_set, now: now)


def held_when_asked_for(patch: Patch) -> None:
    """A partition that has asked for a baton takes itself for its holder."""
    original = FoldedBatons.holds
    patch.setattr(
        FoldedBatons,
        "holds",
        lambda self, host_set, is_home: host_set in self.asked or original(self, host_set, is_home),
    )


def kept_after_it_was_passed(patch: Patch) -> None:
    """A partition goes on with the hosts of a baton that it has passed."""
    patch.setattr(TurnReadiness, "hand_over", lambda self, hosts, now: None)
    patch.setattr(Batons, "holds", lambda self, partition, host: True)


def rests_stay_behind(patch: Patch) -> None:
    """A baton comes without what is owed to hosts."""
    original = reports._learn_host

    def learn_host(holdings: Holdings, host: int, report: HostReport, moment: float) -> None:
        rested = HostReport(report.name, 0.0, kept=report.kept, closed=report.closed)
        original(holdings, host, rested, moment)

    patch.setattr(reports, "_learn_host", learn_host)


def rules_stay_behind(patch: Patch) -> None:
    """A baton comes without the robots files of its sites."""
    patch.setattr(reports, "_learn_site", lambda holdings, site, known: None)


def no_pause_before_passing(patch: Patch) -> None:
    """A partition that was taken by force passes batons at once."""
    original = Batons.make_readiness

    def make_readiness(self: Batons, number: int, *others: object) -> TurnReadiness:
        made = original(self, number, *others)  # type: ignore[arg-type]
        self._may_pass_at[number] = 0.0
        return made

    patch.setattr(Batons, "make_readiness", make_readiness)
    patch.setattr(TurnReadiness, "rest_seconds", _rest_by_the_log)


def _rest_by_the_log(self: TurnReadiness, host: int, now: float) -> float:
    return max(self._state.hosts.due[host] - now, 0.0)


MUTANTS: list[Callable[[Patch], None]] = [
    held_when_asked_for,
    kept_after_it_was_passed,
    passed_during_a_request,
    rests_stay_behind,
    rules_stay_behind,
]


@pytest.mark.parametrize("mutant", few_of(MUTANTS, 2), ids=[one.__name__ for one in MUTANTS])
def test_a_mutant_is_caught(
    mutant: Callable[[Patch], None], tmp_path: Path, monkeypatch: Patch
) -> None:
    mutant(monkeypatch)
    web = HeapWeb(12, 150)
    job = job_for(web, 5, 6, slot_seconds=20.0, pause=1.0)
    done = crawl(web, job, tmp_path, workers=3, kills=30, virtual_seconds=900.0)
    assert done.result.breaches, f"nobody noticed: {mutant.__doc__}"


def crawl_with_takers(folder: Path) -> Result:
    """Crawl while partitions are taken by force, one at a time: the others go on."""
    web = HeapWeb(12, 150)
    job = job_for(web, PARTITIONS, PARTITIONS, slot_seconds=0.5, pause=6.0)
    mover = Mover(1, moves=60, by_force=1.0)
    conditions = Conditions(poll_seconds=0.2, on_begun=mover)
    simulation = Simulation(web, job, folder, seed=1, workers=WORKERS, conditions=conditions)
    mover.watch(simulation)
    return simulation.run(virtual_seconds=3000.0)


def test_takers_by_force_bother_nobody(tmp_path: Path) -> None:
    result = crawl_with_takers(tmp_path)
    assert [str(breach) for breach in result.breaches] == []
    assert result.kept_pages == 12 * 150


@soak
def test_a_taker_by_force_that_does_not_rest_is_caught(tmp_path: Path, monkeypatch: Patch) -> None:
    no_pause_before_passing(monkeypatch)
    assert crawl_with_takers(tmp_path).breaches
