"""One suite for every log: what `lycosa.log.protocol.Log` promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lycosa.errors import FormatError
from lycosa.log.format import decode_messages, encode
from lycosa.log.memory import MemoryLog
from lycosa.log.protocol import Log, Take, Write
from lycosa.log.sqlite import SqliteLog
from lycosa.records import Counted, Discovered, Taken

PARTITIONS = 4


def sqlite_log(folder: Path) -> Log:
    return SqliteLog(folder, PARTITIONS)


def memory_log(folder: Path) -> Log:
    return MemoryLog(PARTITIONS)


@pytest.fixture(params=[sqlite_log, memory_log])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    make: Callable[[Path], Log] = request.param
    made = make(tmp_path)
    yield made
    made.close()


def batch(n: int) -> bytes:
    return encode([Counted({"n": n})])


def message(key: str) -> bytes:
    return encode([Discovered(1.0, "", [key], [0])])


def take(log: Log, partition: int, owner: str, expect: int = 0) -> int:
    (sequence,) = log.take(owner, [Take(partition, expect, taken(owner))])
    assert sequence is not None
    return sequence


def taken(owner: str) -> bytes:
    return encode([Taken(1.0, owner)])


def test_batches_come_back_in_order_and_after_the_sequence_asked_for(log: Log) -> None:
    sequence = take(log, 1, "a")
    for n in range(3):
        assert log.commit([Write(1, sequence + n, batch(n), [], 0)]) == [sequence + n + 1]
    assert [number for number, _ in log.read(1, 0)] == [1, 2, 3, 4]
    assert list(log.read(1, 3)) == [(4, batch(2))]
    assert list(log.read(0, 0)) == []


def test_an_append_that_does_not_know_the_last_sequence_changes_nothing(log: Log) -> None:
    sequence = take(log, 0, "a")
    assert log.commit([Write(0, sequence + 1, batch(1), [(2, message("x"))], 0)]) == [None]
    assert log.commit([Write(0, sequence - 1, batch(1), [(2, message("x"))], 0)]) == [None]
    assert [number for number, _ in log.read(0, 0)] == [1]
    assert log.inbox(2, 0) == []


def test_one_superseded_partition_does_not_hold_up_the_others(log: Log) -> None:
    take(log, 0, "a")
    take(log, 1, "a")
    take(log, 1, "b", 1)
    results = log.commit(
        [
            Write(0, 1, batch(1), [(2, message("x"))], 0),
            Write(1, 1, batch(1), [(2, message("y"))], 0),
        ]
    )
    assert results == [2, None]
    assert [entry for _, entry in log.inbox(2, 0)] == [message("x")]


def test_taking_a_partition_shuts_its_former_owner_out(log: Log) -> None:
    take(log, 0, "a")
    take(log, 0, "b", 1)
    assert log.owner(0) == "b"
    assert log.take("a", [Take(0, 1, taken("a"))]) == [None]
    assert (log.owner(0), log.head(0).log) == ("b", 2)
    assert log.commit([Write(0, 1, batch(1), [], 0)]) == [None]


def test_of_partitions_taken_at_once_one_that_is_superseded_does_not_hold_up_the_others(
    log: Log,
) -> None:
    take(log, 1, "a")
    assert log.take("b", [Take(number, 0, taken("b")) for number in range(3)]) == [1, None, 1]
    assert [head.owner for head in log.heads()] == ["b", "a", "b", ""]
    assert [head.log for head in log.heads()] == [1, 1, 1, 0]
    assert [list(log.read(number, 0)) for number in range(4)] == [
        [(1, taken("b"))],
        [(1, taken("a"))],
        [(1, taken("b"))],
        [],
    ]


def test_inboxes_number_their_entries_from_one_without_gaps(log: Log) -> None:
    assert [log.post(3, message(str(n))) for n in range(3)] == [1, 2, 3]
    assert [sequence for sequence, _ in log.inbox(3, 0)] == [1, 2, 3]
    sequence, entry = log.inbox(3, 2)[0]
    assert sequence == 3
    (found,) = decode_messages(entry)
    assert isinstance(found, Discovered)
    assert found.keys == ["2"]


def test_entries_that_were_read_do_not_come_back_and_numbering_goes_on(log: Log) -> None:
    take(log, 3, "a")
    log.post(3, message("a"))
    log.commit([Write(3, 1, batch(1), [], 1)])
    assert log.post(3, message("b")) == 2
    assert [sequence for sequence, _ in log.inbox(3, 1)] == [2]


def test_heads_tell_the_last_sequences(log: Log) -> None:
    take(log, 2, "a")
    log.post(1, message("x"))
    assert [(head.log, head.inbox, head.owner) for head in log.heads()] == [
        (0, 0, ""),
        (0, 1, ""),
        (1, 0, "a"),
        (0, 0, ""),
    ]


def test_a_note_is_taken_once(log: Log) -> None:
    assert log.noted("end") is None
    assert log.note("end", b"first")
    assert not log.note("end", b"second")
    assert log.noted("end") == b"first"
    assert log.notes_since(0) == (1, {"end": b"first"})
    log.note("other", b"x")
    assert log.notes("e") == {"end": b"first"}
    number, new = log.notes_since(1)
    assert number == 2 and len(new) == 1
    assert log.notes_since(2) == (2, {})


def test_a_trimmed_log_still_tells_its_whole_history(log: Log) -> None:
    take(log, 0, "a")
    for n in range(1, 6):
        log.commit([Write(0, n, batch(n), [], 0)])
    log.trim(0, 3)
    log.trim(0, 3)
    log.trim(0, 4)
    assert [number for number, _ in log.read(0, 0)] == [1, 2, 3, 4, 5, 6]
    assert [number for number, _ in log.read(0, 4)] == [5, 6]
    assert log.heads()[0].log == 6
    assert log.commit([Write(0, 6, batch(6), [], 0)]) == [7]


def test_an_archive_that_was_cut_off_before_its_first_frame_is_empty(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path, 1)
    take(log, 0, "a")
    for content in (b"", b"LYCO"):
        (tmp_path / "archive" / "0000.archive").write_bytes(content)
        assert [number for number, _ in log.read(0, 0)] == [1]
    log.trim(0, 1)
    assert [number for number, _ in log.read(0, 0)] == [1]
    log.close()


def test_a_batch_of_an_unknown_version_is_refused_by_name() -> None:
    import msgspec

    from lycosa.log.format import decode_events

    with pytest.raises(FormatError, match="format 99; this Lycosa reads formats 1 to 2"):
        decode_events(msgspec.msgpack.encode((99, [])))
