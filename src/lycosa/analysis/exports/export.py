"""Writes tables and graphs of a crawl to files for other programs.

Parquet, CSV and JSON lines hold the rows of one table. GraphML and GEXF hold a graph, of pages or
of sites (`graph_files`). WARC holds the records of pages (`warc_files`). A file is written under a
temporary name and renamed when it is complete.

Standard output is written to as it was opened: the database, which opens files by their names,
writes to a pipe. Opening `/dev/stdout` by its name would truncate a file to which the shell
appends.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import duckdb
import pyarrow as pa

from lycosa._support import beneath
from lycosa._support.safe_text import cell_in_sql
from lycosa.analysis.exports.graph_files import FORMATS as GRAPHS
from lycosa.analysis.exports.graph_files import PAGES, SITES, write_graph
from lycosa.analysis.exports.main_texts import add_main_texts
from lycosa.analysis.exports.of_topic import rows_of_topic, units_of_topic
from lycosa.analysis.exports.targets import RECORDS, check_target
from lycosa.analysis.exports.warc_files import write_pages
from lycosa.analysis.exports.withheld import wishes_obeyed, withhold, without_withheld
from lycosa.analysis.statistics.heads import HEADS
from lycosa.analysis.study.main_text import require
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.segment_cache import OnSegment, add_derived, known
from lycosa.analysis.study.tables import (
    STUDIED,
    Connection,
    add_files,
    all_rows,
    connected,
    damaged_tables_told,
    quoted,
)
from lycosa.errors import LycosaError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.files import temporary
from lycosa.storage.archive.layout import KINDS
from lycosa.storage.tables.derived import READ, derived_tables

FORMATS = {
    "parquet": "format parquet, compression zstd",
    "csv": "format csv, header",
    "jsonl": "format json",
    **dict.fromkeys((*GRAPHS, RECORDS), ""),
}
_OF_PAGES, _OF_SITES = ("pages", "links", "ranks"), ("hosts", "sites", "site_links")


class Rows(NamedTuple):
    """The selection of rows of a table, and their format."""

    topic: str = ""
    """Select only rows of pages about this topic."""
    without_seeds: bool = False
    units: bool = False
    """With a topic: write only the sections about it, if a page has several topics."""
    is_raw: bool = False
    """Leave texts in CSV unchanged, even if a spreadsheet would run them as formulas."""
    with_withheld: bool = False
    """Write pages, too, that ask to be withheld."""
    is_main: bool = False
    """Of texts: write the main text of each page, if it has one."""

    @property
    def are_some(self) -> bool:
        """Whether rows are left out because of their pages."""
        return bool(self.topic) or self.without_seeds


ALL_ROWS = Rows()


def export(
    folder: Path,
    name: str,
    form: str,
    target: Path | None,
    *,
    rows: Rows = ALL_ROWS,
    on_segment: OnSegment = lambda done, total: None,
) -> int:
    """Write a table or a graph to a file, or to standard output.

    Pages that ask to be withheld are left out, unless `rows` says otherwise. Return the number of
    rows left out. `on_segment` is told of segments whose main texts are made.
    """
    extract = CrawlDirectory.open(folder).job().extract
    wishes = [] if rows.with_withheld else wishes_obeyed(extract, name)
    studied = Results(folder).tables()
    computed = studied | derived_tables(folder)
    _check(folder, name, form, target, list(computed))
    # The table of pages alone tells which pages are withheld, or of a topic.
    kinds = STUDIED if form in GRAPHS else (name, "pages") if wishes or rows.are_some else (name,)
    if rows.is_main:
        _require_main(folder, name)
    with (
        connected(all_rows(folder, kinds)) as connection,
        damaged_tables_told(folder),
        tempfile.TemporaryDirectory(".tmp", "lycosa-export-") as beside,
    ):
        if rows.is_main:
            add_main_texts(connection, folder, corpus_engine(folder), Path(beside), on_segment)
        add_computed(connection, folder)
        if form in GRAPHS:
            if name in _OF_PAGES:
                _add_edges(connection, folder)
            with _opened(target) as file:
                write_graph(connection, file, form, SITES if name in _OF_SITES else PAGES)
        else:
            hide = without_withheld if form == RECORDS else withhold
            table, count = hide(connection, name, wishes)
            if rows.units:
                table = units_of_topic(connection, name, table, rows.topic, rows.without_seeds)
            elif rows.are_some:
                table = rows_of_topic(
                    connection, name, table, rows.topic, without_seeds=rows.without_seeds
                )
            if form == RECORDS:
                assert target is not None
                write_pages(connection, folder, table, target, rows.topic)
                return count
            is_guarded = form == "csv" and not rows.is_raw
            query = _guarded(connection, table) if is_guarded else f"select * from {table}"
            _write_rows(connection, query, form, target)
            return count
    return 0


def corpus_engine(folder: Path) -> str:
    """Return the engine whose main texts an export writes."""
    return CrawlDirectory.open(folder).job().extract.corpus_text


def _require_main(folder: Path, name: str) -> None:
    if name != "text":
        raise LycosaError(f"`{name}` has no main texts\n  write those of pages: lycosa export text")
    require("lycosa export text --main", corpus_engine(folder))


def add_computed(connection: Connection, folder: Path) -> None:
    """Make the tables of a study, and those that other commands have computed, known by name."""
    Results(folder).add_to(connection)
    for name, path in derived_tables(folder).items():
        add_files(connection, name, [path], READ.get(name))


def _check(folder: Path, name: str, form: str, target: Path | None, studied: list[str]) -> None:
    if name not in (*KINDS, *studied):
        known = ", ".join([*sorted(KINDS), *studied])
        more = "" if "ranks" in studied else f"\n  more after: lycosa study {folder}"
        if name in ("page_topics", "page_units"):
            more = f"\n  make it: lycosa topics apply {folder} --model FILE"
        raise LycosaError(f"there is no table `{name}`\n  there are: {known}{more}")
    if form in GRAPHS and name not in (*_OF_PAGES, *_OF_SITES):
        raise LycosaError(
            f"`{name}` is not a graph\n  graphs are: {', '.join((*_OF_PAGES, *_OF_SITES))}"
        )
    if form in GRAPHS and "ranks" not in studied:
        raise LycosaError(f"{folder}: a graph needs a study\n  make it: lycosa study {folder}")
    if form == RECORDS and name != "pages":
        raise LycosaError(
            f"`{name}` has no records\n  write those of pages: lycosa export pages --format warc"
        )
    check_target(folder, form, target)


def _guarded(connection: Connection, name: str) -> str:
    """Return the query for a table whose texts no spreadsheet runs as formulas."""
    columns = []
    for column, kind, *_ in connection.sql(f"describe {name}").fetchall():
        quoted_name = '"' + column.replace('"', '""') + '"'
        text = quoted_name if kind == "VARCHAR" else f"{quoted_name}::varchar"
        is_text = "VARCHAR" in kind
        columns.append(f"{cell_in_sql(text)} as {quoted_name}" if is_text else quoted_name)
    return f"select {', '.join(columns)} from {name}"


def _write_rows(connection: Connection, rows: str, form: str, target: Path | None) -> None:
    if target is None:
        _print_rows(connection, rows, form)
        return
    path = temporary(target)
    try:
        connection.execute(f"copy ({rows}) to {quoted(path)} ({FORMATS[form]})")
    except duckdb.IOException as error:
        if str(path) in str(error):
            raise LycosaError(f"{target}: cannot be written\n  {error}") from None
        raise
    path.rename(target)


def _print_rows(connection: Connection, rows: str, form: str) -> None:
    """Write rows to standard output, through a pipe that a thread empties."""
    reading, writing = os.pipe()
    failures: list[OSError] = []
    pump = threading.Thread(target=_pump, args=(reading, failures))
    pump.start()
    try:
        path = quoted(f"/dev/fd/{writing}")
        connection.execute(f"copy ({rows}) to {path} ({FORMATS[form]}, use_tmp_file false)")
    except duckdb.IOException:
        if not failures:
            raise
    finally:
        os.close(writing)
        pump.join()
    if failures:
        raise failures[0]


def _pump(reading: int, failures: list[OSError]) -> None:
    """Copy a pipe to standard output; a failure closes the pipe, so that its writer ends."""
    with open(reading, "rb") as source:
        try:
            shutil.copyfileobj(source, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        except OSError as error:
            failures.append(error)


@contextmanager
def _opened(target: Path | None) -> Iterator[IO[str]]:
    if target is None:
        yield sys.stdout
        return
    with beneath.open_new(temporary(target), "w", encoding="utf-8") as file:
        yield file
    temporary(target).rename(target)


def _add_edges(connection: Connection, folder: Path) -> None:
    """Make a table of the links in the graph that the study has ranked."""
    add_derived(connection, HEADS, known(Results(folder).folder, HEADS))
    # They load SciPy, which is half of the time that a small export takes.
    import numpy as np

    from lycosa.analysis.statistics.counts import prepare
    from lycosa.analysis.statistics.ranks import web_graph

    prepare(connection)
    web = web_graph(connection)
    ids, out = web.pages.ids, web.graph.out
    columns = {
        "source_id": np.repeat(ids, web.graph.out_degrees),
        "target_id": ids[out.targets],
    }
    connection.register("edges", pa.table(columns))
