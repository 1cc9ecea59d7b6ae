from __future__ import annotations

import pytest

from lycosa.errors import ConfigError
from lycosa.model.job import Job
from lycosa.runtime.orders import orders
from lycosa.runtime.orders.orders import InForce, Numbered, checked, in_force, of_kind, pack, unpack

JOB = Job.of(["https://a.test/"], politeness={"delay_seconds": 5.0}, limits={"pages": 10})
ALL: list[orders.Order] = [
    orders.Pause(),
    orders.Resume(),
    orders.Stop(),
    orders.SetValue("limits.pages", 20),
    orders.Unset("limits.pages"),
    orders.AddRule({"action": "reject", "prefix": ["https://a.test/x"]}),
    orders.RemoveRule(6),
    orders.AddSeeds(["https://a.test/"], 3),
    orders.Block("a.test"),
    orders.Unblock("a.test"),
    orders.Retry("traps"),
]


@pytest.mark.parametrize("order", ALL, ids=lambda order: type(order).__name__)
def test_an_order_is_read_from_its_note_as_it_was_written(order: orders.Order) -> None:
    given = Numbered(7, order, "id", 12.5, "me@here")
    assert unpack(7, pack(given)) == given


def test_orders_together_put_in_force_what_the_last_ones_say() -> None:
    given = [Numbered(number, order, "", 0.0) for number, order in enumerate(ALL, 1)]
    assert in_force(given[:1]).is_paused and not in_force(given[:2]).is_paused
    assert in_force(given[:4]).values == {"limits.pages": 20}
    assert in_force(given[:4]).job(JOB).limits.pages == 20
    assert in_force(given[:6]).rules == {6: {"action": "reject", "prefix": ["https://a.test/x"]}}
    assert in_force(given) == InForce(last=11)


@pytest.mark.parametrize(
    ("order", "why"),
    [
        (orders.SetValue("politeness.delay_seconds", 1.0), "longer, never shorter"),
        (orders.SetValue("politeness.ip_delay_seconds", 0.0), "longer, never shorter"),
        (orders.SetValue("politeness.burst_urls", 9), "cannot change politeness"),
        (orders.SetValue("robots.largest_bytes", 9), "cannot change politeness"),
        (orders.SetValue("fetch.allow_private", True), "address guard"),
        (orders.SetValue("fetch.contact", "x@y.z"), "site owners"),
        (orders.SetValue("plugins.use", "os:system"), "cannot load code"),
        (orders.SetValue("store.place", "/tmp/x"), "these can"),
        (orders.SetValue("limits.pages", -1), "limits"),
        (orders.SetValue("limits.pages", "many"), "limits"),
        (orders.Unset("limits.pages"), "was not changed"),
        (orders.AddRule({"action": "transform", "sort_query": True}), "accept or reject"),
        (orders.AddRule({"action": "reject", "hosts": "a"}), "no key"),
        (orders.RemoveRule(1), "is not an added rule"),
        (orders.Block("a b"), "not a host name"),
        (orders.AddSeeds([]), "needs at least one seed"),
    ],
)
def test_an_order_that_the_job_does_not_allow_is_refused(order: orders.Order, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        checked(order, JOB, InForce())


def test_a_pause_may_be_made_longer_and_shorter_again_down_to_the_jobs_own() -> None:
    order = orders.SetValue("politeness.delay_seconds", 5)
    known = InForce(values={"politeness.delay_seconds": 9.0})
    assert checked(order, JOB, known) == order


def test_an_order_can_come_as_json() -> None:
    assert of_kind({"kind": "set", "key": "limits.pages", "value": 3}) == orders.SetValue(
        "limits.pages", 3
    )
    with pytest.raises(ConfigError, match="not an order"):
        of_kind({"kind": "dance"})
