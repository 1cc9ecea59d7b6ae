"""Crawls from Python over real sockets: waited for, beside a loop, stopped, killed, read."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lycosa import Crawl, Job, LycosaError, Page, Plugin, SeenPage, run, run_async
from lycosa.crawl.status.progress import Progress
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.servers.server import SocketWeb
from seeds import few_of
from warm import lycosa

HOSTS = 6
PAGES = 40
"""Of one host: a tree of four levels with three children a page."""


@pytest.fixture(scope="module")
def web() -> Iterator[SocketWeb]:
    with SocketWeb(GeneratedWeb.tree(4, 3, hosts=HOSTS), tls=False) as server:
        yield server


def job(web: SocketWeb, delay: float = 0.01, **sections: Any) -> Job:
    return Job.of(
        ["http://www.s0.test/"],
        limits={"free_disk_bytes": 0} | sections.pop("limits", {}),
        politeness={
            "delay_seconds": delay,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
        },
        fetch={"allow_private": True, "hosts_file": str(web.hosts_file)},
        frontier={"partitions": 2} | sections.pop("frontier", {}),
        log={"commit_seconds": 0.05},
        extract={"soft_404_after": 0},
        robots={"sitemaps": False},
        **sections,
    )


def words(page: SeenPage) -> None:
    page["words"] = len(page.text.split())


COUNTING = Plugin("counting", columns={"words": int}, on_page=words)


def test_what_was_crawled_can_be_read(web: SocketWeb, tmp_path: Path) -> None:
    crawl = run(tmp_path / "c", job(web))
    assert (crawl.reason, crawl.outcomes(), crawl.pending) == ("exhausted", {"kept": PAGES}, 0)
    pages = list(crawl.pages())
    assert len({page.url for page in pages}) == PAGES
    assert {page.depth for page in pages} == {0, 1, 2, 3}
    first = next(page for page in pages if not page.depth)
    assert (first.url, first.outcome, first.status) == ("http://www.s0.test/", "kept", 200)
    assert (first.title, first.language, first.extra) == ("Tree root", "en", {})
    assert first.began <= first.ended == first.fetched_at
    links = list(crawl.links())
    assert {link.target_url for link in links} == {p.url for p in pages} - {first.url}
    assert {link.source_url for link in links} <= {page.url for page in pages}
    assert {link.source_id for link in links} <= {page.url_id for page in pages}
    assert {text.url for text in crawl.texts()} == {page.url for page in pages}
    assert [page.url for page in crawl.hosts()] == ["http://www.s0.test/robots.txt"]
    assert audit(CrawlDirectory.open(crawl.path)).is_clean


def test_rows_are_narrowed_down(web: SocketWeb, tmp_path: Path) -> None:
    crawl = run(tmp_path / "c", job(web))
    under = "http://www.s0.test/1/"
    wanted = {page.url for page in crawl.pages() if page.url.startswith(under)}
    assert len(wanted) == 13
    assert {page.url for page in crawl.pages(prefix=under)} == wanted
    assert {text.url for text in crawl.texts(prefix=under)} == wanted
    assert {link.source_url for link in crawl.links(prefix=under)} <= wanted
    assert len(list(crawl.links(prefix=under))) == 12
    assert {record.url for record in crawl.records(prefix=under)} == wanted
    assert len(list(crawl.pages(host="www.S0.test"))) == PAGES
    assert list(crawl.pages(host="www.s1.test")) == []
    assert list(crawl.links(outcome="not_found")) == []
    with pytest.raises(LycosaError, match="there is no outcome `keep`"):
        next(crawl.pages(outcome="keep"))


def test_records_are_what_was_sent(web: SocketWeb, tmp_path: Path) -> None:
    crawl = run(tmp_path / "c", job(web))
    record = crawl.find("HTTP://www.s0.test:80/1/")
    assert record is not None
    assert record.head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert record.body.startswith(b"<!doctype html>")
    (page,) = (page for page in crawl.pages() if page.url == record.url)
    assert crawl.record(page) == record
    assert crawl.find("http://www.s0.test/nowhere") is None
    with pytest.raises(LycosaError, match="there was no answer"):
        crawl.record(page._replace(warc=None))


def test_columns_can_be_had_whole(web: SocketWeb, tmp_path: Path) -> None:
    crawl = run(tmp_path / "c", job(web), plugins=[COUNTING])
    table = crawl.table("pages", ["words", "url"]).read_all()
    assert table.column_names == ["words", "url"]
    assert table.to_pylist() == [
        {"words": page.extra["words"], "url": page.url} for page in crawl.pages()
    ]
    assert crawl.table("links").read_all().num_rows == PAGES - 1
    with pytest.raises(LycosaError, match="has no column `word`"):
        crawl.table("pages", ["word"])
    with pytest.raises(LycosaError, match="there is no table `page`"):
        crawl.table("page")


def test_a_crawl_goes_on_with_the_same_job_and_no_other(web: SocketWeb, tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def enough(progress: Progress) -> None:
        if progress.pages >= 3:
            raise Enough

    mine = job(web, 0.03)
    with pytest.raises(Enough):
        run(tmp_path / "c", mine, on_progress=enough, progress_seconds=0.02)
    stopped = Crawl(tmp_path / "c")
    assert 3 <= len(list(stopped.pages())) < PAGES
    assert stopped.reason is None
    with pytest.raises(LycosaError, match="with another job"):
        run(tmp_path / "c", job(web, 0.04))
    assert run(tmp_path / "c", mine, plugins=[]).outcomes() == {"kept": PAGES}
    assert run(tmp_path / "c").pending == 0


def test_a_plugin_that_comes_later_adds_its_column_from_then_on(
    web: SocketWeb, tmp_path: Path
) -> None:
    first = run(tmp_path / "c", job(web, limits={"pages": 5}))
    assert first.reason == "pages"
    text = (tmp_path / "c" / "crawl.toml").read_text()
    (tmp_path / "c" / "crawl.toml").write_text(text.replace("\npages = 5\n", "\npages = 0\n"))
    crawl = run(tmp_path / "c", plugins=[COUNTING])
    assert crawl.job.plugins.use == ("counting",)
    values = [row["words"] for row in crawl.table("pages").read_all().to_pylist()]
    assert sorted(value is None for value in values) == [False] * (PAGES - 5) + [True] * 5
    assert sum("words" not in page.extra for page in crawl.pages()) == 5
    with pytest.raises(LycosaError, match="there is no plugin `counting`"):
        run(tmp_path / "c")


def test_an_unknown_plugin_leaves_no_folder_behind(web: SocketWeb, tmp_path: Path) -> None:
    with pytest.raises(LycosaError, match="there is no plugin `nobody`"):
        run(tmp_path / "c", job(web, plugins={"use": ["nobody"]}))
    assert not (tmp_path / "c").exists()


def test_a_loop_goes_on_beside_a_crawl_and_reads_it(web: SocketWeb, tmp_path: Path) -> None:
    turns = 0
    seen: list[list[Page]] = []

    def look(progress: Progress) -> None:
        assert threading.current_thread() is threading.main_thread()
        seen.append(list(Crawl(tmp_path / "c").pages()))

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)

    async def main() -> Crawl:
        turning = asyncio.create_task(turn())
        crawl = await run_async(
            tmp_path / "c", job(web, 0.02), on_progress=look, progress_seconds=0.1
        )
        turning.cancel()
        return crawl

    crawl = asyncio.run(main())
    assert (crawl.reason, crawl.outcomes()) == ("exhausted", {"kept": PAGES})
    assert turns > len(seen) > 1
    sizes = [len(pages) for pages in seen]
    assert sizes == sorted(sizes)
    assert any(0 < size < PAGES for size in sizes)


def test_a_cancelled_crawl_stops_cleanly_and_goes_on_later(web: SocketWeb, tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def main() -> None:
        crawling = asyncio.create_task(
            run_async(
                tmp_path / "c",
                job(web, 0.05),
                on_progress=lambda progress: begun.set() if progress.pages else None,
                progress_seconds=0.02,
            )
        )
        await begun.wait()
        crawling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await crawling

    asyncio.run(main())
    kept = [page.url for page in Crawl(tmp_path / "c").pages()]
    assert 0 < len(kept) < PAGES
    assert not list((tmp_path / "c").glob("*/*.arrows")), "a clean stop seals"
    assert len(list(run(tmp_path / "c").pages())) == PAGES


def test_a_second_cancellation_stops_at_once(web: SocketWeb, tmp_path: Path) -> None:
    async def main() -> None:
        crawling = asyncio.create_task(run_async(tmp_path / "c", job(web, 0.05)))
        while not (tmp_path / "c" / "log").exists():
            await asyncio.sleep(0.01)
        crawling.cancel()
        await asyncio.sleep(0)
        crawling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await crawling

    asyncio.run(main())
    assert run(tmp_path / "c").outcomes() == {"kept": PAGES}


def test_what_an_async_listener_raises_comes_out(web: SocketWeb, tmp_path: Path) -> None:
    def fail(progress: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(
            run_async(tmp_path / "c", job(web, 0.05), on_progress=fail, progress_seconds=0.02)
        )
    assert Crawl(tmp_path / "c").pending


def test_two_crawls_run_beside_each_other(web: SocketWeb, tmp_path: Path) -> None:
    before = gc.get_threshold(), logging.getLogger("lycosa").level
    other = dataclasses.replace(job(web), seeds=("http://www.s1.test/",))

    async def main() -> tuple[Crawl, Crawl]:
        return await asyncio.gather(
            run_async(tmp_path / "a", job(web, limits={"pages": 10})),
            run_async(tmp_path / "b", other),
        )

    first, second = asyncio.run(main())
    assert (first.outcomes(), second.outcomes()) == ({"kept": 10}, {"kept": PAGES})
    assert {page.host for page in second.pages()} == {"www.s1.test"}
    assert (gc.get_threshold(), logging.getLogger("lycosa").level) == before


def test_run_refuses_to_block_a_loop(tmp_path: Path) -> None:
    async def main() -> None:
        run(tmp_path / "c", Job())

    with pytest.raises(LycosaError, match="await run_async"):
        asyncio.run(main())


def test_signals_and_the_collector_are_left_as_they_were(web: SocketWeb, tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT), gc.get_threshold()
    run(tmp_path / "c", job(web, limits={"pages": 1}))
    after = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT), gc.get_threshold()
    assert after == before
    assert gc.get_freeze_count() == 0


SCRIPT = """\
import sys
from lycosa import Job, Plugin, run

