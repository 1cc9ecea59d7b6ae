"""The compiled queues of topics against the plain ones, whatever is done to them."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lycosa.frontier.schedulers._topic_queues import TopicQueues
from plain_queues import PlainTopicQueues
from seeds import examples

SITES = st.integers(0, 40)
TOPICS = st.one_of(st.integers(0, 3), st.integers(0, 255))
POSITIONS = st.one_of(st.integers(0, 5), st.integers(0, 255))


class TopicQueuesAgainstTheirTwin(RuleBasedStateMachine):
    """Both are told the same and must answer the same."""

    def __init__(self) -> None:
        super().__init__()
        self.queues, self.twin = TopicQueues(), PlainTopicQueues()
        self.waiting: dict[int, int] = {}

    @rule(page=st.integers(0, 300), site=SITES, topic=TOPICS, position=POSITIONS)
    def a_url_comes(self, page: int, site: int, topic: int, position: int) -> None:
        if page not in self.waiting:
            self.waiting[page] = site
            self.queues.put(page, site, topic, position)
            self.twin.put(page, site, topic, position)

    @rule(first=st.integers(0, 200), sites=st.lists(SITES, max_size=40), position=POSITIONS)
    def many_urls_come(self, first: int, sites: list[int], position: int) -> None:
        for page, site in enumerate(sites, first):
            self.a_url_comes(page, site, page % 5, max(0, position - page % 3))

    @precondition(lambda self: len(self.waiting) > 0)
    @rule(data=st.data(), topic=TOPICS, position=POSITIONS)
    def a_url_moves(self, data: st.DataObject, topic: int, position: int) -> None:
        page = data.draw(st.sampled_from(sorted(self.waiting)))
        self.queues.move(page, self.waiting[page], topic, position)
        self.twin.move(page, self.waiting[page], topic, position)

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
            self._take(self.queues.choose(), self.twin.choose())

    @rule(topic=TOPICS, times=st.integers(1, 5))
    def urls_of_one_topic_are_chosen(self, topic: int, times: int) -> None:
        for _ in range(times):
            self._take(self.queues.choose_in(topic), self.twin.choose_in(topic))

    @rule(site=SITES, topic=st.one_of(st.just(-1), TOPICS))
    def a_url_of_one_site_is_chosen(self, site: int, topic: int) -> None:
        self._take(self.queues.choose_from(site, topic), self.twin.choose_from(site, topic))

    def _take(self, chosen: int | None, by_twin: int | None) -> None:
        assert chosen == by_twin
        if chosen is not None:
            del self.waiting[chosen]

    @invariant()
    def they_count_the_same(self) -> None:
        assert self.queues.ready == self.twin.ready
        for site in range(0, 50, 7):
            assert self.queues.waiting(site) == self.twin.waiting(site)
            assert self.queues.is_awake(site) == self.twin.is_awake(site)
        for topic in (0, 1, 2, 3, 4, 100, 255):
            assert self.queues.waiting_of(topic) == self.twin.waiting_of(topic)
            assert self.queues.ready_of(topic) == self.twin.ready_of(topic)


TestTopicQueues = TopicQueuesAgainstTheirTwin.TestCase
TestTopicQueues.settings = settings(
    max_examples=examples(100), stateful_step_count=30, deadline=None
)


def test_a_url_waits_once_and_only_what_waits_moves() -> None:
    queues = TopicQueues()
    queues.put(3, 0, 1, 9)
    with pytest.raises(ValueError, match="URL 3 is offered already"):
        queues.put(3, 0, 2, 9)
    for page in (2, 10_000):
        with pytest.raises(ValueError, match=f"URL {page} is not offered"):
            queues.move(page, 0, 0, 0)
        with pytest.raises(ValueError, match=f"URL {page} is not offered"):
            queues.withdraw(page, 0)
