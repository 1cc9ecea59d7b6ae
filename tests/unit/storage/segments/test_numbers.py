"""Segment numbers: each once in its directory, and on a cluster once in the whole crawl."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from lycosa.errors import Elsewhere, StoreError
from lycosa.frontier.facts.columns import Fetches
from lycosa.model.records import Place
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.layout import (
    MOST_DIRECTORIES,
    MOST_IN_DIRECTORY,
    Name,
    highest_segment,
    warc_names,
    warc_path,
)
from lycosa.storage.archive.reader import find, table
from lycosa.storage.segments.segment import owner_of
from made_columns import add_fetch
from unit.storage.archive.exchanges import capture, check_archive
from unit.storage.segments.sealed import always, url


def stored(folder: Path, number: int, owner: str = "", directory: int = 0) -> Place:
    """Let a process store one page and end."""
    store = ArchiveStore(folder)
    if owner:
        store.begin_life(owner, directory)
    place = store.append(capture(number))
    store.seal(always)
    store.close()
    return place


def test_each_directory_of_a_cluster_has_its_own_numbers(tmp_path: Path) -> None:
    places = [stored(tmp_path / str(n), n, f"life-{n}", n) for n in (1, 2, 3)]
    again = stored(tmp_path / "2", 4, "life-9", 2)
    assert [place.segment for place in [*places, again]] == [
        1_048_577,
        2_097_153,
        3_145_729,
        2_097_154,
    ]


def test_a_crawl_on_one_machine_begins_with_one(tmp_path: Path) -> None:
    assert stored(tmp_path, 1).segment == 1


def test_a_crawl_that_moves_to_a_cluster_and_back_keeps_its_segments(tmp_path: Path) -> None:
    first, second = stored(tmp_path, 1), stored(tmp_path, 2, "life-1", 3)
    third = stored(tmp_path, 3)
    numbers = [first.segment, second.segment, third.segment]
    assert numbers == [1, 3 * MOST_IN_DIRECTORY + 1, 3 * MOST_IN_DIRECTORY + 2]
    assert [name.segment for name in warc_names(tmp_path)] == numbers
    assert highest_segment(tmp_path) == numbers[-1]
    assert highest_segment(tmp_path, 1) == 0
    store = ArchiveStore(tmp_path)
    for place, number in zip((first, second, third), (1, 2, 3), strict=True):
        assert store.read(place).url == url(number)
    store.close()
    assert len(table(tmp_path, "pages")) == 3
    assert find(tmp_path, url(2)) is not None
    check_archive(tmp_path)


def test_a_number_is_not_given_twice_though_its_files_are_gone(tmp_path: Path) -> None:
    first = stored(tmp_path, 1, "life-1", 2)
    warc_path(tmp_path, Name(first.segment, 0)).unlink()
    for path in tmp_path.glob("*/lycosa-*"):
        path.unlink()
    assert stored(tmp_path, 2, "life-2", 2).segment == first.segment + 1


def test_the_last_number_of_all_fits_where_places_are_kept(tmp_path: Path) -> None:
    last = MOST_DIRECTORIES * MOST_IN_DIRECTORY - 1
    fetches = Fetches()
    fetches.segment[add_fetch(fetches)] = last
    (tmp_path / "warc").mkdir()
    (tmp_path / "warc" / ".numbers").write_text(str(last - 1))
    place = stored(tmp_path, 1, "life-1", MOST_DIRECTORIES - 1)
    assert place.segment == last
    with pytest.raises(StoreError, match="no number is left"):
        stored(tmp_path, 2, "life-2", MOST_DIRECTORIES - 1)


@pytest.mark.parametrize("directory", [0, -1, MOST_DIRECTORIES])
def test_a_directory_without_a_range_is_refused(directory: int, tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    with pytest.raises(StoreError, match="directories 1 to 4095"):
        store.begin_life("life-1", directory)
    store.close()


def test_a_segment_says_which_life_has_written_it(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path, info={"software": "Lycosa"})
    places = [store.append(capture(1))]
    for life in ("life-7", "life-8"):
        store.begin_life(life, 1)
        places.append(store.append(capture(len(places) + 1)))
    store.close()
    names = [Name(place.segment, 0) for place in places]
    assert [owner_of(tmp_path, name) for name in names] == ["", "life-7", "life-8"]
    path = warc_path(tmp_path, names[2])
    path.write_bytes(b"no record")
    assert owner_of(tmp_path, names[2]) is None
    path.write_bytes(b"")
    assert owner_of(tmp_path, names[2]) == ""


def test_a_record_of_another_directory_lies_elsewhere(tmp_path: Path) -> None:
    there = stored(tmp_path / "1", 1, "life-1", 1)
    store = ArchiveStore(tmp_path / "2")
    store.begin_life("life-2", 2)
    here = store.append(capture(2))
    assert len(store.links(here)) == 3
    for _ in range(2):
        with pytest.raises(Elsewhere, match="another machine has written it"):
            store.links(there)
    with pytest.raises(Elsewhere):
        store.validators(there)
    gone = Place(here.segment + 1, 0, 10)
    with pytest.raises(StoreError, match="has no such segment") as caught:
        store.links(gone)
    assert not isinstance(caught.value, Elsewhere), "of our own numbers it is damage"
    assert store.append(replace(capture(3), held=there)).segment == here.segment
    store.close()


def test_on_one_machine_a_missing_segment_is_damage(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path)
    with pytest.raises(StoreError, match="has no such segment") as caught:
        store.links(Place(3 * MOST_IN_DIRECTORY + 1, 0, 10))
    assert not isinstance(caught.value, Elsewhere)
    store.close()
