"""Orders at random moments of simulated crawls, which are killed; judged by the referee."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from lycosa.model.records import OrderApplied, Outcome
from lycosa.model.url import host_of, key_of
from lycosa.runtime.orders import orders
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillRandomly
from lycosa.simulation.simulation import Simulation
from lycosa.storage.log.format import decode_events
from lycosa_testweb.generated.web import GeneratedWeb
from seeds import few_of
from small_crawl import POLL_SECONDS, check, expected_pages, is_comparable, job_for, small_web

pytestmark = pytest.mark.quick


def plan_of(web: GeneratedWeb, chance: random.Random) -> list[tuple[float, orders.Order]]:
    """Return orders that undo each other, at random moments of the first ten minutes."""
    host = host_of(key_of(web.home(chance.randrange(13))))
    prefix = web.home(chance.randrange(13)) + "tree/"
    some: list[orders.Order] = [
        orders.Block(host),
        orders.AddRule({"action": "reject", "prefix": [prefix]}),
        orders.Pause(),
        orders.SetValue("politeness.delay_seconds", 5.0),
        orders.RemoveRule(2),
        orders.Resume(),
        orders.Unblock(host),
        orders.Retry("traps"),
        orders.Unset("politeness.delay_seconds"),
    ]
    moments = sorted(chance.uniform(5, 600) for _ in some)
    return list(zip(moments, some, strict=True))


def applied(simulation: Simulation) -> list[list[int]]:
    log, _ = simulation.open_log()
    try:
        return [
            [
                event.number
                for _, batch in log.read(partition, 0)
                for event in decode_events(batch)
                if isinstance(event, OrderApplied)
            ]
            for partition in range(log.partitions)
        ]
    finally:
        log.close()


@pytest.mark.parametrize(("seed", "workers"), few_of([(1, 1), (2, 1), (3, 2)], 1))
def test_a_steered_crawl_that_is_killed_keeps_what_an_unsteered_one_keeps(
    seed: int, workers: int, tmp_path: Path
) -> None:
    web, chance = small_web(seed), random.Random(f"orders {seed}")
    plan = plan_of(web, chance)
    conditions = Conditions(orders=plan, poll_seconds=POLL_SECONDS)
    simulation = Simulation(
        web, job_for(web), tmp_path, seed=seed, workers=workers, log="sqlite", conditions=conditions
    )
    result = simulation.run(kills=KillRandomly(seed, 12, 0.003))
    assert (result.reason, result.ends) == ("exhausted", 1)
    assert [str(breach) for breach in result.breaches] == []
    assert result.kills
    assert applied(simulation) == [list(range(1, len(plan) + 1))] * 8
    urls = simulation.kept_urls()
    assert len(urls) == len(set(urls)) == result.kept_pages
    rule = next(order for _, order in plan if isinstance(order, orders.AddRule))
    (prefix,) = rule.rule["prefix"]
    # Links that were found while the rule held are not followed.
    missed = expected_pages(seed) - {url for url in urls if is_comparable(url)}
    assert all(url.startswith(prefix) for url in missed)
    for state in result.states.values():
        assert state.pending == 0 and state.paused_from == 0.0
        assert state.outcomes[Outcome.EXCLUDED] == 0


def test_nothing_is_asked_while_a_simulated_crawl_is_paused(tmp_path: Path) -> None:
    web = small_web(4)
    plan: list[tuple[float, orders.Order]] = [(60.0, orders.Pause()), (4000.0, orders.Resume())]
    conditions = Conditions(orders=plan)
    job = job_for(web, seconds=3000.0)
    simulation = Simulation(web, job, tmp_path, seed=4, conditions=conditions)
    simulation.run(virtual_seconds=62.0)
    asked = simulation.referee.statistics.requests
    simulation.run(kills=KillRandomly(4, 3, 0.2), virtual_seconds=3000.0)
    assert simulation.referee.statistics.requests == asked > 10
    result = simulation.run()
    assert result.reason == "seconds"
    assert 2990.0 <= max(state.seconds_run() for state in result.states.values()) <= 3010.0
    assert [str(breach) for breach in result.breaches] == []


def test_a_blocked_host_is_left_alone_also_if_it_was_not_known(tmp_path: Path) -> None:
    web = small_web(5)
    home = web.home(2)
    seeds = tuple(web.home(n) for n in range(13) if n != 2)
    job = replace(job_for(web), seeds=seeds)
    conditions = Conditions(orders=[(0.0, orders.Block(host_of(key_of(home))))])
    simulation = Simulation(web, job, tmp_path, seed=5, conditions=conditions)
    result = simulation.run(virtual_seconds=3600.0)
    assert result.kept_pages > 50
    assert not [url for url in simulation.kept_urls() if url.startswith(home)]


def test_a_crawl_that_no_order_reaches_is_what_it_was(tmp_path: Path) -> None:
    web = small_web(6)
    conditions = Conditions(orders=[(1e12, orders.Pause())])
    simulation = Simulation(web, job_for(web), tmp_path, seed=6, conditions=conditions)
    check(simulation, simulation.run(), 6)
