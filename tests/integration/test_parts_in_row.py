"""Parts of a page in a row: n requests, then n pauses, and only where nothing speaks against it."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from pathlib import Path

import pytest

from lycosa._support.failpoints import NAMES
from lycosa.frontier.facts.owed import Rows
from lycosa.model.job import SCHEDULERS, SPLITTING_PARTITIONERS, Job
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.simulation.kills import KillEvery, KillPlan, KillRandomly, no_kills
from lycosa.simulation.simulation import Result, Simulation
from lycosa_testweb import Faults, Group, Robots
from lycosa_testweb.referee.ledger import Exchange
from lycosa_testweb.robots import ending
from lycosa_testweb.web import Reply
from rendered_simulation import PAUSE, ScriptedWeb, job_of, rendering, rows_of
from seeds import seeds

pytestmark = pytest.mark.quick

HOST, OTHER, PARTS_HOST = "www.one.test", "www.two.test", "cdn.three.test"
HOME = f"http://{HOST}/"


def scripts_of(host: str, count: int, name: str = "s") -> list[str]:
    return [f"http://{host}/{name}{number:02}.js" for number in range(count)]


def simulation_of(web: ScriptedWeb, job: Job, folder: Path, seed: int = 1) -> Simulation:
    made = Simulation(web, job, folder, seed=seed, conditions=rendering())
    made.referee._keep_history = True
    made.referee.rules = dataclasses.replace(made.referee.rules, is_part=web.parts.__contains__)
    return made


def check(simulation: Simulation, result: Result) -> None:
    """Everything came once, every page was rendered once with all that it could have."""
    web = simulation.web
    assert isinstance(web, ScriptedWeb)
    assert result.reason == "exhausted" and result.ends == 1
    assert [str(breach) for breach in result.breaches] == []
    urls = simulation.kept_urls()
    assert len(urls) == len(set(urls)) == result.kept_pages
    rendered = {}
    for state in result.states.values():
        assert state.pending == 0 and not state.rendering.is_at_work
        rendered.update({url_of(state.table.key(page)): 1 for page in state.rendering.places})
    pages = web.scripts.keys() - web.parts
    assert set(rendered) == {page for page in pages if set(web.scripts[page]) & set(urls)}


def crawled(
    web: ScriptedWeb, job: Job, folder: Path, kills: KillPlan = no_kills
) -> tuple[Simulation, list[Exchange]]:
    simulation = simulation_of(web, job, folder)
    check(simulation, simulation.run(kills))
    return simulation, simulation.referee.history


def seconds_for(scripts: int, burst_parts: int, folder: Path) -> float:
    """Return after how many seconds a page with scripts of its own host has all of them."""
    parts = scripts_of(HOST, scripts)
    web = ScriptedWeb({HOME: parts}, {})
    name = f"{scripts}-{burst_parts}"
    _, history = crawled(web, job_of([HOME], burst_parts), folder / name)
    moments = {one.url: one.ended for one in history}
    return max(moments[part] for part in parts) - moments[HOME]


def test_a_page_with_30_scripts_is_ready_after_fewer_pauses(tmp_path: Path) -> None:
    found = {
        (scripts, most): seconds_for(scripts, most, tmp_path)
        for scripts in (20, 30)
        for most in (1, 20)
    }
    assert found[30, 1] == pytest.approx(30 * PAUSE, rel=0.01)
    assert found[30, 20] == pytest.approx(21 * PAUSE + 28 * 0.55, rel=0.01)
    assert found[20, 1] == pytest.approx(20 * PAUSE, rel=0.01)
    assert found[20, 20] == pytest.approx(PAUSE + 19 * 0.55, rel=0.02)


def test_n_parts_in_a_row_are_followed_by_n_pauses(tmp_path: Path) -> None:
    parts = scripts_of(HOST, 12)
    others = [f"{HOME}page{number}" for number in range(4)]
    web = ScriptedWeb({HOME: parts}, {HOME: others})
    _, history = crawled(web, job_of([HOME], 5), tmp_path)
    rows = rows_of(history, HOST)
    assert [len(row) for row in rows] == [1, 1, 5, 5, 2, 1, 1, 1, 1], "robots file, page, parts"
    assert [url for row in rows[2:5] for url in row] == parts, "and parts go first"
    own = [one for one in history if one.host == HOST]
    gaps = [after.began - before.ended for before, after in pairwise(own)]
    assert [round(gap / PAUSE) for gap in gaps if gap >= PAUSE - 1] == [1, 1, 5, 5, 2, 1, 1, 1]
    assert min(gaps) >= 0.5, "the pause of the address is kept"


def test_without_the_setting_every_request_has_its_pause(tmp_path: Path) -> None:
    web = ScriptedWeb({HOME: scripts_of(HOST, 6)}, {})
    simulation, history = crawled(web, job_of([HOME], 1), tmp_path)
    assert [len(row) for row in rows_of(history, HOST)] == [1] * 8
    states = simulation.read_states().values()
    assert all(state.owed.rows == Rows() for state in states)


@pytest.mark.parametrize("partitioner", SPLITTING_PARTITIONERS)
def test_hosts_that_lie_in_several_partitions_have_no_rows(
    partitioner: str, tmp_path: Path
) -> None:
    web = ScriptedWeb({HOME: scripts_of(HOST, 6)}, {})
    job = job_of([HOME], 5, frontier={"partitioner": partitioner})
    _, history = crawled(web, job, tmp_path)
    assert max(map(len, rows_of(history, HOST))) == 1


def test_parts_on_another_host_come_in_a_row_of_its_own(tmp_path: Path) -> None:
    parts = scripts_of(PARTS_HOST, 8)
    for partitions in (1, 16):
        web = ScriptedWeb({HOME: [*parts, *scripts_of(HOST, 3)]}, {})
        job = job_of([HOME], 20, frontier={"partitions": partitions})
        _, history = crawled(web, job, tmp_path / str(partitions))
        assert [len(row) for row in rows_of(history, PARTS_HOST)] in ([1, 8], [1, 1, 7])
        assert [len(row) for row in rows_of(history, HOST)] == [1, 1, 3]


@pytest.mark.parametrize("lines", ["Crawl-delay: 1", "Request-rate: 1/2", "Visit-time: 0000-2359"])
def test_a_robots_file_that_asks_for_a_rhythm_permits_no_rows(lines: str, tmp_path: Path) -> None:
    class Rhythmic(ScriptedWeb):
        def _robots_reply(self, url: str, moment: float) -> Reply:
            reply = super()._robots_reply(url, moment)
            text = f"User-agent: *\n{lines}\nAllow: /\n".encode()
            return reply._replace(status=200, headers=(("Content-Type", "text/plain"),), body=text)

    web = Rhythmic({HOME: scripts_of(HOST, 6)}, {})
    _, history = crawled(web, job_of([HOME], 5), tmp_path)
    assert max(map(len, rows_of(history, HOST))) == 1


def test_a_slow_answer_and_a_refusal_end_a_row(tmp_path: Path) -> None:
    parts = scripts_of(HOST, 12)
    slow, refused = parts[2], parts[6]
    web = ScriptedWeb(
        {HOME: parts},
        {},
        faults=Faults(statuses={refused: 429}),
        latency=lambda url: 30.0 if url == slow else 0.05,
    )
    _, history = crawled(web, job_of([HOME], 5), tmp_path)
    after = {one.url: next_.began - one.ended for one, next_ in pairwise(history)}
    assert after[slow] >= 2 * PAUSE + 30.0, "two pauses, and the longer one of the slow answer"
    first = next(n for n, one in enumerate(history) if one.url == refused)
    row = next(row for row in rows_of(history, HOST) if refused in row)
    paused = history[first + 1].began - history[first].ended
    assert row[-1] == refused and paused >= (len(row) - 1) * PAUSE + 60.0


def test_parts_that_may_not_be_asked_for_are_passed_over(tmp_path: Path) -> None:
    parts = scripts_of(HOST, 6)
    closed = tuple(ending(f"s{number:02}.js") for number in (0, 2, 4))
    robots = {HOST: Robots((Group("*", closed),))}
    web = ScriptedWeb({HOME: parts}, {HOME: [f"{HOME}page{n}" for n in range(3)]}, robots=robots)
    simulation, history = crawled(web, job_of([HOME], 5), tmp_path)
    assert [len(row) for row in rows_of(history, HOST)] == [1, 1, 3, 1, 1, 1]
    outcomes = {
        url_of(state.table.key(page)): state.outcome_of(page)
        for state in simulation.read_states().values()
        for page in range(len(state.table))
    }
    assert [outcomes[part] for part in (parts[0], parts[4])] == [Outcome.DISALLOWED] * 2


def two_sites(host: str = PARTS_HOST) -> ScriptedWeb:
    """Two sites with pages of many scripts, some of them the same, some on a third host."""
    links = {f"http://{name}/": [f"http://{name}/{n}" for n in range(3)] for name in (HOST, OTHER)}
    scripts = {}
    for name in (HOST, OTHER):
        scripts[f"http://{name}/"] = [*scripts_of(name, 7), *scripts_of(host, 4, "c")]
        scripts[f"http://{name}/s01.js"] = scripts_of(name, 4, "deep")
        scripts[f"http://{name}/1"] = [*scripts_of(name, 9)[3:], *scripts_of(host, 7, "c")]
    return ScriptedWeb(scripts, links)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_order_of_urls_can_give_parts_away(scheduler: str, tmp_path: Path) -> None:
    job = job_of([HOME, f"http://{OTHER}/"], 6, frontier={"scheduler": scheduler})
    _, history = crawled(two_sites(), job, tmp_path)
    assert max(map(len, rows_of(history, HOST))) == 6


def test_rows_and_bursts_of_all_urls_go_together(tmp_path: Path) -> None:
    job = job_of([HOME, f"http://{OTHER}/"], 6, politeness={"burst_urls": 3})
    _, history = crawled(two_sites(), job, tmp_path)
    assert max(map(len, rows_of(history, HOST))) == 6


# -- kills --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", seeds(4, 12))
def test_no_row_begins_before_the_disk_has_it(number: int, tmp_path: Path) -> None:
    """The page's scripts ask for more when their host is about to be asked for something else."""
    parts = scripts_of(HOST, 2)
    others = [f"{HOME}page{n}" for n in range(6)]
    web = ScriptedWeb({HOME: parts, parts[1]: scripts_of(HOST, 6, "deep")}, {HOME: others})
    conditions = rendering(2 * PAUSE - 2.5 + number / 2, commit_takes_seconds=3.0)
    for times in range(4, 12):
        job = job_of([HOME], 8, politeness={"ip_delay_seconds": 0.0})
        simulation = Simulation(web, job, tmp_path / str(times), conditions=conditions)
        check(simulation, simulation.run(KillEvery({"answer.applied": times})))


