"""The ids and stamps of the documents of a generation: `documents.parquet`, 16 bytes a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from lycosa._support import beneath
from lycosa.analysis.study.tables import Connection, add_files, quoted

DOCUMENTS = "documents.parquet"
_MOST_LANGUAGES = 3
_SCHEMA = pa.schema([("url_id", pa.int64()), ("stamp", pa.int64())])


def read_documents(connection: Connection, generation: Path | None) -> None:
    """Make the table `known`: id and stamp of the documents of a generation."""
    if generation is None:
        connection.execute("create table known (url_id bigint, stamp bigint)")
        return
    add_files(connection, "known_file", [generation / DOCUMENTS], _SCHEMA)
    connection.execute("create table known as select url_id, stamp from known_file")
    connection.execute("drop view known_file")


def write_documents(connection: Connection, generation: Path) -> tuple[int, list[str]]:
    """Write the table `known`; return the number of rows, and the commonest languages."""
    path = beneath.new_place(generation / DOCUMENTS)
    query = "select url_id, stamp from known order by url_id"
    connection.execute(f"copy ({query}) to {quoted(path)} (format parquet, compression zstd)")
    ((count,),) = connection.execute("select count(*) from known").fetchall()
    found: list[tuple[Any, ...]] = connection.execute(
        "select language from wanted where language != '' group by all"
        f" order by count(*) desc, language limit {_MOST_LANGUAGES}"
    ).fetchall()
    return int(count), [language for (language,) in found]