def look(page):
    page["words"] = len(page.text.split())
    page.add_link("/added.html")
    if page.url.endswith("/2/"):
        raise ValueError("not this one")

plugin = Plugin("p", columns={"words": int}, on_page=look)
print(run(sys.argv[1], Job.read(sys.argv[2]), plugins=[plugin]).reason)
"""


@pytest.mark.parametrize(
    "place", few_of(["answer.stored:9", "commit.flushed:4", "send.after:12"], 1)
)
def test_a_killed_crawl_loses_nothing_that_hooks_said(
    place: str, web: SocketWeb, tmp_path: Path
) -> None:
    (tmp_path / "job.toml").write_text(job(web).to_toml())
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py", "c", "job.toml"]
    killed = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"LYCOSA_KILL_AT": place}, timeout=60, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    resumed = subprocess.run(
        command, cwd=tmp_path, timeout=60, check=True, capture_output=True, text=True
    )
    assert resumed.stdout == "exhausted\n"
    crawl = Crawl(tmp_path / "c")
    pages = list(crawl.pages())
    assert len({page.url for page in pages}) == len(pages)
    failed = {page.url for page in pages if page.outcome == "hook_failed"}
    assert failed == {f"http://www.s0.test/{path}" for path in ("2/", "1/2/", "3/2/")}
    kept = [page for page in pages if page.outcome == "kept"]
    assert len(kept) == PAGES - 13 - 2 * 4
    assert all(page.extra["words"] for page in kept)
    assert crawl.outcomes() == {"kept": len(kept), "hook_failed": 3, "not_found": 1}


def test_the_command_line_tells_what_a_plugin_did(web: SocketWeb, tmp_path: Path) -> None:
    def look(page: SeenPage) -> None:
        if page.url.endswith("/3/"):
            raise ValueError("odd page")

    path = tmp_path / "c"
    run(path, job(web), plugins=[Plugin("looking", on_page=look)])
    assert "plugins     looking" in lycosa("status", path).stdout
    explained = lycosa("explain", path, "http://www.s0.test/3/")
    assert "has ended: hook failed (hook_failed); a plugin raised" in explained.stdout
    log = (path / "lycosa.log").read_text()
    assert "on_page failed on http://www.s0.test/3/: ValueError: odd page\nTraceback" in log
    assert "plugin looking: on_page was called" in log
    resumed = lycosa("resume", path)
    assert resumed.returncode == 6
    assert "there is no plugin `looking`" in resumed.stderr
    assert "3 URLs back in the queue" in lycosa("retry", path).stdout
    assert run(path, plugins=[Plugin("looking")]).outcomes()["kept"] == PAGES


SHELF = """\
import os
from lycosa import Plugin

