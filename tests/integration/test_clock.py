"""A machine whose clock is set: between two runs of a crawl, and while it runs."""

from __future__ import annotations

import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.model.records import Taken
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.steady_clock import newest_moment
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillEvery, KillRandomly
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.reader import table
from lycosa.storage.log.format import decode_events
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.graph import GraphWeb
from seeds import few_of
from small_crawl import check, job_for, small_web

pytestmark = pytest.mark.quick

HOUR = 3600.0
TEN_YEARS = 87_600 * HOUR


@pytest.mark.parametrize("log", few_of(["sqlite", "memory"], 1))
@pytest.mark.parametrize(
    "errors",
    [
        pytest.param([0.0, -HOUR], id="set back by an hour"),
        pytest.param([0.0, -HOUR, -2 * HOUR], id="set back twice"),
        pytest.param([0.0, -HOUR, 0.0], id="set back and put right"),
        pytest.param([TEN_YEARS, 0.0], id="ten years ahead, then put right"),
    ],
)
def test_a_clock_that_was_set_back_changes_nothing(
    errors: list[float], log: str, tmp_path: Path
) -> None:
    """Refusals, Retry-After, robots files that expire: the web sees no difference."""
    seed = 3
    web = small_web(seed)

    def error(life: int) -> float:
        return errors[min(life // 2, len(errors) - 1)]

    simulation = Simulation(
        web, job_for(web), tmp_path, seed=seed, log=log, conditions=Conditions(clock_error=error)
    )
    result = simulation.run(KillRandomly(seed, kills=6, probability=0.002))
    assert len(result.kills) == 6
    check(simulation, result, seed)


@pytest.mark.parametrize("error", [-HOUR, -TEN_YEARS])
def test_no_host_waits_longer_for_a_clock_that_was_set_back(error: float, tmp_path: Path) -> None:
    web = GeneratedWeb.tree(levels=4, fanout=2, hosts=3)
    job = Job.of(
        seeds=[web.home(number) for number in range(3)],
        politeness={"delay_seconds": 10.0},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
    )
    seconds = []
    for number, wrong in enumerate((0.0, error)):
        simulation = Simulation(
            web,
            job,
            tmp_path / str(number),
            conditions=Conditions(
                clock_error=lambda life, wrong=wrong: wrong if life else 0.0  # type: ignore[misc]
            ),
        )
        result = simulation.run(KillEvery({"answer.applied": 20}))
        assert (result.reason, result.breaches, len(result.kills)) == ("exhausted", [], 1)
        seconds.append(result.virtual_seconds)
    assert seconds[1] < seconds[0] + 10.0


def test_moments_of_the_log_never_go_back(tmp_path: Path) -> None:
    web = small_web(1)
    simulation = Simulation(
        web,
        job_for(web),
        tmp_path,
        seed=1,
        conditions=Conditions(clock_error=lambda life: -HOUR if life % 2 else 0.0),
    )
    simulation.run(KillRandomly(1, kills=5, probability=0.01))
    opened, _ = simulation.open_log()
    ahead: list[float] = []
    for number in range(simulation.job.frontier.partitions):
        taken = [
            event
            for _, batch in opened.read(number, 0)
            for event in decode_events(batch)
            if isinstance(event, Taken)
        ]
        moments = [event.moment for event in taken]
        assert moments == sorted(moments)
        ahead += [event.clock_ahead for event in taken]
    assert 0.0 in ahead and HOUR * 0.5 < max(ahead) <= HOUR


# -- a real process on a clock that is set -------------------------------------------------

PROGRAM = (
    "import sys, time; real, shift = time.time, float(sys.argv.pop(1));"
    " time.time = lambda: real() + shift;"
    " from lycosa.cli.start import program; sys.exit(program())"
)


def run_on(shift: float, directory: CrawlDirectory, *more: str) -> str:
    """Resume a crawl on a machine whose clock is wrong by so many seconds."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(shift), "resume", str(directory.path), *more],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stderr


@pytest.mark.parametrize("workers", few_of([1, 2], 1))
def test_a_resume_on_a_clock_behind_its_log_says_so_and_goes_on(
    workers: int, tmp_path: Path
) -> None:
    edges = {
        f"http://www.{host}.test/": [f"http://www.{host}.test/{n}" for n in range(6)]
        for host in "abcd"
    }
    web = GraphWeb(edges, latency=0.0)
    referee = Referee(referee_rules(Job()), web)
    with SocketWeb(web, referee=referee, tls=False) as server:
        job = Job.of(
            seeds=list(edges),
            limits={"free_disk_bytes": 0},
            rules=[{"action": "accept", "suffix": "test"}],
            politeness={
                "delay_seconds": 0.2,
                "ip_delay_seconds": 0.0,
                "large_site_delay_seconds": 0.2,
            },
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
            discovery={"mining": "off"},
            robots={"sitemaps": False},
        )
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        said = run_on(HOUR, directory, "--quiet", "--workers", str(workers), "--max-pages", "9")
        assert "behind" not in said
        began = time.time()
        said = run_on(0.0, directory, "--quiet", "--workers", str(workers), "--max-pages", "0")
        took = time.time() - began
    assert "s behind the crawl" in said and "counts time from that moment" in said
    assert "s behind the crawl" in directory.messages.read_text()
    assert took < 60  # and not an hour
    rows = table(directory.path, "pages", ["url", "outcome", "fetched_at"]).to_pylist()
    kept = [row for row in rows if row["outcome"] == "kept"]
    assert sorted(row["url"] for row in kept) == sorted(web.all_pages())
    # Records have the machine's time, whatever it is.
    by_run = [row["fetched_at"] > datetime.fromtimestamp(began + 600, UTC) for row in kept]
    assert by_run.count(True) == 9
    late = [row["fetched_at"] for row, ahead in zip(kept, by_run, strict=True) if not ahead]
    assert min(late) >= datetime.fromtimestamp(began, UTC)
    verdict = audit(directory)
    assert verdict.breaches == [] and verdict.requests >= 28
    log = directory.log(directory.job())
    try:
        assert newest_moment(log) > began + HOUR
    finally:
        log.close()
    explained = subprocess.run(
        [sys.executable, "-m", "lycosa", "explain", str(directory.path), late_url(kept, by_run)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert datetime.fromtimestamp(began, UTC).strftime("%Y-%m-%d %H:") in explained or took > 30


def late_url(kept: list[dict[str, object]], by_run: list[bool]) -> str:
    return str(next(row["url"] for row, ahead in zip(kept, by_run, strict=True) if not ahead))
