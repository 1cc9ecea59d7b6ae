"""Seeds are planted in a time that grows with their number, and without losing any to a kill."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from growth import is_linear
from lycosa._support import failpoints
from lycosa.crawl.scope import JobScope
from lycosa.extract.topics.training import train
from lycosa.features.topics.predictor import HEARD
from lycosa.frontier.partitioners import by_host
from lycosa.model.job import Job
from lycosa.model.records import Discovered
from lycosa.model.url import key_of
from lycosa.runtime.seeds import (
    CHUNK_SEEDS,
    MOST_TOLD,
    Planted,
    Planter,
    plant,
    refusal_text,
    topics_of,
)
from lycosa.storage.log.format import decode_messages
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.sqlite import SqliteLog
from made_topics import examples, made_texts

PARTITIONS = 4


def hosts(count: int) -> list[str]:
    return [f"http://host{n}.test/" for n in range(count)]


def planter(log: Log, *rules: dict[str, object]) -> Planter:
    return Planter(JobScope(Job.of(rules=rules), log), by_host(PARTITIONS), log)


def posted(log: Log) -> list[str]:
    found: list[str] = []
    for number in range(PARTITIONS):
        after = 0
        while entries := log.inbox(number, after):
            after = entries[-1][0]
            for _, batch in entries:
                for message in decode_messages(batch):
                    assert isinstance(message, Discovered)
                    found += message.keys
    return found


def test_the_hosts_of_seeds_join_in_a_time_that_grows_with_their_number() -> None:
    def work(count: int) -> None:
        log = MemoryLog(PARTITIONS)
        plant(hosts(count), JobScope(Job.of(), log), by_host(PARTITIONS), log, 1.0)

    assert is_linear(work, 4000)


def test_a_long_list_is_posted_whole_and_its_hosts_take_few_notes(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path, PARTITIONS)
    seeds = hosts(2 * CHUNK_SEEDS + 7)
    told: list[int] = []
    assert planter(log).plant(seeds, 1.0, told.append).accepted == len(seeds)
    assert sorted(posted(log)) == sorted(map(key_of, seeds))
    assert told == [CHUNK_SEEDS, 2 * CHUNK_SEEDS, len(seeds)]
    assert len(log.notes("")) == 3
    scope = JobScope(Job.of(), log)
    assert scope.size == len(seeds) and scope.hosts == [f"host{n}.test" for n in range(len(seeds))]
    assert scope.judge(key_of("http://host3.test/x")).key is not None
    assert scope.judge(key_of("http://other.test/")).key is None
    log.close()


def test_seeds_of_a_list_that_is_planted_again_are_noted_once() -> None:
    log = MemoryLog(PARTITIONS)
    for _ in range(2):
        planter(log).plant(hosts(20), 1.0)
    assert len(log.notes("")) == 1


def plant_at_once(log: SqliteLog) -> Planted:
    prepared = planter(log).prepare(hosts(CHUNK_SEEDS + 1), 1.0)
    log.post_all(prepared.posts, prepared.notes)
    return prepared.planted


def test_seeds_that_are_added_are_all_there_or_none(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path, PARTITIONS)

    def kill(name: str) -> None:
        if name == "seeds.posted":
            raise failpoints.Killed(name)

    failpoints.arm(kill)
    try:
        with pytest.raises(failpoints.Killed):
            plant_at_once(log)
    finally:
        failpoints.arm(None)
    assert posted(log) == [] and log.notes("") == {}
    assert plant_at_once(log).accepted == CHUNK_SEEDS + 1
    assert len(posted(log)) == CHUNK_SEEDS + 1
    log.close()


def test_a_seed_that_a_rule_refuses_or_changes_is_treated_as_any_link() -> None:
    log = MemoryLog(PARTITIONS)
    rules: tuple[dict[str, object], ...] = (
        {"action": "transform", "sort_query": True},
        {"action": "reject", "suffix": "b.test"},
    )
    planted = planter(log, *rules).plant(["http://a.test/?b&a", "http://b.test/", "no"], 1.0)
    assert (planted.accepted, list(planted.refused)) == (1, ["no", "http://b.test/"])
    assert posted(log) == ["test.a:/?a&b"]


def test_of_many_refused_seeds_the_first_are_named_and_the_rest_counted() -> None:
    bad = [f"mailto:{n}@a.test" for n in range(MOST_TOLD + 50)]
    planted = planter(MemoryLog(PARTITIONS)).plant([*bad, "http://a.test/"], 1.0)
    assert planted.accepted == 1
    assert len(planted.refused) == MOST_TOLD and planted.more_refused == {"scheme": 50}


@pytest.mark.parametrize("is_old", [False, True])
def test_another_worker_reads_only_what_was_noted_since(tmp_path: Path, is_old: bool) -> None:
    """Also in a log of before, whose notes have no numbers."""
    log: Log = SqliteLog(tmp_path, PARTITIONS)
    if is_old:
        assert isinstance(log, SqliteLog)
        _as_before(log)
        log.close()
        log = SqliteLog(tmp_path, PARTITIONS)
    one, other = JobScope(Job.of(), log), JobScope(Job.of(), log)
    for host in hosts(3):
        one.join(key_of(host))
        one.write()
        assert other.judge(key_of(host)).key is None or not other.size
        other.look_again()
        assert other.judge(key_of(host)).key == key_of(host)
    assert other.hosts == one.hosts
    log.close()


def _as_before(log: SqliteLog) -> None:
    execute: Callable[[str], object] = log._connection.execute
    execute("DROP TABLE notes")
    execute(
        "CREATE TABLE notes (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    )


def topic_job(tmp_path: Path, **topics: object) -> Job:
    path = tmp_path / "topics.model"
    train(examples(made_texts(10))).write(path)
    return Job.of(frontier={"scheduler": "topics"}, topics={"model": str(path), **topics})


def sent(log: Log) -> dict[str, tuple[bytes, bytes]]:
    """Return what is said of each posted seed, and its hint."""
    found = {}
    for number in range(PARTITIONS):
        for _, batch in log.inbox(number, 0):
            for message in decode_messages(batch):
                assert isinstance(message, Discovered)
                width = len(message.hints) // len(message.keys)
                for at, key in enumerate(message.keys):
                    found[key] = (message.said, message.hints[at * width : (at + 1) * width])
    return found


def test_the_topic_of_a_seed_is_said_as_by_a_page_that_is_certain(tmp_path: Path) -> None:
    log, job = MemoryLog(PARTITIONS), topic_job(tmp_path)
    seeds = ["http://a.test/\tsport", "http://b.test/ \t music ", "http://c.test/"]
    seeds += ["http://a.test/\tmusic", "http://d.test/\tchess"]
    topics = topics_of(job)
    planted = plant(seeds, JobScope(job, log), by_host(PARTITIONS), log, 1.0, topics=topics)
    assert planted.accepted == 3
    assert planted.refused == {"http://d.test/\tchess": "topic"}
    assert "has no topic `chess`" in refusal_text("http://d.test/\tchess", "topic")
    assert sent(log) == {
        key_of("http://a.test/"): (HEARD, bytes([2, 255, 0, 0, 0, 0])),
        key_of("http://b.test/"): (HEARD, bytes([1, 255, 0, 0, 0, 0])),
        key_of("http://c.test/"): (b"", b""),
    }


def test_in_a_focused_crawl_a_seed_is_wanted_or_not(tmp_path: Path) -> None:
    log, job = MemoryLog(PARTITIONS), topic_job(tmp_path, policy="focused", wanted=["music"])
    seeds = ["http://a.test/\tsport", "http://b.test/\tmusic"]
    plant(seeds, JobScope(job, log), by_host(PARTITIONS), log, 1.0, topics=topics_of(job))
    assert sent(log) == {
        key_of("http://a.test/"): (b"\0\0", b"\0"),
        key_of("http://b.test/"): (b"\xff\xff", b"\xff"),
    }


def test_without_an_order_by_topic_the_topic_of_a_seed_is_ignored() -> None:
    log, job = MemoryLog(PARTITIONS), Job.of()
    seeds = ["http://a.test/\tchess"]
    planted = plant(seeds, JobScope(job, log), by_host(PARTITIONS), log, 1.0, topics=topics_of(job))
    assert planted.accepted == 1
    assert sent(log) == {key_of("http://a.test/"): (b"", b"")}
