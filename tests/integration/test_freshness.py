"""What the policies promise, on a web whose changes are known (a smaller `make figures`).

Nothing here is left to chance: time is virtual, the web and the crawl have fixed seeds, and no
set's order matters, so every run finds the same numbers to the last digit. A margin that is
small beside what chance would do is one all the same, and one that has gone is a change of ours.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest
from benchmarks.freshness import POLICIES, Found, Way, keep_fresh, spearman

from seeds import few_of

pytestmark = pytest.mark.quick


class Size(NamedTuple):
    hosts: int
    pages_per_host: int


@pytest.fixture(scope="module", params=few_of([Size(3, 20), Size(6, 30)], 1))
def found(request: pytest.FixtureRequest) -> dict[str, Found]:
    """The same number of requests a day for each policy, for twenty cycles."""
    size: Size = request.param
    return {policy: keep_fresh(Way(policy, **size._asdict(), cycles=20)) for policy in POLICIES}


def test_all_policies_have_the_same_number_of_requests(found: dict[str, Found]) -> None:
    assert len({one.requests for one in found.values()}) == 1


def test_profit_is_above_uniform_and_proportional_by_quality(found: dict[str, Found]) -> None:
    profit = found["profit"].mean_weighted
    assert profit > found["uniform"].mean_weighted + 0.01
    assert profit > found["proportional"].mean_weighted + 0.01


def test_fresh_is_above_uniform_and_proportional_by_number(found: dict[str, Found]) -> None:
    fresh = found["fresh"].mean_fresh
    assert fresh > found["uniform"].mean_fresh + 0.005
    assert fresh > found["proportional"].mean_fresh + 0.01
    assert fresh <= found["fresh"].possible + 0.05


def test_rates_are_known_in_their_order_after_twenty_cycles(found: dict[str, Found]) -> None:
    assert found["fresh"].correlation >= 0.8
    assert found["uniform"].correlation >= 0.8


def test_spearman_knows_order_and_ties() -> None:
    assert spearman([1, 2, 3, 4], [10, 20, 30, 40]) == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1.0)
    assert spearman([1, 2, 3, 4], [1, 1, 2, 2]) == pytest.approx(0.894427191)
