"""Figures of a running crawl go to a file: those that the job names, as often as it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lycosa.crawl.status.statistics import VALUES, StatisticsFile
from lycosa.errors import ConfigError
from lycosa.model.job import Job, Statistics
from lycosa.model.job.notify import FIGURES
from unit.cli.screen.moments import progress_of

PROGRESS = progress_of(
    seconds=12.34,
    pages=7,
    bytes=900,
    requests=11,
    pages_per_second=0.567,
    pending=3,
    in_flight=2,
    hosts={"awake": 1, "waiting": 4},
    outcomes={"kept": 7, "not_found": 2, "timeout": 1},
    refusals={"out-of-scope": 5},
    seconds_left=8.0,
    mined={"folder": [4, 3]},
    structured={"triples": 6},
)


class Clock:
    now = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now


def test_every_figure_has_a_value() -> None:
    assert tuple(VALUES) == FIGURES
    found = {name: value(PROGRESS) for name, value in VALUES.items()}
    assert found["errors"] == 3 and found["hosts"] == 5 and found["hosts_waiting"] == 4
    assert (found["guessed"], found["guessed_pages"], found["triples"]) == (4, 3, 6)


def test_a_line_is_written_at_every_interval_and_at_the_end(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "figures.csv"
    file = StatisticsFile(Statistics(str(path), 10.0, ("pages", "pending")), clock)
    for _ in range(25):
        file.look(PROGRESS)
        clock.now += 1.0
    file.write(PROGRESS)
    lines = path.read_text().splitlines()
    assert lines[:2] == ["moment,seconds,pages,pending", "2023-11-14T22:13:20Z,12.3,7,3"]
    moments = [line.partition(",")[0][-3:-1] for line in lines[1:]]
    assert moments == ["20", "30", "40", "45"]


def test_an_interval_between_two_looks_is_kept_on_average(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "figures.csv"
    file = StatisticsFile(Statistics(str(path), 1.5, ("pages",)), clock)
    for _ in range(30):
        file.look(PROGRESS)
        clock.now += 1.0
    assert len(path.read_text().splitlines()) == 1 + 20
    clock.now += 1000.0  # a machine that slept writes one line, not one for every interval
    for _ in range(3):
        file.look(PROGRESS)
    assert len(path.read_text().splitlines()) == 1 + 21


def test_a_resumed_crawl_appends_and_other_columns_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    for _ in range(2):
        StatisticsFile(Statistics(str(path), 10.0, ("pages",))).write(PROGRESS)
    assert [line.split(",")[-1] for line in path.read_text().splitlines()] == ["pages", "7", "7"]
    with pytest.raises(ConfigError, match="other columns: moment,seconds,pages\n  name another"):
        StatisticsFile(Statistics(str(path), 10.0, ("bytes",)))


def test_json_lines_name_their_figures(tmp_path: Path) -> None:
    path = tmp_path / "figures.jsonl"
    StatisticsFile(Statistics(str(path), 10.0, ("bytes", "errors"))).write(PROGRESS)
    line = json.loads(path.read_text())
    assert (line["bytes"], line["errors"], line["seconds"]) == (900, 3, 12.3)


def test_a_file_that_cannot_be_written_is_said_before_the_crawl(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be written: No such file"):
        StatisticsFile(Statistics(str(tmp_path / "no" / "figures.csv")))


def test_a_figure_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="speed"):
        Job.of(statistics={"file": "x.csv", "figures": ["speed"]})
