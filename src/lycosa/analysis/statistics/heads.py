"""Reads the headers of stored answers that no table holds: server, last change, redirect target.

Headers are only in the WARC files. Reading them takes some 26 µs per answer, so it is done once
for each sealed segment (`segment_cache`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from isal import isal_zlib

from lycosa._support import beneath
from lycosa.analysis.study.segment_cache import Derived, Kind, OnSegment, derive
from lycosa.analysis.study.tables import Rows
from lycosa.model.url import canonicalize
from lycosa.model.url.key import key_of
from lycosa.storage.archive.layout import WARC
from lycosa.storage.tables.parquet_files import rows_file
from lycosa.storage.tables.rows import signed, url_id
from lycosa.storage.warc.http_messages import header, parse_head, split_block

SCHEMA = pa.schema(
    [
        ("fetch_id", pa.int64()),
        ("url_id", pa.int64()),
        ("server", pa.string()),
        ("last_modified", pa.timestamp("us", tz="UTC")),
        ("redirect_id", pa.int64()),
        ("names", pa.string()),
    ]
)
HEADS = Kind("heads", SCHEMA, "1")

_GzipError: type[Exception] = isal_zlib.error  # type: ignore[assignment]
_READ_BYTES, _HEAD_BYTES = 16_384, 65_536
_GZIP = 31
_BATCH_ROWS = 50_000
_REDIRECTS = range(300, 400)
_SERVER_LENGTH = 200
_MOST_NAMES, _NAME_LENGTH = 100, 60
"""Most headers of an answer; further ones are ignored."""
_MOST_KNOWN = 1024
"""A server sends the same headers, and often the same dates, again and again."""


class _Row(NamedTuple):
    """The columns of a page that locate its answer."""

    fetch_id: int
    url_id: int
    url: str
    status: int
    warc: str
    offset: int
    length: int


_COLUMNS = list(_Row._fields)


class Head(NamedTuple):
    """The headers of an answer, in the order of the columns."""

    fetch_id: int
    url_id: int
    server: str
    last_modified: datetime | None
    redirect_id: int | None
    names: str
    """The names of its headers, in small letters and in order, one a line."""


def heads_of(folder: Path, pages: Rows, store: Path, on_segment: OnSegment) -> Derived:
    """Read the headers of all answers; those of sealed segments are kept in `store`."""

    def read(rows: Path) -> Iterator[pa.Table]:
        with rows_file(rows) as file:
            for batch in file.iter_batches(_BATCH_ROWS, columns=_COLUMNS):
                yield _table(_heads(folder, [batch]))

    files = derive(store, HEADS, pages.sealed, read, on_segment)
    return Derived(files, _table(_heads(folder, pages.opened.select(_COLUMNS).to_batches())))


def _table(heads: Iterable[Head]) -> pa.Table:
    columns = list(zip(*heads, strict=True)) or [()] * len(SCHEMA)
    arrays = [pa.array(c, field.type) for c, field in zip(columns, SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=SCHEMA)


def _heads(folder: Path, batches: Iterable[pa.RecordBatch]) -> Iterator[Head]:
    files: dict[str, int | None] = {}
    try:
        for batch in batches:
            kept = batch.filter(pc.greater(batch.column("length"), 0))
            columns = (kept.column(name).to_pylist() for name in _COLUMNS)
            for row in map(_Row._make, zip(*columns, strict=True)):
                if row.warc not in files:
                    files[row.warc] = _opened(folder / WARC / row.warc)
                file = files[row.warc]
                if file is not None:
                    yield _head(row, _beginning(file, row.offset, row.length))
    finally:
        for descriptor in files.values():
            if descriptor is not None:
                os.close(descriptor)


def _opened(path: Path) -> int | None:
    """Open a WARC file; None when the operator has moved it away, which is allowed."""
    try:
        return beneath.descriptor(path)
    except FileNotFoundError:
        return None


def _beginning(file: int, offset: int, length: int) -> bytes:
    """Return the first bytes of the HTTP answer in a record; none if the record is damaged."""
    if offset < 0:
        raise pa.ArrowInvalid(f"a record cannot begin at byte {offset}")
    content = os.pread(file, min(length, _READ_BYTES), offset)
    try:
        record = isal_zlib.decompressobj(_GZIP).decompress(content, _HEAD_BYTES)
    except _GzipError:
        return b""
    return bytes(record[record.find(b"\r\n\r\n") + 4 :])


def _head(row: _Row, beginning: bytes) -> Head:
    _, headers = parse_head(split_block(beginning)[0])
    location = header(headers, "location") if row.status in _REDIRECTS else ""
    return Head(
        row.fetch_id,
        row.url_id,
        header(headers, "server")[:_SERVER_LENGTH],
        _moment(header(headers, "last-modified")),
        _id_of(location, row.url) if location else None,
        _names(tuple([name for name, _ in headers[:_MOST_NAMES]])),
    )


@lru_cache(_MOST_KNOWN)
def _names(given: tuple[str, ...]) -> str:
    """Return the names of the headers."""
    return "\n".join(sorted({name.lower()[:_NAME_LENGTH] for name in given}))


@lru_cache(_MOST_KNOWN)
def _moment(text: str) -> datetime | None:
    """Read a date of HTTP (RFC 9110 section 5.6.7); None if it is invalid."""
    if not text:
        return None
    try:
        found = parsedate_to_datetime(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, IndexError, OverflowError):
        return None


def _id_of(location: str, base: str) -> int | None:
    url = canonicalize(location, base)
    return None if url is None else signed(url_id(key_of(url)))
