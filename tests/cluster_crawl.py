"""A crawl of a small drawn web by several machines, and everything that must be true of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

from lycosa.model.job import Job
from lycosa.model.url import url_of
from lycosa.simulation.cluster.cluster import Cluster, Result
from lycosa_testweb.robots import Group, Robots
from lycosa_testweb.webs.graph import GraphWeb

HOSTS, DOMAINS, PAGES, DEPTH, PARTITIONS = 24, 18, 10, 5, 16
NAMES = [f"h{host}.d{host % DOMAINS}.test" for host in range(HOSTS)]


@cache
def drawn_web(seed: int, *, shares_addresses: bool = True) -> GraphWeb:
    """Return hosts that link to each other at random; some move pages, some share an address."""
    chance = Random(f"web {seed}")
    urls = [[f"http://{name}/{page}" for page in range(PAGES)] for name in NAMES]
    everything = [url for some in urls for url in some]
    edges = {
        url: [*chance.sample(some, 3), *chance.sample(everything, chance.choice((0, 1, 1, 2)))]
        for some in urls
        for url in some
    }
    return GraphWeb(
        edges,
        {url: chance.choice(everything) for url in chance.sample(everything[HOSTS:], 8)},
        robots={name: Robots((Group("*", (), 3.0),)) for name in NAMES[::7]},
        # Hosts of one domain share an address: they belong to one partition, so to one machine.
        addresses={name: f"10.0.0.{1 + host % DOMAINS}" for host, name in enumerate(NAMES)}
        if shares_addresses
        else None,
        latency=lambda url: 0.02 + (crc32(url.encode()) + seed) % 100 / 50,
    )


def job_for(
    delay_seconds: float = 2.0,
    frontier: Mapping[str, object] | None = None,
    revisit: Mapping[str, object] | None = None,
    **limits: object,
) -> Job:
    return Job.of(
        seeds=[f"http://{name}/0" for name in NAMES[:6]],
        limits={"depth_static": DEPTH, "depth_dynamic": DEPTH, **limits},
        politeness={"delay_seconds": delay_seconds, "ip_delay_seconds": 0.5},
        fetch={"retries": 20},
        frontier=frontier or {"partitions": PARTITIONS},
        robots={"sitemaps": False},
        revisit=revisit or {},
        log={"snapshot_batches": 20},
    )


def crawl(
    seed: int, folder: Path, machines: int, limits: Mapping[str, Any] | None = None, **more: Any
) -> tuple[Cluster, Result]:
    job = job_for(**(limits or {}))
    # Machines do not wait for each other at an address: where they share hosts, none is shared.
    web = drawn_web(seed % 20, shares_addresses=job.frontier.partitioner == "domain")
    cluster = Cluster(web, job, folder, seed=seed, machines=machines, **more)
    return cluster, cluster.run()


def check(cluster: Cluster, result: Result, seed: int) -> None:
    assert result.reason == "exhausted"
    assert [str(breach) for breach in result.breaches] == []
    kept = Counter(url_of(record.key) for record in cluster.kept())
    assert [url for url, times in kept.items() if times > 1] == []
    assert set(kept) == set(drawn_web(seed % 20).pages_within(cluster.job.seeds, DEPTH))
    assert sum(kept.values()) == result.kept_pages
    assert not any(state.pending for state in result.states.values())
