"""Open segments can be put together again from the store, as they were at the last commit."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from faulty_objects import FaultyObjects
from lycosa.errors import FormatError, ObjectsUnavailable, StoreError
from lycosa.runtime.uploads.open_parts import OpenParts, open_family, restore_open
from lycosa.storage.archive.layout import Name, make_folders
from lycosa.storage.objects.folder import FolderObjects


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "crawl"
    make_folders(path)
    return path


@pytest.fixture
def store(tmp_path: Path) -> FolderObjects:
    return FolderObjects(tmp_path / "store")


def append(folder: Path, name: Name, chance: random.Random) -> None:
    """Let some files of a segment grow, as a flush does."""
    for path in open_family(folder, name):
        if chance.random() < 0.6:
            path.parent.mkdir(exist_ok=True)  # that of items is made by the first item
            with path.open("ab") as file:
                file.write(chance.randbytes(chance.randrange(500)))


def contents(folder: Path, name: Name) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes()
        for path in open_family(folder, name)
        if path.exists() and path.stat().st_size
    }


@pytest.mark.parametrize("seed", range(10))
def test_what_was_sent_can_be_restored_whatever_fails(
    folder: Path, store: FolderObjects, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    parts = OpenParts(folder, FaultyObjects(store, 0.3, chance))
    names = [Name(1048577, 0), Name(1048578, 0)]
    for step in range(30):
        for name in names:
            append(folder, name, chance)
        try:
            parts.send(names)
        except ObjectsUnavailable:
            continue  # the commit is tried again, with more that was flushed meanwhile
        if step % 5:
            continue
        for name in names:
            target = tmp_path / f"restored-{step}"
            assert restore_open(store, name.segment, target) == bool(contents(folder, name))
            assert contents(target, name) == contents(folder, name)


def test_nothing_is_sent_when_nothing_was_gained(folder: Path, store: FolderObjects) -> None:
    chance, name = random.Random(1), Name(1048577, 0)
    counting = FaultyObjects(store, 0.0, chance)
    parts = OpenParts(folder, counting)
    append(folder, name, chance)
    parts.send([name])
    before = counting.calls
    parts.send([name])
    parts.send([])
    assert counting.calls == before


def test_a_segment_without_parts_is_not_restored(store: FolderObjects, tmp_path: Path) -> None:
    assert not restore_open(store, 7, tmp_path / "none")


def test_two_directories_of_one_number_are_told(folder: Path, store: FolderObjects) -> None:
    chance, name = random.Random(1), Name(1048577, 0)
    append(folder, name, chance)
    OpenParts(folder, store).send([name])
    append(folder, name, chance)
    with pytest.raises(StoreError, match="the same number"):
        OpenParts(folder, store).send([name])


def test_a_damaged_part_is_named(store: FolderObjects, tmp_path: Path) -> None:
    store.create("open/7/00000000", b"nonsense")
    with pytest.raises(FormatError, match="open/7/00000000 is damaged"):
        restore_open(store, 7, tmp_path / "x")
