"""Frames of a crawl as the server shows them."""

from __future__ import annotations

import time
from pathlib import Path

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.live import Frame, write_frame
from lycosa.web.served import ServedCrawl


def test_a_frame_is_shown_as_soon_as_it_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    CrawlDirectory.create(folder, Job.of(seeds=["http://a.test/"]))
    crawl = ServedCrawl("crawl", folder)
    begin = time.time()
    for number in range(1, 20):
        before = crawl.written()
        write_frame(folder, Frame(1, begin + number, "ended", {"pages": number}))
        assert crawl.written() != before
        frame = crawl.frame()
        assert (frame.moment, frame.pages) == (begin + number, number)
        assert crawl.frame() is frame
    crawl.close()
