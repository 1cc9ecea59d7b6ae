from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.errors import FormatError, StoreError
from lycosa.model.records import KeyedLink, LinkKind, Place
from lycosa.storage.archive import journal as journal_module
from lycosa.storage.archive.frames import HEADER, MAGIC
from lycosa.storage.archive.journal import Journal, Kept, iterate, segments_of
from seeds import examples
from unit.storage.archive.exchanges import capture, keyed


def page(number: int, body: bytes = b"<html>") -> Kept:
    links = [KeyedLink(f"org.example:/{number}/{n}", LinkKind.ANCHOR) for n in range(3)]
    headers = (("content-type", "text/html"), ("x", "é"))
    return Kept(f"org.example:/{number}", 1.7e9 + number, 200, headers, body, links)


def path_of(folder: Path, segment: int) -> Path:
    return folder / f"{segment:05d}.journal"


def test_a_record_is_read_before_and_after_it_is_flushed(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    place = journal.append(page(1))
    assert path_of(tmp_path, 1).stat().st_size == 0
    assert journal.read(place) == page(1)
    assert journal.links(place) == page(1).links
    journal.flush()
    assert path_of(tmp_path, 1).stat().st_size == journal.size_bytes == place.offset + place.length
    assert journal.read(place) == page(1)
    assert journal.links(place) == page(1).links
    assert isinstance(journal.links(place)[0].kind, LinkKind)
    journal.close()


def test_an_exchange_is_kept_as_a_page(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    exchange = capture(1)
    answer = exchange.answer
    assert journal.read(journal.append(exchange)) == Kept(
        exchange.key,
        answer.ended,
        answer.status,
        answer.headers,
        answer.body,
        keyed(exchange.links),
    )
    journal.close()


def test_each_journal_begins_a_segment_of_its_own(tmp_path: Path) -> None:
    first = Journal(tmp_path, durability="power")
    place = first.append(page(1))
    first.close()
    second = Journal(tmp_path)
    assert (first.segment, second.segment) == (1, 2)
    assert second.read(place) == page(1)
    other = second.append(page(2))
    assert other.segment == 2
    assert second.read(other) == page(2)
    second.close()
    assert segments_of(tmp_path) == [1, 2]


def test_a_segment_that_exists_is_never_taken_again(tmp_path: Path) -> None:
    Journal(tmp_path, 7).close()
    with pytest.raises(StoreError, match="segment 7 exists already"):
        Journal(tmp_path, 7)
    journal = Journal(tmp_path)
    assert journal.segment == 8
    journal.close()


def test_bytes_left_by_a_killed_process_harm_nobody(tmp_path: Path) -> None:
    killed = Journal(tmp_path)
    whole = [killed.append(page(number)) for number in range(3)]
    killed.close()
    path = path_of(tmp_path, 1)
    path.write_bytes(path.read_bytes()[:-5])
    path_of(tmp_path, 2).write_bytes(b"")
    path_of(tmp_path, 3).write_bytes(HEADER[:3])
    journal = Journal(tmp_path)
    assert journal.segment == 4
    assert journal.read(whole[0]) == page(0)
    assert journal.links(whole[2]) == page(2).links
    with pytest.raises(StoreError, match=f"segment 1, offset {whole[2].offset}: .*end is missing"):
        journal.read(whole[2])
    mine = journal.append(page(9))
    journal.close()
    assert list(iterate(tmp_path)) == [(whole[0], page(0)), (whole[1], page(1)), (mine, page(9))]


def test_a_place_beyond_the_end_or_without_a_segment_is_an_error(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    place = journal.append(page(1))
    journal.flush()
    with pytest.raises(StoreError, match=r"segment 1, offset 9999: .* beyond the end"):
        journal.read(Place(1, 9999, 50))
    with pytest.raises(StoreError, match="segment 1, offset 9999"):
        journal.links(Place(1, 9999, 50))
    with pytest.raises(StoreError, match="is not 50 bytes long"):
        journal.read(place._replace(length=50))
    with pytest.raises(StoreError, match=r"segment 5, .*00005\.journal cannot be opened"):
        journal.read(Place(5, 8, 50))
    with pytest.raises(StoreError, match="checksum of its frame"):
        journal.read(Place(1, 0, 50))
    journal.close()


@given(position=st.integers(0, 10_000), bit=st.integers(0, 7))
@settings(max_examples=examples(60))
def test_a_flipped_bit_is_found(
    tmp_path_factory: pytest.TempPathFactory, position: int, bit: int
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder)
    places = [journal.append(page(number)) for number in range(3)]
    journal.flush()
    path = path_of(folder, 1)
    content = bytearray(path.read_bytes())
    position = len(HEADER) + position % (len(content) - len(HEADER))
    content[position] ^= 1 << bit
    path.write_bytes(content)
    damaged = next(p for p in places if p.offset <= position < p.offset + p.length)
    for number, place in enumerate(places):
        if place == damaged:
            with pytest.raises(StoreError, match=f"offset {place.offset}"):
                journal.read(place)
        else:
            assert journal.read(place) == page(number)
    journal.close()
    assert damaged not in dict(iterate(folder))


def test_iteration_goes_on_behind_a_record_with_a_damaged_body(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    places = [journal.append(page(number)) for number in range(3)]
    journal.close()
    content = bytearray(path_of(tmp_path, 1).read_bytes())
    content[places[1].offset + places[1].length - 1] ^= 1
    path_of(tmp_path, 1).write_bytes(content)
    assert [place for place, _ in iterate(tmp_path)] == [places[0], places[2]]


@pytest.mark.parametrize(
    ("header", "text"),
    [(MAGIC + b"\x09", "format 9, this Lycosa reads 1"), (b"RIFF1234", "not a journal")],
)
def test_an_unknown_format_is_refused(tmp_path: Path, header: bytes, text: str) -> None:
    path_of(tmp_path, 1).write_bytes(header)
    journal = Journal(tmp_path)
    with pytest.raises(FormatError, match=text):
        journal.read(Place(1, 8, 50))
    journal.close()
    with pytest.raises(FormatError, match=text):
        list(iterate(tmp_path))


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(tmp_path)
    first = journal.append(page(1, os.urandom(5000)))
    kept = journal.read(first)
    really_write, room = os.pwrite, 100

    def write_little(file: int, content: memoryview, offset: int) -> int:
        nonlocal room
        if room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = really_write(file, content[:room], offset)
        room -= written
        return written

    monkeypatch.setattr(os, "pwrite", write_little)
    with pytest.raises(StoreError, match=r"no room for .* more bytes"):
        journal.flush()
    assert path_of(tmp_path, 1).stat().st_size == 100
    second = journal.append(page(2))
    assert journal.read(first) == kept
    monkeypatch.setattr(os, "pwrite", really_write)
    journal.close()
    assert list(iterate(tmp_path)) == [(first, kept), (second, page(2))]


def test_a_flush_that_could_not_be_synced_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path, durability="power")
    place = journal.append(page(1))
    really_sync, synced = os.fsync, list[int]()

    def fail(file: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StoreError, match="cannot be written: Input/output error"):
        journal.flush()

    def succeed(file: int) -> None:
        synced.append(file)
        really_sync(file)

    monkeypatch.setattr(os, "fsync", succeed)
    journal.flush()
    journal.flush()
    assert len(synced) == 1
    assert journal.read(place) == page(1)
    journal.close()


def test_appending_while_another_thread_flushes_keeps_the_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    is_done = threading.Event()

    def flush() -> None:
        while not is_done.is_set():
            journal.flush()

    threads = [threading.Thread(target=flush) for _ in range(2)]
    for thread in threads:
        thread.start()
    places = []
    for number in range(500):
        places.append(journal.append(page(number)))
        assert journal.read(places[number // 2]) == page(number // 2)
    is_done.set()
    for thread in threads:
        thread.join()
    journal.close()
    assert [(place, kept.key) for place, kept in iterate(tmp_path)] == [
        (place, page(number).key) for number, place in enumerate(places)
    ]


def test_only_so_many_segments_are_kept_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "MOST_OPEN_SEGMENTS", 2)
    places = []
    for number in range(5):
        old = Journal(tmp_path)
        places.append(old.append(page(number)))
        old.close()
    journal = Journal(tmp_path)
    for number in (0, 1, 2, 0, 3, 4, 0):
        assert journal.read(places[number]) == page(number)
        assert len(journal._others) <= 2
    journal.close()


def test_a_closed_journal_takes_and_gives_nothing(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    place = journal.append(page(1))
    journal.close()
    journal.close()
    with pytest.raises(StoreError, match="closed"):
        journal.append(page(2))
    with pytest.raises(StoreError, match="closed"):
        journal.read(place)


def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="no segment can be begun"):
        Journal(tmp_path / "file")


records = st.builds(
    Kept,
    key=st.text(max_size=20),
    moment=st.floats(allow_nan=False),
    status=st.integers(0, 999),
    headers=st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=3).map(tuple),
    body=st.binary(max_size=100),
    links=st.lists(
        st.builds(KeyedLink, st.text(max_size=10), st.sampled_from(LinkKind)), max_size=3
    ),
)


@given(st.lists(st.none() | records, max_size=6))
def test_what_is_appended_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Kept | None]
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder)
    appended: list[tuple[Place, Kept]] = []
    for step in steps:
        if step is None:
            journal.flush()
        else:
            appended.append((journal.append(step), step))
    for place, record in appended:
        assert journal.read(place) == record
        assert journal.links(place) == record.links
    journal.close()
    assert list(iterate(folder)) == appended
