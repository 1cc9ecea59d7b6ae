"""The list of pages equals the log and the tables: beside a crawl, after kills, after revisits."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from integration.small_servers import serving_site
from lycosa.analysis.page_list import copied_rows, copy, listing
from lycosa.analysis.page_list.columns import LISTED_NAMES
from lycosa.analysis.page_list.listing import NoCopy, PageList
from lycosa.analysis.page_list.question import FACETS, SHOWN, Question
from lycosa.cli.main import main
from lycosa.errors import LycosaError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.reader import rows as stored_rows
from lycosa.storage.log.sqlite_files import log_signature
from page_lists import Row, all_rows, by_log, list_of, site


def check(folder: Path, pages: PageList) -> list[Row]:
    """Compare the list with the log, and what the log does not say with the tables."""
    rows = all_rows(pages, sort="url", is_descending=False)
    told = {row["url"]: (row["outcome"], row["status"], row["fetched"]) for row in rows}
    assert len(told) == len(rows)
    assert told == by_log(folder)
    tables = {}
    for batch in stored_rows(folder, "pages"):
        for row in batch.to_pylist():
            if row["outcome"] != "rendered":
                moment = round(row["fetched_at"].timestamp() * 1_000_000)
                tables[row["url"], moment] = row
    for row in rows:
        assert set(row) == set(LISTED_NAMES) and None not in row.values()
        if row["fetched"]:
            stored = tables[row["url"], row["fetched"]]
            assert row["title"] == (stored["title"] or "").strip()
            assert row["size"] == (stored["size_bytes"] or 0)
            assert row["host"] == stored["host"]
            assert row["type"] == (stored["content_type"] or "").partition(";")[0].strip().lower()
    check_numbers(pages, rows)
    return rows


def check_numbers(pages: PageList, rows: list[Row]) -> None:
    counts = pages.counts(Question())
    assert counts.total == len(rows)
    for name in FACETS:
        assert counts.by[name] == dict(Counter(row[name] for row in rows))
    for outcome, number in counts.by["outcome"].items():
        assert len(all_rows(pages, outcome=outcome)) == number
        assert pages.counts(Question(outcome=outcome)).total == number
    assert pages.counts(Question(text="ünï page")).total == sum(
        "ünï" in searched(row) and "page" in searched(row) for row in rows
    )


def searched(row: Row) -> str:
    """Return the text in which words are looked for."""
    return f"{row['url']} {row['title']}".lower()


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every crawl need a copy."""
    monkeypatch.setattr(listing, "SMALL_TABLE_BYTES", 0)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("list") / "site"
    with serving_site(site) as port:
        words = ["crawl", f"http://127.0.0.1:{port}/", "-o", str(folder), "--quiet"]
        words += ["--delay", "1ms", "--set", "frontier.partitions=3", "--set", "crawl.workers=1"]
        assert main([*words, "--max-pages", "20"]) == 0
    return folder


def test_rows_and_numbers_are_those_of_log_and_tables(crawled: Path) -> None:
    rows = check(crawled, list_of(crawled))
    assert {"kept", "not_found", "disallowed", "pending"} <= {row["outcome"] for row in rows}


