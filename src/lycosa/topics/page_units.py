"""Splits pages of several topics into units (WebParF), into a table of its own: `page_units`.

A unit is a section of the page under a heading (`sections`), with the topic that the model finds
surest for it; sections that follow each other and have the same topic are one unit. Only a page
whose second topic is likely (`page_topics.MIXED`) is cut, and only if its units are of two topics
or more. What a page is about is read from its first 4,000 bytes: another topic that begins later is
not noticed.

    select heading, topic from page_units where url = 'https://example.org/' order by number

The HTML is read from the archive; a page that is not there any more has no units.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa import beneath
from lycosa.errors import LycosaError, StoreError
from lycosa.extract.topics.model import TopicModel
from lycosa.records import Place
from lycosa.store.files import sync_file, temporary
from lycosa.store.lock import alone
from lycosa.store.reader import rows
from lycosa.store.tables.derived import derived_path
from lycosa.store.warc.record_reader import Stored, WarcFiles, read_exchange
from lycosa.topics.sections import Section, sections_of

TABLE = "page_units"
SCHEMA = pa.schema(
    [
        ("url_id", pa.int64()),
        ("fetch_id", pa.int64()),
        ("url", pa.string()),
        ("number", pa.int32()),
        ("heading", pa.string()),
        ("topic", pa.string()),
        ("topic_confidence", pa.float32()),
        ("text", pa.string()),
        ("model", pa.string()),
    ]
)
_BATCH_PAGES = 500
_COLUMNS = ["url_id", "fetch_id", "url", "content_type", "warc", "offset", "length"]


def split_pages(
    folder: Path,
    model: TopicModel,
    fetches: Collection[int],
    tell: Callable[[str], None] = lambda what: None,
) -> int:
    """Write the table for some fetches of pages; returns how many pages have units."""
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
        units = units_of(model, sections_of(stored.body, row["content_type"]))
        if len(units) > 1:
            shared = {"model": digest} | {name: row[name] for name in ("url_id", "fetch_id", "url")}
            yield [shared | {"number": number} | unit for number, unit in enumerate(units, 1)]


def units_of(model: TopicModel, sections: list[Section]) -> list[dict[str, Any]]:
    """Return the units of a page: neighbours of one topic together."""
    found: list[tuple[str, str, bytes]] = []
    for heading, text in sections:
        topic, _ = _topic(model, heading, text)
        if found and found[-1][1] == topic:
            first, _, before = found[-1]
            found[-1] = (first, topic, before + b"\n" + text)
        else:
            found.append((heading, topic, text))
    return [
        {
            "heading": heading,
            "topic": topic,
            "topic_confidence": _confidence(model, heading, text, topic),
            "text": text.decode("utf-8", "replace"),
        }
        for heading, topic, text in found
    ]


def _topic(model: TopicModel, heading: str, text: bytes) -> tuple[str, float]:
    probabilities = model.probabilities(heading, text)
    best = max(range(len(probabilities)), key=lambda number: probabilities[number])
    return model.names[best], probabilities[best]


def _confidence(model: TopicModel, heading: str, text: bytes, topic: str) -> float:
    return model.probabilities(heading, text)[model.names.index(topic)]


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
                    continue  # `lycosa verify` says what is damaged
    finally:
        files.close()
