"""The pictures of docs/howto/choose-a-scheduler.md show what the schedulers do."""

from __future__ import annotations

import runpy
from pathlib import Path

from lycosa.model.job import SCHEDULERS

ROOT = Path(__file__).parents[4]


def test_the_pictures_are_what_the_schedulers_choose() -> None:
    drawing = runpy.run_path(str(ROOT / "docs/pictures/draw_schedulers.py"))
    for path, svg in drawing["pictures"]().items():
        assert path.read_text(encoding="utf-8") == svg, "run docs/pictures/draw_schedulers.py"


def test_every_scheduler_has_its_chapter_and_its_picture() -> None:
    page = (ROOT / "docs/howto/choose-a-scheduler.md").read_text(encoding="utf-8")
    for name in SCHEDULERS:
        assert f"\n## {name}\n" in page
        assert f"(../pictures/scheduler-{name}.svg)" in page
