"""One suite for every scheduler: what `lycosa.frontier.schedulers.Scheduler` promises.

A machine offers, moves, wakes, rests, drops and chooses at random. Beside it stands a dict of
what is offered and a set of what is awake; whatever the order, the counts must be those of a
recount, and what is chosen must be ready and must not have been chosen before.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from lycosa.features.plugins.guarded import HeldScheduler
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.schedulers import ChoosesFrom, CountsLinks, Scheduler
from lycosa.frontier.schedulers.factory import Order, make_scheduler
from lycosa.model.job import SCHEDULERS, SCORES, Frontier
from lycosa.model.records import Admitted, Fetched, Outcome
from seeds import examples

SITES = ["com.a:", "com.a:s", "com.a:8080", "com.b.www:", "org.c:"]
FOLDERS = ["/", "/v/", "/v/w/", "/v/w/x", "/v/y", "/z", "/z?", "/z?q=1"]
KEYS = [site + folder for site in SITES for folder in FOLDERS]

Maker = Callable[[PartitionState, Order], Scheduler]


def held(state: PartitionState, order: Order) -> Scheduler:
    """The guard around a plugin's scheduler keeps the same promises."""
    return HeldScheduler(make_scheduler(state, order), "p:held")


def kinds() -> list[tuple[str, str, Maker]]:
    with_scores = [
        (name, score, make_scheduler)
        for name in ("best-first", "top-window", "leaf-window")
        for score in SCORES[1:]
    ]
    plain = [(name, "default", make_scheduler) for name in SCHEDULERS]
    return [*plain, *with_scores, ("breadth-first", "default", held)]


@pytest.mark.hypothesis
@pytest.mark.parametrize(("name", "score", "make"), kinds())
def test_every_order_keeps_the_promises(name: str, score: str, make: Maker) -> None:
    class Machine(SchedulerMachine):
        def made(self) -> Scheduler:
            options = Frontier(scheduler=name, score=score, window=3, page_urls=4)
            return make(self.state, Order(options, lambda: self.moment))

    run_state_machine_as_test(
        Machine, settings=settings(max_examples=examples(60), stateful_step_count=50, deadline=None)
    )


