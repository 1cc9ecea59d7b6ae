"""The capacity model of docs/scale.md predicts what a simulated cluster does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import capacity
from benchmarks.scale_prediction import Plan, predict
from benchmarks.scale_simulation import simulate

pytestmark = pytest.mark.quick


def test_the_model_predicts_a_small_cluster() -> None:
    plan = Plan(machines=4, hosts=300, partitions=32, connections=4, delay_seconds=2.0)
    said, was = predict(plan), simulate(plan, measures_memory=False)
    assert was["reason"] == "exhausted"
    assert was["breaches"] == 0
    for name in ("pages", "requests", "seconds"):
        assert said[name] == pytest.approx(was[name], rel=0.2)
    for name in ("posts", "event_bytes", "post_bytes", "puts"):
        assert said["totals"][name] == pytest.approx(was["totals"][name], rel=0.2)


def test_twice_the_machines_need_half_the_memory_each() -> None:
    one = capacity.Plan(pages=1e8, hosts=1e6, machines=10)
    two = replace(one, machines=20)
    base = one.cores * 100e6
    halved = (capacity.memory_bytes(one) - base) / 2
    assert capacity.memory_bytes(two) - base == pytest.approx(halved)


def test_few_hosts_are_held_back_by_their_pauses() -> None:
    plan = capacity.Plan(pages=1e6, hosts=100, machines=10, delay=15.0, largest=1e4)
    limits = list(capacity.limits_of(plan))
    assert set(limits[:2]) == {"pauses of hosts", "the largest site"}


def test_machines_beyond_what_the_log_takes_bring_nothing() -> None:
    plan = capacity.Plan(pages=1e9, hosts=1e7, machines=100)
    more = replace(plan, machines=200)
    assert capacity.pages_a_second(more) == capacity.pages_a_second(plan)


def test_the_page_shows_what_the_model_prints() -> None:
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text(encoding="utf-8")
    for table in capacity.tables():
        assert table in page
