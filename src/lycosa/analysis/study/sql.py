"""Runs SQL over the tables of a crawl, read-only.

Two barriers protect the crawl directory from a query. Only statements that read are run; and
the database has no access to files or network, and its settings are locked: Arrow reads the tables
for it. So even a hostile query is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import dataset

from lycosa._support import beneath
from lycosa.analysis.statistics.main_texts import NAME as MAIN_TEXT
from lycosa.analysis.statistics.main_texts import main_files
from lycosa.analysis.study.items import HISTORY, NEWEST, add_items, chosen, kinds_of
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import (
    OF_THE_QUERY,
    Connection,
    Rows,
    all_rows,
    connected,
    lock,
    shown,
)
from lycosa.errors import LycosaError, StoreError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import ITEMS, KINDS
from lycosa.storage.tables.derived import derived_tables
from lycosa.storage.tables.document_texts import NAME as DOCUMENTS
from lycosa.storage.tables.document_texts import TEXT_COLUMNS, document_files
from lycosa.storage.tables.missing_tables import damage_told, unreadable

_DOCUMENT_TEXTS = f"select {', '.join(TEXT_COLUMNS)} from {DOCUMENTS} where text != ''"

Relation = Any
"""A `duckdb.DuckDBPyRelation`."""


@contextmanager
def asked(folder: Path, query: str) -> Iterator[Relation]:
    """Run a query; the answer can be read until the block is left."""
    engine = CrawlDirectory.open(folder).job().extract.main_text
    rows = all_rows(folder, (*KINDS, ITEMS))
    made = {DOCUMENTS: document_files(folder), MAIN_TEXT: main_files(folder, engine)}
    computed = Results(folder).tables() | derived_tables(folder)
    made |= {name: [path] for name, path in computed.items()}
    made = {name: files for name, files in made.items() if files}
    broken = {name: why for name, files in made.items() if (why := _unusable(folder, files))}
    _refuse_broken(query, broken)
    with connected([]) as connection:
        for name in made.keys() - broken.keys():
            connection.register(name, dataset.dataset(_checked_files(made[name])))
        has_documents = DOCUMENTS in made.keys() - broken.keys()
        for some in rows:
            connection.register(f"stored_{some.kind}", _dataset(some))
            query_of = shown(some.kind, f"stored_{some.kind}")
            name = HISTORY if some.kind == ITEMS else some.kind
            if some.kind == "text" and has_documents:
                query_of += f" union all by name {_DOCUMENT_TEXTS}"
            connection.execute(f"create view {name} as {query_of}")
        add_items(connection)
        try:
            _add_kinds(connection, query)
        except duckdb.Error as error:  # values that are not what JSON has
            raise unreadable(folder, f"{folder}: the table of items", error) from None
        # From here on the query can read these tables and nothing else.
        lock(connection)
        names = [*sorted(KINDS), NEWEST, HISTORY, *(name for name in made if name not in broken)]
        try:
            with damage_told(folder, f"{folder}: a table"):
                yield connection.sql(_checked(connection, query))
        except duckdb.Error as error:
            if is_damaged_table(error):
                raise unreadable(folder, f"{folder}: a table", error) from None
            raise LycosaError(_told(error, names, folder)) from None


def _add_kinds(connection: Connection, query: str) -> None:
    """Make a table of each kind of items that the query names, as in `items_product`."""
    named = {name.lower() for name in re.findall(r"(?i)\bitems_(\w+)", query)} - {"history"}
    if named:
        for kind in kinds_of(connection, NEWEST):
            if kind.lower() in named:
                of_kind = chosen(connection, NEWEST, kind)
                connection.execute(f'create view "{NEWEST}_{kind}" as {of_kind}')


def _unusable(folder: Path, files: Iterable[Path]) -> StoreError | None:
    """Return the reason why a derived table cannot be read; None if it can."""
    for path in files:
        try:
            with damage_told(folder, path):
                pq.read_metadata(beneath.checked(path))
        except FileNotFoundError:
            return StoreError(
                f"{path}: is not there\n"
                f"  put the rest aside: lycosa verify {folder} --repair   make it again:"
                f" lycosa study {folder}"
            )
        except StoreError as error:
            return error
    return None


def _refuse_broken(query: str, broken: Mapping[str, StoreError]) -> None:
    """Refuse a query that names a table of a study that is damaged; others are answered.

    Texts of documents are rows of `text`, too.
    """
    for name, why in broken.items():
        words = rf"{name}|text" if name == DOCUMENTS else name
        if re.search(rf"(?i)\b(?:{words})\b", query):
            raise why


def is_damaged_table(error: duckdb.Error) -> bool:
    """Return whether a query failed because of the bytes of a table.

    Arrow's errors come with the name of the stream that DuckDB has got from it. Errors about the
    query quote it, and a query may name files, too.
    """
    if isinstance(error, OF_THE_QUERY):
        return False
    text = str(error)
    words = ("stream registered as", "ZSTD", "Parquet", "parquet", "Snappy", "Thrift", "TProtocol")
    return any(word in text for word in words)


def _dataset(rows: Rows) -> Any:
    """Return sealed and open rows together; a column that some lack is null there."""
    schemas = [pq.read_schema(beneath.checked(path)).remove_metadata() for path in rows.sealed]
    schema = pa.unify_schemas([rows.opened.schema, *schemas], promote_options="permissive")
    opened = pa.concat_tables([schema.empty_table(), rows.opened], promote_options="permissive")
    parts = [dataset.dataset(opened)]
    if rows.sealed:
        checked = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
        form = dataset.ParquetFileFormat(default_fragment_scan_options=checked)
        parts.append(dataset.dataset(_checked_files(rows.sealed), format=form, schema=schema))
    return dataset.dataset(parts)


def _checked_files(paths: Iterable[Path]) -> list[str]:
    return [str(beneath.checked(path)) for path in paths]


def _checked(connection: Connection, query: str) -> str:
    """Return the query, if it is a single one and only reads."""
    statements = connection.extract_statements(query)
    if len(statements) != 1:
        raise LycosaError(
            f"expected one query, got {len(statements)}\n"
            "  for example: lycosa sql DIR 'select outcome, count(*) from pages group by all'"
        )
    if statements[0].type != duckdb.StatementType.SELECT:
        raise LycosaError(
            f"a crawl is read-only, and the statement is {statements[0].type.name}\n"
            "  begin with select, from, with, describe, summarize or show"
        )
    return query


def _told(error: duckdb.Error, names: list[str], folder: Path) -> str:
    what = str(error).strip().removeprefix("Invalid Input Error: ")
    hint = f"  tables: {', '.join(names)}"
    if isinstance(error, duckdb.CatalogException) and "ranks" not in names:
        hint += f"\n  more after: lycosa study {folder}"
    return f"{what}\n{hint}\n  their columns: lycosa sql {folder} 'describe pages'"
