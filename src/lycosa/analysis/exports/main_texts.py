"""Puts main texts in the place of whole texts, in the table `text` of an export.

The main texts of sealed segments are made if they are missing (`statistics.main_texts`). Texts and
main texts stand row by row in two files: they are joined batch by batch into temporary files,
because a database would hold the texts of a segment in memory to join them.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.statistics.main_texts import main_file, make_main_texts
from lycosa.analysis.study.main_text import FOUND, named
from lycosa.analysis.study.segment_cache import OnSegment
from lycosa.analysis.study.tables import Connection, quoted, rows_now
from lycosa.storage.tables.parquet_files import rows_file

MAIN_BY = "main_by"
"""The column that names engine and version; empty where the whole text stands."""

_BATCH_ROWS = 500


def add_main_texts(
    connection: Connection, folder: Path, engine: str, beside: Path, on_segment: OnSegment
) -> None:
    """Let the table `text` hold main texts, with the column `main_by`; `beside` takes its files."""
    rows = rows_now(folder, "text")
    make_main_texts(folder, engine, rows.sealed, on_segment)
    parts = ["select *, '' as main_by from whole_text where false"]
    for number, path in enumerate(rows.sealed):
        target = beside / f"{number}.parquet"
        _write(folder, engine, path, target)
        parts.append(f"select * from read_parquet({quoted(target)})")
    connection.register("opened_text", rows.opened)
    parts.append("select *, '' as main_by from opened_text")
    connection.execute("alter view text rename to whole_text")
    connection.execute(f"create view text as {' union all by name '.join(parts)}")


def _write(folder: Path, engine: str, texts: Path, target: Path) -> None:
    mains = main_file(folder, engine, texts)
    assert mains is not None
    found = pq.read_table(beneath.checked(mains), columns=["main", "outcome"])
    writer: pq.ParquetWriter | None = None
    first = 0
    with rows_file(texts) as file:
        for batch in file.iter_batches(_BATCH_ROWS):
            beside = found.slice(first, batch.num_rows).combine_chunks()
            first += batch.num_rows
            table = pa.Table.from_batches([batch])
            whole = table.column("text").cast(pa.large_string())
            text = pc.coalesce(beside.column("main"), whole)
            by = pc.if_else(pc.equal(beside.column("outcome"), FOUND), named(engine), "")
            table = table.set_column(table.schema.get_field_index("text"), "text", text)
            table = table.append_column(MAIN_BY, by)
            writer = writer or pq.ParquetWriter(beneath.new_place(target), table.schema)
            writer.write_table(table)
    if writer is not None:
        writer.close()
