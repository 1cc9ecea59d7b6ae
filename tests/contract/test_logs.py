"""One suite for every log: what `lycosa.storage.log.protocol` promises, and no more."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from all_logs import KINDS, Crawl, crawl_of, eventually
from lycosa.model.records import Counted, Discovered, Taken
from lycosa.storage.log.format import decode_messages, encode
from lycosa.storage.log.protocol import INBOX_MOST, Head, Log, Take, Write

PARTITIONS = 4
NEEDS = {"postgres": [pytest.mark.needs("postgresql")]}


@pytest.fixture(params=[pytest.param(kind, marks=NEEDS.get(kind, ())) for kind in KINDS])
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Crawl]:
    with crawl_of(request.param, request, tmp_path, PARTITIONS) as made:
        yield made


@pytest.fixture
def log(crawl: Crawl) -> Log:
    return crawl.connect()


def batch(n: int) -> bytes:
    return encode([Counted({"n": n})])


def message(key: str) -> bytes:
    return encode([Discovered(1.0, "", [key], [0])])


def taken(owner: str) -> bytes:
    return encode([Taken(1.0, owner)])


def take(log: Log, partition: int, owner: str, expect: int = 0) -> int:
    (sequence,) = log.take(owner, [Take(partition, expect, taken(owner))])
    assert sequence is not None
    return sequence


def sequences(log: Log, partition: int, count: int, after: int = 0) -> list[int]:
    """Return the sequences of a log, once it shows so many."""
    found = eventually(
        lambda: [sequence for sequence, _ in log.read(partition, after)],
        lambda found: len(found) >= count,
    )
    assert len(found) == count
    return found


def messages(log: Log, partition: int, count: int, after: int = 0) -> list[str]:
    """Return the keys in an inbox after a sequence, once it shows so many."""
    found = eventually(lambda: _keys(log, partition, after), lambda found: len(found) >= count)
    assert len(found) == count
    return found


def posted_messages(log: Log, partition: int, count: int, after: int = 0) -> list[str]:
    """Do so for posts outside a write: where an answer was lost, they are there twice."""
    different = eventually(
        lambda: list(dict.fromkeys(_keys(log, partition, after))),
        lambda found: len(found) >= count,
    )
    assert len(different) == count
    return different


def _keys(log: Log, partition: int, after: int) -> list[str]:
    keys: list[str] = []
    while entries := log.inbox(partition, after):
        after = entries[-1][0]
        for _, entry in entries:
            for found in decode_messages(entry):
                assert isinstance(found, Discovered)
                keys += found.keys
    return keys


# -- logs ---------------------------------------------------------------------------------


def test_batches_come_back_in_order_and_after_the_sequence_asked_for(log: Log) -> None:
    sequence = take(log, 1, "a")
    for n in range(3):
        assert log.commit([Write(1, sequence + n, batch(n), [], 0)]) == [sequence + n + 1]
    assert sequences(log, 1, 4) == [1, 2, 3, 4]
    assert eventually(lambda: list(log.read(1, 3)), bool) == [(4, batch(2))]
    assert list(log.read(0, 0)) == []


def test_a_commit_of_nothing_does_nothing(log: Log) -> None:
    assert log.commit([]) == []
    assert log.take("a", []) == []
    assert log.heads() == [Head(0, 0, "")] * PARTITIONS


def test_an_append_that_does_not_know_the_last_sequence_changes_nothing(log: Log) -> None:
    sequence = take(log, 0, "a")
    assert log.commit([Write(0, sequence + 1, batch(1), [(2, message("x"))], 0)]) == [None]
    assert log.commit([Write(0, sequence - 1, batch(1), [(2, message("x"))], 0)]) == [None]
    assert log.head(0).log == 1
    assert log.head(2).inbox == 0
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
    assert messages(log, 2, 1) == ["x"]


def test_taking_a_partition_shuts_its_former_owner_out(crawl: Crawl) -> None:
    a, b = crawl.connect(), crawl.connect()
    take(a, 0, "a")
    take(b, 0, "b", 1)
    assert b.owner(0) == "b"
    assert a.take("a", [Take(0, 1, taken("a"))]) == [None]
    assert (b.head(0).owner, a.head(0).log) == ("b", 2)
    assert a.owner(0) == "b"
    assert a.commit([Write(0, 1, batch(1), [], 0)]) == [None]


def test_of_partitions_taken_at_once_one_that_is_superseded_does_not_hold_up_the_others(
    log: Log,
) -> None:
    take(log, 1, "a")
    assert log.take("b", [Take(number, 0, taken("b")) for number in range(3)]) == [1, None, 1]
    assert [log.head(number).owner for number in range(4)] == ["b", "a", "b", ""]
    assert [log.head(number).log for number in range(4)] == [1, 1, 1, 0]
    assert sequences(log, 0, 1) == sequences(log, 1, 1) == sequences(log, 2, 1) == [1]
    assert list(log.read(3, 0)) == []


def test_another_connection_knows_everything(crawl: Crawl) -> None:
    before = crawl.connect()
    take(before, 0, "a")
    before.commit([Write(0, 1, batch(1), [(2, message("x"))], 0)])
    before.note("planted", b"1")
    after = crawl.connect()
    assert after.head(0) == before.head(0)
    assert after.noted("planted") == b"1"
    assert messages(after, 2, 1) == ["x"]
    assert sequences(after, 0, 2) == [1, 2]
    assert after.commit([Write(0, 2, batch(2), [], 0)]) == [3]


def test_large_batches_come_back_whole(crawl: Crawl) -> None:
    log = crawl.connect()
    take(log, 0, "a")
    large = encode([Counted({f"reason {n} " + "x" * 90: n}) for n in range(30_000)])
    links = encode(
        [Discovered(1.0, "", [f"http://{n}.test/" + "y" * 60], [0]) for n in range(25_000)]
    )
    assert len(large) > 3_000_000 and len(links) > 2_000_000
    assert log.commit([Write(0, 1, large, [(1, links), (2, message("x"))], 0)]) == [2]
    assert log.commit([Write(0, 2, batch(3), [], 0)]) == [3]
    other = crawl.connect()
    found = eventually(lambda: list(other.read(0, 1)), lambda found: len(found) == 2)
    assert found == [(2, large), (3, batch(3))]
    (entry,) = eventually(lambda: other.inbox(1, 0), bool)
    assert entry[1] == links
    assert messages(other, 2, 1) == ["x"]
    assert other.head(0).log == 3


def test_a_trimmed_log_still_tells_its_whole_history(log: Log) -> None:
    take(log, 0, "a")
    for n in range(1, 6):
        log.commit([Write(0, n, batch(n), [], 0)])
    log.trim(0, 3)
    log.trim(0, 3)
    log.trim(0, 4)
    assert sequences(log, 0, 6) == [1, 2, 3, 4, 5, 6]
    assert sequences(log, 0, 2, after=4) == [5, 6]
    assert log.head(0).log == 6
    assert log.commit([Write(0, 6, batch(6), [], 0)]) == [7]
    log.trim(0, 7)
    assert sequences(log, 0, 7) == [1, 2, 3, 4, 5, 6, 7]
    assert log.commit([Write(0, 7, batch(7), [], 0)]) == [8]
    assert [entry for _, entry in log.read(0, 1)][:2] == [batch(1), batch(2)]


def test_a_partition_that_was_released_has_no_owner(crawl: Crawl) -> None:
    first, second = crawl.connect(), crawl.connect()
    sequence = take(first, 1, "a")
    release = Write(1, sequence, batch(1), [(2, message("x"))], 0, releases=True)
    assert first.commit([release]) == first.commit([release]) == [2]  # as after a lost answer
    assert (second.head(1), messages(second, 2, 1)) == (Head(2, 0, ""), ["x"])
    take(second, 1, "b", 2)
    assert first.commit([Write(1, 2, batch(2), [], 0)]) == [None]


# -- answers that are lost ------------------------------------------------------------------


def test_a_write_that_is_given_again_happens_once(log: Log) -> None:
    take(log, 0, "a")
    write = Write(0, 1, batch(1), [(2, message("x"))], 0)
    assert [log.commit([write]) for _ in range(3)] == [[2], [2], [2]]
    assert messages(log, 2, 1) == ["x"]
    assert sequences(log, 0, 2) == [1, 2]
    assert log.commit([Write(0, 2, batch(2), [], 0)]) == [3]


def test_a_take_that_is_given_again_happens_once(log: Log) -> None:
    takes = [Take(number, 0, taken("a")) for number in range(2)]
    assert [log.take("a", takes) for _ in range(2)] == [[1, 1], [1, 1]]
    assert sequences(log, 0, 1) == [1]
    assert log.owner(0) == "a"


def test_a_superseded_write_stays_superseded_however_often_it_is_given(log: Log) -> None:
    take(log, 0, "a")
    take(log, 0, "b", 1)
    write = Write(0, 1, batch(1), [(2, message("x"))], 0)
    assert [log.commit([write]) for _ in range(3)] == [[None]] * 3
    assert log.head(2).inbox == 0


def test_a_commit_that_is_given_again_completes_what_it_began(log: Log) -> None:
    take(log, 0, "a")
    take(log, 1, "a")
    writes = [Write(n, 1, batch(n), [(3, message(f"from {n}"))], 0) for n in range(2)]
    assert log.commit(writes[:1]) == [2]
    assert log.commit(writes) == [2, 2]
    assert sorted(messages(log, 3, 2)) == ["from 0", "from 1"]


# -- inboxes --------------------------------------------------------------------------------


def test_sequences_of_an_inbox_only_increase(log: Log) -> None:
    posted = [log.post(3, message(str(n))) for n in range(3)]
    other = log.post(1, message("other"))
    posted.append(log.post(3, message("3")))
    assert posted == sorted(set(posted)) and posted[0] > 0
    assert posted_messages(log, 3, 4)[0] == "0"
    entries = eventually(lambda: log.inbox(3, 0), lambda found: len(found) >= 4)
    assert {sequence for sequence, _ in entries} >= set(posted)
    assert posted_messages(log, 3, 1, after=posted[-2]) == ["3"]
    assert log.inbox(1, other) == []


def test_entries_that_were_read_do_not_come_back_and_numbering_goes_on(log: Log) -> None:
    take(log, 3, "a")
    first = log.post(3, message("a"))
    log.commit([Write(3, 1, batch(1), [], first)])
    log.trim(3, 2)
    second = log.post(3, message("b"))
    assert second > first
    assert posted_messages(log, 3, 1, after=first) == ["b"]
    assert log.head(3).inbox == second


def test_a_long_inbox_is_read_in_portions(log: Log) -> None:
    count = INBOX_MOST * 2 + 10
    log.post_all([(2, message(str(n))) for n in range(count)])
    first = eventually(lambda: log.inbox(2, 0), lambda found: len(found) >= INBOX_MOST)
    assert len(first) == INBOX_MOST
    assert posted_messages(log, 2, count) == [str(n) for n in range(count)]
    last = log.head(2).inbox
    assert log.inbox(2, last) == []


def test_every_post_of_a_broad_commit_arrives_once(log: Log) -> None:
    log.take("a", [Take(number, 0, taken("a")) for number in range(PARTITIONS)])
    for n in range(3):
        writes = [
            Write(
                source,
                n + 1,
                batch(n),
                [(t, message(f"{source} {n}")) for t in range(PARTITIONS) if t != source],
                0,
            )
            for source in range(PARTITIONS)
        ]
        assert log.commit(writes) == [n + 2] * PARTITIONS
    for target in range(PARTITIONS):
        keys = messages(log, target, 3 * (PARTITIONS - 1))
        for source in set(range(PARTITIONS)) - {target}:
            from_one = [key for key in keys if key.startswith(f"{source} ")]
            assert from_one == [f"{source} {n}" for n in range(3)]


def test_heads_tell_the_last_sequences(log: Log) -> None:
    take(log, 2, "a")
    posted = log.post(1, message("x"))
    right = [Head(0, 0, ""), Head(0, posted, ""), Head(1, 0, "a"), Head(0, 0, "")]
    eventually(log.heads, lambda heads: heads == right)
    assert [log.head(number) for number in range(PARTITIONS)] == right


def test_several_inboxes_are_looked_at_at_once(crawl: Crawl) -> None:
    log, other = crawl.connect(), crawl.connect()
    log.take("a", [Take(number, 0, taken("a")) for number in (1, 2)])
    assert log.inboxes({1: 0, 2: 0}) == {}
    other.post_all([(2, message("x")), (0, message("not asked for"))])
    found = eventually(lambda: log.inboxes({1: 0, 2: 0}), bool)
    assert {number: entries[0][1] for number, entries in found.items()} == {2: message("x")}
    other.post(1, message("y"))
    assert list(eventually(lambda: log.inboxes({1: 0, 2: found[2][-1][0]}), bool)) == [1]


# -- notes ----------------------------------------------------------------------------------


def test_a_note_is_taken_once(log: Log) -> None:
    assert log.noted("end") is None
    log.note("end", b"first")
    assert not log.note("end", b"second")
    assert log.noted("end") == b"first"
    number, new = eventually(lambda: log.notes_since(0), lambda found: bool(found[1]))
    assert new == {"end": b"first"}
    log.note("other", b"x")
    assert eventually(lambda: log.notes("e"), bool) == {"end": b"first"}
    later, new = eventually(lambda: log.notes_since(number), lambda found: bool(found[1]))
    assert later > number and len(new) == 1
    assert log.notes_since(later) == (later, {})


def test_notes_have_any_name_and_any_value(crawl: Crawl) -> None:
    log = crawl.connect()
    notes = {
        "host:www.käse.example": b"",
        "a.b.*.>": b"\x00\xff",
        "with space/and slash": b"x" * 1_500_000,
        "": b"empty name",
    }
    log.post_all([(0, message("x"))], notes)
    log.post_all([], {"": b"another"})
    other = crawl.connect()
    assert {name: other.noted(name) for name in notes} == notes
    eventually(lambda: other.notes(""), lambda found: found == notes)
    eventually(lambda: other.notes("a."), lambda found: list(found) == ["a.b.*.>"])


def test_the_end_is_noted_only_if_nothing_has_moved(crawl: Crawl) -> None:
    log, other = crawl.connect(), crawl.connect()
    take(log, 0, "a")
    seen = [log.head(number) for number in range(PARTITIONS)]
    other.post(2, message("added by an operator"))
    assert not log.note_at("end", b"1", seen)
    assert log.noted("end") is None
    seen = [log.head(number) for number in range(PARTITIONS)]
    other.commit([Write(0, 1, batch(1), [], 0)])
    assert not log.note_at("end", b"1", seen)
    seen = [log.head(number) for number in range(PARTITIONS)]
    log.note_at("end", b"2", seen)
    assert log.noted("end") == b"2"
    assert not log.note_at("end", b"3", seen)
    assert log.noted("end") == b"2"


def test_whoever_sees_an_entry_sees_the_notes_that_came_before_it(crawl: Crawl) -> None:
    sender, reader = crawl.connect(), crawl.connect()
    take(reader, 1, "reader")
    number = 0
    known: dict[str, bytes] = {}
    last = 0
    for n in range(10):
        sender.post_all([(1, message(str(n)))], {f"host:{n}": b""})
        entries = eventually(lambda after=last: reader.inbox(1, after), bool)  # type: ignore[misc]
        last = entries[-1][0]
        number, new = reader.notes_since(number)
        known |= new
        assert f"host:{n}" in known


# -- several at once ------------------------------------------------------------------------


def test_of_writers_with_one_expectation_one_wins(crawl: Crawl) -> None:
    rounds, writers = 12, 4
    logs = [crawl.connect() for _ in range(writers)]
    take(logs[0], 0, "first")
    barrier = threading.Barrier(writers)

    def contend(number: int) -> list[int | None]:
        results: list[int | None] = []
        for n in range(rounds):
            barrier.wait(60)
            write = Write(0, n + 1, batch(1000 * number + n), [(1, message(f"{number} {n}"))], 0)
            results += logs[number].commit([write])
        return results

    with ThreadPoolExecutor(writers) as pool:
        answers = list(pool.map(contend, range(writers)))
    for n, round_ in enumerate(zip(*answers, strict=True)):
        assert sorted(round_, key=str) == [n + 2, *[None] * (writers - 1)]
    winners = [
        [answers[number][n] for number in range(writers)].index(n + 2) for n in range(rounds)
    ]
    found = eventually(lambda: list(logs[0].read(0, 1)), lambda found: len(found) == rounds)
    assert found == [(n + 2, batch(1000 * who + n)) for n, who in enumerate(winners)]
    assert messages(logs[0], 1, rounds) == [f"{who} {n}" for n, who in enumerate(winners)]


def test_of_takers_one_wins(crawl: Crawl) -> None:
    takers = 4
    logs = [crawl.connect() for _ in range(takers)]
    barrier = threading.Barrier(takers)

    def contend(number: int) -> Sequence[int | None]:
        barrier.wait(60)
        owner = f"taker {number}"
        return logs[number].take(owner, [Take(n, 0, taken(owner)) for n in range(PARTITIONS)])

    with ThreadPoolExecutor(takers) as pool:
        answers = list(pool.map(contend, range(takers)))
    for partition in range(PARTITIONS):
        won = [number for number in range(takers) if answers[number][partition] == 1]
        assert len(won) == 1
        assert logs[0].head(partition) == Head(1, 0, f"taker {won[0]}")


def test_one_connection_serves_several_threads(log: Log) -> None:
    log.take("a", [Take(number, 0, taken("a")) for number in range(PARTITIONS)])

    def work(partition: int) -> None:
        for n in range(10):
            posts = [((partition + 1) % PARTITIONS, message(f"{partition} {n}"))]
            assert log.commit([Write(partition, n + 1, batch(n), posts, 0)]) == [n + 2]
            log.heads()
            log.inbox(partition, 0)
            log.note(f"{partition} {n}", b"")

    with ThreadPoolExecutor(PARTITIONS) as pool:
        list(pool.map(work, range(PARTITIONS)))
    assert [log.head(number).log for number in range(PARTITIONS)] == [11] * PARTITIONS
    eventually(lambda: log.notes(""), lambda found: len(found) == 10 * PARTITIONS)
    for partition in range(PARTITIONS):
        assert len(messages(log, partition, 10)) == 10
