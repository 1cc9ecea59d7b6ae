"""The table `documents`: texts of PDF and office files, a file for each sealed segment.

`lycosa index` and `lycosa study` write it (`lycosa.analysis.documents`). Its first columns are
those of the table `text`, so that whoever reads texts can read both.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from lycosa.storage.tables.rows import SCHEMAS

NAME = "documents"
TEXT_COLUMNS = SCHEMAS["text"].names
SCHEMA = pa.schema(
    [
        *SCHEMAS["text"],
        ("kind", pa.string()),
        ("outcome", pa.string()),
        ("pages", pa.int32()),
        ("confidence", pa.float32()),
        ("links", pa.list_(pa.string())),
    ]
)


def document_files(folder: Path) -> list[Path]:
    """Return the files of the table, in the order of their names."""
    return sorted((folder / "index" / NAME).glob("*.parquet"))


def documents_beside(folder: Path, rows: Path) -> Path | None:
    """Return the file of the table that belongs to a segment, by the path of other rows of it."""
    path = folder / "index" / NAME / f"{rows.name.partition('.')[0]}.parquet"
    return path if path.exists() else None
