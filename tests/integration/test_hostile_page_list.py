"""A list of pages, its copy or its tables, that a stranger has made: an error or rows, no more."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from integration.small_servers import serving_site
from lycosa.analysis.page_list import copy, listing
from lycosa.analysis.page_list.listing import NoCopy, PageList
from lycosa.analysis.page_list.question import SHOWN, Question
from lycosa.cli.main import main
from lycosa.errors import LycosaError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.web.reading.page_list import read_counts, read_rows
from lycosa.web.reading.requests import NO_COPY, PageCounts, PageRows
from lycosa.web.reading.states import States


def site(path: str) -> tuple[int, str]:
    if path == "/robots.txt":
        return 404, ""
    links = "".join(f"<a href='/{path[1:] or 'a'}{n}'>{n}</a>" for n in range(3))
    return (
        200,
        f"<!doctype html><title>Page {path}</title>{links if len(path) < 5 else ''}<p>{path}",
    )


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "s[i]t*e's"
    with serving_site(site) as port:
        words = ["crawl", f"http://127.0.0.1:{port}/", "-o", str(folder), "--quiet"]
        words += ["--delay", "1ms", "--set", "frontier.partitions=2", "--set", "crawl.workers=1"]
        assert main(words) == 0
    return folder


@pytest.fixture
def folder(crawled: Path, tmp_path: Path) -> Path:
    place = tmp_path / crawled.name
    shutil.copytree(crawled, place)
    return place


@pytest.fixture
def copied(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a copy in a crawl that needs one."""
    monkeypatch.setattr(listing, "SMALL_TABLE_BYTES", 0)
    copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
    store = copy.store_of(folder)
    return store.folder / str(store.current())


def list_of(folder: Path) -> PageList:
    crawl = CrawlDirectory(folder)
    return PageList(folder, lambda: crawl.states(crawl.job()).values())


def crawl_of(generation: Path) -> Path:
    return generation.parents[2]


def asked_all(folder: Path) -> None:
    """Ask in every order, for words, and for numbers."""
    pages = list_of(folder)
    for sort in SHOWN:
        pages.rows(Question(sort=sort, limit=5))
        pages.rows(Question(sort=sort, limit=5, text="page", is_descending=False))
    pages.counts(Question())
    pages.counts(Question(text="page"))


def test_a_copy_in_a_folder_with_signs_of_patterns_is_read(copied: Path) -> None:
    asked_all(crawl_of(copied))


def retyped(name: str, kind: pa.DataType) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        place = table.schema.get_field_index(name)
        column = table[name].cast(pa.string()).cast(kind) if kind != pa.binary() else table[name]
        return table.set_column(place, name, column.cast(kind))

    return change


def emptied(name: str) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        place, kind = table.schema.get_field_index(name), table.schema.field(name).type
        return table.set_column(place, pa.field(name, kind), pa.nulls(len(table), kind))

    return change


CHANGES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "size is text": retyped("size", pa.string()),
    "fetched is a float": retyped("fetched", pa.float64()),
    "url_id is text": retyped("url_id", pa.string()),
    "title is bytes": retyped("title", pa.binary()),
    "words are missing": lambda table: table.drop_columns(["words"]),
    "one column more": lambda table: table.append_column("more", table["url"]),
    "fewer rows than the manifest says": lambda table: table.slice(3),
    "more rows than the manifest says": lambda table: pa.concat_tables([table, table]),
    "no rows": lambda table: table.slice(0, 0),
    **{f"{name} is null": emptied(name) for name in ("url_id", "url", "title", "size", "fetched")},
}


@pytest.mark.parametrize("change", CHANGES)
def test_rows_that_no_copy_of_ours_has_are_refused_and_made_again(
    copied: Path, change: str
) -> None:
    path = copy.rows_path(copied)
    pq.write_table(CHANGES[change](pq.read_table(path)), path)
    with pytest.raises(NoCopy):
        asked_all(crawl_of(copied))
    copy.make_copy(CrawlDirectory(crawl_of(copied)), [], lambda progress: None)
    asked_all(crawl_of(copied))


def test_numbers_that_no_copy_of_ours_has_are_refused(copied: Path) -> None:
    path = copy.counts_path(copied)
    table = pq.read_table(path)
    for change in (emptied("number"), retyped("number", pa.string()), emptied("host")):
        pq.write_table(change(table), path)
        with pytest.raises(NoCopy):
            asked_all(crawl_of(copied))


def test_texts_that_are_not_utf_8_are_refused(copied: Path) -> None:
    path = copy.rows_path(copied)
    table = pq.read_table(path)
    broken = pa.array([b"\xff\xfe\x80 page"] * len(table), pa.binary()).view(pa.string())
    place = table.schema.get_field_index("words")
    pq.write_table(table.set_column(place, "words", broken), path)
    with pytest.raises(NoCopy):
        asked_all(crawl_of(copied))


def test_latest_rows_that_no_copy_of_ours_has_are_refused(copied: Path) -> None:
    path = copy.latest_path(copied)
    table = pq.read_table(path)
    for change in (retyped("number", pa.string()), lambda table: table.slice(1)):
        pq.write_table(change(table), path)
        with pytest.raises(NoCopy):
            asked_all(crawl_of(copied))
    pq.write_table(emptied("number")(table), path)
    with pytest.raises(NoCopy):
        list_of(crawl_of(copied)).rows(Question(text="page", limit=1))


