"""The mapped file that names the page which a process reads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lycosa.crawl.suspects import marks
from lycosa.crawl.suspects.marks import COUNT, NO_PAGE, PAGE, Mark, Overseer

DIES = """
import os, signal, sys
from lycosa.crawl.suspects.marks import Mark, PAGE, COUNT
mark = Mark(sys.argv[1], 3, 2.0, 5)
mark.words[PAGE] = 7 << 40 | 11
mark.words[COUNT] = 5
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_file_of_a_process_that_was_killed_names_the_page(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", DIES, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    (path,) = marks.files(str(tmp_path))
    words = marks.read(path)
    assert words is not None
    assert words.place == (7, 11)
    assert words.is_reading
    assert words.process
    assert (words.milliseconds, words.memory_bytes) == (2000, 5)


def test_the_file_of_a_process_that_ended_in_order_names_no_process(tmp_path: Path) -> None:
    mark = Mark(str(tmp_path), 0, 1.0, 0)
    mark.words[PAGE], mark.words[COUNT] = 1, 2
    mark.close()
    words = marks.read(marks.path_of(str(tmp_path), 0))
    assert words is not None
    assert words.process == 0


def test_an_end_while_a_page_is_read_is_a_death(tmp_path: Path) -> None:
    mark = Mark(str(tmp_path), 0, 1.0, 0)
    mark.words[COUNT] = 1
    mark.close()
    words = marks.read(marks.path_of(str(tmp_path), 0))
    assert words is not None
    assert words.process == os.getpid()


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"x" * 64)
    (tmp_path / "reading-0").symlink_to(other)
    with pytest.raises(OSError, match="symbolic links"):
        Mark(str(tmp_path), 0, 1.0, 0)
    assert marks.read(marks.path_of(str(tmp_path), 0)) is None
    assert other.read_bytes() == b"x" * 64


def test_a_file_of_another_kind_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "reading-1"
    path.write_bytes(b"x" * 64)
    assert marks.read(str(path)) is None
    path.unlink()
    os.mkfifo(path)
    assert marks.read(str(path)) is None


def test_a_robots_file_is_no_page() -> None:
    assert marks.Words((NO_PAGE, 1, 1, 0, 0, 0)).place is None


def test_a_page_that_is_read_for_too_long_is_seen(tmp_path: Path) -> None:
    mark = Mark(str(tmp_path), 0, 1.0, 0)
    overseer = Overseer(marks.path_of(str(tmp_path), 0), os.getpid())
    mark.words[COUNT] = 1
    looks = [overseer.look(step * 0.25) for step in range(1, 7)]
    assert looks[:5] == [""] * 5
    assert looks[5].startswith("one page has been read for 1 s")
    mark.words[COUNT] = 2
    assert overseer.look(1.75) == ""
    mark.close()


def test_many_pages_in_that_time_are_not_one_that_takes_long(tmp_path: Path) -> None:
    mark = Mark(str(tmp_path), 0, 1.0, 0)
    overseer = Overseer(marks.path_of(str(tmp_path), 0), os.getpid())
    for step in range(1, 20):
        mark.words[COUNT] = 2 * step + 1
        assert overseer.look(step * 0.25) == ""
    mark.close()


def test_a_watcher_that_was_suspended_counts_no_time(tmp_path: Path) -> None:
    mark = Mark(str(tmp_path), 0, 5.0, 0)
    overseer = Overseer(marks.path_of(str(tmp_path), 0), os.getpid())
    mark.words[COUNT] = 1
    assert [overseer.look(moment) for moment in (0.0, 0.25, 3600.0)] == [""] * 3
    mark.close()


def test_memory_that_one_page_takes_is_seen_and_that_of_before_is_not(tmp_path: Path) -> None:
    mark = Mark(str(tmp_path), 0, 0.0, 60_000_000)
    overseer = Overseer(marks.path_of(str(tmp_path), 0), os.getpid())
    mark.words[COUNT] = 2
    held = [b"x" * 100_000_000]
    assert overseer.look(0.25) == ""
    mark.words[COUNT] = 3
    assert overseer.look(0.5) == ""
    held.append(b"y" * 100_000_000)
    assert "MiB of memory" in overseer.look(0.75)
    mark.close()


def test_another_process_than_the_watched_one_is_left_alone(tmp_path: Path) -> None:
    mark = Mark(str(tmp_path), 0, 0.1, 1)
    mark.words[COUNT] = 1
    overseer = Overseer(marks.path_of(str(tmp_path), 0), os.getpid() + 1)
    assert [overseer.look(float(step)) for step in range(5)] == [""] * 5
    mark.close()
