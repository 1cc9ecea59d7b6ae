"""Detects the languages of the texts of a crawl.

The texts of sealed segments are read once (`segment_cache`), even where the markup names a
language: so the study can tell whether the two agree. The main text of a page is used, if there is
one, because menus are often in another language. The languages of documents (PDF, office files)
were detected when these were read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa

from lycosa.analysis.documents.texts import document_languages
from lycosa.analysis.statistics.main_texts import made_by, with_main
from lycosa.analysis.study.segment_cache import Derived, Kind, OnSegment, derive
from lycosa.analysis.study.tables import Rows
from lycosa.extract.text import language_detector as detector
from lycosa.extract.text.page_language import LETTERS, middle_of
from lycosa.storage.tables.parquet_files import rows_file

SCHEMA = pa.schema(
    [
        ("fetch_id", pa.int64()),
        ("url_id", pa.int64()),
        ("language", pa.string()),
        ("confidence", pa.float32()),
    ]
)
# The name of its folder in `index/study/` and of its table; crawls studied before have it too.
TEXT_LANGUAGES = Kind("tongues", SCHEMA, f"2 middle {LETTERS} {detector.name_and_version()}")


def _kind(engine: str) -> Kind:
    """Return the kind, with the version of the main texts, on which the languages depend."""
    return TEXT_LANGUAGES._replace(version=f"{TEXT_LANGUAGES.version} {made_by(engine)}".strip())


_COLUMNS = ["fetch_id", "url_id", "text"]
_BATCH_ROWS = 8192


def text_languages_of(
    folder: Path, engine: str, texts: Rows, store: Path, on_segment: OnSegment
) -> Derived:
    """Detect the languages of all texts; those of sealed segments are kept in `store`."""

    def read(rows: Path) -> Iterator[pa.Table]:
        with rows_file(rows) as file:
            batches = file.iter_batches(_BATCH_ROWS, columns=_COLUMNS)
            yield from _looked_at(with_main(folder, engine, rows, batches))

    files = derive(store, _kind(engine), texts.sealed, read, on_segment)
    opened = _looked_at(texts.opened.select(_COLUMNS).to_batches(_BATCH_ROWS))
    documents = document_languages(folder, SCHEMA)
    return Derived(files, pa.concat_tables([documents, *opened]))


def _looked_at(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    for batch in batches:
        texts = [middle_of(text.as_py()) for text in batch.column("text")]
        languages, confidences = detector.detect(texts)
        columns = [
            batch.column("fetch_id"),
            batch.column("url_id"),
            pa.array(languages, pa.string()),
            pa.array(confidences, pa.float32()),
        ]
        yield pa.Table.from_arrays(columns, schema=SCHEMA)
