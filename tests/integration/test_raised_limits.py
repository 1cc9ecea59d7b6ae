"""A crawl that is resumed with larger limits holds what one holds that was begun with them.

Links that were too deep are read again from the records of their pages, and URLs of a host that was
full are asked for, whatever kills come in between.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.crawl.links import raised_depth
from lycosa.crawl.status.left_out import left_out_of
from lycosa.frontier.distance import SEED, farthest, through
from lycosa.model.job import Job
from lycosa.model.url import key_of
from lycosa.simulation.kills import KillEvery, KillPlan, KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.webs.graph import GraphWeb, OtherNames
from seeds import examples

pytestmark = pytest.mark.quick

PAGES = 18


def url(n: int) -> str:
    """Six pages a host; every third one has a query, and so a depth limit of its own."""
    return f"http://www.h{n // 6}.test/p{n}" + ("?q" if n % 3 == 2 else "")


@st.composite
def webs(draw: st.DrawFn) -> GraphWeb:
    """Draw a web with redirects and canonical links, whose answers come in any order."""
    nodes = st.integers(0, PAGES - 1)
    edges: dict[str, list[str]] = {url(0): []}
    for source, target in draw(st.lists(st.tuples(nodes, nodes), min_size=5, max_size=45)):
        edges.setdefault(url(source), []).append(url(target))
    redirects = draw(st.dictionaries(nodes, nodes, max_size=4))
    canonicals = draw(st.dictionaries(nodes, nodes, max_size=2))
    latencies = draw(st.lists(st.floats(0.01, 900), min_size=PAGES, max_size=PAGES))
    by_url = {url(n): latencies[n] for n in range(PAGES)}
    return GraphWeb(
        edges,
        {url(a): url(b) for a, b in redirects.items()},
        names=OtherNames(canonicals={url(a): url(b) for a, b in canonicals.items()}),
        latency=lambda asked: by_url.get(asked, 0.05),
    )


depths = st.tuples(st.integers(0, 4), st.integers(0, 4))


def job(static: int, dynamic: int, host_pages: int = 0, partitioner: str = "host-hash") -> Job:
    return Job.of(
        seeds=[url(0)],
        limits={"depth_static": static, "depth_dynamic": dynamic, "host_pages": host_pages},
        politeness={"delay_seconds": 1.0, "large_site_delay_seconds": 1.0},
        frontier={"partitions": 4, "partitioner": partitioner},
        log={"snapshot_batches": 5},
        discovery={"mining": "off"},
        extract={"soft_404_after": 0},
        robots={"sitemaps": False},
    )


def expected_of(web: GraphWeb, static: int, dynamic: int) -> dict[str, int]:
    """Return every URL that a crawl with these limits knows, with its distance."""
    found: dict[str, int] = {}
    todo = [(url(0), SEED)]
    while todo:
        asked, distance = todo.pop()
        if found.get(asked, distance + 1) <= distance:
            continue
        found[asked] = distance
        for target, kind in web.links_of(asked):
            further = through(distance, kind)
            if further <= farthest(dynamic if "?" in target else static):
                todo.append((target, further))
    return found


def too_deep_in(web: GraphWeb, static: int, dynamic: int) -> set[str]:
    """Return the URLs that pages of such a crawl link to, and that are too deep for it."""
    known = expected_of(web, static, dynamic)
    return {target for one in known for target, _ in web.links_of(one)} - known.keys()


def distances_of(simulation: Simulation) -> dict[str, int]:
    """Return every URL that the crawl knows, by its key, with its distance."""
    return {
        state.table.key(page): distance
        for state in simulation.read_states().values()
        for page, distance in enumerate(state.pages.distance)
    }


def resumed(simulation: Simulation, wanted: Job, kills: KillPlan = no_kills) -> int:
    """Resume with another job; return how many requests it took."""
    simulation.job = wanted
    before = simulation._requests
    result = simulation.run(kills)
    assert result.reason == "exhausted" and result.breaches == []
    return result.requests - before


def is_as_begun_with(simulation: Simulation, web: GraphWeb, static: int, dynamic: int) -> None:
    expected = {key_of(one): far for one, far in expected_of(web, static, dynamic).items()}
    assert distances_of(simulation) == expected
    kept = simulation.kept_urls()
    assert len(kept) == len(set(kept))
    counts = {"depth_static": 0, "depth_dynamic": 0}
    for one in too_deep_in(web, static, dynamic):
        counts["depth_dynamic" if "?" in one else "depth_static"] += 1
    wanted = {limit: count for limit, count in counts.items() if count}
    assert left_out_of(simulation.read_states().values()) == wanted


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(webs(), depths, st.lists(depths, min_size=1, max_size=3), st.integers(0, 4), st.data())
def test_a_raised_depth_gives_the_crawl_that_was_begun_with_it(
    web: GraphWeb,
    first: tuple[int, int],
    others: list[tuple[int, int]],
    kills: int,
    data: st.DataObject,
) -> None:
    """Limits may fall in between: what was found under larger ones is fetched all the same."""
    seed, workers = data.draw(st.integers(0, 1000)), data.draw(st.integers(1, 3))
    at_once = data.draw(st.integers(1, 3))
    log = data.draw(st.sampled_from(["memory", "memory", "sqlite"]))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(raised_depth, "READ_AT_ONCE", at_once)
        patch.setattr(raised_depth, "LOOKED_AT_ONCE", 2 * at_once)
        simulation = Simulation(web, job(*first), Path(folder), seed=seed, log=log, workers=workers)
        assert simulation.run().reason == "exhausted"
        largest = first
        for n, wanted in enumerate(others):
            resumed(simulation, job(*wanted), _plan(seed + n, kills))
            largest = max(largest[0], wanted[0]), max(largest[1], wanted[1])
        resumed(simulation, job(*largest), _plan(seed, kills))
        is_as_begun_with(simulation, web, *largest)


def _plan(seed: int, kills: int) -> KillPlan:
    return KillRandomly(seed, kills, 0.05) if kills else no_kills


def line(length: int, hosts: int = 4) -> GraphWeb:
    """A web in which each page links to the next one, on another host."""

    def at(n: int) -> str:
        return f"http://www.l{n % hosts}.test/{n}"

    return GraphWeb({url(0): [at(0)], **{at(n): [at(n + 1)] for n in range(length)}})


def test_a_larger_depth_asks_for_the_next_pages_and_for_none_again(tmp_path: Path) -> None:
    web = line(9)
    simulation = Simulation(web, job(2, 2), tmp_path, log="sqlite")
    assert simulation.run().reason == "exhausted"
    assert len(simulation.kept_urls()) == 3
    robots = 2  # of hosts that were not asked yet
    assert resumed(simulation, job(6, 6)) == 4 + robots
    is_as_begun_with(simulation, web, 6, 6)


def test_the_same_limits_read_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulation = Simulation(line(9), job(2, 2), tmp_path)
    simulation.run()
    monkeypatch.setattr(raised_depth.RaisedDepth, "__init__", _not_made)
    other = dataclasses.replace(job(2, 2), limits=dataclasses.replace(job(2, 2).limits, pages=50))
    assert resumed(simulation, other) == 0
    assert resumed(simulation, job(1, 1)) == 0


def _not_made(*_: object) -> None:
    raise AssertionError("links are read again")


@pytest.mark.parametrize(
    "kills",
    [
        {"links.read_again": 2},
        {"links.read_again": 1, "commit.flushed": 2},
        {"log.appended": 2},
        {"log.posted": 3},
    ],
)
@pytest.mark.parametrize("log", ["memory", "sqlite"])
def test_a_kill_while_links_are_read_again_loses_none_of_them(
    kills: dict[str, int], log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every page at the old limit has a link of its own, and one is read before each commit."""
    monkeypatch.setattr(raised_depth, "READ_AT_ONCE", 1)
    middle = [f"http://www.m{n % 3}.test/{n}" for n in range(12)]
    web = GraphWeb({url(0): middle, **{one: [f"{one}/deep"] for one in middle}})
    simulation = Simulation(web, job(1, 1), tmp_path, log=log)
    simulation.run()
    simulation.job = job(2, 2)
    result = simulation.run(KillEvery(kills))
    assert result.reason == "exhausted" and result.breaches == []
    assert len(result.kills) == len(kills)
    is_as_begun_with(simulation, web, 2, 2)
    assert len(simulation.kept_urls()) == 25