def test_after_a_kill_the_host_of_a_row_owes_all_its_pauses_and_others_one(tmp_path: Path) -> None:
    ended = 0

    def in_the_row(name: str) -> bool:
        nonlocal ended
        ended += name == "answer.applied"
        return name == "answer.applied" and ended == 10

    others = [f"http://{OTHER}/{number}" for number in range(9)]
    web = ScriptedWeb({HOME: scripts_of(HOST, 8)}, {f"http://{OTHER}/": others})
    job = job_of([HOME, f"http://{OTHER}/"], 8, log={"commit_seconds": 5.0})
    simulation = simulation_of(web, job, tmp_path)
    check(simulation, simulation.run(in_the_row))
    history = simulation.referee.history
    last = [one.url for one in history[:10]].index(web.scripts[HOME][4])
    killed = history[last].ended
    later = {one.host: one.began - killed for one in reversed(history) if one.began > killed}
    assert later[HOST] >= 8 * PAUSE
    assert later[OTHER] < 2 * PAUSE


@pytest.mark.parametrize("point", sorted(NAMES))
@pytest.mark.parametrize("times", [3, 9, 14])
def test_a_kill_at_any_point_of_a_row_loses_nothing(point: str, times: int, tmp_path: Path) -> None:
    job = job_of([HOME, f"http://{OTHER}/"], 6)
    crawled(two_sites(), job, tmp_path, KillEvery({point: times}))


