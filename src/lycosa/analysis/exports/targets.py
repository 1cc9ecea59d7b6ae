"""Where an export may be written to."""

from __future__ import annotations

from pathlib import Path

from lycosa.errors import LycosaError
from lycosa.storage.archive.layout import CDX, ITEMS, KINDS, WARC

RECORDS = "warc"
"""The format of records, which no terminal shows."""


def check_target(folder: Path, form: str, target: Path | None) -> None:
    """Refuse to print Parquet, and to write among the files of the crawl."""
    if form in ("parquet", RECORDS) and target is None:
        what = "Parquet" if form == "parquet" else "A WARC file"
        raise LycosaError(f"{what} cannot be printed\n  name a file: -o FILE")
    # Paths are resolved, because a link may lead into the crawl.
    own = {folder.resolve() / part for part in (*KINDS, ITEMS, WARC, CDX, "log", "index")}
    if target is not None and own & {target.resolve(), *target.resolve().parents}:
        raise LycosaError(
            f"{target}: belongs to the crawl, which other programs read\n  choose another folder"
        )
