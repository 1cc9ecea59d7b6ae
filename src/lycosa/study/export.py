"""Writes tables and graphs of a crawl to files for other programs.

Parquet, CSV and JSON lines hold the rows of one table. GraphML holds a graph, of pages or of
sites. A file is written under a temporary name and renamed when it is complete.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import duckdb
import numpy as np
import pyarrow as pa

from lycosa.crawl.directory import CrawlDirectory
from lycosa.errors import LycosaError
from lycosa.spreadsheets import cell_in_sql
from lycosa.store.layout import CDX, KINDS, WARC
from lycosa.store.segments.sealing import temporary
from lycosa.store.tables.missing_tables import damage_told, unreadable
from lycosa.study.counts import prepare
from lycosa.study.heads import HEADS
from lycosa.study.ranks import web_graph
from lycosa.study.results import Results
from lycosa.study.segment_cache import add_derived, known
from lycosa.study.tables import STUDIED, Connection, add_files, all_rows, connected, quoted

FORMATS = {
    "parquet": "format parquet, compression zstd",
    "csv": "format csv, header",
    "jsonl": "format json",
    "graphml": "",
}
_OF_PAGES, _OF_SITES = ("pages", "links", "ranks"), ("hosts", "sites", "site_links")
_BATCH_ROWS = 50_000

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_PAGE_FIELDS = {
    "url": "string",
    "site": "string",
    "depth": "int",
    "pagerank": "double",
    "hub": "double",
    "authority": "double",
    "part": "string",
}
_SITE_FIELDS = {
    "site": "string",
    "pages": "long",
    "bytes": "long",
    "pagerank_sum": "double",
    "part": "string",
}


def export(
    folder: Path, name: str, form: str, target: Path | None, *, is_raw: bool = False
) -> None:
    """Write a table or a graph to a file, or to standard output.

    Texts in CSV are such that a spreadsheet takes none of them for a formula, unless `is_raw`.
    """
    CrawlDirectory.open(folder)
    studied = Results(folder).tables()
    _check(folder, name, form, target, list(studied))
    kinds = STUDIED if form == "graphml" else (name,)
    with connected(all_rows(folder, kinds)) as connection, _damage_told(folder):
        for table, path in studied.items():
            add_files(connection, table, [path])
        if form == "graphml":
            if name in _OF_PAGES:
                _add_edges(connection, folder)
            with _opened(target) as file:
                _write_graph(connection, file, is_of_sites=name in _OF_SITES)
        else:
            is_guarded = form == "csv" and not is_raw
            rows = _guarded(connection, name) if is_guarded else f"select * from {name}"
            _write_rows(connection, rows, form, target)


@contextmanager
def _damage_told(folder: Path) -> Iterator[None]:
    """Name damaged tables: the queries are ours, so a failure means damaged input."""
    try:
        with damage_told(folder, f"{folder}: a table"):
            yield
    except duckdb.Error as error:
        raise unreadable(folder, f"{folder}: a table", error) from None


def _check(folder: Path, name: str, form: str, target: Path | None, studied: list[str]) -> None:
    if name not in (*KINDS, *studied):
        known = ", ".join([*sorted(KINDS), *studied])
        more = "" if studied else f"\n  more after: lycosa study {folder}"
        raise LycosaError(f"there is no table `{name}`\n  there are: {known}{more}")
    if form == "graphml" and name not in (*_OF_PAGES, *_OF_SITES):
        raise LycosaError(
            f"`{name}` is no graph\n  graphs are: {', '.join((*_OF_PAGES, *_OF_SITES))}"
        )
    if form == "graphml" and "ranks" not in studied:
        raise LycosaError(f"{folder}: a graph needs a study\n  make it: lycosa study {folder}")
    if form == "parquet" and target is None:
        raise LycosaError("Parquet cannot be printed\n  name a file: -o FILE")
    own = {folder.resolve() / part for part in (*KINDS, WARC, CDX, "log", "index")}
    if target is not None and own & {target.resolve(), *target.resolve().parents}:
        raise LycosaError(
            f"{target}: belongs to the crawl, which other programs read\n  choose another folder"
        )


def _guarded(connection: Connection, name: str) -> str:
    """Return the query for a table whose texts are no formulas to a spreadsheet."""
    columns = []
    for column, kind, *_ in connection.sql(f"describe {name}").fetchall():
        quoted_name = '"' + column.replace('"', '""') + '"'
        text = quoted_name if kind == "VARCHAR" else f"{quoted_name}::varchar"
        is_text = "VARCHAR" in kind
        columns.append(f"{cell_in_sql(text)} as {quoted_name}" if is_text else quoted_name)
    return f"select {', '.join(columns)} from {name}"


def _write_rows(connection: Connection, rows: str, form: str, target: Path | None) -> None:
    path = Path("/dev/stdout") if target is None else temporary(target)
    try:
        connection.execute(f"copy ({rows}) to {quoted(path)} ({FORMATS[form]})")
    except duckdb.IOException as error:
        if "Broken pipe" in str(error):
            raise BrokenPipeError from None
        if target is not None and str(path) in str(error):
            raise LycosaError(f"{target}: cannot be written\n  {error}") from None
        raise
    if target is not None:
        path.rename(target)


@contextmanager
def _opened(target: Path | None) -> Iterator[IO[str]]:
    if target is None:
        yield sys.stdout
        return
    with temporary(target).open("w", encoding="utf-8") as file:
        yield file
    temporary(target).rename(target)


def _write_graph(connection: Connection, file: IO[str], *, is_of_sites: bool) -> None:
    fields = _SITE_FIELDS if is_of_sites else _PAGE_FIELDS
    file.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    )
    for name, kind in {**fields, **({"links": "int"} if is_of_sites else {})}.items():
        owner = "edge" if name == "links" else "node"
        file.write(f'<key id="{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n')
    file.write('<graph edgedefault="directed">\n')
    edges = _SITE_EDGES if is_of_sites else _PAGE_EDGES
    for query in (_nodes(fields, is_of_sites), edges):
        for batch in connection.sql(query).to_arrow_reader(_BATCH_ROWS):
            file.write("\n".join(batch.column(0).to_pylist()) + "\n" if len(batch) else "")
    file.write("</graph>\n</graphml>\n")


def _add_edges(connection: Connection, folder: Path) -> None:
    """Make the links of the graph that the study has ranked a table."""
    add_derived(connection, HEADS, known(Results(folder).folder, HEADS))
    prepare(connection)
    web = web_graph(connection)
    ids, out = web.pages.ids, web.graph.out
    columns = {
        "source_id": np.repeat(ids, web.graph.out_degrees),
        "target_id": ids[out.indices],
    }
    connection.register("edges", pa.table(columns))


def _nodes(fields: dict[str, str], is_of_sites: bool) -> str:
    key, table = (_escaped("site"), "sites") if is_of_sites else ("url_id", "ranks")
    data = "".join(
        f" || coalesce('<data key=\"{name}\">' || {_value(name, kind)} || '</data>', '')"
        for name, kind in fields.items()
    )
    return f"select '<node id=\"' || {key} || '\">'{data} || '</node>' from {table}"


def _escaped(column: str) -> str:
    """Return the SQL that makes a string harmless in XML."""
    for character, entity in _ENTITIES.items():
        column = f"replace({column}, '{character}', '{entity}')"
    return column


def _value(name: str, kind: str) -> str:
    return _escaped(name) if kind == "string" else name


_PAGE_EDGES = """
    select '<edge source="' || source_id || '" target="' || target_id || '"/>'
    from edges semi join ranks source on source_id = source.url_id
    semi join ranks target on target_id = target.url_id
"""
_SITE_EDGES = f"""
    select '<edge source="' || {_escaped("source")} || '" target="'
        || {_escaped("target")} || '"><data key="links">' || links || '</data></edge>'
    from site_links
"""
