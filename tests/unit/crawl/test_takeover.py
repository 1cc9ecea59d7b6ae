"""Partitions are read one by one and taken at once; whoever writes in between is not lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lycosa.crawl.takeover import take_partition, take_partitions
from lycosa.model.records import Counted, Taken
from lycosa.storage.log.format import encode
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Log, Write
from lycosa.storage.log.snapshot import MemorySnapshots
from lycosa.storage.log.sqlite import SqliteLog

PARTITIONS = 4


@pytest.fixture(params=[lambda _: MemoryLog(PARTITIONS), lambda path: SqliteLog(path, PARTITIONS)])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    make: Callable[[Path], Log] = request.param
    made = make(tmp_path)
    yield made
    made.close()


def test_what_a_rival_writes_between_reading_and_taking_is_read_and_its_partition_taken(
    log: Log,
) -> None:
    snapshots = MemorySnapshots()

    def numbers() -> Iterator[int]:
        yield 0
        yield 1
        rival = take_partition(log, snapshots, 0, Taken(1.0, "rival"), "other job")
        batch = encode([Counted({"n": 7})])
        log.commit([Write(0, rival.state.sequence, batch, [], 0)])
        yield 2

    opened = take_partitions(log, snapshots, numbers(), Taken(2.0, "ours"), "job")
    assert [log.owner(number) for number in range(PARTITIONS)] == ["ours", "ours", "ours", ""]
    assert {number: found.is_resumed for number, found in opened.items()} == {
        0: True,
        1: False,
        2: False,
    }
    assert opened[0].state.refusals == {"n": 7}
    for number, found in opened.items():
        assert found.state.sequence == log.head(number).log
        assert (found.state.owner, found.state.job_digest) == ("ours", "job")
    assert log.head(0).log == 3


def test_taking_nothing_writes_nothing(log: Log) -> None:
    assert take_partitions(log, MemorySnapshots(), [], Taken(1.0, "ours"), "job") == {}
    assert {head.log for head in log.heads()} == {0}
