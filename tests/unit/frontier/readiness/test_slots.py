"""Processes take an address in turn, and one that dies owes a pause."""

from __future__ import annotations

import math
import os
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa.errors import LogError
from lycosa.frontier.readiness.slots import (
    BUSY_SECONDS,
    LONGEST_SECONDS,
    SLOTS,
    WAITING_SECONDS,
    AddressSlots,
    runtime_folder,
    slot_of,
)

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


def test_an_address_that_another_process_asks_is_named_for_seconds(
    tmp_path: Path, clock: Clock
) -> None:
    ours, theirs = AddressSlots(tmp_path, clock), AddressSlots(tmp_path, clock)
    assert theirs.take(ADDRESS, 0.5) == 0
    assert ours.asked_elsewhere == "" and ours.take("192.0.2.8", 0.5) == 0
    ours.take("192.0.2.8", 0.5)
    assert ours.asked_elsewhere == "", "an address that we ask ourselves"
    assert ours.take(ADDRESS, 0.5) > 0
    assert ours.asked_elsewhere == ADDRESS
    theirs.let_go(ADDRESS, 30.0)
    clock.now += 11
    assert ours.asked_elsewhere == ""
    assert ours.take(ADDRESS, 0.5) == pytest.approx(19.0)
    assert ours.asked_elsewhere == ADDRESS, "it rests after a request of the other"
    ours.close()
    theirs.close()


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


@pytest.mark.parametrize("pause", [0.0, 0.5])
@pytest.mark.parametrize("moment", [1e300, math.inf, math.nan, 1000.0 + 10 * LONGEST_SECONDS])
def test_a_moment_that_nobody_can_have_meant_begins_the_usual_pause(
    tmp_path: Path, clock: Clock, moment: float, pause: float
) -> None:
    slots = AddressSlots(tmp_path, clock)
    with slots.path.open("r+b") as file:
        file.seek(8 * slot_of(ADDRESS))
        file.write(struct.pack("d", moment))
    wait = slots.take(ADDRESS, pause)
    assert wait == pytest.approx(pause)
    if pause:
        clock.now += pause
        assert slots.take(ADDRESS, pause) == 0
    slots.close()


def test_the_longest_pause_is_obeyed(tmp_path: Path, clock: Clock) -> None:
    """Of any process, and beyond that the one that this process itself keeps."""
    one, other = AddressSlots(tmp_path, clock), AddressSlots(tmp_path, clock)
    for address, pause in ((ADDRESS, LONGEST_SECONDS), ("192.0.2.8", 3 * LONGEST_SECONDS)):
        assert one.take(address, pause) == 0
        one.let_go(address, pause)
        assert one.take(address, pause) == pytest.approx(pause)
    assert other.take(ADDRESS, 0.5) == pytest.approx(LONGEST_SECONDS)
    one.close()
    other.close()


def test_a_lock_without_a_pause_is_kept_until_others_are_let_in(
    tmp_path: Path, clock: Clock
) -> None:
    one, other = AddressSlots(tmp_path, clock), AddressSlots(tmp_path, clock)
    assert one.take(ADDRESS, 0.0) == 0
    one.let_go(ADDRESS, 0.0, keeps=True)
    assert list(one.kept) == [slot_of(ADDRESS)]
    assert one.take(ADDRESS, 0.0) == 0 and not one.kept
    assert one.take(ADDRESS, 0.0) > 0  # it is asked, and not asked twice at once
    one.let_go(ADDRESS, 0.0, keeps=True)
    one.let_others_in()
    assert not one.kept
    assert other.take(ADDRESS, 0.0) == 0
    assert one.take(ADDRESS, 0.0) > 0
    one.close()
    other.close()


def test_a_lock_with_a_pause_is_not_kept(tmp_path: Path, clock: Clock) -> None:
    slots = AddressSlots(tmp_path, clock)
    assert slots.take(ADDRESS, 0.5) == 0
    slots.let_go(ADDRESS, 0.5, keeps=True)
    assert not slots.kept
    assert slots.take(ADDRESS, 0.5) == pytest.approx(0.5)
    slots.close()


def test_a_lock_is_not_kept_while_another_process_waits_nor_for_long(
    tmp_path: Path, clock: Clock
) -> None:
    one, other = AddressSlots(tmp_path, clock), AddressSlots(tmp_path, clock)
    assert one.take(ADDRESS, 0.0) == 0
    wait = other.take(ADDRESS, 0.0)
    assert 0 < wait < WAITING_SECONDS
    one.let_go(ADDRESS, 0.0, keeps=True)
    assert not one.kept
    assert other.take(ADDRESS, 0.0) == 0
    other.let_go(ADDRESS, 0.0)
    clock.now += WAITING_SECONDS + 0.1  # the other has gone
    assert one.take(ADDRESS, 0.0) == 0
    one.let_go(ADDRESS, 0.0, keeps=True)
    assert one.kept
    clock.now += 2 * BUSY_SECONDS
    assert one.take(ADDRESS, 0.0) == 0
    one.let_go(ADDRESS, 0.0, keeps=True)
    assert not one.kept  # one of an earlier release could not have said that it waits
    one.close()
    other.close()


ASKER = """
import sys, time
from pathlib import Path
from lycosa.frontier.readiness.slots import AddressSlots
slots, began, asked = AddressSlots(Path(sys.argv[1])), time.monotonic(), Path(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
turns = 0
while turns < 40:
    wait = slots.take(sys.argv[2], 0.0)
    if wait:
        time.sleep(wait)
        continue
    asked.touch(exist_ok=False)  # fails while the other process asks
    time.sleep(0.001)
    asked.unlink()
    turns += 1
    slots.let_go(sys.argv[2], 0.0, keeps=True)
    if turns % 7 == 0:  # the loop would sleep now
        slots.let_others_in()
        time.sleep(0.001)
slots.let_others_in()
print(turns, flush=True)
sys.stdin.readline()
"""


def test_two_processes_without_a_pause_go_on_and_never_ask_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ASKER, str(tmp_path), ADDRESS, str(tmp_path / "asked")]
    pipe = subprocess.PIPE
    both = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(2)
    ]
    try:
        for one in both:
            assert one.stdout is not None and one.stdout.readline() == "ready\n"
        for one in both:
            assert one.stdin is not None
            one.stdin.write("\n")
            one.stdin.flush()
        # Neither ends before both have had all their turns, so neither waits for the other's end.
        assert [one.stdout.readline() for one in both if one.stdout] == ["40\n", "40\n"]
    finally:
        for one in both:
            one.communicate("\n", timeout=60)
    assert [one.returncode for one in both] == [0, 0]


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
