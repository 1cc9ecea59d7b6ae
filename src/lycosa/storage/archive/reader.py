"""Reads a crawl directory: rows of a table, all exchanges, or one page.

Sealed and open segments are read alike: the rows of a segment that is still open, or that a dead
process left, come from its journals. In a sealed segment every exchange counts; in an open one
that is not decided yet.

    for batch in rows(folder, "links", ["source_id", "target_id"]): ...
    stored = find(folder, "https://example.org/")
    stored.headers, stored.body
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from lycosa._support import beneath
from lycosa.errors import StoreError
from lycosa.model.records import Place
from lycosa.model.url.key import key_of
from lycosa.storage.archive.layout import (
    CDX,
    ITEMS,
    JOURNAL,
    SEALED,
    Name,
    cdx_path,
    journal_path,
    names_in,
    sealed_path,
)
from lycosa.storage.segments.sealing import INDEXED, journal_batches
from lycosa.storage.tables.arrow_functions import call
from lycosa.storage.tables.document_texts import document_files
from lycosa.storage.tables.missing_tables import (
    damage_told,
    require_index,
    require_items,
    require_table,
    unreadable,
)
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.tables.rows import SCHEMAS, signed, url_id
from lycosa.storage.warc import cdx
from lycosa.storage.warc.record_reader import Stored, WarcFiles, read_exchange
from lycosa.storage.warc.warc_format import Record

_BATCH_ROWS = 10_000


def rows(folder: Path, kind: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a kind, segment by segment, a batch at a time."""
    names = list(columns) if columns is not None else SCHEMAS[kind].names
    for name in _segments(folder, kind):
        yield from _segment_rows(folder, kind, name, names)


def table(folder: Path, kind: str, columns: Sequence[str] | None = None) -> pa.Table:
    """Return all rows of a kind."""
    names = list(columns) if columns is not None else SCHEMAS[kind].names
    schema = pa.schema([SCHEMAS[kind].field(name) for name in names])
    return pa.Table.from_batches(rows(folder, kind, names), schema)


def item_counts(folder: Path) -> dict[str, int]:
    """Return how many items are stored, by kind, the most first; those of every fetch count."""
    require_items(folder)
    counts: Counter[str] = Counter()
    for name in sorted({*names_in(folder, ITEMS, SEALED), *names_in(folder, ITEMS, JOURNAL)}):
        for batch in _segment_rows(folder, ITEMS, name, ["kind"]):
            for found in batch.column("kind").value_counts().to_pylist():
                counts[found["values"]] += found["counts"]
    return dict(counts.most_common())


def captures(folder: Path) -> Iterator[Stored]:
    """Yield every exchange about a page that is in the archive, in the order of the rows."""
    files = WarcFiles(folder)
    try:
        columns = ["offset", "length", "record"]
        for name in sorted(
            {*names_in(folder, "pages", SEALED), *names_in(folder, "pages", JOURNAL)}
        ):
            for batch in _segment_rows(folder, "pages", name, columns):
                for row in batch.to_pylist():
                    if row["length"] and row["record"] in INDEXED:
                        place = Place(name.segment, row["offset"], row["length"])
                        yield read_exchange(place, files.member)
    finally:
        files.close()


def find(folder: Path, url: str) -> Stored | None:
    """Return the newest exchange about a canonical URL, or None when there is none."""
    found = max(_indexed(folder, url), default=None)
    found = max([*_unindexed(folder, url), *([found] if found else [])], default=None)
    found = found or max(_withheld(folder, url), default=None)
    if found is None:
        return None
    files = WarcFiles(folder)
    try:
        return read_exchange(found[1], files.member)
    finally:
        files.close()


def find_text(folder: Path, url: str) -> str | None:
    """Return the visible text of a canonical URL when it was last kept."""
    number = pa.scalar(signed(url_id(key_of(url))), pa.int64())
    newest: tuple[int, str] | None = None
    for batch in rows(folder, "text"):
        for row in batch.filter(call("equal", batch.column("url_id"), number)).to_pylist():
            newest = max(newest or (row["fetched_at"], ""), (row["fetched_at"], row["text"]))
    return newest[1] if newest else _document_text(folder, number)


def _document_text(folder: Path, number: pa.Scalar) -> str | None:
    """Return the text of a document, if it has been read."""
    import pyarrow.parquet as pq  # loads the file systems of three clouds

    newest: tuple[int, str] | None = None
    for path in document_files(folder):
        with damage_told(folder, path):
            found = pq.read_table(beneath.checked(path), columns=["url_id", "fetched_at", "text"])
        for row in found.filter(call("equal", found.column("url_id"), number)).to_pylist():
            newest = max(newest or (row["fetched_at"], ""), (row["fetched_at"], row["text"]))
    return newest[1] if newest else None


def demands(
    folder: Path, on_damage: Callable[[StoreError], None] | None = None
) -> Iterator[tuple[str, float, str | None]]:
    """Yield URL, moment and Retry-After of every 429 and 503, pages and robots files alike.

    `on_damage` is told of what cannot be read; without it that is an error.
    """
    files = WarcFiles(folder)
    try:
        for kind in ("pages", "hosts"):
            for name in _segments(folder, kind):
                columns = ["url", "ended", "status", "offset", "length"]
                try:
                    for batch in _segment_rows(folder, kind, name, columns):
                        yield from demands_in(batch, name, files.member)
                except StoreError as error:
                    if on_damage is None:
                        raise
                    on_damage(error)
    finally:
        files.close()