@pytest.mark.parametrize("seed", seeds(6, 60, start=8))
def test_crawls_with_rows_bring_the_same_through_kills(seed: int, tmp_path: Path) -> None:
    job = job_of(
        [HOME, f"http://{OTHER}/"],
        2 + 3 * (seed % 7),
        frontier={"scheduler": SCHEDULERS[seed % 6], "partitions": 1 + 5 * (seed % 3)},
        politeness={"burst_urls": 1 + 2 * (seed % 2), "ip_delay_seconds": 0.5 * (seed % 4 > 0)},
        log={"snapshot_batches": 5, "commit_seconds": 0.5 if seed % 2 else 5.0},
    )
    web = two_sites(PARTS_HOST if seed % 5 else HOST)
    simulation = Simulation(
        *(web, job, tmp_path),
        seed=seed,
        log="sqlite" if seed % 2 else "memory",
        workers=1 + seed % 2,
        # A browser that takes a pause asks for parts when their host is about to be asked.
        conditions=rendering(0.2 if seed % 3 else PAUSE - 0.1 * seed, 0.004 if seed % 4 else 1.0),
    )
    rules = simulation.referee.rules
    simulation.referee.rules = dataclasses.replace(rules, is_part=web.parts.__contains__)
    result = simulation.run(KillRandomly(seed, kills=10, probability=0.03))
    check(simulation, result)
    assert result.kills
