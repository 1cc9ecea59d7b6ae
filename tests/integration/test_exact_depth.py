"""A crawl limited to depth d holds exactly the pages that are within d links of the seeds.

Whatever the order of the answers, whatever links are found late, and however often the
process is killed on the way.
"""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.frontier.distance import MOST_REDIRECTS, SEED, farthest, is_beyond, through
from lycosa.model.job import Job, parse_job
from lycosa.model.records import LinkKind, Outcome
from lycosa.model.url import url_of
from lycosa.operate.inspect.explain import explain
from lycosa.simulation.kills import KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.webs.graph import GraphWeb, OtherNames
from seeds import examples

pytestmark = pytest.mark.quick


def url(n: int) -> str:
    """Six pages a host; every third one has a query, and so a depth limit of its own."""
    return f"http://www.h{n // 6}.test/p{n}" + ("?q" if n % 3 == 2 else "")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[GraphWeb, int]:
    size = draw(st.integers(2, 18))
    nodes = st.integers(0, size - 1)
    edges: dict[str, list[str]] = {}
    for source, target in draw(st.lists(st.tuples(nodes, nodes), max_size=40)):
        edges.setdefault(url(source), []).append(url(target))
    redirects = draw(st.dictionaries(nodes, nodes, max_size=4))
    canonicals = draw(st.dictionaries(nodes, nodes, max_size=2))
    following = draw(st.dictionaries(nodes, nodes, max_size=6))
    latencies = draw(st.lists(st.floats(0.01, 900), min_size=size, max_size=size))
    by_url = {url(n): latencies[n] for n in range(size)}
    web = GraphWeb(
        {url(0): [], **edges},
        {url(a): url(b) for a, b in redirects.items()},
        names=OtherNames(canonicals={url(a): url(b) for a, b in canonicals.items()}),
        following={url(a): url(b) for a, b in following.items() if a not in redirects},
        latency=lambda asked: by_url.get(asked, 0.05),
    )
    return web, draw(st.integers(0, 4))


def job(depth: int, dynamic: int, mining: str = "folders") -> Job:
    return Job.of(
        seeds=[url(0)],
        limits={"depth_static": depth, "depth_dynamic": dynamic},
        politeness={"delay_seconds": 1.0, "large_site_delay_seconds": 1.0},
        frontier={"partitions": 4},
        log={"snapshot_batches": 5},
        discovery={"mining": mining},
        robots={"sitemaps": False},
    )


def crawl(web: GraphWeb, job: Job, kills: int, seed: int, log: str) -> tuple[list[str], list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(web, job, Path(folder), seed=seed, log=log)
        plan = KillRandomly(seed, kills, 0.05) if kills else no_kills
        result = simulation.run(plan)
        assert result.reason == "exhausted"
        return simulation.kept_urls(), [str(breach) for breach in result.breaches]


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graphs(), st.integers(0, 4), st.integers(0, 1000))
def test_depth_is_exact_in_any_order_and_through_kills(
    drawn: tuple[GraphWeb, int], kills: int, seed: int
) -> None:
    web, depth = drawn
    kept, breaches = crawl(web, job(depth, depth), kills, seed, "memory")
    assert sorted(kept) == sorted(web.pages_within([url(0)], depth))
    assert breaches == []


@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(graphs(), st.integers(0, 3), st.integers(0, 1000))
def test_depth_is_exact_on_the_sqlite_log(
    drawn: tuple[GraphWeb, int], kills: int, seed: int
) -> None:
    web, depth = drawn
    kept, breaches = crawl(web, job(depth, depth), kills, seed, "sqlite")
    assert sorted(kept) == sorted(web.pages_within([url(0)], depth))
    assert breaches == []


CHAIN = 24
"""A chain of redirects that is longer than is followed: c0 → c1 → … → c23 → the page at its end."""


def link(n: int) -> str:
    return f"http://www.c{n % 5}.test/c{n}"


END = "http://www.end.test/"