class SchedulerMachine(RuleBasedStateMachine):
    """Does to a scheduler what a partition does, and counts beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.moment = 1000.0
        self.state = PartitionState()
        self.scheduler = self.made()
        self.offered: dict[int, int] = {}
        self.awake: set[int] = set()

    def made(self) -> Scheduler:
        raise NotImplementedError

    @rule(key=st.sampled_from(KEYS), distance=st.integers(0, 90))
    def a_url_becomes_pending(self, key: str, distance: int) -> None:
        page = self.state.table.find(key)
        if page is None:
            page = len(self.state.table)
            self.state.apply(Admitted(self.moment, "", [key], [distance]))
        if page not in self.offered:
            self.offered[page] = site = self.state.pages.site[page]
            self.scheduler.offer(page, site)

    @precondition(lambda self: self.offered)
    @rule(data=st.data(), by=st.integers(1, 30))
    def a_url_comes_nearer(self, data: st.DataObject, by: int) -> None:
        page = data.draw(st.sampled_from(sorted(self.offered)))
        distance = self.state.pages.distance[page] - by
        if distance >= 0:
            self.state.apply(Admitted(self.moment, "", [], [], [page], [distance]))
            self.scheduler.move(page, self.offered[page])

    @precondition(lambda self: len(self.state.table) > 0)
    @rule(data=st.data(), times=st.integers(1, 5))
    def a_url_is_linked_to(self, data: st.DataObject, times: int) -> None:
        page = data.draw(st.integers(0, len(self.state.table) - 1))
        if isinstance(self.scheduler, CountsLinks):
            for _ in range(times):
                self.scheduler.linked(page, self.offered.get(page))

    @precondition(lambda self: self.offered)
    @rule(data=st.data())
    def a_site_wakes(self, data: st.DataObject) -> None:
        site = data.draw(st.sampled_from(sorted(set(self.offered.values()))))
        self.scheduler.wake(site)
        self.awake.add(site)

    @precondition(lambda self: self.offered)
    @rule()
    def all_wake(self) -> None:
        for site in sorted(set(self.offered.values())):
            self.scheduler.wake(site)
            self.awake.add(site)

    @precondition(lambda self: len(self.state.site_names) > 0)
    @rule(data=st.data())
    def a_site_goes_to_rest(self, data: st.DataObject) -> None:
        site = self._any_site(data)
        self.scheduler.rest(site)
        self.awake.discard(site)

    @precondition(lambda self: len(self.state.site_names) > 0)
    @rule(data=st.data())
    def a_site_is_dropped(self, data: st.DataObject) -> None:
        site = self._any_site(data)
        self.scheduler.drop(site)
        self.awake.discard(site)
        self.offered = {page: s for page, s in self.offered.items() if s != site}

    @rule(seconds=st.floats(0, 10))
    def time_passes(self, seconds: float) -> None:
        self.moment += seconds

    @rule()
    def a_url_is_chosen(self) -> None:
        ready = self._ready()
        chosen = self.scheduler.choose()
        if not ready:
            assert chosen is None
        else:
            assert chosen in ready
            del self.offered[chosen]

    @precondition(lambda self: len(self.offered) < len(self.state.table))
    @rule(data=st.data(), outcome=st.sampled_from([Outcome.KEPT, Outcome.TIMEOUT]))
    def a_url_that_was_asked_for_is_due_again(self, data: st.DataObject, outcome: Outcome) -> None:
        gone = [page for page in range(len(self.state.table)) if page not in self.offered]
        page = data.draw(st.sampled_from(gone))
        self.state.apply(Fetched(self.moment, page, outcome, 200, 0, self.moment, self.moment))
        self.offered[page] = site = self.state.pages.site[page]
        self.scheduler.offer(page, site)

    @precondition(lambda self: len(self.state.site_names) > 0)
    @rule(data=st.data())
    def a_url_of_one_site_is_chosen(self, data: st.DataObject) -> None:
        if not isinstance(self.scheduler, ChoosesFrom):
            return
        site = self._any_site(data)
        ready = [page for page in self._ready() if self.offered[page] == site]
        chosen = self.scheduler.choose_from(site)
        if not ready:
            assert chosen is None
        else:
            assert chosen in ready
            del self.offered[chosen]

    @precondition(lambda self: self.offered and isinstance(self.scheduler, ChoosesFrom))
    @rule(data=st.data())
    def a_url_is_withdrawn(self, data: st.DataObject) -> None:
        assert isinstance(self.scheduler, ChoosesFrom)
        page = data.draw(st.sampled_from(sorted(self.offered)))
        self.scheduler.withdraw(page, self.offered.pop(page))

    @invariant()
    def the_counts_are_those_of_a_recount(self) -> None:
        assert self.scheduler.ready == len(self._ready())
        for site in range(len(self.state.site_names)):
            waiting = sum(s == site for s in self.offered.values())
            assert self.scheduler.waiting(site) == waiting

    def teardown(self) -> None:
        """Everything that is left comes out, each once."""
        for site in sorted(set(self.offered.values())):
            self.scheduler.wake(site)
        left = [self.scheduler.choose() for _ in range(len(self.offered))]
        assert sorted(page for page in left if page is not None) == sorted(self.offered)
        assert self.scheduler.choose() is None
        assert self.scheduler.ready == 0

    def _ready(self) -> set[int]:
        return {page for page, site in self.offered.items() if site in self.awake}

    def _any_site(self, data: st.DataObject) -> int:
        return data.draw(st.integers(0, len(self.state.site_names) - 1))


@pytest.mark.parametrize("name", SCHEDULERS)
def test_every_order_can_give_a_url_back(name: str) -> None:
    made = make_scheduler(PartitionState(), Order(Frontier(scheduler=name)))
    assert isinstance(made, ChoosesFrom)