def look(page):
    page["process"] = os.getpid()
    if page.url.endswith("/3/"):
        raise ValueError("odd page")

class Broken:
    def __init__(self, pending):
        self.ready = 0

    def __getattr__(self, name):
        raise RuntimeError("no order today")

found = Plugin(
    "any",
    columns={"process": int},
    on_page=look,
    on_url=lambda url: False if "/2/" in url else None,
    schedulers={"broken": Broken},
)
"""


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package with a plugin, on the path of this process and its children."""
    folder = tmp_path / "packages"
    info = folder / "shelf-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lycosa.plugins]\nshelved = shelf_for_workers:found\n")
    (folder / "shelf_for_workers.py").write_text(SHELF)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))


def test_every_worker_loads_the_plugins_of_the_job(
    shelf: None, web: SocketWeb, tmp_path: Path
) -> None:
    wanted = dataclasses.replace(
        job(web, plugins={"use": ["shelved"]}, crawl={"workers": 2}, frontier={"partitions": 8}),
        seeds=tuple(f"http://www.s{number}.test/" for number in range(HOSTS)),
    )
    crawl = asyncio.run(run_async(tmp_path / "c", wanted))
    assert crawl.reason == "exhausted"
    kept = list(crawl.pages(outcome="kept"))
    assert len({page.host for page in kept}) == HOSTS
    processes = {page.extra["process"] for page in kept}
    assert os.getpid() not in processes
    assert len(processes) == 2
    assert not any("/2/" in page.url or page.url.endswith("/3/") for page in kept)
    assert crawl.outcomes()["hook_failed"] == 2 * HOSTS
    assert crawl.refusals()["hook:shelved"] > 0
    log = (tmp_path / "c" / "lycosa.log").read_text()
    assert "on_page failed on http://www.s0.test/3/: ValueError: odd page\nTraceback" in log
    assert "plugin shelved: on_page was called" in log


