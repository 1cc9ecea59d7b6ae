"""The main texts of a crawl, one table for each sealed segment: `index/main_text/ENGINE/`.

Pages are read from the WARC files, which takes some milliseconds each, so that is done once
(`segment_cache`). Row n belongs to row n of the segment's `text`. `main` is null where a page has
no main text: then its whole text stands for it, and `outcome` says why. A file is made again when
its segment or the version of its engine changes. Pages of open segments have none yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.study.main_text import (
    ENGINES,
    NONE,
    MainText,
    MainTexts,
    installed_version,
)
from lycosa.analysis.study.segment_cache import Kind, OnSegment, derive
from lycosa.errors import LycosaError, StoreError
from lycosa.model.records import Place
from lycosa.storage.archive.index_lists import list_beside
from lycosa.storage.archive.lock import alone
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.warc.http_messages import header
from lycosa.storage.warc.record_reader import WarcFiles, read_exchange

SCHEMA = pa.schema(
    [
        ("fetch_id", pa.int64()),
        ("url_id", pa.int64()),
        ("main", pa.large_string()),
        ("outcome", pa.string()),
    ]
)
NAME = "main_text"

LOST = "lost"
"""The outcome of a page whose record cannot be read."""

_BATCH_ROWS = 200


def made_by(engine: str) -> str:
    """Return a version of the way main texts are made; "" without the library."""
    found = installed_version(engine)
    return f"{ENGINES[engine].version} {engine} {found}" if found else ""


def make_main_texts(
    folder: Path, engine: str, texts: Sequence[Path], on_segment: OnSegment
) -> None:
    """Make the main texts of sealed segments that lack them; do nothing without the library."""
    if not made_by(engine):
        return
    store = folder / "index"
    busy = f"{store}: another process is making the main texts\n  wait for it to end"
    with alone(store / "main_text.lock", LycosaError(busy)):
        _remove_unnamed(store)
        files, mains = WarcFiles(folder), MainTexts(engine)
        try:

            def make(rows: Path) -> Iterator[pa.Table]:
                return _of_segment(folder, rows, files, mains)

            kind = Kind(f"{NAME}/{engine}", SCHEMA, made_by(engine))
            derive(store, kind, texts, make, on_segment)
        finally:
            files.close()
            mains.close()


def _remove_unnamed(store: Path) -> None:
    """Remove files of earlier versions, which had one engine and did not name it."""
    for path in (store / NAME).glob("*.parquet"):
        path.unlink()
        list_beside(store / NAME).unlink(missing_ok=True)


def main_file(folder: Path, engine: str, texts: Path) -> Path | None:
    """Return the file with the main texts of a segment; None if there is none."""
    path = folder / "index" / NAME / engine / texts.name
    return path if texts.parent.name == "text" and path.exists() else None


def main_files(folder: Path, engine: str) -> list[Path]:
    """Return the files with main texts."""
    return sorted((folder / "index" / NAME / engine).glob("*.parquet"))


def outcomes_of_main_texts(folder: Path, engine: str) -> Counter[str]:
    """Return the number of pages by outcome."""
    found: Counter[str] = Counter()
    for path in main_files(folder, engine):
        column = pq.read_table(beneath.checked(path), columns=["outcome"]).column("outcome")
        found.update(column.to_pylist())
    return found


def with_main(
    folder: Path, engine: str, texts: Path, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """Replace the text by the main text, if there is one, in batches of a segment."""
    path = main_file(folder, engine, texts)
    if path is None:
        yield from batches
        return
    mains = pq.read_table(beneath.checked(path), columns=["main"]).column("main")
    first = 0
    for batch in batches:
        found = mains.slice(first, batch.num_rows).combine_chunks()
        whole = batch.column("text").cast(pa.large_string())
        first += batch.num_rows
        yield batch.set_column(
            batch.schema.get_field_index("text"), "text", pc.coalesce(found, whole)
        )


def _of_segment(folder: Path, rows: Path, files: WarcFiles, mains: MainTexts) -> Iterator[pa.Table]:
    places = _places(folder, rows)
    with rows_file(rows) as texts:
        for batch in texts.iter_batches(_BATCH_ROWS, columns=["fetch_id", "url_id"]):
            ids: list[int] = batch.column("fetch_id").to_pylist()
            found = [_main(places.get(number), files, mains) for number in ids]
            some = [pa.array([one.text for one in found], pa.large_string())]
            some.append(pa.array([one.outcome for one in found], pa.string()))
            yield pa.Table.from_arrays([*batch.columns, *some], schema=SCHEMA)


def _places(folder: Path, rows: Path) -> dict[int, Place]:
    """Return the places of the records of a segment's pages, by fetch."""
    pages = folder / "pages" / rows.name
    segment = int(rows.stem.rpartition("-")[2])
    found = pq.read_table(beneath.checked(pages), columns=["fetch_id", "offset", "length"])
    columns: list[list[Any]] = [column.to_pylist() for column in found.columns]
    return {
        number: Place(segment, offset, length)
        for number, offset, length in zip(*columns, strict=True)
        if length
    }


def _main(place: Place | None, files: WarcFiles, mains: MainTexts) -> MainText:
    if place is None:
        return MainText(None, NONE)
    try:
        stored = read_exchange(place, files.member)
    except StoreError:  # The file was moved away or is damaged; `lycosa verify` reports damage.
        return MainText(None, LOST)
    return mains.find(stored.body, header(stored.headers, "content-type") or None)
