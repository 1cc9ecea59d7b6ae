"""Items as they are read: none of pages that were forgotten, and none that a reader breaks at."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from lycosa import Crawl, Job, Plugin, SeenPage, run
from lycosa.analysis.exports.items import FORMATS, Wanted, export_items, stored_items
from lycosa.analysis.study.sql import asked
from lycosa.errors import LycosaError
from lycosa.model.records import Item
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.archive import ArchiveStore
from lycosa_testweb.servers.server import SocketWeb
from unit.crawl.drawn_web import DrawnWeb, page
from unit.storage.archive.archived import always
from unit.storage.archive.exchanges import capture
from warm import lycosa

HOME, SECRET, OTHER = "http://a.test/", "http://a.test/secret", "http://b.test/"
WEB = DrawnWeb(
    {
        HOME: page(f'<a href="{SECRET}">s</a><a href="{OTHER}">o</a>'),
        SECRET: page("<p>words</p>", '<meta name="robots" content="noarchive">'),
        OTHER: page("<p>other words</p>"),
    }
)


def look(shown: SeenPage) -> None:
    shown.emit("page", url=shown.url, words=shown.text)


@pytest.fixture
def crawled(tmp_path: Path) -> Path:
    with SocketWeb(WEB, tls=False) as server:
        job = Job.of(
            [HOME, OTHER],
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0},
            extract={"soft_404_after": 0},
            discovery={"mining": "off"},
            limits={"free_disk_bytes": 0},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
        )
        run(tmp_path / "crawl", job, plugins=[Plugin("rows", on_page=look)])
    return tmp_path / "crawl"


def exported(folder: Path, form: str, **wanted: Any) -> bytes:
    target = folder.parent / f"items.{form}"
    target.unlink(missing_ok=True)
    export_items(folder, form, target, Wanted(**wanted))
    return target.read_bytes()


def urls(folder: Path, table: str = "items") -> set[str]:
    with asked(folder, f"select url from {table}") as found:
        return {url for (url,) in found.fetchall()}


@pytest.mark.parametrize("is_history", [False, True])
def test_items_of_pages_that_ask_for_it_are_withheld_from_exports(
    is_history: bool, crawled: Path
) -> None:
    for form in FORMATS:
        assert SECRET.encode() not in exported(crawled, form, is_history=is_history)
    whole = exported(crawled, "jsonl", is_history=is_history, with_withheld=True)
    assert {json.loads(line)["url"] for line in whole.splitlines()} == {HOME, SECRET, OTHER}
    target = crawled.parent / "told.csv"
    done = lycosa("export", "items", crawled, "-o", target)
    assert done.returncode == 0 and "--withheld" in done.stdout + done.stderr
    # The owner of a crawl asks for everything by SQL and Python, for texts and items alike.
    assert urls(crawled) == {item.url for item in Crawl(crawled).items()} == {HOME, SECRET, OTHER}


@pytest.mark.parametrize("words", [["block", "b.test", "--forget"]])
def test_no_reader_has_items_of_a_host_that_was_forgotten(words: list[str], crawled: Path) -> None:
    command, *rest = words
    done = lycosa(command, crawled, *rest)
    assert done.returncode == 0, done.stderr
    for table in ("items", "items_history", "items_page"):
        column = "_url as url" if table == "items_page" else "url"
        with asked(crawled, f"select {column} from {table}") as found:
            assert {url for (url,) in found.fetchall()} == {HOME, SECRET}
    for form in FORMATS:
        assert b"other words" not in exported(crawled, form, with_withheld=True, is_history=True)
    crawl = Crawl(crawled)
    assert {item.url for item in crawl.items(history=True)} == {HOME, SECRET}
    assert set(crawl.item_table("page")["url"].to_pylist()) == {HOME, SECRET}
    for path in (crawled / "items").iterdir():
        assert b"b.test" not in path.read_bytes()
    assert lycosa("verify", crawled).returncode == 0


# -- tables that a stranger has written, or an older version -------------------------------------

DEEP = "[" * 100_000 + "]" * 100_000
HOSTILE: dict[str, list[str]] = {
    "quotes and lines": ['{"a\\"b; drop":1,"n\\nl":2,"x\'y":3}'],
    "control characters": ['{"\\u001b[31mred":1,"\\u0000nul":2,"\\u202e":3}'],
    "a long name": [json.dumps({"n" * 100_000: 1})],
    "names about items": ['{"_url":"http://other/","_fetched_at":5,"_kind":"x"}'],
    "no name": ['{"":1}'],
    "a name twice": ['{"a":1,"a":2,"A":3}'],
    "beyond 64 bits": [f'{{"n":{10**30}}}', '{"n":1}', f'{{"n":-{2**64}}}'],
    "5,000 digits": ['{"n":1' + "0" * 5_000 + "}"],
    "beyond numbers": ['{"a":1e999,"b":-0.0}'],
    "deep": [f'{{"d":{DEEP}}}'],
    "many columns": [json.dumps({f"c{number}": number for number in range(10_000)})],
    "other columns in each": [
        json.dumps({f"c{number}_{row}": number for number in range(1_000)}) for row in range(20)
    ],
    "not JSON": ['{"a":'],
    "half a letter": ['{"a":"\\ud800"}'],
    "a list": ["[1,2]"],
    "nothing": ["{}"],
    "formulas": ['{"=1+1":"=1+1","b":"@x"}'],
}
REFUSED = {"many columns", "other columns in each", "not JSON", "half a letter"}
"""Cases of which no table can be made: each reader names the reason."""


def stored(folder: Path, items: list[str]) -> Path:
    CrawlDirectory.create(folder, Job.of(["http://example.org/"]))
    store = ArchiveStore(folder)
    store.append(replace(capture(1), items=tuple(Item("row", data) for data in items)))
    store.seal(always)
    return folder


def outcome(read: Callable[[], object]) -> str:
    try:
        read()
    except LycosaError as error:
        return str(error)
    return ""


def rows_in(folder: Path, query: str) -> list[Any]:
    with asked(folder, query) as found:
        rows: list[Any] = found.to_arrow_table().to_pylist()
        return rows


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_values_are_read_or_named(case: str, tmp_path: Path) -> None:
    folder = stored(tmp_path / "crawl", HOSTILE[case])
    began = time.monotonic()
    for form in FORMATS:
        why = outcome(lambda form=form: exported(folder, form))  # type: ignore[misc]
        assert bool(why) == (case in REFUSED), (form, why)
        assert len(why) < 1_000
    why = outcome(lambda: rows_in(folder, "select * from items_row"))
    assert bool(why) == (case in REFUSED), why
    assert len(rows_in(folder, "select data from items")) == len(HOSTILE[case])
    outcome(lambda: list(stored_items(folder)))  # an error that is not ours would come through
    assert time.monotonic() - began < 60


def test_names_in_a_table_are_one_line_of_visible_signs(tmp_path: Path) -> None:
    folder = stored(tmp_path / "crawl", HOSTILE["control characters"] + HOSTILE["a long name"])
    for name in rows_in(folder, "select * from items_row")[0]:
        assert name.isprintable() and 0 < len(name) <= 200


def test_columns_of_an_item_with_too_many_can_be_chosen(tmp_path: Path) -> None:
    folder = stored(tmp_path / "crawl", HOSTILE["many columns"])
    assert "10,000 columns" in outcome(lambda: exported(folder, "csv"))
    assert exported(folder, "csv", columns=["c7", "c9"]) == b'"c7","c9"\n7,9\n'


def test_no_cell_of_items_is_a_formula(tmp_path: Path) -> None:
    folder = stored(tmp_path / "crawl", HOSTILE["formulas"])
    assert b'"\'=1+1","\'@x"' in exported(folder, "csv")
    assert b'"=1+1","@x"' in exported(folder, "csv", is_raw=True)


def test_an_export_of_items_loads_no_mathematics() -> None:
    code = "import sys, lycosa.analysis.exports.items; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