@pytest.mark.parametrize("which", [copy.rows_path, copy.latest_path, copy.counts_path])
def test_a_link_in_the_place_of_a_file_is_not_followed(
    copied: Path, tmp_path: Path, which: Callable[[Path], Path]
) -> None:
    path = which(copied)
    elsewhere = tmp_path / "elsewhere.parquet"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    with pytest.raises(NoCopy):
        asked_all(crawl_of(copied))
    with pytest.raises(LycosaError, match="symbolic link"):
        copy.make_copy(CrawlDirectory(crawl_of(copied)), [], lambda progress: None)
    path.unlink()
    copy.make_copy(CrawlDirectory(crawl_of(copied)), [], lambda progress: None)
    asked_all(crawl_of(copied))


@pytest.mark.parametrize(
    "values",
    [
        {"rows": 10**18},
        {"rows": -1},
        {"latest": 10**18},
        {"latest": -1},
        {"rows": 10**30},
        {"moment": "soon"},
        {"segments": {"../../etc": [1, 2]}},
        {"format": 2},
    ],
)
def test_a_manifest_that_lies_is_refused(copied: Path, values: dict[str, object]) -> None:
    path = copied / copy.MANIFEST
    told = msgspec.json.decode(path.read_bytes())
    path.write_text(str({**told, **values}).replace("'", '"').replace("None", "null"))
    with pytest.raises(NoCopy):
        asked_all(crawl_of(copied))


def test_changed_bytes_of_a_copy_give_rows_or_an_error(copied: Path) -> None:
    chance = random.Random(5)
    paths = copy.rows_path(copied), copy.latest_path(copied), copy.counts_path(copied)
    for path in paths:
        sound = path.read_bytes()
        for _ in range(40):
            content = bytearray(sound)
            for _ in range(chance.choice((1, 1, 5))):
                content[chance.randrange(len(content))] = chance.randrange(256)
            path.write_bytes(content)
            try:
                asked_all(crawl_of(copied))
            except LycosaError as error:
                assert str(error)
        path.write_bytes(sound)


def test_the_reader_has_no_other_files_and_keeps_its_settings(copied: Path, tmp_path: Path) -> None:
    pages = list_of(crawl_of(copied))
    pages.rows(Question())
    run = pages._connection.execute
    (limit,) = run("select current_setting('memory_limit')").fetchone()
    assert float(limit.split()[0]) < 400
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"a": [1]}), other)
    for query in (
        f"select * from '{other}'",
        f"select * from read_parquet('{other}')",
        "select * from read_text('/etc/hostname')",
        "select * from read_text('{}/crawl.toml')".format(str(crawl_of(copied)).replace("'", "''")),
        f"attach '{tmp_path}/made.db'",
        f"copy (select 1) to '{tmp_path}/made.csv'",
        "install httpfs",
    ):
        with pytest.raises(duckdb.Error):
            run(query).fetchall()
    for setting in ("memory_limit = '9 GB'", "enable_external_access = true", "threads = 9"):
        with pytest.raises(duckdb.Error):
            run(f"set {setting}")


def rewritten(folder: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change the tables of pages."""
    for path in (folder / "pages").glob("*.parquet"):
        pq.write_table(change(pq.read_table(path)), path)


def far(moment: int) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        kind = table.schema.field("fetched_at").type
        place = table.schema.get_field_index("fetched_at")
        return table.set_column(place, "fetched_at", pa.array([moment] * len(table), kind))

    return change


def with_signs(table: pa.Table) -> pa.Table:
    place = table.schema.get_field_index("title")
    titles = ["=cmd|' /C calc'!A0", "<script>alert(1)</script>", "\x1b[2J\u202e\0", "a" * 100_000]
    column = pa.array([titles[n % len(titles)] for n in range(len(table))])
    return table.set_column(place, "title", column)


TABLES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "no URL": emptied("url"),
    "no id": emptied("url_id"),
    "no outcome": emptied("outcome"),
    "no moment": emptied("fetched_at"),
    "moments without end": far(2**63 - 1),
    "moments without a beginning": far(-(2**63) + 1),
    "the least moment": far(-(2**63)),
    "a moment of no calendar": far(10**18),
    "sizes below nothing": lambda table: table.set_column(
        table.schema.get_field_index("size_bytes"),
        "size_bytes",
        pc.subtract(pa.array([-(2**63)] * len(table), pa.int64()), 0),
    ),
    "titles that are programs": with_signs,
    "size is text": retyped("size_bytes", pa.string()),
    "ids are floats": retyped("url_id", pa.float64()),
}


@pytest.mark.parametrize("has_copy", [False, True])
@pytest.mark.parametrize("change", TABLES)
def test_tables_of_a_stranger_give_rows_or_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, change: str, has_copy: bool
) -> None:
    rewritten(folder, TABLES[change])
    try:
        if has_copy:
            monkeypatch.setattr(listing, "SMALL_TABLE_BYTES", 0)
            copy.make_copy(CrawlDirectory(folder), [], lambda progress: None)
        states = States(folder)
        for form in ("json", "csv"):
            for sort in ("fetched", "size", "title"):
                asked = PageRows(Question(sort=sort), form)
                media_type, body = read_rows(states, asked)
                assert media_type != NO_COPY
                assert form != "csv" or (b"\n=cmd" not in body and b',"=cmd' not in body)
        media_type, _ = read_counts(states, PageCounts(Question()))
        assert media_type != NO_COPY
    except LycosaError as error:
        assert "cannot be" in str(error)
