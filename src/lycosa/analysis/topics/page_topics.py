"""Classifies all pages of a crawl again, into a table of its own: `page_topics`.

A row for each fetch of a page with a text. `topic`, `topic_confidence` and `topics` are what a
crawl with this model writes into `pages`; `model` is the digest of the model. The log and the
segments stay as they are.

    select topic, count(*) from page_topics group by all
    select url, topics from pages join page_topics using (fetch_id, url)

The file is written under a temporary name and renamed, so a reader sees the old one or the new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.topics.texts import Text, texts_of_crawl
from lycosa.errors import LycosaError
from lycosa.extract.topics.changes import is_mixed, likeliest_path, pieces_of
from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.storage.archive.files import sync_file, temporary
from lycosa.storage.archive.lock import alone
from lycosa.storage.tables.derived import derived_path

TABLE = "page_topics"
SCHEMA = pa.schema(
    [
        ("url_id", pa.int64()),
        ("fetch_id", pa.int64()),
        ("url", pa.string()),
        ("topic", pa.string()),
        ("topic_confidence", pa.float32()),
        ("topics", pa.string()),
        ("confidences", pa.list_(pa.float32())),
        ("model", pa.string()),
    ]
)
_SHORTEST_WORDS = 20
_LENIENT = 0.5
"""A page that would be of several topics with smaller pieces and at this part of the price of a
change is looked at again, with its headings (`page_units`)."""
_BATCH_ROWS = 10_000


class Classified(NamedTuple):
    """The result of a classification."""

    counts: Counter[str]
    """Number of pages by topic."""
    mixed: list[int]
    """The fetches of pages that may be of several topics."""


def classify(
    folder: Path, model: TopicModel, tell: Callable[[str], None] = lambda what: None
) -> Classified:
    """Write the table."""
    path = derived_path(folder, TABLE)
    busy = f"{folder}: another process is classifying this crawl\n  wait for it to end"
    counts, mixed = Counter[str](), list[int]()
    with alone(path.with_name("lock"), LycosaError(busy)):
        with pq.ParquetWriter(
            beneath.new_place(temporary(path)), SCHEMA, compression="zstd"
        ) as writer:
            for batch in _batches(folder, model, mixed):
                counts.update(batch.column("topic").to_pylist())
                writer.write_batch(batch)
                tell(f"{sum(counts.values()):,} pages")
        sync_file(temporary(path))
        temporary(path).rename(path)
    return Classified(counts, mixed)


def _batches(folder: Path, model: TopicModel, mixed: list[int]) -> Iterator[pa.RecordBatch]:
    digest = model.digest
    rows: list[dict[str, Any]] = []
    for text in texts_of_crawl(folder, with_old=True, is_whole=True):
        rows.append({**_row(model, text), "model": digest})
        if may_be_mixed(model, text.content):
            mixed.append(text.fetch_id)
        if len(rows) == _BATCH_ROWS:
            yield pa.RecordBatch.from_pylist(rows, SCHEMA)
            rows = []
    yield pa.RecordBatch.from_pylist(rows, SCHEMA)


def may_be_mixed(model: TopicModel, content: bytes) -> bool:
    """Return whether the text of a page, without its headings, may be of several topics."""
    found = [model.probabilities("", piece) for piece in pieces_of(content, _SHORTEST_WORDS)]
    path = likeliest_path(found, _LENIENT * model.header.price_of_change)
    return is_mixed(path, model.names.index(OTHER))


def _row(model: TopicModel, text: Text) -> dict[str, Any]:
    found = model.found(text.title, text.content)
    if found:
        topic, confidence = model.names[found[0].number], found[0].probability
    else:
        probabilities = model.probabilities(text.title, text.content)
        topic, confidence = OTHER, probabilities[model.names.index(OTHER)]
    return {
        "url_id": text.url_id,
        "fetch_id": text.fetch_id,
        "url": text.address,
        "topic": topic,
        "topic_confidence": confidence,
        "topics": " ".join(model.names[one.number] for one in found),
        "confidences": [one.probability for one in found],
    }
