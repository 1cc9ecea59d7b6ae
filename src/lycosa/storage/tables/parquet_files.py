"""Opens Parquet files so that what has been read of them is let go of.

pyarrow reads ahead by default, which helps with distant files, and then keeps all that it has read
for as long as the file is open: of a segment's texts that was 140 MB too much.

The footer of a sealed table says which table it is. A file that stands in the place of another one
is damage, and its rows are of other pages: so every reader compares the two, and the checksums of
what it reads. Tables that older versions sealed have neither, and are taken as they are.

The footer also says how the columns are stored. A query fits every sound table, so a column of
another type is damage (`require_types`), and named as such before a query meets it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from lycosa._support import beneath
from lycosa.storage.tables.arrow_functions import NAME_KEY, name_of

if TYPE_CHECKING:  # loads the file systems of three clouds
    import pyarrow.parquet as pq


def rows_file(file: Path | pa.NativeFile, buffer_bytes: int = 0) -> pq.ParquetFile:
    """Open a file to be read row group by row group, in pieces of so many bytes if given."""
    import pyarrow.parquet as pq

    opened = pq.ParquetFile(
        beneath.checked(file) if isinstance(file, Path) else file,
        pre_buffer=False,
        buffer_size=buffer_bytes,
        page_checksum_verification=True,
    )
    try:
        if isinstance(file, Path):
            _require_own(file, opened.metadata)
    except BaseException:
        opened.close()
        raise
    return opened


def footer_of(path: Path) -> pq.FileMetaData:
    """Return the footer of a table, which must be the one that belongs there."""
    import pyarrow.parquet as pq

    found = pq.read_metadata(beneath.checked(path))
    _require_own(path, found)
    return found


def require_types(footer: pq.FileMetaData, schema: pa.Schema, *, may_lack: bool = False) -> None:
    """Refuse a table whose columns are stored in other types than those of a schema.

    The table may have further columns. With `may_lack`, columns that an older version did not have
    may be missing.
    """
    compare_types(types_in(footer), _stored(schema), may_lack=may_lack)


def compare_types(found: dict[str, str], expected: dict[str, str], *, may_lack: bool) -> None:
    """Refuse columns whose types, by `types_in`, are not the expected ones."""
    for column, kind in expected.items():
        if column not in found and not may_lack:
            raise pa.ArrowInvalid(f"its column {column!r} is missing")
        if found.get(column, kind) != kind:
            raise pa.ArrowInvalid(f"its column {column!r} is of type {found[column]}, not {kind}")


def types_in(footer: pq.FileMetaData) -> dict[str, str]:
    """Return the types of columns by their paths, as DuckDB tells them apart in a query.

    Integers of any width are of one type, with and without the note of their width.
    """
    columns = (footer.schema.column(number) for number in range(footer.num_columns))
    found = {}
    for one in columns:
        meant = one.logical_type.type
        kind = one.physical_type if meant in _UNTOLD else f"{one.physical_type} {meant}"
        found[one.path] = f"{kind} (repeated)" if one.max_repetition_level else kind
    return found


_UNTOLD = ("NONE", "INT")


@cache
def _stored(schema: pa.Schema) -> dict[str, str]:
    import pyarrow.parquet as pq

    in_memory = pa.BufferOutputStream()
    pq.write_table(schema.empty_table(), in_memory)
    return types_in(pq.read_metadata(pa.BufferReader(in_memory.getvalue())))


def _require_own(path: Path, footer: pq.FileMetaData) -> None:
    told = (footer.metadata or {}).get(NAME_KEY)
    if told is not None and told != name_of(path):
        said = repr(told[:80])[2:-1]  # a stranger may have written it, for a terminal to obey
        raise pa.ArrowInvalid(f"its rows are those of {said}")
