"""Tables that commands compute from a crawl, one Parquet file each, in `index/tables/`.

`lycosa sql` and `lycosa export` know them by their names. They can be deleted and made again; those
of a study lie in a folder of their own, because they are valid only all together.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

PAGE_TOPICS = "page_topics"
READ = {
    PAGE_TOPICS: pa.schema(
        [
            ("url_id", pa.int64()),
            ("fetch_id", pa.int64()),
            ("topic", pa.string()),
            ("topic_confidence", pa.float32()),
        ]
    ),
    "page_units": pa.schema(
        [
            ("url_id", pa.int64()),
            ("fetch_id", pa.int64()),
            ("url", pa.string()),
            ("number", pa.int32()),
            ("heading", pa.string()),
            ("topic", pa.string()),
            ("topic_confidence", pa.float32()),
            ("text", pa.string()),
        ]
    ),
}
"""The columns that queries of other commands read, by table."""


def derived_path(folder: Path, name: str) -> Path:
    """Return the path of a table."""
    return folder / "index" / "tables" / f"{name}.parquet"


def derived_tables(folder: Path) -> dict[str, Path]:
    """Return the files of the tables that are there, by their names."""
    found = derived_path(folder, "any").parent.glob("*.parquet")
    return {path.stem: path for path in sorted(found)}
