"""Whose turn it is in a crawl by topic."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import cast

import pytest
from benchmarks.partitions import waiting_partition

from lycosa.features.topics.allocator import TopicTurns
from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers.topics import ANY, ByTopic
from lycosa.model.job import Job
from lycosa.model.records import Admitted

NAMES = ("chess", "cooking", "cooking.bread", "other")


class Turns:
    """Partitions whose hosts may all be asked, and the turns between them."""

    def __init__(self, urls: list[list[tuple[int, int]]], **topics: object) -> None:
        """`urls` has, for each partition, the queue and the position of every URL."""
        self.partitions = {number: waiting(number, some) for number, some in enumerate(urls)}
        job = Job.of(seeds=[], topics={"policy": "each", **topics})
        with_work = dict.fromkeys(self.partitions)
        self.turns = TopicTurns(self.partitions, with_work, job, NAMES)

    def choose(self, times: int) -> list[tuple[int, int]]:
        """Return partition and queue of the URLs that are chosen."""
        found = []
        for _ in range(times):
            partition = self.turns.next()
            if partition is None:
                break
            page = partition.scheduler.choose()
            assert page is not None
            found.append((partition.number, partition.state.topics.of(page)))
        return found


def waiting(number: int, urls: list[tuple[int, int]]) -> Partition:
    partition = waiting_partition(number, "topics")
    state, scheduler = partition.state, partition.scheduler
    keys = [f"test.h{page % 3}:/{page}" for page in range(len(urls))]
    queues, positions = bytes(queue for queue, _ in urls), bytes(place for _, place in urls)
    state.apply(Admitted(0.0, "", keys, [0] * len(keys), queues=queues, positions=positions))
    for page, site in enumerate(state.pages.site):
        scheduler.offer(page, site)
        scheduler.wake(site)
    return partition


def test_each_topic_has_one_turn_after_the_other() -> None:
    chance = Random(1)
    urls = [[(chance.randrange(4), chance.randrange(255)) for _ in range(80)] for _ in range(5)]
    turns = Turns(urls)
    counts: Counter[int] = Counter()
    for partition, queue in turns.choose(200):
        assert 0 <= partition < 5
        counts[queue] += 1
        assert max(counts.values()) - min(counts[queue] for queue in range(4)) <= 1


def test_partitions_take_turns_within_a_topic() -> None:
    turns = Turns([[(0, 9)] * 5, [(0, 9)] * 5, [(0, 9)] * 5])
    assert [partition for partition, _ in turns.choose(6)] == [0, 1, 2, 0, 1, 2]


def test_a_topic_without_urls_misses_its_turns_and_does_not_catch_up() -> None:
    turns = Turns([[(0, 1)] * 10, [(1, 1)] * 3])
    queues = [queue for _, queue in turns.choose(13)]
    assert queues[:6] == [0, 1, 0, 1, 0, 1]
    assert queues[6:] == [0] * 7
    assert turns.choose(1) == []


def test_weights_count_for_topics_below_and_nothing_is_for_when_all_else_is_done() -> None:
    weights = ["cooking=3", "chess=0"]
    urls = [[(queue, 1) for queue in (0, 1, 2) for _ in range(12)]]
    turns = Turns(urls, policy="weighted", weights=weights)
    queues = [queue for _, queue in turns.choose(36)]
    assert queues[:12] == [1, 1, 1, 2, 2, 2] * 2
    assert queues[24:] == [0] * 12


@pytest.mark.parametrize("seed", range(5))
def test_a_focused_crawl_takes_the_most_promising_url_of_all(seed: int) -> None:
    chance = Random(seed)
    urls = [[(chance.randrange(4), chance.randrange(255)) for _ in range(20)] for _ in range(4)]
    turns = Turns(urls, policy="focused", wanted=["chess"])
    found = []
    while (partition := turns.turns.next()) is not None:
        page = partition.scheduler.choose()
        assert page is not None
        found.append(partition.state.topics.grade_of(page))
    assert found == sorted(place for some in urls for _, place in some)


def test_the_first_in_line_asks_for_a_robots_file_and_that_costs_no_turn() -> None:
    turns = Turns([[(0, 1)] * 4, [(1, 1)] * 4])
    assert turns.choose(1) == [(0, 0)]
    turns.partitions[0].readiness.robots_wanted[5] = None
    assert turns.choose(1) == [(1, 1)]
    partition = turns.turns.next()
    assert partition is turns.partitions[0]
    assert cast(ByTopic, partition.scheduler).turn == ANY
    turns.partitions[0].readiness.robots_wanted.clear()
    assert turns.choose(2) == [(0, 0), (1, 1)]


def test_robots_files_are_asked_for_where_no_page_is_ready() -> None:
    turns = Turns([[], [], []])
    turns.partitions[2].readiness.robots_wanted[1] = None
    assert turns.turns.next() is turns.partitions[2]
    turns.partitions[2].readiness.robots_wanted.clear()
    assert turns.turns.next() is None
