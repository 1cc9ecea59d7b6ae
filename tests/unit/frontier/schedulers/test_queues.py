"""The compiled queues against the plain ones, whatever is done to them."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lycosa.frontier.schedulers.queues import Queues
from plain_queues import PlainQueues
from seeds import examples

SITES = st.integers(0, 40)
RANKS = st.one_of(st.integers(0, 5), st.integers(0, 2**32 - 2))


class QueuesAgainstTheirTwin(RuleBasedStateMachine):
    """Both are told the same and must answer the same."""

    def __init__(self) -> None:
        super().__init__()
        self.queues, self.twin = Queues(), PlainQueues()
        self.waiting: dict[int, int] = {}

    @rule(page=st.integers(0, 300), site=SITES, rank=RANKS)
    def a_url_comes(self, page: int, site: int, rank: int) -> None:
        if page not in self.waiting:
            self.waiting[page] = site
            self.queues.put(page, site, rank)
            self.twin.put(page, site, rank)

    @rule(first=st.integers(0, 200), sites=st.lists(SITES, max_size=40), rank=RANKS)
    def many_urls_come(self, first: int, sites: list[int], rank: int) -> None:
        for page, site in enumerate(sites, first):
            self.a_url_comes(page, site, max(0, rank - page % 3))

    @precondition(lambda self: len(self.waiting) > 0)
    @rule(data=st.data(), rank=RANKS)
    def a_url_gets_better(self, data: st.DataObject, rank: int) -> None:
        page = data.draw(st.sampled_from(sorted(self.waiting)))
        self.queues.improve(page, self.waiting[page], rank)
        self.twin.improve(page, self.waiting[page], rank)

    @precondition(lambda self: len(self.waiting) > 0)
    @rule(data=st.data())
    def a_url_is_withdrawn(self, data: st.DataObject) -> None:
        page = data.draw(st.sampled_from(sorted(self.waiting)))
        site = self.waiting.pop(page)
        self.queues.withdraw(page, site)
        self.twin.withdraw(page, site)

    @rule(site=SITES)
    def a_site_is_dropped(self, site: int) -> None:
        self.queues.drop(site)
        self.twin.drop(site)
        self.waiting = {page: own for page, own in self.waiting.items() if own != site}

    @rule(sites=st.lists(SITES, max_size=20), is_awake=st.booleans())
    def sites_wake_or_rest(self, sites: list[int], is_awake: bool) -> None:
        for site in sites:
            for queues in (self.queues, self.twin):
                (queues.wake if is_awake else queues.rest)(site)

    @rule(times=st.integers(1, 20))
    def urls_are_chosen(self, times: int) -> None:
        for _ in range(times):
            chosen = self.queues.choose()
            assert chosen == self.twin.choose()
            if chosen is not None:
                del self.waiting[chosen]

    @rule(site=SITES)
    def a_url_of_one_site_is_chosen(self, site: int) -> None:
        chosen = self.queues.choose_from(site)
        assert chosen == self.twin.choose_from(site)
        if chosen is not None:
            del self.waiting[chosen]

    @invariant()
    def they_count_the_same(self) -> None:
        assert self.queues.ready == self.twin.ready
        for site in range(0, 50, 7):
            assert self.queues.waiting(site) == self.twin.waiting(site)
            assert self.queues.is_awake(site) == self.twin.is_awake(site)


TestQueues = QueuesAgainstTheirTwin.TestCase
TestQueues.settings = settings(max_examples=examples(120), stateful_step_count=40, deadline=None)


def test_a_url_waits_once_and_only_what_waits_gets_better() -> None:
    queues = Queues()
    queues.put(3, 0, 1)
    with pytest.raises(ValueError, match="URL 3 is offered already"):
        queues.put(3, 0, 1)
    for page in (2, 10_000):
        with pytest.raises(ValueError, match=f"URL {page} is not offered"):
            queues.improve(page, 0, 0)


def test_a_rank_that_is_used_up_makes_room_for_others() -> None:
    queues = Queues()
    queues.wake(0)
    for round_number in range(1_000):
        for page in range(4):
            queues.put(page, 0, round_number * 4 + page)
        assert [queues.choose() for _ in range(4)] == [0, 1, 2, 3]
    assert queues.choose() is None
