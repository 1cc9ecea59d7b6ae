"""Splits pages of several topics into units (WebParF), into a table of its own: `page_units`.

The pieces of a page (`sections`) are read one by one, and get topics such that a change of topic
must pay (`lycosa.extract.topics.changes`); pieces that follow each other and have the same topic
are one unit. Only a page with pieces of two topics besides `other` is split. A page of which a
model knows nothing but its first 4,000 bytes is read to its end here.

    select heading, topic from page_units where url = 'https://example.org/' order by number

The HTML is read from the archive; a page that is not there any more has no units.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.topics.sections import Piece, pieces_of_page
from lycosa.errors import LycosaError, StoreError
from lycosa.extract.topics.changes import is_mixed, likeliest_path
from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.model.records import Place
from lycosa.storage.archive.files import sync_file, temporary
from lycosa.storage.archive.lock import alone
from lycosa.storage.archive.reader import rows
from lycosa.storage.tables.derived import READ, derived_path
from lycosa.storage.warc.record_reader import Stored, WarcFiles, read_exchange

TABLE = "page_units"
SCHEMA = READ[TABLE].append(pa.field("model", pa.string()))
_BATCH_PAGES = 500
_COLUMNS = ["url_id", "fetch_id", "url", "content_type", "warc", "offset", "length"]


def split_pages(
    folder: Path,
    model: TopicModel,
    fetches: Collection[int],
    tell: Callable[[str], None] = lambda what: None,
) -> int:
    """Write the table for some fetches of pages; return the number of pages with units."""
    path = derived_path(folder, TABLE)
    busy = f"{folder}: another process is classifying this crawl\n  wait for it to end"
    pages = 0
    with alone(path.with_name("lock"), LycosaError(busy)):
        with pq.ParquetWriter(
            beneath.new_place(temporary(path)), SCHEMA, compression="zstd"
        ) as writer:
            some: list[dict[str, Any]] = []
            for units in _units(folder, model, fetches):
                pages += 1
                some += units
                if not pages % _BATCH_PAGES:
                    writer.write_batch(pa.RecordBatch.from_pylist(some, SCHEMA))
                    some = []
                    tell(f"{pages:,} pages split into units")
            writer.write_batch(pa.RecordBatch.from_pylist(some, SCHEMA))
        sync_file(temporary(path))
        temporary(path).rename(path)
    return pages


def _units(
    folder: Path, model: TopicModel, fetches: Collection[int]
) -> Iterator[list[dict[str, Any]]]:
    """Yield the units of each page that has several."""
    digest = model.digest
    for row, stored in _stored(folder, fetches):
        units = units_of(model, pieces_of_page(stored.body, row["content_type"]))
        if units:
            shared = {"model": digest} | {name: row[name] for name in ("url_id", "fetch_id", "url")}
            yield [shared | {"number": number} | unit for number, unit in enumerate(units, 1)]


def units_of(model: TopicModel, pieces: list[Piece]) -> list[dict[str, Any]]:
    """Return the units of a page of several topics: neighbours of one topic together."""
    found = [model.probabilities(heading, text) for heading, text in pieces]
    path = likeliest_path(found, model.header.price_of_change)
    if not is_mixed(path, model.names.index(OTHER)):
        return []
    units = []
    for topic, some in groupby(zip(path, pieces, strict=True), key=itemgetter(0)):
        own = [piece for _, piece in some]
        text = b"\n".join(piece.text for piece in own)
        units.append(
            {
                "heading": own[0].heading,
                "topic": model.names[topic],
                "topic_confidence": model.probabilities(own[0].heading, text)[topic],
                "text": text.decode("utf-8", "replace"),
            }
        )
    return units


def _stored(folder: Path, fetches: Collection[int]) -> Iterator[tuple[dict[str, Any], Stored]]:
    """Yield the rows and archived answers of some fetches of HTML pages."""
    wanted = pa.array(list(fetches), pa.int64())
    files = WarcFiles(folder)
    try:
        for batch in rows(folder, "pages", _COLUMNS) if fetches else ():
            some = batch.filter(pc.is_in(batch.column("fetch_id"), value_set=wanted))
            for row in some.to_pylist():
                if not row["length"] or "html" not in (row["content_type"] or "text/html").lower():
                    continue
                segment = int(row["warc"].partition(".")[0].rpartition("-")[2])
                place = Place(segment, row["offset"], row["length"])
                try:
                    yield row, read_exchange(place, files.member)
                except StoreError:
                    continue  # `lycosa verify` reports the damage
    finally:
        files.close()