@st.composite
def chains(draw: st.DrawFn) -> GraphWeb:
    """A long chain of redirects, into which pages, near and far, link in several places."""
    redirects = {link(n): link(n + 1) for n in range(CHAIN - 1)} | {link(CHAIN - 1): END}
    edges = {url(n): [url(n + 1)] for n in range(3)}
    for n in range(4):
        places = draw(st.lists(st.integers(0, CHAIN - 1), max_size=2))
        edges.setdefault(url(n), []).extend(link(place) for place in places)
    edges[url(0)].append(link(0))
    latencies = draw(st.lists(st.floats(0.01, 900), min_size=8, max_size=8))
    return GraphWeb(
        {**edges, END: []},
        redirects,
        latency=lambda asked: latencies[hash_of(asked) % len(latencies)],
    )


def hash_of(text: str) -> int:
    return sum(map(ord, text))


def expected_of(web: GraphWeb, depth: int) -> dict[str, tuple[int, int]]:
    """Return of all that is to be asked for the fewest redirects in a row, and the distance."""
    found: dict[str, tuple[int, int]] = {}
    todo = [(url(0), 0, SEED)]
    while todo:
        asked, hops, distance = todo.pop()
        before = found.get(asked, (99, 9999))
        if distance > farthest(depth) or (hops >= before[0] and distance >= before[1]):
            continue
        found[asked] = hops, distance = min(hops, before[0]), min(distance, before[1])
        for target, kind in web.links_of(asked):
            run = hops + 1 if kind is LinkKind.REDIRECT else 0
            if run <= MOST_REDIRECTS:
                todo.append((target, run, through(distance, kind)))
    return found


