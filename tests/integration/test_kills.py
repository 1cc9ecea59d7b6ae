"""Killed anywhere, as often as you like: nothing lost, nothing twice, nobody bothered.

The small test web has every kind of site and weather; the crawl of it is killed at every
named fail point and at random ones. Each time the result must be the one that the web
itself says is right, whatever the kills did to the order of things.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lycosa._support.failpoints import NAMES
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillEvery, KillPlan, KillRandomly
from lycosa.simulation.simulation import Result, Simulation
from lycosa_testweb.generated.web import GeneratedWeb
from seeds import few_of, seeds
from small_crawl import check, job_for, small_web

pytestmark = pytest.mark.quick


def run(folder: Path, seed: int, kills: KillPlan, log: str) -> Result:
    web = small_web(seed)
    simulation = Simulation(web, job_for(web), folder, seed=seed, log=log)
    result = simulation.run(kills)
    check(simulation, result, seed)
    return result


SEALING = {"urls.before-seal", "urls.sealed"}
"""Sites of the small web are too small to be spilled; a test of their own is below."""
OF_CYCLES = {
    name for name in NAMES if name.startswith(("cycle.", "move.", "render.", "links.read"))
}
"""This crawl has no cycles, is not moved, has no browser and keeps its limits; `test_cycles.py`,
`test_moving.py`, `test_rendering.py` and `test_raised_limits.py` kill there."""
EVERYWHERE = [
    (name, log)
    for name in sorted(NAMES.keys() - SEALING - OF_CYCLES)
    for log in ("memory", "sqlite")
]
EVERYWHERE.remove(("trim.archived", "memory"))  # the log in memory is its own archive
SELDOM = {
    **{("end.seen", log): 1 for log in ("memory", "sqlite")},
    **{("seeds.before-post", log): 2 for log in ("memory", "sqlite")},
    **{
        (name, log): 7
        for name in ("inbox.read", "take.after", "take.before")
        for log in ("memory", "sqlite")
    },
}
"""Where a crawl comes so seldom that more passings than these would be no kill."""


PASSINGS = {"memory": (40,), "sqlite": (1,)}
"""A kill at every so manieth passing: late in one log, early in the other."""


def killed_at(name: str, log: str, passings: Sequence[int], folder: Path) -> int:
    """Run a crawl for each number of passings; return how often it was killed."""
    reached = 0
    for times in {min(times, SELDOM.get((name, log), times)) for times in passings}:
        result = run(folder / str(times), times, KillEvery({name: times}), log)
        reached += len(result.kills)
        assert set(result.kills) <= {name}
    return reached


@pytest.mark.parametrize("name", sorted({name for name, _ in EVERYWHERE}))
def test_killed_at_each_fail_point_early_and_late(name: str, tmp_path: Path) -> None:
    logs = [log for log in PASSINGS if (name, log) in EVERYWHERE]
    reached = [killed_at(name, log, PASSINGS[log], tmp_path / log) for log in logs]
    assert sum(reached) >= 1, f"{name} was never reached"


@pytest.mark.soak
@pytest.mark.parametrize(("name", "log"), EVERYWHERE)
def test_killed_at_each_fail_point_as_often_as_can_be(name: str, log: str, tmp_path: Path) -> None:
    assert killed_at(name, log, (1, 2, 7, 40), tmp_path) >= 1, f"{name} was never reached"


@pytest.mark.parametrize("log", ["memory", "sqlite"])
def test_without_kills_the_result_is_the_same(log: str, tmp_path: Path) -> None:
    """So it is where a crawl does not come often enough to be killed: it makes the same steps."""
    for times in (2, 7, 40):
        reached: Counter[str] = Counter()

        def count(name: str, reached: Counter[str] = reached) -> bool:
            reached[name] += 1
            return False

        run(tmp_path / str(times), times, count, log)
        spared = {name for (name, of), most in SELDOM.items() if of == log and most < times}
        assert all(reached[name] < times for name in spared), "it can be killed there"


@pytest.mark.parametrize("seed", seeds(4, 60))
def test_killed_at_random_again_and_again(seed: int, tmp_path: Path) -> None:
    plan = KillRandomly(seed, kills=12, probability=0.02)
    result = run(tmp_path, seed % 12, plan, "sqlite" if seed % 3 == 0 else "memory")
    assert len(result.kills) == 12


@pytest.mark.parametrize("seed", seeds(1, 12))
def test_page_limits_are_exact_through_kills(seed: int, tmp_path: Path) -> None:
    for limit in (1, 17, 60):
        web = small_web(seed)
        simulation = Simulation(web, job_for(web, pages=limit), tmp_path / str(limit), seed=seed)
        result = simulation.run(KillRandomly(seed * 100 + limit, kills=6, probability=0.02))
        assert result.reason == "pages"
        assert result.kept_pages == limit == len(simulation.kept_urls())
        assert [str(breach) for breach in result.breaches] == []


@pytest.mark.parametrize("seed", seeds(1, 6))
def test_byte_limits_are_never_exceeded(seed: int, tmp_path: Path) -> None:
    web = small_web(seed)
    simulation = Simulation(web, job_for(web, bytes=40_000), tmp_path, seed=seed)
    result = simulation.run(KillRandomly(seed, kills=6, probability=0.02))
    assert result.reason == "bytes"
    assert 36_000 < result.kept_bytes <= 40_000
    assert sum(len(record.body) for record in simulation.kept()) == result.kept_bytes


def test_a_time_limit_counts_the_running_time_of_all_lives(tmp_path: Path) -> None:
    web = small_web(1)
    simulation = Simulation(web, job_for(web, seconds=120.0), tmp_path, seed=1)
    result = simulation.run(
        KillEvery({"answer.applied": 40}), restart_seconds=lambda life: 10_000.0
    )
    assert result.reason == "seconds"
    assert len(result.kills) == 1
    assert 10_115 < result.virtual_seconds < 10_200


def test_a_crawl_stops_when_the_page_it_looks_for_is_kept(tmp_path: Path) -> None:
    web = small_web(2)
    simulation = Simulation(web, job_for(web, until=[r"regex:/tree/\d"]), tmp_path, seed=2)
    result = simulation.run()
    assert result.reason == "found"
    assert sum("/tree/" in url for url in simulation.kept_urls()) >= 1


def test_a_host_gives_no_more_pages_than_the_job_takes_from_one(tmp_path: Path) -> None:
    web = small_web(3)
    simulation = Simulation(web, job_for(web, host_pages=4), tmp_path, seed=3)
    result = simulation.run(KillRandomly(3, kills=8, probability=0.02))
    hosts = Counter(url.split("/")[2].partition(":")[0] for url in simulation.kept_urls())
    assert max(hosts.values()) == 4
    closed = sum((state.ended_by_closing() for state in result.states.values()), Counter())
    assert closed[Outcome.HOST_LIMIT] > 0


def test_a_full_disk_ends_the_crawl_and_more_room_lets_it_go_on(tmp_path: Path) -> None:
    web = small_web(4)
    room = [10_000_000_000]

    def free_disk() -> int:
        room[0] -= 150_000_000
        return room[0]

    simulation = Simulation(
        web, job_for(web), tmp_path, seed=4, conditions=Conditions(free_disk=free_disk)
    )
    assert simulation.run().reason == "free disk"
    room[0] = 1 << 62
    result = simulation.run()
    check(simulation, replace(result, ends=1), 4)


def test_running_time_is_counted_through_many_kills(tmp_path: Path) -> None:
    web = small_web(1)
    simulation = Simulation(web, job_for(web, seconds=120.0), tmp_path, seed=1)
    result = simulation.run(KillRandomly(1, kills=60, probability=0.05))
    assert result.reason == "seconds"
    assert 119 < result.virtual_seconds < 120 + len(result.kills) * 1.0


def test_the_same_seed_takes_the_same_steps(tmp_path: Path) -> None:
    def steps(folder: Path) -> list[tuple[str, float, float]]:
        web = small_web(5)
        simulation = Simulation(web, job_for(web), folder, seed=5)
        simulation.referee._keep_history = True
        simulation.run(KillRandomly(5, kills=5, probability=0.02))
        return [(e.url, e.began, e.ended) for e in simulation.referee.history]

    assert steps(tmp_path / "a") == steps(tmp_path / "b")


@pytest.mark.parametrize("name", sorted(SEALING))
def test_killed_while_finished_sites_are_spilled(name: str, tmp_path: Path) -> None:
    """Two sites are finished long before the third; links lead back to spilled ones."""
    web = GeneratedWeb.tree(levels=5, fanout=3, hosts=3)
    within = web.pages_within
    subtrees = [min(within([web.home(host)], 1) - {web.home(host)}) for host in (0, 1)]
    seeds = [*subtrees, web.home(2)]
    job = Job.of(
        seeds=seeds,
        politeness={"delay_seconds": 2.0, "large_site_delay_seconds": 2.0},
        frontier={"partitions": 2, "url_memory_bytes": 1},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
        log={"snapshot_batches": 6},
    )
    reached = 0
    for times in (1, 2):
        simulation = Simulation(web, job, tmp_path / str(times), log="sqlite")
        result = simulation.run(KillEvery({name: times}))
        reached += len(result.kills)
        assert result.reason == "exhausted"
        assert [str(breach) for breach in result.breaches] == []
        assert sorted(simulation.kept_urls()) == sorted(within(seeds, 9))
        assert [path.name for path in tmp_path.rglob("sealed-*")] == []
    assert reached >= 2


@pytest.mark.parametrize(
    ("delay", "commit_seconds"),
    few_of([(0.2, 30.0), (3.0, 0.5), (0.2, 0.5), (0.5, 0.5), (0.5, 30.0), (3.0, 30.0)], 2),
)
def test_a_kill_repeats_one_request_a_host_at_most(
    delay: float, commit_seconds: float, tmp_path: Path
) -> None:
    """However seldom the job commits: a host rests until the log has its last answer.

    The referee forgives the last request of a host and no other.
    """
    web = GeneratedWeb.tree(levels=4, fanout=3, hosts=8)
    job = Job.of(
        seeds=[web.home(number) for number in range(8)],
        politeness={
            "delay_seconds": delay,
            "large_site_delay_seconds": delay,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
        },
        discovery={"mining": "off"},
        robots={"sitemaps": False},
        log={"commit_seconds": commit_seconds},
    )
    simulation = Simulation(web, job, tmp_path, seed=1)
    result = simulation.run(KillRandomly(1, kills=25, probability=0.01))
    assert len(result.kills) == 25
    assert [str(breach) for breach in result.breaches] == []
    assert sorted(simulation.kept_urls()) == sorted(web.pages_within(list(job.seeds), 9))
    repeated = simulation.referee.statistics.requests - len(simulation.kept_urls())
    assert 0 < repeated <= 8 + 25 * 8


def test_a_pause_is_no_longer_for_the_commit_that_falls_into_it(tmp_path: Path) -> None:
    """The commit is brought forward: nothing waits for it, and no answer has one of its own."""
    web = GeneratedWeb.tree(levels=5, fanout=3, hosts=8)
    job = Job.of(
        seeds=[web.home(number) for number in range(8)],
        politeness={
            "delay_seconds": 0.2,
            "large_site_delay_seconds": 0.2,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
        },
        discovery={"mining": "off"},
        robots={"sitemaps": False},
    )
    simulation = Simulation(web, job, tmp_path, seed=1)
    simulation.referee._keep_history = True
    result = simulation.run()
    ends: dict[str, float] = {}
    gaps: list[float] = []
    for exchange in simulation.referee.history:
        if exchange.host in ends:
            gaps.append(exchange.began - ends[exchange.host])
        ends[exchange.host] = exchange.ended
    assert sorted(gaps)[len(gaps) * 9 // 10] < 0.21
    batches = max(state.sequence for state in result.states.values())
    assert batches < result.virtual_seconds / 0.15 + 10


@pytest.mark.parametrize("name", ["answer.before", "answer.stored", "answer.applied", "inbox.read"])
def test_what_is_read_apart_after_a_kill_is_what_the_worker_would_have_read(
    name: str, tmp_path: Path
) -> None:
    web = small_web(7)
    simulation = Simulation(
        web,
        job_for(web),
        tmp_path,
        seed=7,
        log="sqlite",
        conditions=Conditions(reads_apart=True),
    )
    result = simulation.run(KillEvery({name: 7}))
    check(simulation, result, 7)
    assert result.kills
    states = result.states.values()
    assert all(state.suspects.until for state in states)
    suspects = sum(len(state.suspects.pages) for state in states)
    assert suspects <= len(result.kills)
    assert suspects or name != "answer.stored"
