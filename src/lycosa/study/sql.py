"""Runs SQL over the tables of a crawl, read-only.

Two walls stand between a query and the crawl directory. Only statements that read are run; and
the database has no access to files or network, and its settings are locked: Arrow reads the tables
for it. So a query is bounded whatever it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import dataset

from lycosa import beneath
from lycosa.crawl.directory import CrawlDirectory
from lycosa.errors import LycosaError
from lycosa.store.layout import KINDS
from lycosa.store.tables.derived import derived_tables
from lycosa.store.tables.document_texts import NAME as DOCUMENTS
from lycosa.store.tables.document_texts import TEXT_COLUMNS, document_files
from lycosa.store.tables.missing_tables import damage_told, unreadable
from lycosa.study.results import Results
from lycosa.study.statistics.main_texts import NAME as MAIN_TEXT
from lycosa.study.statistics.main_texts import main_files
from lycosa.study.tables import Connection, Rows, all_rows, connected, shown

_DOCUMENT_TEXTS = f"select {', '.join(TEXT_COLUMNS)} from {DOCUMENTS} where text != ''"

Relation = Any
"""A `duckdb.DuckDBPyRelation`."""


@contextmanager
def asked(folder: Path, query: str) -> Iterator[Relation]:
    """Ask a crawl; the answer can be read until the block is left."""
    CrawlDirectory.open(folder)
    rows = all_rows(folder)
    studied = Results(folder).tables()
    computed = studied | derived_tables(folder)
    with connected([]) as connection:
        documents = document_files(folder)
        if documents:
            connection.register(DOCUMENTS, dataset.dataset(_checked_files(documents)))
        for some in rows:
            connection.register(f"stored_{some.kind}", _dataset(some))
            query_of = shown(some.kind, f"stored_{some.kind}")
            if some.kind == "text" and documents:
                query_of += f" union all by name {_DOCUMENT_TEXTS}"
            connection.execute(f"create view {some.kind} as {query_of}")
        for name, path in computed.items():
            connection.register(name, dataset.dataset(str(beneath.checked(path))))
        if mains := main_files(folder):
            connection.register(MAIN_TEXT, dataset.dataset(_checked_files(mains)))
        _lock(connection)
        names = [*sorted(KINDS), *computed, *([MAIN_TEXT] if mains else [])]
        names += [DOCUMENTS] if documents else []
        try:
            with damage_told(folder, f"{folder}: a table"):
                yield connection.sql(_checked(connection, query))
        except duckdb.Error as error:
            if is_damage(error):
                raise unreadable(folder, f"{folder}: a table", error) from None
            raise LycosaError(_told(error, names, folder)) from None


def is_damage(error: duckdb.Error) -> bool:
    """Return whether a query failed because of the bytes of a table."""
    text = str(error)
    words = ("ZSTD", "Parquet", "parquet file", "Snappy", "Thrift", "TProtocol")
    return any(word in text for word in words)


def _dataset(rows: Rows) -> Any:
    """Return sealed and open rows as one; a column that some lack is null there."""
    schemas = [pq.read_schema(beneath.checked(path)).remove_metadata() for path in rows.sealed]
    schema = pa.unify_schemas([rows.opened.schema, *schemas], promote_options="permissive")
    opened = pa.concat_tables([schema.empty_table(), rows.opened], promote_options="permissive")
    parts = [dataset.dataset(opened)]
    if rows.sealed:
        parts.append(dataset.dataset(_checked_files(rows.sealed), format="parquet", schema=schema))
    return dataset.dataset(parts)


def _checked_files(paths: Iterable[Path]) -> list[str]:
    return [str(beneath.checked(path)) for path in paths]


def _lock(connection: Connection) -> None:
    for setting in (
        "set python_enable_replacements = false",
        "set autoinstall_known_extensions = false",
        "set autoload_known_extensions = false",
        "set enable_external_access = false",
        "set lock_configuration = true",
    ):
        connection.execute(setting)


def _checked(connection: Connection, query: str) -> str:
    """Return the query if it is one, and only reads."""
    statements = connection.extract_statements(query)
    if len(statements) != 1:
        raise LycosaError(
            f"one query is expected, these are {len(statements)}\n"
            "  for example: lycosa sql DIR 'select outcome, count(*) from pages group by all'"
        )
    if statements[0].type != duckdb.StatementType.SELECT:
        raise LycosaError(
            f"a crawl can only be read, and this is {statements[0].type.name}\n"
            "  begin with select, from, with, describe, summarize or show"
        )
    return query


def _told(error: duckdb.Error, names: list[str], folder: Path) -> str:
    what = str(error).strip().removeprefix("Invalid Input Error: ")
    hint = f"  tables: {', '.join(names)}"
    if isinstance(error, duckdb.CatalogException) and "ranks" not in names:
        hint += f"\n  more after: lycosa study {folder}"
    return f"{what}\n{hint}\n  their columns: lycosa sql {folder} 'describe pages'"
