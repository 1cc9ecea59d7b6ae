"""The index of payloads against a table of Python; growth, damage, and two processes at once."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.records import Place
from lycosa.store.warc.payload_index import FILE, LARGEST_OFFSET, PayloadIndex

MANY = 60_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "warc").mkdir()
    return tmp_path


def tags(seed: int, count: int) -> list[int]:
    chance = random.Random(seed)
    return [chance.getrandbits(64) or 1 for _ in range(count)]


def resident_kilobytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def test_an_index_that_grows_finds_everything_in_little_room(folder: Path) -> None:
    index = PayloadIndex(folder)
    entered = tags(1, MANY)
    index.add_all([(entered[0], 1, 0)])
    before = resident_kilobytes()
    for start in range(0, MANY, 500):
        index.add_all((entered[n], 1 + n // 1000, n) for n in range(start, start + 500))
    assert resident_kilobytes() - before < 4000
    assert (folder / "warc" / FILE).stat().st_size <= 20 * MANY
    assert [index.find(tag) for tag in entered] == [Place(1 + n // 1000, n, 0) for n in range(MANY)]
    assert not any(map(index.find, tags(2, 5000)))
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
    index, twin = PayloadIndex(folder), dict[int, Place]()
    for batch in batches:
        index.add_all(batch)
        twin.update((tag, Place(segment, offset, 0)) for tag, segment, offset in batch)
        assert {tag: index.find(tag) for tag in twin} == twin
    index.close()


def test_processes_share_an_index_while_it_grows(folder: Path) -> None:
    """Each keeps entering into the file that is there, also if another has put a larger one."""
    several = [PayloadIndex(folder) for _ in range(3)]
    entered = tags(3, 9000)
    for start in range(0, len(entered), 100):
        batch = [(tag, 7, 9) for tag in entered[start : start + 100]]
        several[start // 100 % 3].add_all(batch)
    for index in several:
        index.add_all([])
        assert all(map(index.find, entered))
        index.close()
    assert not list((folder / "warc").glob("*.tmp"))


@pytest.mark.parametrize("damage", ["empty", "cut", "random", "header", "folder"])
def test_a_damaged_index_is_no_error(folder: Path, damage: str) -> None:
    path, entered = folder / "warc" / FILE, tags(4, 5000)
    index = PayloadIndex(folder)
    index.add_all((tag, 1, 2) for tag in entered)
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
    index.add_all([(entered[0], 3, 4)])
    assert index.find(entered[0]) == (None if damage == "folder" else Place(3, 4, 0))
    index.close()


def test_an_offset_without_room_in_a_slot_is_left_out(folder: Path) -> None:
    index = PayloadIndex(folder)
    index.add_all([(5, 1, LARGEST_OFFSET + 1), (6, 1, LARGEST_OFFSET)])
    assert (index.find(5), index.find(6)) == (None, Place(1, LARGEST_OFFSET, 0))
    index.close()


def test_a_count_that_a_stranger_wrote_makes_no_larger_index(folder: Path) -> None:
    index = PayloadIndex(folder)
    last = (1 << 64) - 1  # in the last page, however many there are
    index.add_all([(last, 1, 0)])
    index.close()
    path = folder / "warc" / FILE
    before = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(24)
        file.write((1 << 24).to_bytes(8, "little"))
    index = PayloadIndex(folder)
    index.add_all([(9, 1, 5)])
    assert (index.find(last), index.find(9)) == (Place(1, 0, 0), Place(1, 5, 0))
    index.close()
    assert path.stat().st_size <= 4 * before + (1 << 20)