def test_a_crawl_that_is_stopped_while_links_are_read_again_goes_on_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raised_depth, "READ_AT_ONCE", 1)
    middle = [f"http://www.m.test/{n}" for n in range(20)]
    web = GraphWeb({url(0): middle, **{one: [f"{one}/deep"] for one in middle}})
    simulation = Simulation(web, job(1, 1), tmp_path)
    simulation.run()
    simulation.job = job(2, 2)
    assert simulation.run(virtual_seconds=0.02).reason == ""
    reading = [state.limits for state in simulation.read_states().values()]
    assert any(0 < one.next_page < one.end_page for one in reading)
    other = job(2, 2, host_pages=500)  # another key of the job changes nothing of it
    resumed(simulation, other)
    is_as_begun_with(simulation, web, 2, 2)
    assert not any(state.limits.end_page for state in simulation.read_states().values())


@pytest.mark.parametrize("partitioner", ["host-hash", "url-hash"])
@pytest.mark.parametrize("host_pages", [0, 9])
def test_a_larger_number_of_pages_of_a_host_opens_the_hosts_that_were_full(
    partitioner: str, host_pages: int, tmp_path: Path
) -> None:
    pages = [f"http://www.m.test/{n}" for n in range(12)]
    web = GraphWeb({url(0): pages, **{one: [f"{one}/deep"] for one in pages}})
    simulation = Simulation(web, job(3, 3, 5, partitioner), tmp_path, log="sqlite")
    simulation.run()
    assert len(simulation.kept_urls()) == 1 + 5
    resumed(simulation, job(3, 3, host_pages, partitioner))
    assert len(simulation.kept_urls()) == 1 + (host_pages or 24)
    left_out = left_out_of(simulation.read_states().values())
    assert left_out == ({"host_pages": len(distances_of(simulation)) - 10} if host_pages else {})


def test_the_log_of_an_older_release_has_all_its_links_read_again(tmp_path: Path) -> None:
    """It does not say by which limits links were refused, only that some were."""
    web = line(9)
    patch = pytest.MonkeyPatch()
    digest: Callable[[Job], str] = Job.digest
    patch.setattr(Job, "digest", lambda job: "-".join(digest(job).split("-")[:2]))
    simulation = Simulation(web, job(2, 2), tmp_path / "older")
    simulation.run()
    patch.undo()
    resumed(simulation, job(6, 6))
    is_as_begun_with(simulation, web, 6, 6)
