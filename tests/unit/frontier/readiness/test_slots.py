"""Processes take an address in turn, and one that dies owes a pause."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa.errors import LogError
from lycosa.frontier.readiness.slots import SLOTS, AddressSlots, runtime_folder, slot_of

ADDRESS = "192.0.2.7"


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_slot_is_held_by_one_at_a_time(tmp_path: Path, clock: Clock) -> None:
    # Two open files stand for two processes: the locks are the open files'.
    one, other = AddressSlots(tmp_path, clock), AddressSlots(tmp_path, clock)
    assert one.take(ADDRESS, 0.5) == 0
    assert other.take(ADDRESS, 0.5) > 0
    assert one.take(ADDRESS, 0.5) > 0
    assert other.take("192.0.2.8", 0.5) == 0
    one.let_go(ADDRESS, 0.5)
    assert other.take(ADDRESS, 0.5) == pytest.approx(0.5)
    clock.now += 0.3
    assert other.take(ADDRESS, 0.5) == pytest.approx(0.2)
    clock.now += 0.2
    assert other.take(ADDRESS, 0.5) == 0
    assert one.take(ADDRESS, 0.5) > 0
    one.close()
    other.close()


def test_the_pause_is_that_of_whoever_asked(tmp_path: Path, clock: Clock) -> None:
    one, other = AddressSlots(tmp_path, clock), AddressSlots(tmp_path, clock)
    assert one.take(ADDRESS, 5.0) == 0
    one.let_go(ADDRESS, 5.0)
    assert other.take(ADDRESS, 0.1) == pytest.approx(5.0)
    one.close()
    other.close()


def test_a_process_that_was_killed_owes_a_pause_from_when_it_is_noticed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path;"
        "from lycosa.frontier.readiness.slots import AddressSlots;"
        "slots = AddressSlots(Path(sys.argv[1])); print(slots.take(sys.argv[2], 0.5), flush=True);"
        "sys.stdin.read()"
    )
    command = [sys.executable, "-c", script, str(tmp_path), ADDRESS]
    pipe = subprocess.PIPE
    slots = AddressSlots(tmp_path)
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "0.0\n"
        assert slots.take(ADDRESS, 0.5) > 0
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert slots.take(ADDRESS, 60.0) == pytest.approx(60.0)
    assert 0 < slots.take(ADDRESS, 60.0) < 60.0
    slots.close()


def test_an_address_falls_into_the_same_slot_everywhere() -> None:
    assert slot_of("127.0.0.1") == 47015
    assert all(0 <= slot_of(f"2001:db8::{n:x}") < SLOTS for n in range(1000))


def test_the_folder_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LYCOSA_RUNTIME_DIR", str(tmp_path / "named"))
    assert runtime_folder() == tmp_path / "named"
    assert (tmp_path / "named").stat().st_mode & 0o777 == 0o700
    monkeypatch.delenv("LYCOSA_RUNTIME_DIR")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    assert runtime_folder() == tmp_path / "run" / "lycosa"
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert runtime_folder() == tmp_path / f"lycosa-{os.getuid()}"


def test_a_folder_that_cannot_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LYCOSA_RUNTIME_DIR", str(tmp_path / "file" / "below"))
    with pytest.raises(LogError, match="LYCOSA_RUNTIME_DIR"):
        runtime_folder()
