"""Writes the items that plugins have emitted to files for other programs.

Values become columns (`lycosa.analysis.study.items`). In JSON lines lists and objects are what they
were; in CSV and Parquet objects are JSON. Items of pages that ask not to be archived (`noarchive`)
are left out, where the job obeys that. A file is written under a temporary name and renamed when it
is complete.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from lycosa._support import beneath
from lycosa.analysis.exports.csv_cells import cells, schema_of_cells, values
from lycosa.analysis.exports.targets import check_target
from lycosa.analysis.exports.withheld import wishes_obeyed
from lycosa.analysis.study.items import HISTORY, NEWEST, add_items, chosen
from lycosa.analysis.study.tables import (
    Connection,
    all_rows,
    connected,
    damaged_tables_told,
    quoted,
)
from lycosa.errors import LycosaError, StoreError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.files import temporary
from lycosa.storage.archive.layout import ITEMS

FORMATS = ("csv", "jsonl", "parquet")
_BATCH_ROWS = 10_000


class Wanted(NamedTuple):
    """The items to write, and their columns."""

    kind: str = ""
    """Only items of this kind."""
    columns: Sequence[str] = ()
    """Only these columns, in this order."""
    is_history: bool = False
    """Items of all fetches, not those of the newest ones."""
    is_raw: bool = False
    """Leave texts in CSV unchanged, even if a spreadsheet would run them as formulas."""
    with_withheld: bool = False
    """Also items of pages that ask to be withheld."""


class Exported(NamedTuple):
    """The result of an export."""

    rows: int
    left_out: int
    """Items of pages that ask to be withheld."""


ALL = Wanted()


@contextmanager
def items_of(folder: Path, wanted: Wanted = ALL) -> Iterator[tuple[Any, int]]:
    """Yield a relation of items with their values as columns, and how many were left out."""
    extract = CrawlDirectory.open(folder).job().extract
    table = HISTORY if wanted.is_history else NEWEST
    with connected(all_rows(folder, ("pages", ITEMS))) as connection, damaged_tables_told(folder):
        add_items(connection)
        left_out = 0
        if not wanted.with_withheld and wishes_obeyed(extract, NEWEST):
            table, left_out = _withheld(connection, table)
        connection.execute(f"create temp table exported as select * from {table}")
        yield connection.sql(chosen(connection, "exported", wanted.kind, wanted.columns)), left_out


def export_items(
    folder: Path,
    form: str,
    target: Path | None,
    wanted: Wanted = ALL,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> Exported:
    """Write items to a file, or to standard output; `tell` gets the rows written, and all."""
    check_target(folder, form, target)
    with items_of(folder, wanted) as (found, left_out):
        total = int(found.count("*").fetchall()[0][0])
        written = 0
        with _opened(target) as file:
            for count in _WRITERS[form](found, file, wanted.is_raw):
                written += count
                tell(written, total)
    return Exported(written, left_out)


def _withheld(connection: Connection, table: str) -> tuple[str, int]:
    """Return a table without items of pages that ask not to be archived, now or when fetched."""
    asking = (
        "select url_id from pages where coalesce(noarchive, false) and (fetch_id in"
        f" (select fetch_id from {table}) or fetch_id in (select arg_max(fetch_id, fetched_at)"
        " from pages where outcome = 'kept' group by url_id))"
    )
    found = f"select count(*) from {table} where url_id in ({asking})"
    count = connection.execute(found).fetchone()[0]
    connection.execute(
        f"create view to_be_exported as select * from {table} where url_id not in ({asking})"
    )
    return "to_be_exported", int(count)


@contextmanager
def _opened(target: Path | None) -> Iterator[IO[bytes]]:
    if target is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        file = beneath.open_new(temporary(target), "wb")
    except OSError as error:
        raise LycosaError(f"{target}: cannot be written: {error.strerror}") from None
    with file:
        yield file
    temporary(target).rename(target)


def _write_csv(found: Any, file: IO[bytes], is_raw: bool) -> Iterator[int]:
    import pyarrow.csv

    reader = found.to_arrow_reader(_BATCH_ROWS)
    with pyarrow.csv.CSVWriter(file, schema_of_cells(reader.schema)) as writer:
        for batch in reader:
            writer.write_batch(cells(batch, is_raw=is_raw))
            yield len(batch)


def _write_parquet(found: Any, file: IO[bytes], is_raw: bool) -> Iterator[int]:
    import pyarrow.parquet as pq

    reader = found.to_arrow_reader(_BATCH_ROWS)
    with pq.ParquetWriter(file, reader.schema, compression="zstd") as writer:
        for batch in reader:
            writer.write_batch(batch)
            yield len(batch)


def _write_lines(found: Any, file: IO[bytes], is_raw: bool) -> Iterator[int]:
    encoder = msgspec.json.Encoder()
    for rows in objects_in(found):
        file.write(encoder.encode_lines(rows))
        yield len(rows)


def objects_in(found: Any) -> Iterator[list[dict[str, Any]]]:
    """Yield items as objects, some thousands at a time; parts in JSON stay as they are."""
    is_json = [str(kind) == "JSON" for kind in found.types]
    for batch in found.to_arrow_reader(_BATCH_ROWS):
        names = batch.schema.names
        columns = [
            [None if value is None else msgspec.Raw(value.encode()) for value in column.to_pylist()]
            if is_raw
            else values(column)
            for column, is_raw in zip(batch.columns, is_json, strict=True)
        ]
        yield [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _values_of(row: dict[str, Any]) -> Any:
    """Return the values of an item; a table that a stranger has written may have anything there."""
    try:
        return msgspec.json.decode(row.pop("data"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise StoreError(
            f"item {row['ordinal']} of {row['url']:.200}: its values cannot be read: {error}\n"
            "  see them: lycosa sql DIR 'select data from items'"
        ) from None


_WRITERS = {"csv": _write_csv, "jsonl": _write_lines, "parquet": _write_parquet}


def stored_items(
    folder: Path, kind: str = "", prefix: str = "", *, is_history: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield items with their values by name: of a kind, and of URLs that begin so, if given."""
    CrawlDirectory.open(folder)
    query = f"""
        select url, kind, data, ordinal, item_key, url_id, fetch_id, fetched_at
        from {HISTORY if is_history else NEWEST}
        where ({quoted(kind)} in ('', kind)) and starts_with(url, {quoted(prefix)})
        order by fetched_at, fetch_id, ordinal
    """
    with connected(all_rows(folder, ("pages", ITEMS))) as connection, damaged_tables_told(folder):
        add_items(connection)
        for batch in connection.sql(query).to_arrow_reader(_BATCH_ROWS):
            for row in batch.to_pylist():
                row["values"] = _values_of(row)
                row["key"] = row.pop("item_key")
                yield row