@pytest.mark.usefixtures("large")
def test_a_copy_gives_the_same_rows_in_every_order(crawled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    shutil.copytree(crawled, folder)
    with pytest.raises(NoCopy):
        list_of(folder).rows(Question())
    copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
    pages = list_of(folder)
    rows = check(folder, pages)
    for name in SHOWN:
        for is_descending in (False, True):
            found = all_rows(pages, sort=name, is_descending=is_descending, limit=11)
            wanted = sorted(rows, key=lambda row: row["url_id"])
            wanted.sort(key=lambda row: row[name], reverse=is_descending)
            assert [row["url"] for row in found] == [row["url"] for row in wanted], name
    assert all_rows(pages, host="127.0.0.1", type="text/html", text="PAGE 1")


@pytest.mark.parametrize("has_copy", [False, True])
def test_the_queue_is_of_now_until_the_log_has_changed(
    crawled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_copy: bool
) -> None:
    folder = tmp_path / "site"
    shutil.copytree(crawled, folder)
    if has_copy:
        monkeypatch.setattr(listing, "SMALL_TABLE_BYTES", 0)
        log = list(log_signature(folder))
        copy.make_copy(CrawlDirectory(folder), log, lambda progress: None)
    pages = list_of(folder)
    pages.rows(Question())
    later = time.time() + 3600
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: later)
        assert pages.queue_moment == later
        os.utime(folder / "log" / "log.sqlite", ns=(1, 1))
        assert pages.queue_moment < later


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("first", [3, 12, 300])
def test_words_are_found_in_a_copy_in_every_order(
    crawled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    monkeypatch.setattr(copied_rows, "_STRETCH_ROWS", 5)
    monkeypatch.setattr(copied_rows, "_GROUP_ROWS", 8)
    monkeypatch.setattr(copied_rows, "_LEAST_FIRST_ROWS", first)
    folder = tmp_path / "site"
    shutil.copytree(crawled, folder)
    small = list_of(crawled)
    with monkeypatch.context() as patch:
        patch.setattr(listing, "SMALL_TABLE_BYTES", 20_000_000)
        whole = all_rows(small)
    copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
    pages = list_of(folder)
    for text in ("page", "1", "page 1", "private", "Ünï", "zebra", "PAGE ünï 2"):
        wanted = [
            row for row in whole if all(word in searched(row) for word in text.lower().split())
        ]
        for sort in ("url", "fetched", "title", "size"):
            for is_descending in (False, True):
                found = all_rows(pages, text=text, sort=sort, is_descending=is_descending, limit=4)
                wanted.sort(key=lambda row: row["url_id"])
                wanted.sort(key=lambda row: row[sort], reverse=is_descending)
                assert [row["url"] for row in found] == [row["url"] for row in wanted], (text, sort)


@pytest.mark.usefixtures("large")
def test_a_damaged_copy_is_not_read_and_is_made_again(crawled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    shutil.copytree(crawled, folder)
    directory = CrawlDirectory(folder)
    copy.make_copy(directory, [], lambda progress: None)
    store = copy.store_of(folder)
    path = copy.rows_path(store.folder / str(store.current()))
    content = path.read_bytes()
    for damage in (b"", content[: len(content) // 2], b"PAR1" + bytes(len(content) - 8) + b"PAR1"):
        path.write_bytes(damage)
        with pytest.raises(NoCopy):
            list_of(folder).rows(Question())
    (path.parent.parent / "manifest.json").write_text("{")
    with pytest.raises(NoCopy):
        list_of(folder).rows(Question())
    copy.make_copy(directory, [], lambda progress: None)
    check(folder, list_of(folder))


@pytest.mark.usefixtures("large")
def test_verify_notices_and_puts_a_damaged_copy_aside(crawled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    shutil.copytree(crawled, folder)
    copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
    assert main(["verify", str(folder)]) == 0
    store = copy.store_of(folder)
    path = copy.rows_path(store.folder / str(store.current()))
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    assert main(["verify", str(folder)]) != 0
    main(["verify", str(folder), "--repair"])
    assert store.current() is None
    assert main(["verify", str(folder)]) == 0


@pytest.mark.usefixtures("large")
def test_a_copy_of_tables_that_were_rewritten_is_not_read(crawled: Path, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    shutil.copytree(crawled, folder)
    copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
    pages = list_of(folder)
    table = next((folder / "pages").glob("*.parquet"))
    os.utime(table, ns=(1, 1))
    with pytest.raises(NoCopy):
        pages.rows(Question())


def test_a_cursor_of_a_stranger_is_refused(crawled: Path) -> None:
    pages = list_of(crawled)
    cursor = pages.rows(Question(limit=1, sort="size")).following
    chance = random.Random(7)
    bad = ["x", "'; drop table young; --", "e30=", "W10=", cursor[:-4], "é", "WyJzaXplIix0cnVlLDFd"]
    bad += ["".join(chance.choices("AQgw019_-=", k=chance.randrange(60))) + "!" for _ in range(50)]
    for one in bad:
        with pytest.raises(LycosaError):
            pages.rows(Question(limit=1, sort="size", cursor=one))
    with pytest.raises(LycosaError):
        pages.rows(Question(limit=1, sort="title", cursor=cursor))
    with pytest.raises(LycosaError):
        pages.rows(Question(sort="url; drop table young"))
    for text in ("'", '"', "%", "\\", "\0", "'; select 1 --", "e" * 500):
        assert pages.rows(Question(text=text, host=text)).rows == []


def begin(folder: Path, seed: str) -> subprocess.Popen[bytes]:
    words = ["crawl", seed, "-o", str(folder), "--quiet", "--delay", "15ms"]
    words += ["--set", "frontier.partitions=3", "--set", "crawl.workers=1"]
    words += ["--set", "log.segment_bytes=6000"]
    command = [sys.executable, "-m", "lycosa", *words]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)


def signalled(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to the crawl's processes."""
    os.killpg(process.pid, number)
    if number is signal.SIGSTOP:  # the call returns before all of them stand still
        until(lambda: set(standing(process.pid)) <= set("TtZ"))


def standing(group: int) -> Iterator[str]:
    """Yield the states of the processes and threads of a group, as the kernel names them."""
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[2]) == group:
                for thread in (path / "task").iterdir():
                    yield (thread / "stat").read_text().rpartition(")")[2].split()[0]


def until(is_so: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    folder = tmp_path / "site"
    with serving_site(site) as port:
        process = begin(folder, f"http://127.0.0.1:{port}/")
        try:
            until((folder / "log" / "log.sqlite").exists)
            yield folder, process
        finally:
            with suppress(ProcessLookupError):
                signalled(process, signal.SIGKILL)
            process.wait()


def kept(folder: Path) -> int:
    return sum(one[0] == "kept" for one in by_log(folder).values())


@pytest.mark.parametrize("has_copy", [False, True])
def test_rows_equal_the_log_beside_a_crawl_and_after_kills(
    running: tuple[Path, subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch, has_copy: bool
) -> None:
    folder, process = running
    pages = list_of(folder)
    until(lambda: kept(folder) >= 5)
    if has_copy:
        monkeypatch.setattr(listing, "SMALL_TABLE_BYTES", 0)
        copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
    for number in (12, 25):
        until(lambda: kept(folder) >= number)  # noqa: B023
        signalled(process, signal.SIGSTOP)  # the log stands still while it is compared
        if has_copy:
            compare_fetches(folder, pages)
        else:
            check(folder, pages)
        signalled(process, signal.SIGCONT)
    signalled(process, signal.SIGKILL)
    process.wait()
    if has_copy:
        compare_fetches(folder, pages)
        copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
    check(folder, pages)
    assert main(["resume", "--quiet", str(folder)]) == 0
    if has_copy:
        copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
    check(folder, pages)


def compare_fetches(folder: Path, pages: PageList) -> None:
    """Compare the fetches: the queue of a copy is older."""
    rows = all_rows(pages, sort="size")
    assert len({row["url"] for row in rows}) == len(rows)
    told = {row["url"]: (row["outcome"], row["fetched"]) for row in rows if row["fetched"]}
    wanted = {url: (one[0], one[2]) for url, one in by_log(folder).items() if one[2]}
    assert told == wanted
    assert pages.counts(Question()).total == len(rows)


def test_paging_visits_each_row_once_while_segments_are_sealed(
    running: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    folder, process = running
    until(lambda: kept(folder) >= 5)
    pages = list_of(folder)
    before = set(by_log(folder))
    sealed = len(list((folder / "pages").glob("*.parquet")))
    seen: list[str] = []
    cursor = ""
    while True:
        some = pages.rows(Question(sort="url", is_descending=False, limit=2, cursor=cursor))
        seen += [row["url"] for row in some.rows]
        cursor = some.following
        if not cursor:
            break
        if len(seen) in (4, 12, 20):
            count = len(list((folder / "pages").glob("*.parquet")))
            until(
                lambda: (
                    len(list((folder / "pages").glob("*.parquet"))) > count  # noqa: B023
                    or process.poll() is not None
                )
            )
    assert seen == sorted(set(seen))
    assert before <= set(seen) <= set(by_log(folder))
    assert len(list((folder / "pages").glob("*.parquet"))) > sealed


def test_a_page_that_was_revisited_has_its_newest_fetch(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    with serving_site(site) as port:
        words = ["crawl", f"http://127.0.0.1:{port}/", "-o", str(folder), "--quiet"]
        words += [
            "--delay",
            "1ms",
            "--set",
            "crawl.workers=1",
            "--cycles",
            "3",
            "--depth",
            "1",
        ]
        words += ["--set", "revisit.cycle_urls=100", "--set", "revisit.cycle_seconds=1"]
        words += ["--set", "revisit.not_before_seconds=0"]
        assert main(words) == 0
    assert sum(batch.num_rows for batch in stored_rows(folder, "pages")) > len(
        {row["url"] for batch in stored_rows(folder, "pages") for row in batch.to_pylist()}
    )
    pages = list_of(folder)
    directory = CrawlDirectory(folder)
    states = directory.states(directory.job())
    put_off = sum(state.pages.status.tobytes().count(3) for state in states.values())
    rows = all_rows(pages, sort="url", is_descending=False)
    told = {row["url"]: (row["outcome"], row["fetched"]) for row in rows}
    assert told.keys() == by_log(folder).keys()
    for url, (outcome, _, moment) in by_log(folder).items():
        if moment:
            assert told[url] == (outcome, moment)
        else:
            assert told[url] in ((outcome, 0), ("put_off", 0))
    assert sum(row["outcome"] == "put_off" for row in rows) <= put_off
