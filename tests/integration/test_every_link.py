"""Every link of a page is a row of `links`; what is not followed stands there and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from lycosa.model.job import Job
from lycosa.model.records import Request
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.archive.reader import table
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, Reply
from lycosa_testweb.webs.graph import GraphWeb

A, LATE, OUT = "http://www.a.test/", "http://www.b.test/late", "http://www.out.test/x"
C = f"{A}c"
BODY = f"""<html><title>C</title>
<a href=/d>down</a> <a href="/nf" rel="ugc nofollow">not this</a> <a href="{OUT}">out</a>
<img src=/i.png alt="a picture"> <script src=/s.js></script> <a href="/d?q">asks</a>
<a href="mailto:a@a.test">mail</a> <a href="/rejected">no</a> <a href="/d#again">down again</a>
<a href="/no" rel=nofollow>no</a> <a href="./no">yes</a>
</html>"""

FETCHED = {A, f"{A}a", f"{A}b", C, LATE, f"{A}d", f"{A}d?q", f"{A}no"}


class Drawn(GraphWeb):
    """The seed leads to C by three links, and late by two; C has links of every kind."""

    def __init__(self) -> None:
        late = {A: [f"{A}a", LATE], f"{A}a": [f"{A}b"], f"{A}b": [C], LATE: [C], f"{A}d": []}
        linked = [f"{A}d?q", f"{A}nf", f"{A}i.png", f"{A}s.js", f"{A}rejected", f"{A}no", OUT]
        super().__init__(late | dict.fromkeys([C, *linked], ()), latency=self._seconds)
        self.asked: list[str] = []

    @staticmethod
    def _seconds(url: str) -> float:
        return 1.5 if url == LATE else 0.01

    def answer(self, request: Request, moment: float) -> Reply:
        self.asked.append(request.url)
        if request.url == C:
            return Reply(200, HTML, BODY.encode(), 0.01)
        return super().answer(request, moment)


def crawl(folder: Path, **extract: object) -> tuple[Drawn, Path]:
    web = Drawn()
    with SocketWeb(web) as server:
        job = Job.of(
            seeds=[A],
            rules=[
                {"action": "reject", "prefix": "http://www.a.test/rejected"},
                {"action": "accept", "suffix": "a.test"},
                {"action": "accept", "suffix": "b.test"},
            ],
            limits={"depth_static": 3, "depth_dynamic": 3, "free_disk_bytes": 0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
            discovery={"mining": "off"},
            robots={"sitemaps": False},
            extract=extract,
        )
        directory = CrawlDirectory.create(folder, job)
        assert run_crawl(directory).reason == "exhausted"
    return web, directory.path


def links_of(folder: Path) -> dict[str, dict[str, Any]]:
    found = [row for row in table(folder, "links").to_pylist() if row["source_url"] == C]
    assert len({(row["target_url"], row["kind"]) for row in found}) == len(found)
    return {row["target_url"]: row for row in found}


def outlinks(folder: Path) -> set[str]:
    """Return what the record of C names."""
    named = set()
    for path in (folder / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                header = record.rec_headers.get_header
                if header("WARC-Type") == "metadata" and header("WARC-Target-URI") == C:
                    for line in record.content_stream().read().decode().splitlines():
                        if line.startswith("outlink: "):
                            named.add(line.split()[1])
    return named


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Drawn, Path]:
    return crawl(tmp_path_factory.mktemp("every") / "crawl")


def test_a_shorter_way_found_late_passes_on_what_is_followed_and_nothing_else(
    crawled: tuple[Drawn, Path],
) -> None:
    web, folder = crawled
    pages = [url for url in web.asked if not url.endswith("/robots.txt")]
    assert sorted(pages) == sorted(FETCHED)
    assert pages.index(C) < pages.index(LATE) or pages.count(C) == 1
    rows = links_of(folder)
    assert rows[f"{A}d"]["reason"] == "too-deep"  # until the shorter way was found
    assert outlinks(folder) == {f"{A}d", f"{A}d?q", f"{A}no"}


def test_every_link_is_a_row_with_the_reason(crawled: tuple[Drawn, Path]) -> None:
    rows = links_of(crawled[1])
    assert {url: (row["kind"], row["reason"]) for url, row in rows.items()} == {
        f"{A}d": ("anchor", "too-deep"),
        f"{A}nf": ("anchor", "nofollow"),
        OUT: ("anchor", "out-of-scope"),
        f"{A}i.png": ("image", "requisite"),
        f"{A}s.js": ("script", "requisite"),
        f"{A}d?q": ("anchor", "too-deep"),
        "mailto:a@a.test": ("anchor", "scheme"),
        f"{A}rejected": ("anchor", f"reject:prefix {A}rejected"),
        f"{A}no": ("anchor", "too-deep"),
    }
    down, out, picture = rows[f"{A}d"], rows[OUT], rows[f"{A}i.png"]
    assert (down["position"], down["times"], down["text"]) == (1, 2, "down")
    assert (out["position"], out["text"], picture["text"]) == (3, "out", "a picture")
    assert rows[f"{A}nf"]["rel"] == "ugc nofollow"
    assert rows[f"{A}no"]["times"] == 2  # one of the two is not marked
    pages = {row["url"]: row["url_id"] for row in table(crawled[1], "pages").to_pylist()}
    assert down["target_id"] == pages[f"{A}d"]
    assert down["source_id"] == pages[C]


def test_a_setting_keeps_out_what_is_not_followed(tmp_path: Path) -> None:
    web, folder = crawl(tmp_path / "crawl", links="followed")
    assert {url for url in web.asked if not url.endswith("/robots.txt")} == FETCHED
    assert set(links_of(folder)) == {f"{A}d", f"{A}d?q", f"{A}no"}


def test_requisites_are_followed_where_the_job_fetches_them(tmp_path: Path) -> None:
    web, folder = crawl(tmp_path / "crawl", requisites=True)
    reasons = {url: row["reason"] for url, row in links_of(folder).items()}
    assert (reasons[f"{A}i.png"], reasons[f"{A}s.js"]) == ("followed", "followed")
    assert f"{A}i.png" in web.asked
    assert f"{A}nf" not in web.asked