def test_an_order_that_fails_in_a_worker_ends_the_crawl_which_stays_resumable(
    shelf: None, web: SocketWeb, tmp_path: Path
) -> None:
    for workers in (1, 2):
        path = tmp_path / f"c{workers}"
        wanted = job(
            web,
            plugins={"use": ["shelved"]},
            crawl={"workers": workers},
            frontier={"scheduler": "shelved:broken"},
        )
        with pytest.raises(
            LycosaError, match=r"`shelved:broken` .* failed: RuntimeError: no order"
        ):
            run(path, wanted)
        file = path / "crawl.toml"
        file.write_text(file.read_text().replace("shelved:broken", "breadth-first"))
        assert run(path).reason == "exhausted"


def test_a_crawl_of_workers_is_stopped_from_a_loop(web: SocketWeb, tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def main() -> None:
        crawling = asyncio.create_task(
            run_async(
                tmp_path / "c",
                job(web, 0.1, crawl={"workers": 2}),
                on_progress=lambda progress: begun.set() if progress.pages else None,
                progress_seconds=0.1,
            )
        )
        await begun.wait()
        crawling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await crawling

    asyncio.run(main())
    assert 0 < len(list(Crawl(tmp_path / "c").pages())) < PAGES
    assert run(tmp_path / "c").outcomes() == {"kept": PAGES}
