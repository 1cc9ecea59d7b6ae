from __future__ import annotations

import json
from pathlib import Path

from lycosa.crawl.status.progress import Progress
from lycosa.runtime.orders.live import FRESH_SECONDS, NAME, Frame, read_frame, write_frame

PROGRESS = Progress(1.0, 2, 3, 4, 5.0, 6, 7, {"idle": 1}, {"kept": 2}, {}, 8.0)


def frame(moment: float = 100.0) -> Frame:
    return Frame(12, moment, "paused", PROGRESS._asdict(), limits={"pages": 5}, order=3)


def test_a_frame_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_frame(tmp_path, frame())
    found = read_frame(tmp_path)
    assert found == frame()
    assert found.figures() == PROGRESS
    assert json.loads((tmp_path / NAME).read_text())["version"] == 1


def test_a_file_that_is_none_or_no_frame_is_no_frame(tmp_path: Path) -> None:
    assert read_frame(tmp_path) is None
    (tmp_path / NAME).write_text("{")
    assert read_frame(tmp_path) is None


def test_figures_of_another_release_are_left_out(tmp_path: Path) -> None:
    data = json.loads(b"{}") | {"pid": 1, "moment": 1.0, "state": "ended"}
    data["progress"] = PROGRESS._asdict() | {"comets": 3}
    (tmp_path / NAME).write_text(json.dumps(data))
    found = read_frame(tmp_path)
    assert found is not None and found.figures() == PROGRESS


def test_a_frame_is_fresh_for_some_seconds() -> None:
    assert frame().is_fresh(100.0 + FRESH_SECONDS)
    assert not frame().is_fresh(100.1 + FRESH_SECONDS)
