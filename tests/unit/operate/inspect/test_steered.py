"""The audit judges each request by the orders that held when it began."""

from __future__ import annotations

import pytest

from lycosa.model.job import Job
from lycosa.operate.inspect.request_record import Exchange
from lycosa.operate.inspect.steered import Steered
from lycosa.runtime.orders import orders
from lycosa.runtime.orders.orders import Numbered, Order

FORUM = orders.AddRule({"action": "reject", "prefix": ["http://a.test/forum/"]})


def job_of(server: str = "") -> Job:
    return Job.of(
        seeds=["http://a.test/"],
        frontier={"partitions": 2},
        politeness={"delay_seconds": 2.0, "ip_delay_seconds": 1.0},
        log={"server": server} if server else {},
    )


def steered(
    *given: tuple[Order, list[float]], reopened: dict[str, list[float]] | None = None, at: str = ""
) -> Steered:
    """`given` has each order with the moments at which the two partitions have applied it."""
    numbered = [Numbered(n, order, str(n), 0.0) for n, (order, _) in enumerate(given, 1)]
    applied = {number: moments for number, (_, moments) in enumerate(given, 1)}
    return Steered(job_of(at), numbered, applied, reopened or {})


def asked(
    moment: float, url: str = "http://a.test/forum/1", *, is_robots: bool = False
) -> Exchange:
    host = url.split("/")[2]
    return Exchange(moment, moment + 1, url, host, "10.0.0.1", 200, is_robots, not is_robots)


def test_a_crawl_without_orders_breaks_none() -> None:
    assert steered().breach(asked(5.0)) == ""


def test_an_excluded_url_may_be_asked_for_until_all_partitions_know_the_rule() -> None:
    found = steered((FORUM, [10.0, 11.0]), (orders.RemoveRule(1), [20.0, 20.5]))
    assert found.breach(asked(9.0)) == ""
    assert found.breach(asked(10.5)) == ""
    assert found.breach(asked(12.0)) == "an added rule excludes it"
    assert found.breach(asked(12.0, "http://a.test/other")) == ""
    assert found.breach(asked(12.0, "http://a.test/robots.txt", is_robots=True)) == ""
    assert found.breach(asked(20.2)) == ""
    assert found.breach(asked(30.0)) == ""


def test_a_blocked_host_may_not_be_asked_unless_it_was_reopened() -> None:
    block = (orders.Block("a.test"), [10.0, 10.0])
    assert steered(block).breach(asked(11.0)) == "its host was blocked"
    assert steered(block).breach(asked(11.0, "http://b.test/")) == ""
    again = steered(block, reopened={"a.test": [15.0]})
    assert (again.breach(asked(14.0)), again.breach(asked(16.0))) == ("its host was blocked", "")
    lifted = steered(block, (orders.Unblock("a.test"), [20.0, 20.0]))
    assert (lifted.breach(asked(19.0)), lifted.breach(asked(21.0))) == ("its host was blocked", "")


def test_nothing_may_be_asked_under_a_pause_not_even_a_robots_file() -> None:
    found = steered((orders.Pause(), [10.0, 10.2]), (orders.Resume(), [20.0, 20.2]))
    assert [found.breach(asked(moment)) for moment in (9.0, 10.1, 20.1, 25.0)] == [""] * 4
    for robots in (False, True):
        assert found.breach(asked(12.0, is_robots=robots)) == "the crawl was paused"


def test_members_of_a_cluster_learn_of_settings_in_another_way() -> None:
    longer = orders.SetValue("politeness.delay_seconds", 7.0)
    at = [10.0, 10.0]
    given: list[tuple[Order, list[float]]] = [(orders.Pause(), at), (longer, at), (FORUM, at)]
    found = steered(*given, at="nats://127.0.0.1:4222")
    assert found.pause(11.0, 1) == 2.0
    assert found.breach(asked(11.0, "http://a.test/")) == ""
    assert found.breach(asked(11.0)) == "an added rule excludes it"


def test_an_order_that_a_partition_has_not_applied_binds_nobody() -> None:
    found = steered((FORUM, [10.0]))
    assert found.breach(asked(1e9)) == ""


@pytest.mark.parametrize(("moment", "pause", "ip_delay"), [(5, 2, 1), (10.5, 2, 1), (12, 7, 3)])
def test_longer_pauses_are_asked_for_once_all_partitions_know(
    moment: float, pause: float, ip_delay: float
) -> None:
    found = steered(
        (orders.SetValue("politeness.delay_seconds", 7.0), [10.0, 11.0]),
        (orders.SetValue("politeness.ip_delay_seconds", 3.0), [10.0, 11.0]),
    )
    assert (found.pause(moment, 1), found.ip_delay(moment)) == (pause, ip_delay)
