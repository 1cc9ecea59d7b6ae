"""The paged queue: all comes out, sites are spread, and the end of a crawl does not stall."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.schedulers.diverse import Diverse, spread


class Queue:
    """A diverse order over sites that are all awake, asked at a steady rate of virtual time."""

    def __init__(self, rate: int, page_urls: int = 10_000) -> None:
        self.moment = 1_000.0
        self.rate = rate
        self.scheduler = Diverse(page_urls, lambda: self.moment)
        self.sites: list[int] = []

    def offer(self, sites: list[int]) -> None:
        """Take in one URL for every entry."""
        for site in sites:
            self.scheduler.offer(len(self.sites), site)
            self.sites.append(site)
        for site in set(sites):
            self.scheduler.wake(site)

    def take(self, count: int) -> list[int]:
        """Choose so many URLs; returns their numbers."""
        chosen = []
        for _ in range(count):
            page = self.scheduler.choose()
            assert page is not None
            chosen.append(page)
            self.moment += 1 / self.rate
        return chosen

    def peak(self, pages: list[int]) -> float:
        """Return the largest share that one site had of the choices of one second."""
        seconds = [pages[n : n + self.rate] for n in range(0, len(pages), self.rate)]
        counts = (Counter(self.sites[page] for page in second) for second in seconds)
        return max(max(count.values()) for count in counts) / self.rate


TABLE_2 = [(100, 10), (1_000, 50), (10_000, 100), (100_000, 1_000)]


@pytest.mark.parametrize(
    ("urls", "rate"), [*TABLE_2, pytest.param(1_000_000, 1_000, marks=pytest.mark.soak)]
)
def test_table_2_all_that_goes_in_comes_out_and_no_second_sees_a_site_twice(
    urls: int, rate: int
) -> None:
    """RDFa spider, 6.2.1; as there, the input is as diverse as the output can be."""
    sites = [number % rate for number in range(urls)]
    random.Random(urls).shuffle(sites)
    queue = Queue(rate)
    queue.offer(sites)
    chosen = queue.take(urls)
    assert sorted(chosen) == list(range(urls))
    assert queue.scheduler.choose() is None
    assert queue.peak(chosen) == 1 / rate


def test_table_2_holds_while_urls_come_in_as_others_go_out() -> None:
    queue = Queue(rate=100)
    chance = random.Random(1)
    chosen: list[int] = []
    for _ in range(20):
        found = [number % 100 for number in range(1_000)]
        chance.shuffle(found)
        queue.offer(found)
        chosen += queue.take(900)
    chosen += queue.take(queue.scheduler.ready)
    assert sorted(chosen) == list(range(20_000))
    assert queue.peak(chosen) == 1 / 100


def test_the_diversity_is_one_over_the_choices_of_a_second() -> None:
    queue = Queue(rate=50, page_urls=100)
    queue.offer([number % 100 for number in range(300)])
    queue.take(100)
    queue.rate = 4
    queue.take(100)
    assert queue.scheduler.diversity == pytest.approx(1 / 50)
    queue.take(1)
    assert queue.scheduler.diversity == pytest.approx(1 / 4)


def test_a_site_above_its_share_is_mixed_with_what_is_found_later() -> None:
    queue = Queue(rate=10, page_urls=1_000)
    queue.offer(list(range(10)))
    queue.take(10)
    queue.offer([0] * 50 + [site for site in range(1, 20) for _ in range(5)])
    page = queue.take(len(queue.sites) - 10 - 36)
    assert Counter(queue.sites[number] for number in page)[0] == 14
    queue.offer([site for site in range(20, 60) for _ in range(3)])
    rest = queue.take(queue.scheduler.ready)
    assert sorted(page + rest) == list(range(10, len(queue.sites)))


def test_the_end_of_a_crawl_does_not_stall_when_one_site_is_left() -> None:
    queue = Queue(rate=1_000, page_urls=500)
    queue.offer([0] * 20_000 + [number % 10 for number in range(100)])
    pages = 0
    original = queue.scheduler._lay_out

    def lay_out() -> None:
        nonlocal pages
        pages += 1
        original()

    queue.scheduler._lay_out = lay_out  # type: ignore[method-assign]
    assert sorted(queue.take(20_100)) == list(range(20_100))
    assert pages <= 20_100 / 500 + 10


def test_a_site_that_rested_has_its_positions_when_it_wakes() -> None:
    queue = Queue(rate=10)
    queue.offer([0, 1, 2] * 3)
    queue.scheduler.rest(1)
    assert [queue.sites[page] for page in queue.take(4)] == [0, 2, 0, 2]
    queue.scheduler.wake(1)
    assert [queue.sites[page] for page in queue.take(5)] == [1, 1, 0, 1, 2]


@given(st.lists(st.integers(0, 30), max_size=30))
def test_every_position_of_a_page_has_one_owner(counts: list[int]) -> None:
    owners = spread(counts)
    assert Counter(owners) == Counter({n: count for n, count in enumerate(counts) if count})


@given(st.integers(1, 40), st.integers(1, 40))
def test_sites_of_equal_number_come_round_and_round(sites: int, each: int) -> None:
    assert list(spread([each] * sites)) == list(range(sites)) * each
