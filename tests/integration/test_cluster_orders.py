"""Orders to the machines of a cluster, in virtual time: each has effect once on every partition."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from cluster_crawl import DEPTH, NAMES, PARTITIONS, drawn_web, job_for
from lycosa.model.records import OrderApplied, Outcome
from lycosa.model.url import url_of
from lycosa.runtime.members import member
from lycosa.runtime.orders import orders
from lycosa.simulation.cluster.cluster import Cluster
from lycosa.simulation.cluster.loose_log import LooseLog
from lycosa.simulation.cluster.world import CALM, Weather
from lycosa.storage.log.format import decode_events
from lycosa_testweb.webs.graph import GraphWeb
from seeds import few_of

pytestmark = pytest.mark.quick

MIXED = Weather(("kill", "stop", "cut", "drain", "wall"))


def plan_of(seed: int) -> list[tuple[float, orders.Order]]:
    """Return orders that undo each other, at random moments while there is work."""
    chance = Random(f"orders {seed}")
    host, other = chance.sample(NAMES, 2)
    some: list[orders.Order] = [
        orders.Block(host),
        orders.AddRule({"action": "reject", "prefix": [f"http://{other}/"]}),
        orders.Pause(),
        orders.AddSeeds([f"http://{NAMES[20]}/3"]),
        orders.SetValue("politeness.delay_seconds", 25.0),
        orders.RemoveRule(2),
        orders.Resume(),
        orders.Unblock(host),
        orders.Retry(),
        orders.SetValue("fetch.connections", 4),
        orders.Unset("politeness.delay_seconds"),
    ]
    moments = sorted(chance.uniform(15, 110) for _ in some)
    return list(zip(moments, some, strict=True))


def applied(cluster: Cluster) -> list[list[int]]:
    return [
        [
            event.number
            for _, batch in cluster.server.read(number, 0)
            for event in decode_events(batch)
            if isinstance(event, OrderApplied)
        ]
        for number in range(PARTITIONS)
    ]


def kill_one(cluster: Cluster) -> None:
    up = [machine for machine in cluster.machines if machine.is_up]
    if up:
        cluster.chance.choice(up).kill()


def check(seed: int, weather: Weather, folder: Path) -> None:
    web, plan = drawn_web(seed % 20), plan_of(seed)
    cluster = Cluster(web, job_for(15.0), folder, seed=seed, machines=4, weather=weather)
    cluster.steer(plan, lambda order: kill_one(cluster))
    result = cluster.run(7200.0)
    assert result.reason == "exhausted"
    assert [str(breach) for breach in result.breaches] == []
    assert applied(cluster) == [list(range(1, len(plan) + 1))] * PARTITIONS
    kept = Counter(url_of(record.key) for record in cluster.kept())
    assert max(kept.values()) == 1 and sum(kept.values()) == result.kept_pages
    seeds = [*cluster.job.seeds, f"http://{NAMES[20]}/3"]
    # Links that were found while the rule held are not followed.
    (rule,) = (order.rule for _, order in plan if isinstance(order, orders.AddRule))
    edges = {
        url: [target for target in targets if not target.startswith(rule["prefix"][0])]
        for url, targets in web.edges.items()
    }
    least = set(GraphWeb(edges, web.redirects).pages_within(seeds, DEPTH))
    assert least <= set(kept) <= set(web.pages_within(seeds, DEPTH))
    for state in result.states.values():
        assert state.pending == 0 and state.paused_from == 0.0
        assert state.outcomes[Outcome.EXCLUDED] == 0


@pytest.mark.parametrize(("seed", "weather"), few_of([(4, Weather()), (1, CALM)], 1))
def test_every_partition_applies_every_order_once_whoever_is_killed_after_it(
    seed: int, weather: Weather, tmp_path: Path
) -> None:
    check(seed, weather, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(8))
def test_a_hundred_steered_clusters(block: int, tmp_path: Path) -> None:
    for seed in range(100 + 13 * block, 113 + 13 * block):
        check(seed, (CALM, MIXED, Weather())[seed % 3], tmp_path / str(seed))


def test_no_machine_asks_while_the_operator_pauses_the_crawl(tmp_path: Path) -> None:
    """Members read notes twice a second; one that comes meanwhile asks nothing, either."""
    plan: list[tuple[float, orders.Order]] = [
        (30.0, orders.Pause()),
        (40.0, orders.Retry()),
        (200.0, orders.Retry()),
        (260.0, orders.Resume()),
    ]
    web, asked = drawn_web(5), list[int]()
    cluster = Cluster(web, job_for(5.0), tmp_path, seed=5, machines=3, weather=CALM)

    def given(order: orders.Order) -> None:
        asked.append(cluster.referee.statistics.requests)
        kill_one(cluster)

    cluster.steer(plan, given)
    result = cluster.run()
    assert result.reason == "exhausted" and result.virtual_seconds > 260
    assert asked[0] > 10 and asked[1] == asked[2] == asked[3] < result.requests
    assert [str(breach) for breach in result.breaches] == []
    assert applied(cluster) == [[1, 2, 3, 4]] * PARTITIONS
    assert (
        len(cluster.kept()) == result.kept_pages == len(web.pages_within(cluster.job.seeds, DEPTH))
    )


def asked_in_a_pause(folder: Path) -> int:
    """Return the requests of a crawl that was paused before its members took partitions."""
    web = drawn_web(9)
    cluster = Cluster(web, job_for(5.0), folder, seed=9, machines=3, weather=CALM)
    cluster.steer([(1.0, orders.Pause())])
    return cluster.run(120.0).requests


def test_an_order_holds_for_partitions_taken_after_it_also_if_its_note_comes_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LooseLog, "notes_since", lambda self, number: (number, {}))
    assert asked_in_a_pause(tmp_path / "asked of the log itself") == 0
    monkeypatch.setattr(member, "orders", lambda log, after: [])
    assert asked_in_a_pause(tmp_path / "broken on purpose") > 0


@pytest.mark.parametrize(("seed", "values"), [(6, (60, 25)), (7, (15, 80))])
def test_limits_that_an_operator_changes_are_exact_over_all_machines(
    seed: int, values: tuple[int, int], tmp_path: Path
) -> None:
    first, last = values
    plan: list[tuple[float, orders.Order]] = [
        (12.0, orders.Pause()),
        (16.0, orders.SetValue("limits.pages", last)),
        (20.0, orders.Resume()),
    ]
    job = job_for(10.0, pages=first)
    cluster = Cluster(drawn_web(seed), job, tmp_path, seed=seed, machines=3, weather=CALM)
    cluster.steer(plan, lambda order: kill_one(cluster))
    result = cluster.run()
    assert (result.reason, result.kept_pages, len(cluster.kept())) == ("pages", last, last)
    assert [str(breach) for breach in result.breaches] == []


def test_a_stop_ends_the_run_for_all_machines(tmp_path: Path) -> None:
    plan: list[tuple[float, orders.Order]] = [(40.0, orders.Stop())]
    cluster = Cluster(drawn_web(8), job_for(5.0), tmp_path, seed=8, machines=3, weather=CALM)
    cluster.steer(plan)
    result = cluster.run()
    assert result.reason == "stopped" and result.virtual_seconds < 120
    assert 0 < result.kept_pages < len(drawn_web(8).pages_within(cluster.job.seeds, DEPTH))
    assert [str(breach) for breach in result.breaches] == []
