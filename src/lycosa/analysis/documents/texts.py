"""Makes the table `documents` of a crawl, a file for each sealed segment: `index/documents/`.

A file is made again when its segment was rewritten, or when another version of the library reads
more. Documents of open segments are read when these are sealed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from lycosa._support import beneath
from lycosa.analysis.documents.document import DAMAGED, Document
from lycosa.analysis.documents.pdf import installed_version
from lycosa.analysis.documents.reader import DocumentReader
from lycosa.analysis.study.segment_cache import Kind, OnSegment, derive
from lycosa.errors import LycosaError, StoreError
from lycosa.extract.document_types import is_document, may_be_document
from lycosa.model.records import Place
from lycosa.model.url import canonical_key, url_of
from lycosa.storage.archive.lock import alone
from lycosa.storage.tables.document_texts import NAME, SCHEMA, document_files
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.warc.record_reader import WarcFiles, read_exchange

_COLUMNS = ["url_id", "fetch_id", "fetched_at", "url", "content_type", "outcome"]
_COLUMNS += ["offset", "length"]
_BATCH_ROWS = 5_000
_WRITTEN_CHARACTERS = 20_000_000
"""Texts are written in pieces of this size."""


def made_by() -> str:
    """Return a version of the way in which documents are read."""
    return " ".join(("2", "pypdfium2", installed_version() or "none", _detector_version())).strip()


def make_documents(
    folder: Path, pages: Sequence[Path], on_segment: OnSegment, reader: DocumentReader | None = None
) -> list[Path]:
    """Read the documents of sealed segments whose table is missing; returns all files."""
    store = folder / "index"
    busy = f"{store}: another process is reading the documents\n  wait for it to end"
    store.mkdir(exist_ok=True)
    with alone(store / "documents.lock", LycosaError(busy)):
        files, reads = WarcFiles(folder), reader or DocumentReader()
        try:

            def make(rows: Path) -> Iterator[pa.Table]:
                return _of_segment(rows, files, reads)

            return derive(store, Kind(NAME, SCHEMA, made_by()), pages, make, on_segment)
        finally:
            files.close()
            reads.close()


def outcomes_of_documents(folder: Path) -> Counter[str]:
    """Return the number of documents by outcome."""
    found: Counter[str] = Counter()
    for path in document_files(folder):
        found.update(
            pq.read_table(beneath.checked(path), columns=["outcome"]).column("outcome").to_pylist()
        )
    return found


def document_languages(folder: Path, schema: pa.Schema) -> pa.Table:
    """Return the languages of all documents whose text has one, in the columns of a schema."""
    parts = [schema.empty_table()]
    for path in document_files(folder):
        found = pq.read_table(beneath.checked(path), columns=schema.names)
        parts.append(found.filter(pc.not_equal(found.column("language"), "")).cast(schema))
    return pa.concat_tables(parts)


def _of_segment(rows: Path, files: WarcFiles, reader: DocumentReader) -> Iterator[pa.Table]:
    segment = int(rows.stem.rpartition("-")[2])
    waiting: list[dict[str, Any]] = []
    size = 0
    with rows_file(rows) as pages:
        for batch in pages.iter_batches(_BATCH_ROWS, columns=_COLUMNS):
            for row in _candidates(batch).to_pylist():
                kind = _media_type(row["content_type"])
                place = Place(segment, row["offset"], row["length"])
                found = _document(place, kind, files, reader)
                if found is None:
                    continue
                waiting.append(_row(row, found))
                size += len(waiting[-1]["text"])
                if size >= _WRITTEN_CHARACTERS:
                    yield _table(waiting)
                    waiting, size = [], 0
    yield _table(waiting)


def _candidates(pages: pa.RecordBatch) -> pa.RecordBatch:
    """Return the pages that may be documents, by their content types."""
    types = pages.column("content_type")
    may_be = [name for name in types.unique().to_pylist() if may_be_document(_media_type(name))]
    is_candidate = pc.and_(
        pc.is_in(types, pa.array(may_be, types.type)),
        pc.and_(
            pc.equal(pc.utf8_lower(pages.column("outcome")), "kept"),
            pc.greater(pages.column("length"), 0),
        ),
    )
    return pages.filter(is_candidate)


def _media_type(content_type: str | None) -> str:
    return (content_type or "").partition(";")[0].strip().lower()


def _document(place: Place, kind: str, files: WarcFiles, reader: DocumentReader) -> Document | None:
    """Read the document at a place; None if the record is not a document."""
    try:
        stored = read_exchange(place, files.member)
    except StoreError:  # The file was moved away or is damaged; `lycosa verify` reports damage.
        return Document(DAMAGED)
    body = stored.body
    return reader.read(body, is_truncated=stored.is_truncated) if is_document(kind, body) else None


def _row(page: dict[str, Any], found: Document) -> dict[str, Any]:
    names = ("url_id", "fetch_id", "fetched_at", "url")
    return {name: page[name] for name in names} | {
        "text": found.text,
        "title": found.title,
        "kind": found.kind,
        "outcome": found.outcome,
        "pages": found.pages,
        "links": _absolute(found.links, page["url"]),
    }


def _absolute(links: list[str], url: str) -> list[str]:
    """Return the canonical URLs of links, without other schemes such as `mailto:`."""
    keys = (canonical_key(link, url) for link in links)
    return list(dict.fromkeys(url_of(key) for key in keys if key is not None))


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    languages, confidences = _detect([row["text"] for row in rows])
    for row, language, confidence in zip(rows, languages, confidences, strict=True):
        row["language"], row["confidence"] = language or "", confidence
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def _detect(texts: list[str]) -> tuple[Sequence[str | None], Sequence[float | None]]:
    """Find the languages of texts; none without the packages of the extra `study`."""
    if not texts or not _detector_version():
        return [""] * len(texts), [None] * len(texts)
    from lycosa.extract.text import language_detector as detector
    from lycosa.extract.text.page_language import middle_of

    return detector.detect([middle_of(text) for text in texts])


def _detector_version() -> str:
    from lycosa._support.extras import is_there

    if not is_there("py3langid") or not is_there("numpy"):
        return ""
    from lycosa.extract.text import language_detector as detector

    return detector.name_and_version()