@settings(max_examples=examples(10), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(chains(), st.integers(0, 4), st.integers(0, 3), st.integers(0, 1000))
def test_a_chain_of_redirects_ends_after_twenty_in_any_order_and_through_kills(
    web: GraphWeb, depth: int, kills: int, seed: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(web, job(depth, depth, "off"), Path(folder), seed=seed, workers=2)
        result = simulation.run(KillRandomly(seed, kills, 0.05) if kills else no_kills)
        assert result.reason == "exhausted" and result.breaches == []
        found = {
            url_of(state.table.key(page)): (state.pages.hops[page], distance)
            for state in simulation.read_states().values()
            for page, distance in enumerate(state.pages.distance)
        }
        assert found == expected_of(web, depth)


@st.composite
def long_lists(draw: st.DrawFn) -> GraphWeb:
    """A list of 50 pages, each of which names the next, entered in several places."""
    following = {item(n): item(n + 1) for n in range(49)}
    edges = {url(n): [url(n + 1)] for n in range(3)}
    for n in range(4):
        places = draw(st.lists(st.integers(0, 49), max_size=2))
        edges.setdefault(url(n), []).extend(item(place) for place in places)
    edges[url(0)].append(item(0))
    for place in draw(st.lists(st.integers(0, 48), max_size=3)):
        edges.setdefault(item(place), []).append(url(draw(st.integers(4, 9))))
    latencies = draw(st.lists(st.floats(0.01, 900), min_size=8, max_size=8))
    return GraphWeb(
        edges,
        following=following,
        latency=lambda asked: latencies[hash_of(asked) % len(latencies)],
    )


def item(n: int) -> str:
    return f"http://www.list.test/items?after=a{n}"


@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(long_lists(), st.integers(0, 3), st.integers(0, 3), st.integers(1, 2), st.integers(0, 1000))
def test_pages_of_a_list_cost_a_hop_each_in_any_order_and_through_kills(
    web: GraphWeb, depth: int, kills: int, workers: int, seed: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wanted = job(depth, depth, "off")
        simulation = Simulation(web, wanted, Path(folder), seed=seed, workers=workers)
        result = simulation.run(KillRandomly(seed, kills, 0.05) if kills else no_kills)
        assert result.reason == "exhausted" and result.breaches == []
        found = {
            url_of(state.table.key(page)): distance
            for state in simulation.read_states().values()
            for page, distance in enumerate(state.pages.distance)
        }
        assert found == distances_of(web, depth)


def distances_of(web: GraphWeb, depth: int) -> dict[str, int]:
    """Return the distance of all that is to be asked for, by every way that the drawing has."""
    found: dict[str, int] = {}
    todo = [(url(0), SEED)]
    while todo:
        asked, distance = todo.pop()
        if distance >= found.get(asked, 9999):
            continue
        found[asked] = distance
        todo += [
            (target, through(distance, kind))
            for target, kind in web.links_of(asked)
            if not is_beyond(distance, kind, depth)
        ]
    return found


@pytest.mark.parametrize(("depth", "pages"), [(0, 1), (1, 42), (2, 63)])
def test_a_list_without_end_ends_with_its_levels(tmp_path: Path, depth: int, pages: int) -> None:
    web = GraphWeb({}, following={item(n): item(n + 1) for n in range(400)})
    wanted = dataclasses.replace(job(15, depth, "off"), seeds=(item(0),))
    simulation = Simulation(web, wanted, tmp_path, seed=1, log="sqlite")
    assert simulation.run(no_kills).reason == "exhausted"
    assert len(simulation.kept_urls()) == pages
    states = simulation.read_states()
    assert sum(state.refusals["too-deep"] for state in states.values()) == 1
    log, _ = simulation.open_log()
    told = explain(item(pages - 1), wanted, log, states, simulation.partitioner)
    log.close()
    assert (told.depth, told.hops) == divmod(pages - 1, 21)


def test_a_job_of_before_goes_on_without_the_kind(tmp_path: Path) -> None:
    web = GraphWeb({}, following={item(n): item(n + 1) for n in range(400)})
    text = dataclasses.replace(job(15, 5, "off"), seeds=(item(0),)).to_toml()
    assert "pagination = 1\n" in text
    before = parse_job(text.replace("pagination = 1\n", ""), is_begun=True)
    simulation = Simulation(web, before, tmp_path, seed=1)
    assert simulation.run(no_kills).reason == "exhausted"
    assert len(simulation.kept_urls()) == 6, "five links from the seed, as such a crawl began"
    assert parse_job(text.replace("pagination = 1\n", "")).extract.pagination == 1


def test_a_redirect_without_end_costs_twenty_one_requests_and_says_why(tmp_path: Path) -> None:
    web = GraphWeb({}, {url(n): url(n + 1) for n in range(400)})
    wanted = job(15, 15, "off")
    simulation = Simulation(web, wanted, tmp_path, seed=1, log="sqlite")
    assert simulation.run(no_kills).reason == "exhausted"
    states = simulation.read_states()
    assert sum(state.outcomes[Outcome.REDIRECTED] for state in states.values()) == 21
    assert sum(state.refusals["too-many-redirects"] for state in states.values()) == 1
    log, _ = simulation.open_log()
    told = [explain(url(n), wanted, log, states, simulation.partitioner) for n in (19, 20)]
    assert told[0].standing == "has ended: redirected"
    assert told[1].standing.endswith("its own is not followed (too-many-redirects)")
    log.close()


def test_a_shorter_way_found_late_brings_in_what_lay_beyond_the_limit() -> None:
    """0 → 1 → 2 → 3 → 4 is quick; 0 → 6 → 3 is slow, and makes 4 a page of depth 3."""
    late = url(6)
    web = GraphWeb(
        {
            url(0): [url(1), late],
            url(1): [url(2)],
            url(2): [url(3)],
            url(3): [url(4)],
            late: [url(3)],
        },
        latency=lambda asked: 5000.0 if asked == late else 0.05,
    )
    kept, breaches = crawl(web, job(3, 3), 0, 0, "memory")
    assert url(4) in kept
    assert sorted(kept) == sorted(web.pages_within([url(0)], 3))
    assert breaches == []


@pytest.mark.parametrize("slow", [2, 3])
def test_figures_14_and_15_of_the_rdfa_spider_end_with_the_same_eight_pages(slow: int) -> None:
    """Its crawl found 8 pages or 3, depending on whether page 2 or page 3 was seen first."""
    web = GraphWeb(
        {
            url(1): [url(2), url(3)] if slow == 3 else [url(3), url(2)],
            url(2): [url(3)],
            url(3): [url(n) for n in range(4, 9)],
        },
        latency=lambda asked: 500.0 if asked == url(slow) else 0.05,
    )
    wanted = dataclasses.replace(job(2, 2, "off"), seeds=(url(1),))
    kept, breaches = crawl(web, wanted, 0, 0, "memory")
    assert sorted(kept) == [url(n) for n in range(1, 9)]
    assert breaches == []