def demands_in(
    batch: pa.RecordBatch, name: Name, member: Callable[[Place], Record]
) -> Iterator[tuple[str, float, str | None]]:
    """Yield what `demands` does of some rows of a segment, whose records `member` reads."""
    for row in batch.to_pylist():
        if row["status"] in (429, 503) and row["length"]:
            place = Place(name.segment, row["offset"], row["length"])
            headers = read_exchange(place, member).headers
            value = next((v for n, v in headers if n.lower() == "retry-after"), None)
            yield row["url"], row["ended"].timestamp(), value


def each_segment(
    folder: Path, kind: str, columns: Sequence[str], on_damage: Callable[[StoreError], None]
) -> Iterator[tuple[Name, pa.RecordBatch]]:
    """Yield the rows of a kind as far as they can be read; `on_damage` is told of the rest."""
    try:
        require_table(folder, kind)
    except StoreError as error:
        on_damage(error)
    for name in sorted({*names_in(folder, kind, SEALED), *names_in(folder, kind, JOURNAL)}):
        try:
            for batch in _segment_rows(folder, kind, name, list(columns)):
                yield name, batch
        except StoreError as error:
            on_damage(error)


def _segments(folder: Path, kind: str) -> list[Name]:
    require_table(folder, kind)
    return sorted({*names_in(folder, kind, SEALED), *names_in(folder, kind, JOURNAL)})


def _segment_rows(
    folder: Path, kind: str, name: Name, columns: list[str]
) -> Iterator[pa.RecordBatch]:
    if not sealed_path(folder, kind, name).exists() and journal_path(folder, kind, name).exists():
        for batch in journal_batches(journal_path(folder, kind, name)):
            yield as_now(batch, kind, columns)
        return
    path = sealed_path(folder, kind, name)
    with damage_told(folder, path), rows_file(path) as file:
        there = [column for column in columns if column in file.schema_arrow.names]
        for batch in file.iter_batches(_BATCH_ROWS, columns=there):
            yield as_now(batch, kind, columns)


def as_now(batch: pa.RecordBatch, kind: str, columns: Sequence[str]) -> pa.RecordBatch:
    """Return rows as this version writes them, whichever version wrote them.

    A column that is younger than the segment is null there; outcomes had capitals once.
    """
    found = []
    for column in columns:
        if column not in batch.schema.names:
            found.append(pa.nulls(batch.num_rows, SCHEMAS[kind].field(column).type))
        else:
            found.append(batch.column(column))
    return respelled(pa.RecordBatch.from_arrays(found, list(columns)))


def respelled(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows whose outcomes are spelled as they are now: without capitals."""
    if "outcome" not in batch.schema.names:
        return batch
    small = call("ascii_lower", batch.column("outcome"))
    return batch.set_column(batch.schema.get_field_index("outcome"), "outcome", small)


def _indexed(folder: Path, url: str) -> Iterator[tuple[str, Place]]:
    require_index(folder)
    for name in names_in(folder, CDX, ".cdxj"):
        path = cdx_path(folder, name)
        try:
            for line in cdx.search(path, cdx.surt(url)):
                _, moment, entry = line.split(" ", 2)
                values = json.loads(entry)
                if values["url"] == url:
                    place = Place(name.segment, int(values["offset"]), int(values["length"]))
                    yield moment, place
        except (ValueError, KeyError, TypeError) as error:
            raise unreadable(folder, path, error) from None


def _withheld(folder: Path, url: str) -> Iterator[tuple[str, Place]]:
    """Yield the exchanges about a URL that asks for `noarchive`: the index does not list them."""
    number = pa.scalar(signed(url_id(key_of(url))), pa.int64())
    columns = ["url_id", "began", "noarchive", "offset", "length", "record"]
    for name in _segments(folder, "pages"):
        for batch in _segment_rows(folder, "pages", name, columns):
            for row in batch.filter(call("equal", batch.column("url_id"), number)).to_pylist():
                if row["length"] and row["noarchive"] and row["record"] in INDEXED:
                    place = Place(name.segment, row["offset"], row["length"])
                    yield row["began"].strftime("%Y%m%d%H%M%S"), place


def _unindexed(folder: Path, url: str) -> Iterator[tuple[str, Place]]:
    indexed = set(names_in(folder, CDX, ".cdxj"))
    columns = ["url", "began", "outcome", "offset", "length"]
    for kind in ("pages", "hosts"):
        for name in names_in(folder, kind, JOURNAL):
            if name in indexed:
                continue
            for batch in journal_batches(journal_path(folder, kind, name), columns):
                for row in batch.filter(call("equal", batch.column("url"), url)).to_pylist():
                    if row["length"] and row["outcome"].lower() not in ("not_modified", "rendered"):
                        place = Place(name.segment, row["offset"], row["length"])
                        yield row["began"].strftime("%Y%m%d%H%M%S"), place
