from __future__ import annotations

import threading
from pathlib import Path

import pytest

from lycosa.errors import ConfigError
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders import desk, orders
from lycosa.runtime.orders.desk import Given, give, known_orders


@pytest.fixture
def directory(tmp_path: Path) -> CrawlDirectory:
    job = Job.of(
        ["https://a.test/"],
        politeness={"delay_seconds": 2.0},
        frontier={"partitions": 2},
        fetch={"contact": "a@b.cl"},
    )
    return CrawlDirectory.create(tmp_path / "crawl", job)


def test_orders_are_numbered_as_they_are_given(directory: CrawlDirectory) -> None:
    assert give(directory, orders.Pause(), "one") == Given(1, is_new=True)
    assert give(directory, orders.Resume(), "two") == Given(2, is_new=True)
    first, second = known_orders(directory)
    assert (first.number, first.order, first.id) == (1, orders.Pause(), "one")
    assert second.order == orders.Resume() and second.by and second.moment >= first.moment


def test_an_order_given_again_under_its_id_changes_nothing(directory: CrawlDirectory) -> None:
    give(directory, orders.Block("a.test"), "one")
    give(directory, orders.Unblock("a.test"), "two")
    assert give(directory, orders.Block("a.test"), "one") == Given(1, is_new=False)
    assert len(known_orders(directory)) == 2


def test_orders_without_an_id_are_orders_of_their_own(directory: CrawlDirectory) -> None:
    assert [give(directory, orders.Retry()).number for _ in range(3)] == [1, 2, 3]


def test_clients_that_order_at_once_get_numbers_of_their_own(directory: CrawlDirectory) -> None:
    """Each of eight threads gives four orders, and every order twice."""
    found: dict[str, set[int]] = {}

    def client(name: int) -> None:
        for turn in range(8):
            key = f"{name}-{turn // 2}"
            order = orders.Block(f"h{name}-{turn // 2}.test")
            found.setdefault(key, set()).add(give(directory, order, key).number)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(numbers) == 1 for numbers in found.values())
    assert sorted(number for (number,) in found.values()) == list(range(1, 33))
    noted = {given.id: given.number for given in known_orders(directory)}
    assert noted == {key: number for key, (number,) in found.items()}


def test_threads_with_one_id_give_one_order(directory: CrawlDirectory) -> None:
    found: list[Given] = []
    begin = threading.Barrier(6)

    def client() -> None:
        begin.wait()
        found.append(give(directory, orders.Pause(), "same"))

    threads = [threading.Thread(target=client) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [given.number for given in found] == [1] * 6
    assert sum(given.is_new for given in found) == 1


def test_seeds_are_posted_with_the_note_that_names_them(directory: CrawlDirectory) -> None:
    given = desk.add_seeds(directory, ["https://b.test/x", "mailto:a@b.test"], "one")
    assert given.number == 1 and given.planted is not None
    assert (given.planted.accepted, given.planted.refused) == (1, {"mailto:a@b.test": "scheme"})
    assert known_orders(directory)[0].order == orders.AddSeeds(["https://b.test/x"])
    log = directory.log(directory.job())
    posted = [log.inbox(number, 0) for number in range(2)]
    assert desk.add_seeds(directory, ["https://b.test/x"], "one") == Given(1, is_new=False)
    assert [log.inbox(number, 0) for number in range(2)] == posted
    assert log.noted("scope-host b.test") == b""
    log.close()


def test_seeds_that_are_all_refused_are_no_order(directory: CrawlDirectory) -> None:
    given = give(directory, orders.AddSeeds(["mailto:a@b.test"]))
    assert given.number == 0 and known_orders(directory) == []


def test_a_crawl_that_does_not_run_cannot_be_stopped(directory: CrawlDirectory) -> None:
    with pytest.raises(ConfigError, match="nothing to stop"):
        give(directory, orders.Stop())


def test_an_id_has_an_end(directory: CrawlDirectory) -> None:
    with pytest.raises(ConfigError, match="the limit is 200"):
        give(directory, orders.Pause(), "x" * 201)
