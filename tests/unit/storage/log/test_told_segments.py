"""The log's file names the segments that are sealed, and misses none that it does not know."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lycosa.analysis.study.tables import rows_now
from lycosa.errors import LogError, StoreError
from lycosa.runtime.shared_log.notes import MOVED
from lycosa.storage.archive.layout import Name, cdx_path, make_folders, sealed_path
from lycosa.storage.log.sqlite import SqliteLog
from lycosa.storage.log.told_segments import drop_sealed, note_sealed, told_in

ONE, TWO = Name(1, 0), Name(2, 3)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a crawl directory with a log and two sealed segments."""
    make_folders(tmp_path)
    SqliteLog(tmp_path / "log", 1).close()
    for name in (ONE, TWO):
        cdx_path(tmp_path, name).touch()
    return tmp_path


def sealed(folder: Path) -> set[Name]:
    return set(told_in(folder / "log").sealed)


def test_sealed_segments_are_named_until_they_are_dropped(folder: Path) -> None:
    assert sealed(folder) == set()
    note_sealed(folder)
    note_sealed(folder)
    assert sealed(folder) == {ONE, TWO}
    drop_sealed(folder, [1, 77])
    assert sealed(folder) == {TWO}


def test_a_name_stays_when_the_files_are_gone(folder: Path) -> None:
    note_sealed(folder)
    cdx_path(folder, ONE).unlink()
    note_sealed(folder)
    assert sealed(folder) == {ONE, TWO}


def test_names_are_seen_beside_the_process_that_has_the_log_open(folder: Path) -> None:
    with closing(SqliteLog(folder / "log", 1)) as log:
        note_sealed(folder)
        assert sealed(folder) == {ONE, TWO}
        assert log.note("still", b"writes")
        assert log.noted("still") == b"writes"


def test_a_crawl_whose_log_is_in_a_server_names_none(tmp_path: Path) -> None:
    make_folders(tmp_path)
    (tmp_path / "log").mkdir()
    cdx_path(tmp_path, ONE).touch()
    note_sealed(tmp_path)
    drop_sealed(tmp_path, [1])
    assert sealed(tmp_path) == set() and not list((tmp_path / "log").iterdir())


def test_the_file_of_a_log_that_was_moved_to_a_server_names_none(folder: Path) -> None:
    """It stays, and segments are sealed and given up without it."""
    with closing(SqliteLog(folder / "log", 1)) as log:
        note_sealed(folder)
        log.note(MOVED, b"there")
    content = (folder / "log" / "log.sqlite").read_bytes()
    assert sealed(folder) == set()
    note_sealed(folder)
    drop_sealed(folder, [1])
    assert (folder / "log" / "log.sqlite").read_bytes() == content


def test_a_log_of_before_has_ends_and_names_none(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "log" / "log.sqlite")) as file:
        file.execute("INSERT INTO ends VALUES (0, x'90')")
        file.commit()
    told = told_in(folder / "log")
    assert (told.ends, told.sealed) == ([b"\x90"], frozenset())


def test_what_a_stranger_wrote_is_no_name(folder: Path) -> None:
    note_sealed(folder)
    with closing(sqlite3.connect(folder / "log" / "log.sqlite")) as file:
        file.execute("INSERT INTO sealed VALUES (5, 'a/../b'), (6, x'00'), (7, 1.5)")
        file.commit()
    assert sealed(folder) == {ONE, TWO}


def test_a_damaged_log_says_nothing_and_cannot_be_written_to(folder: Path) -> None:
    note_sealed(folder)
    (folder / "log" / "log.sqlite").write_bytes(b"no database" * 1000)
    assert told_in(folder / "log").sealed == frozenset()
    with pytest.raises(LogError, match="is damaged"):
        note_sealed(folder)


def test_a_table_that_was_sealed_and_is_gone_ends_every_reader(folder: Path) -> None:
    note_sealed(folder)
    for name in (ONE, TWO):
        cdx_path(folder, name).unlink()
    with pytest.raises(StoreError, match=r"00001\.parquet.*those of 1 others"):
        rows_now(folder, "pages")
    drop_sealed(folder, [1])
    with pytest.raises(StoreError, match=str(sealed_path(folder, "pages", TWO))):
        rows_now(folder, "pages")
    drop_sealed(folder, [2])
    assert not rows_now(folder, "pages").sealed
