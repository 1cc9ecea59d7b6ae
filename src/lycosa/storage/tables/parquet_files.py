"""Opens Parquet files so that what has been read of them is let go of.

pyarrow reads ahead by default, which helps with distant files, and then keeps all that it has read
for as long as the file is open: of a segment's texts that was 140 MB too much.

The footer of a sealed table says which table it is. A file that stands in the place of another one
is damage, and its rows are of other pages: so every reader compares the two, and the checksums of
what it reads. Tables that older versions sealed have neither, and are taken as they are.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.storage.tables.arrow_functions import NAME_KEY, name_of


def rows_file(file: Path | pa.NativeFile, buffer_bytes: int = 0) -> pq.ParquetFile:
    """Open a file to be read row group by row group, in pieces of so many bytes if given."""
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
    found = pq.read_metadata(beneath.checked(path))
    _require_own(path, found)
    return found


def _require_own(path: Path, footer: pq.FileMetaData) -> None:
    told = (footer.metadata or {}).get(NAME_KEY)
    if told is not None and told != name_of(path):
        said = repr(told[:80])[2:-1]  # a stranger may have written it, for a terminal to obey
        raise pa.ArrowInvalid(f"its rows are those of {said}")
