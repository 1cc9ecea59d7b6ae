"""What the log in SQLite promises beyond the contract of all logs."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from lycosa.errors import FormatError, LogError
from lycosa.model.records import Taken
from lycosa.storage.log import sqlite_files
from lycosa.storage.log.format import decode_events, encode
from lycosa.storage.log.protocol import Take
from lycosa.storage.log.sqlite import SqliteLog


def test_another_number_of_partitions_is_refused(tmp_path: Path) -> None:
    SqliteLog(tmp_path, 2).close()
    with pytest.raises(LogError, match="the number is chosen once"):
        SqliteLog(tmp_path, 3)


def test_an_archive_that_was_cut_off_before_its_first_frame_is_empty(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path, 1)
    log.take("a", [Take(0, 0, encode([Taken(1.0, "a")]))])
    for content in (b"", b"LYCO"):
        (tmp_path / "archive" / "0000.archive").write_bytes(content)
        assert [number for number, _ in log.read(0, 0)] == [1]
    log.trim(0, 1)
    assert [number for number, _ in log.read(0, 0)] == [1]
    log.close()


def test_a_batch_of_an_unknown_version_is_refused_by_name() -> None:
    with pytest.raises(FormatError, match="format 99; this Lycosa reads formats 1 to 3"):
        decode_events(msgspec.msgpack.encode((99, [])))


def test_who_opens_a_new_log_waits_for_who_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = sqlite3.connect(tmp_path / "log.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            other.execute("ROLLBACK")

    monkeypatch.setattr("lycosa.storage.log.sqlite_files.time.sleep", wait)
    log = SqliteLog(tmp_path, 4)
    assert len(waits) == 3
    assert log.partitions == 4
    log.close()
    other.close()


def test_a_file_that_stays_locked_is_told(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "log.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    connection = sqlite_files.connected(tmp_path / "log.sqlite", 0)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        sqlite_files.write_ahead(connection, 0)
    connection.close()
    other.close()


def test_all_inboxes_are_looked_at_by_one_question(tmp_path: Path) -> None:
    with closing(SqliteLog(tmp_path, 64)) as log:
        log.post_all([(number, b"%d" % number) for number in range(0, 64, 3)])
        questions: list[str] = []
        log._reader.set_trace_callback(questions.append)
        found = log.inboxes(dict.fromkeys(range(32), 0) | {9: 1})
    assert len(questions) == 1
    # The ninth is read and not committed; those from 32 on are not asked for.
    assert found == {number: [(1, b"%d" % number)] for number in range(0, 32, 3) if number != 9}
