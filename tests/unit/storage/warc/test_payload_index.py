"""The index of payloads against a table of Python; growth, damage, and processes beside it."""

from __future__ import annotations

import fcntl
import os
import random
import resource
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.records import Place
from lycosa.storage.warc._slots import LARGEST_OFFSET
from lycosa.storage.warc.payload_index import FILE, MOST_WAITING, WAIT_SECONDS, PayloadIndex

MANY = 60_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "warc").mkdir()
    return tmp_path


def tags(seed: int, count: int) -> list[int]:
    chance = random.Random(seed)
    return [chance.getrandbits(64) or 1 for _ in range(count)]


def at_once(folder: Path) -> PayloadIndex:
    """Return an index whose clock goes on so far with every look at it that no entry waits."""
    moments = count(0.0, WAIT_SECONDS)
    return PayloadIndex(folder, lambda: next(moments))


def waiting(folder: Path) -> PayloadIndex:
    """Return an index whose clock stands still, and whose next entries wait."""
    index = PayloadIndex(folder, lambda: 0.0)
    index.add_all({})
    return index


def resident_kilobytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def test_an_index_that_grows_finds_everything_in_little_room(folder: Path) -> None:
    index = waiting(folder)
    entered = tags(1, MANY)
    index.add_all({entered[0]: Place(1, 0, 0)})
    before = resident_kilobytes()
    for start in range(0, MANY, 500):
        index.add_all({entered[n]: Place(1 + n // 1000, n, 0) for n in range(start, start + 500)})
    assert resident_kilobytes() - before < 4000
    assert (folder / "warc" / FILE).stat().st_size <= 20 * MANY
    assert [index.find(tag) for tag in entered] == [Place(1 + n // 1000, n, 0) for n in range(MANY)]
    assert not any(map(index.find, tags(2, 5000)))
    index.finish()
    index.close()
    assert PayloadIndex(folder).find(entered[-1]) == Place(1 + (MANY - 1) // 1000, MANY - 1, 0)


@given(
    st.lists(
        st.lists(
            st.tuples(
                # Few pages, and all tags of some of them: pages overflow into the next ones.
                st.one_of(
                    st.integers(1, 400),
                    st.integers((1 << 64) - 400, (1 << 64) - 1),
                    st.just(1 << 62),
                ),
                st.integers(0, (1 << 32) - 1),
                st.integers(0, LARGEST_OFFSET),
            ),
            max_size=300,
        ),
        max_size=6,
    )
)
def test_the_last_entry_of_a_tag_counts(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[tuple[int, int, int]]]
) -> None:
    folder = tmp_path_factory.mktemp("index")
    (folder / "warc").mkdir()
    index, twin = at_once(folder), dict[int, Place]()
    for batch in batches:
        places = {tag: Place(segment, offset, 0) for tag, segment, offset in batch}
        index.add_all(places)
        twin.update(places)
        assert {tag: index.find(tag) for tag in twin} == twin
        assert not any(index.find(tag) for tag in range(1, 420) if tag not in twin)
    index.close()


def test_processes_share_an_index_while_it_grows(folder: Path) -> None:
    """Each keeps entering into the file that is there, also if another has put a larger one.

    None takes its own knowledge of what pages lack for that of the others.
    """
    several = [at_once(folder) for _ in range(3)]
    entered = tags(3, 9000)
    for start in range(0, len(entered), 100):
        batch = dict.fromkeys(entered[start : start + 100], Place(7, 9, 0))
        assert not any(index.find(tag) for index in several for tag in batch)
        several[start // 100 % 3].add_all(batch)
    for index in several:
        index.add_all({})
        assert all(map(index.find, entered))
        index.close()
    assert not list((folder / "warc").glob("*.tmp"))


def test_others_find_an_entry_once_both_have_had_their_turn(folder: Path) -> None:
    moment = [0.0]
    first, second = (PayloadIndex(folder, lambda: moment[0]) for _ in range(2))
    for index in (first, second):
        index.add_all({4: Place(1, 1, 0)})
    first.add_all({5: Place(1, 2, 0)})
    assert (first.find(5), second.find(5)) == (Place(1, 2, 0), None)
    moment[0] = 0.9 * WAIT_SECONDS
    first.add_all({})
    second.add_all({})
    assert (first.find(5), second.find(5), PayloadIndex(folder).find(5)) == (
        *(Place(1, 2, 0), None),
        None,
    )
    moment[0] = WAIT_SECONDS
    first.add_all({})
    assert (second.find(5), PayloadIndex(folder).find(5)) == (None, Place(1, 2, 0))
    second.add_all({})
    assert second.find(5) == Place(1, 2, 0)


def test_entries_that_wait_are_limited_in_number(folder: Path) -> None:
    index, entered = waiting(folder), tags(6, MOST_WAITING)
    for n, tag in enumerate(entered):
        assert PayloadIndex(folder).find(entered[0]) is None
        index.add_all({tag: Place(1, n, 0)})
    assert all(map(PayloadIndex(folder).find, entered))
    index.close()


def test_what_waits_at_the_end_is_written_and_at_a_kill_is_not(folder: Path) -> None:
    for tag, is_killed in ((5, True), (6, False)):
        index = waiting(folder)
        index.add_all({tag: Place(1, 2, 0)})
        if not is_killed:
            index.finish()
        index.close()
        assert index.find(tag) is None
        assert (PayloadIndex(folder).find(tag) is None) is is_killed


def test_slots_that_a_killed_process_left_uncounted_are_replaced(folder: Path) -> None:
    one, header = at_once(folder), struct.Struct("=16sQQ")
    one.add_all({5: Place(1, 1, 0)})
    assert one.find(6) is None
    other, path = at_once(folder), folder / "warc" / FILE
    before = path.read_bytes()[: header.size]
    other.add_all({6: Place(1, 2, 0)})
    with path.open("r+b") as file:
        file.write(before)
    one.add_all({6: Place(1, 3, 0)})
    assert [index.find(6) for index in (one, PayloadIndex(folder))] == [Place(1, 3, 0)] * 2


def test_the_last_entries_wait_for_another_process_and_not_for_ever(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = waiting(folder), waiting(folder)
    for tag, index in ((5, one), (6, two)):
        index.add_all({tag: Place(1, 2, 0)})
    other = os.open(folder / "warc" / FILE, os.O_RDWR)
    fcntl.flock(other, fcntl.LOCK_EX)
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    one.finish()
    assert 0 < sum(slept) < 1
    monkeypatch.setattr("time.sleep", lambda _: fcntl.flock(other, fcntl.LOCK_UN))
    two.finish()
    os.close(other)
    later = PayloadIndex(folder)
    assert (later.find(5), later.find(6)) == (None, Place(1, 2, 0))


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow beyond its header and a page."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("before", [0, 3000])
def test_a_full_disk_is_no_error_and_holds_no_lock(folder: Path, before: int) -> None:
    index, entered = at_once(folder), tags(8, 6000)
    index.add_all(dict.fromkeys(entered[:before], Place(1, 2, 0)))
    with full_disk():
        index.add_all(dict.fromkeys(entered[before:], Place(1, 2, 0)))
        assert all(map(index.find, entered))
        assert sum(map(bool, map(PayloadIndex(folder).find, entered))) < before + 256
    other = at_once(folder)
    other.add_all({5: Place(1, 3, 0)})
    index.finish()
    index.close()
    assert all(map(PayloadIndex(folder).find, [5, *entered]))


@pytest.mark.parametrize("damage", ["empty", "cut", "random", "header", "folder"])
def test_a_damaged_index_is_no_error(folder: Path, damage: str) -> None:
    path, entered = folder / "warc" / FILE, tags(4, 5000)
    index = PayloadIndex(folder)
    index.add_all(dict.fromkeys(entered, Place(1, 2, 0)))
    index.close()
    size = path.stat().st_size
    match damage:
        case "empty":
            path.write_bytes(b"")
        case "cut":
            os.truncate(path, size // 2)
        case "random":
            path.write_bytes(random.Random(5).randbytes(size))
        case "header":
            path.write_bytes(path.read_bytes()[:16] + b"\xff" * 8 + path.read_bytes()[24:])
        case _:
            path.unlink()
            path.mkdir()
    index = PayloadIndex(folder)
    index.find(entered[0])
    index.add_all({entered[0]: Place(3, 4, 0)})
    assert index.find(entered[0]) == Place(3, 4, 0)
    index.finish()
    other = PayloadIndex(folder)
    assert other.find(entered[0]) == (None if damage == "folder" else Place(3, 4, 0))
    index.close()


def test_an_offset_without_room_in_a_slot_is_left_out(folder: Path) -> None:
    index = PayloadIndex(folder)
    index.add_all({5: Place(1, LARGEST_OFFSET + 1, 0), 6: Place(1, LARGEST_OFFSET, 0)})
    assert (index.find(5), index.find(6)) == (None, Place(1, LARGEST_OFFSET, 0))
    index.close()


def test_a_count_that_a_stranger_wrote_makes_no_larger_index(folder: Path) -> None:
    index = PayloadIndex(folder)
    last = (1 << 64) - 1  # in the last page, however many there are
    index.add_all({last: Place(1, 0, 0)})
    index.close()
    path = folder / "warc" / FILE
    before = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(24)
        file.write((1 << 24).to_bytes(8, "little"))
    index = PayloadIndex(folder)
    index.add_all({9: Place(1, 5, 0)})
    assert (index.find(last), index.find(9)) == (Place(1, 0, 0), Place(1, 5, 0))
    index.close()
    assert path.stat().st_size <= 4 * before + (1 << 20)


@pytest.mark.parametrize("batch", [7, 100, 900])
def test_the_file_has_what_was_entered_and_zeros_alone(folder: Path, batch: int) -> None:
    """The order in a page follows the moments of writing; nothing else of memory is written."""
    entered = {tag: Place(3, 40 * number, 0) for number, tag in enumerate(tags(5, 900))}
    index, items = at_once(folder), list(entered.items())
    for start in range(0, len(items), batch):
        index.add_all(dict(items[start : start + batch]))
    index.finish()
    content = (folder / "warc" / FILE).read_bytes()
    slots = list(struct.iter_unpack("=QII", content[4096:]))
    assert not any(content[32:4096])
    assert {slot for slot in slots if any(slot)} == {
        (tag, place.offset, place.segment) for tag, place in entered.items()
    }
    assert len([slot for slot in slots if any(slot)]) == len(entered)
