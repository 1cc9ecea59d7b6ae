"""The number that says whether answers about owners still hold."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from lycosa.model.records import Taken
from lycosa.storage.log.format import encode
from lycosa.storage.log.ownership import Takes
from lycosa.storage.log.protocol import Take
from lycosa.storage.log.sqlite import SqliteLog


def test_the_number_is_odd_while_a_partition_is_taken(tmp_path: Path) -> None:
    takes, other = Takes(tmp_path / "takes"), Takes(tmp_path / "takes")
    before = takes.number()
    assert before % 2 == 0
    with takes.changing():
        assert other.number() % 2 == 1
    assert other.number() % 2 == 0
    assert other.number() != before
    with pytest.raises(ValueError, match="superseded"), other.changing():
        raise ValueError("superseded")
    assert takes.number() % 2 == 0
    takes.close()
    other.close()


def test_who_dies_while_taking_leaves_it_odd_and_the_next_one_mends_it(tmp_path: Path) -> None:
    takes = Takes(tmp_path / "takes")
    child = os.fork()
    if child == 0:
        with takes.changing():
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    odd = takes.number()
    assert odd % 2 == 1
    with takes.changing():
        assert takes.number() % 2 == 1
        assert takes.number() != odd
    assert takes.number() % 2 == 0
    takes.close()


def test_an_owner_learns_of_the_next_one_in_another_process_at_once(tmp_path: Path) -> None:
    log, other = SqliteLog(tmp_path, 2), SqliteLog(tmp_path, 2)
    log.take("first", [Take(0, 0, encode([Taken(1.0, "first")]))])
    for _ in range(3):
        assert (log.owner(0), log.owner(1), other.owner(0)) == ("first", "", "first")
    other.take("second", [Take(0, 1, encode([Taken(2.0, "second")]))])
    assert (log.owner(0), other.owner(0)) == ("second", "second")
    log.close()
    other.close()
