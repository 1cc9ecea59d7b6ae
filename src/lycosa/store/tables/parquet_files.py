"""Opens Parquet files so that what has been read of them is let go of.

pyarrow reads ahead by default, which helps with distant files, and then keeps all that it has read
for as long as the file is open: of a segment's texts that was 140 MB too much.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa import beneath


def rows_file(file: Path | pa.NativeFile, buffer_bytes: int = 0) -> pq.ParquetFile:
    """Open a file to be read row group by row group, in pieces of so many bytes if given."""
    if isinstance(file, Path):
        beneath.checked(file)
    return pq.ParquetFile(file, pre_buffer=False, buffer_size=buffer_bytes)
