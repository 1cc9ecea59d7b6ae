"""Vaults: pieces come back, gaps are reused, the file shrinks."""

from pathlib import Path

import pytest

from lycosa.frontier.urltable import CompactUrlTable, FileVault, MemoryVault, Vault


@pytest.fixture(params=["memory", "file"])
def vault(request: pytest.FixtureRequest, tmp_path: Path) -> Vault:
    return MemoryVault() if request.param == "memory" else FileVault(tmp_path / "new" / "folder")


def test_what_was_put_is_got_and_what_is_dropped_makes_room(vault: Vault) -> None:
    extents = [vault.put(bytes([number]) * 100) for number in range(10)]
    for number in (3, 4, 7):
        vault.drop(extents[number])
    again = [vault.put(bytes([size]) * size) for size in (150, 40, 60, 200)]
    for number in (0, 1, 2, 5, 6, 8, 9):
        assert vault.get(extents[number]) == bytes([number]) * 100
    assert [vault.get(extent) for extent in again] == [
        bytes([size]) * size for size in (150, 40, 60, 200)
    ]


def test_a_file_has_no_name_and_shrinks_to_nothing(tmp_path: Path) -> None:
    vault = FileVault(tmp_path)
    extents = [vault.put(b"x" * 1000) for _ in range(5)]
    assert list(tmp_path.iterdir()) == []
    assert vault.size_bytes() == 5000
    for number in (1, 3, 0, 2, 4):
        vault.drop(extents[number])
    assert vault.size_bytes() == 0


def test_a_site_of_many_chunks_is_spilled_into_a_file_and_comes_back(tmp_path: Path) -> None:
    table = CompactUrlTable(FileVault(tmp_path))
    keys = [f"org.example:/{number % 97}/{number}" for number in range(20_000)]
    table.add_many(keys)
    table.mark(77)
    before = table.bytes_held()
    packed = table.pack()
    assert table.spill(0)
    table.tighten()
    assert table.bytes_held() < before / 2
    assert table.find_many(keys[::501]) == list(range(0, 20_000, 501))
    assert table.find("org.example:/97/97") is None
    assert [table.key(number) for number in range(0, 20_000, 499)] == keys[::499]
    assert table.pack() == packed
    assert len(list(table.walk("org.example:/13/"))) == len(keys[13::97])
    assert table.is_marked(77)
    assert table.is_spilled(0)
    assert table.add("org.example:/new") == 20_000
    assert not table.is_spilled(0)
    assert table.key(19_999) == keys[19_999]
    assert (table.marked(0), table.is_marked(77)) == (1, True)
    table.check()
