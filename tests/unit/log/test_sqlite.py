"""What the log in SQLite promises beyond the contract of all logs."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from lycosa.errors import FormatError, LogError
from lycosa.log.format import decode_events, encode
from lycosa.log.protocol import Take
from lycosa.log.sqlite import SqliteLog
from lycosa.records import Taken


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
    with pytest.raises(FormatError, match="format 99; this Lycosa reads formats 1 to 2"):
        decode_events(msgspec.msgpack.encode((99, [])))
