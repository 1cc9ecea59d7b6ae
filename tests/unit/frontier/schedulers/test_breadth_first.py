from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lycosa.frontier.facts.columns import Pages
from lycosa.frontier.schedulers.breadth_first import BreadthFirst
from made_columns import add_pages
from seeds import examples

SITES = st.integers(0, 4)


class SchedulerAgainstItsTwin(RuleBasedStateMachine):
    """The twin keeps a plain list of what is offered and sorts it at every choice."""

    def __init__(self) -> None:
        super().__init__()
        self.pages = Pages()
        self.scheduler = BreadthFirst(self.pages)
        self.offered: dict[int, int] = {}
        self.order: dict[int, int] = {}
        self.awake: set[int] = set()

    @rule(site=SITES, distance=st.integers(0, 60))
    def a_url_becomes_pending(self, site: int, distance: int) -> None:
        page = len(self.pages.site)
        add_pages(self.pages, [site], [distance])
        self._offer(page, site)

    @precondition(lambda self: len(self.offered) < len(self.pages.site))
    @rule(data=st.data())
    def a_url_that_was_chosen_is_offered_again(self, data: st.DataObject) -> None:
        gone = [p for p in range(len(self.pages.site)) if p not in self.offered]
        page = data.draw(st.sampled_from(gone))
        self._offer(page, self.pages.site[page])

    @precondition(lambda self: self.offered)
    @rule(data=st.data(), by=st.integers(1, 30))
    def a_url_comes_nearer(self, data: st.DataObject, by: int) -> None:
        page = data.draw(st.sampled_from(sorted(self.offered)))
        if self.pages.distance[page] >= by:
            self.pages.distance[page] -= by
            self.scheduler.move(page, self.offered[page])

    @rule(site=SITES)
    def a_site_wakes(self, site: int) -> None:
        self.scheduler.wake(site)
        self.awake.add(site)

    @rule(site=SITES)
    def a_site_goes_to_rest(self, site: int) -> None:
        self.scheduler.rest(site)
        self.awake.discard(site)

    @rule(site=SITES)
    def a_site_is_dropped(self, site: int) -> None:
        self.scheduler.drop(site)
        self.awake.discard(site)
        for page in [p for p, s in self.offered.items() if s == site]:
            del self.offered[page]

    @rule()
    def the_nearest_ready_url_is_chosen(self) -> None:
        ready = [p for p, site in self.offered.items() if site in self.awake]
        chosen = self.scheduler.choose()
        if not ready:
            assert chosen is None
            return
        assert chosen in ready
        nearest = min(self.pages.distance[p] for p in ready)
        assert self.pages.distance[chosen] == nearest
        del self.offered[chosen]

    @invariant()
    def the_ready_count_is_what_a_recount_gives(self) -> None:
        assert self.scheduler.ready == sum(site in self.awake for site in self.offered.values())
        for site in range(5):
            waiting = sum(s == site for s in self.offered.values())
            assert self.scheduler.waiting(site) == waiting

    def _offer(self, page: int, site: int) -> None:
        self.scheduler.offer(page, site)
        self.offered[page] = site


TestScheduler = SchedulerAgainstItsTwin.TestCase
TestScheduler.settings = settings(max_examples=examples(200), stateful_step_count=40, deadline=None)


def test_urls_of_equal_distance_come_in_the_order_they_were_found() -> None:
    pages = Pages()
    scheduler = BreadthFirst(pages)
    for site in (0, 1, 0, 1):
        add_pages(pages, [site], [21])
        scheduler.offer(len(pages.site) - 1, site)
    scheduler.wake(0)
    scheduler.wake(1)
    assert [scheduler.choose() for _ in range(5)] == [0, 1, 2, 3, None]


def test_a_site_at_rest_is_passed_over_and_comes_back_where_it_stood() -> None:
    pages = Pages()
    scheduler = BreadthFirst(pages)
    for page, distance in enumerate((0, 21, 42)):
        add_pages(pages, [page % 2], [distance])
        scheduler.offer(page, page % 2)
    scheduler.wake(1)
    assert scheduler.choose() == 1
    scheduler.wake(0)
    assert scheduler.choose() == 0
    scheduler.rest(0)
    assert scheduler.choose() is None
    scheduler.wake(0)
    assert scheduler.choose() == 2
