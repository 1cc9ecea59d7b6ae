"""Pages that are gone give their room back, and nothing else is touched."""

from __future__ import annotations

import random
from pathlib import Path

from lycosa.model.job import Job
from lycosa.model.records import Outcome, Request
from lycosa.operate.inspect.deletions import forget_deleted
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.verify.inspection import verify
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.archive.reader import find, table
from lycosa_testweb.web import HTML, PLAIN, Reply
from unit.crawl.drawn_web import DrawnWeb, crawl, linking
from warc_tools import check_folder

HOME, GONE, STAYS, COPY = (f"http://a.test/{name}" for name in ("", "gone", "stays", "copy"))
ORIGINAL = "http://a.test/original"
BEGAN = 1_700_000_000.0


def large(seed: int) -> Reply:
    """Return a page of 200 KB, of which compression leaves half."""
    words = random.Random(seed).randbytes(100_000).hex()
    return Reply(200, HTML, f"<title>{seed}</title><p>{words}".encode())


class Withering(DrawnWeb):
    """After a minute two of the pages are gone; a third has the bytes of one of them."""

    def answer(self, request: Request, moment: float) -> Reply:
        if moment > BEGAN + 60 and request.url in (GONE, ORIGINAL):
            return Reply(404, PLAIN, b"gone\n")
        return super().answer(request, moment)


def crawled(folder: Path) -> CrawlDirectory:
    job = Job.of(
        seeds=[HOME],
        discovery={"mining": "off"},
        extract={"soft_404_after": 0},
        politeness={"delay_seconds": 1.0, "large_site_delay_seconds": 1.0},
        limits={"seconds": 150},
        revisit={"seconds": 100},
    )
    directory = CrawlDirectory.create(folder, job)
    pages = {GONE: large(1), STAYS: large(2), ORIGINAL: large(3), COPY: large(3)}
    web = Withering({HOME: linking(GONE, STAYS, ORIGINAL, COPY), **pages})
    log = directory.log(job)
    crawl(web, job, folder, archive=ArchiveStore(folder), log=log, reason="seconds")
    log.close()
    return directory


def room_of(folder: Path) -> int:
    return sum(512 * path.stat().st_blocks for path in (folder / "warc").glob("*.gz"))


def test_a_deleted_page_gives_its_room_back(tmp_path: Path) -> None:
    directory = crawled(tmp_path)
    before = room_of(tmp_path)
    forgotten = forget_deleted(directory)
    assert forgotten.records == 1, "of two pages that are gone, on one of which a copy leans"
    freed = before - room_of(tmp_path)
    assert freed > 90_000, "most of a record of 100 KB"
    stored = find(tmp_path, GONE)
    assert stored is not None and stored.status == 404, "that it is gone is known still"
    for url, seed in ((STAYS, 2), (COPY, 3)):
        found = find(tmp_path, url)
        assert found is not None and found.body == large(seed).body
    rows = table(tmp_path, "pages", ["url", "outcome"]).to_pylist()
    assert [row["outcome"] for row in rows if row["url"] == GONE] == ["not_found"]
    texts = table(tmp_path, "text", ["url"]).column("url").to_pylist()
    assert GONE not in texts and STAYS in texts
    check_folder(tmp_path)
    assert verify(tmp_path).findings == []
    ended = {
        state.table.key(page): state.outcome_of(page)
        for state in directory.states(directory.job()).values()
        for page in range(len(state.table))
    }
    assert ended["test.a:/gone"] is Outcome.NOT_FOUND
    assert ended["test.a:/stays"] is Outcome.KEPT
    assert forget_deleted(directory).records == 0
