"""The tables of a crawl, as Arrow columns that any tool can read.

    pages   one row for each fetch of a page, whatever its outcome
    links   one row for each target and kind of link of a page that was kept; `reason` says
            whether the link is followed, or why not
    text    the visible text of a page that was kept
    hosts   one row for each fetch of a robots file

`url_id` is the 64-bit hash (XXH3) of a URL's key, `fetch_id` the hash of the key and the
moment of the answer; both are signed, because not every tool knows unsigned numbers. Rows of
one fetch share its `fetch_id`.

While a segment is open its rows stand in Arrow IPC streams, one record batch per flush. They
have two columns more than sealed rows: offset and length, in the WARC file, of the records of the
fetch, from the request to the metadata. Rows of `pages` also say how many links, texts and blocks
of quads belong to the fetch, so that missing ones are noticed (`survey`), and whether its record is
left out of the index of replay (`withheld`). In rows of `links` the strings that repeat from page
to page are Arrow dictionaries, written anew with every flush; sealed, they are strings.

Rows are built column by column for all fetches of a flush: a Python call for each value
would cost more than everything else here.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, cast

import pyarrow as pa
from xxhash import xxh3_64_intdigest

from lycosa.links import Links, Rows
from lycosa.records import LinkKind, Outcome

_ID = pa.int64()
_MOMENT = pa.timestamp("us", tz="UTC")

_FETCH = [
    ("url_id", _ID),
    ("fetch_id", _ID),
    ("fetched_at", _MOMENT),
    ("key", pa.string()),
    ("url", pa.string()),
    ("host", pa.string()),
    ("address", pa.string()),
    ("outcome", pa.string()),
    ("status", pa.int16()),
    ("content_type", pa.string()),
    ("size_bytes", pa.int64()),
    ("truncated", pa.bool_()),
    ("digest", pa.string()),
    ("began", _MOMENT),
    ("ended", _MOMENT),
    ("record", pa.string()),
    ("warc", pa.string()),
    ("offset", pa.int64()),
    ("length", pa.int64()),
]
_PAGE = [
    ("charset", pa.string()),
    ("title", pa.string()),
    ("description", pa.string()),
    ("language", pa.string()),
    ("fingerprint", _ID),
    ("distance", pa.int32()),
    ("source_id", _ID),
    ("via", pa.string()),
    ("rule", pa.string()),
    ("noindex", pa.bool_()),
    ("noarchive", pa.bool_()),
    ("redirect_url", pa.string()),
    ("redirect_id", _ID),
    ("unread", pa.string()),
]
_GROUP = [("group_offset", pa.int64()), ("group_length", pa.int64())]
_CONTENT = [("link_rows", pa.int32()), ("text_rows", pa.int32()), ("quad_blocks", pa.int32())]
_CONTENT += [("withheld", pa.bool_())]

SCHEMAS = {
    "pages": pa.schema(_FETCH + _PAGE),
    "hosts": pa.schema(_FETCH),
    "links": pa.schema(
        [
            ("source_id", _ID),
            ("source_url", pa.string()),
            ("fetch_id", _ID),
            ("fetched_at", _MOMENT),
            ("target_id", _ID),
            ("target_url", pa.string()),
            ("kind", pa.string()),
            ("reason", pa.string()),
            ("position", pa.int32()),
            ("rel", pa.string()),
            ("text", pa.string()),
            ("times", pa.int32()),
        ]
    ),
    "text": pa.schema(
        [
            ("url_id", _ID),
            ("fetch_id", _ID),
            ("fetched_at", _MOMENT),
            ("text", pa.string()),
            ("url", pa.string()),
            ("title", pa.string()),
            ("language", pa.string()),
        ]
    ),
}
"""Of sealed rows."""

_REPEATED = pa.dictionary(pa.int32(), pa.string())
_REPEATED_NAMES = ("source_url", "target_url", "kind", "reason", "rel")
_LINKS = SCHEMAS["links"]

JOURNAL_SCHEMAS = SCHEMAS | {
    "pages": pa.schema(_FETCH + _GROUP + _PAGE + _CONTENT),
    "hosts": pa.schema(_FETCH + _GROUP),
    "links": pa.schema(
        [field.with_type(_REPEATED) if field.name in _REPEATED_NAMES else field for field in _LINKS]
    ),
}
"""Of the rows of an open segment."""

KIND_NAMES = [""] * (max(LinkKind) + 1)
for _kind in LinkKind:
    KIND_NAMES[_kind] = _kind.name.lower()

OUTCOME_NAMES = {outcome: outcome.name.lower() for outcome in Outcome}
"""Reading the name of a member of an enum takes as long as making a row."""

SPELLED = "lower(outcome) collate nocase"
"""In SQL: an outcome as it is spelled now. Segments from before have it in capitals, and so may
queries: comparisons take no notice of them."""

_OURS = frozenset(JOURNAL_SCHEMAS["pages"].names)
_UNSIGNED = frozenset({"url_id", "fetch_id", "fingerprint"})
_moment_bytes = struct.Struct("<d").pack


Row = tuple[Any, ...]
"""The values of a row in the order of its columns; the ids that are never missing are unsigned."""


class Text(NamedTuple):
    """The visible text of a page, in UTF-8, with what a reader of texts wants to know of it."""

    text: bytes
    url: str
    title: str
    language: str


class Pending:
    """Rows that have not been flushed, gathered in the worker's thread."""

    def __init__(self, schemas: Mapping[str, pa.Schema] = JOURNAL_SCHEMAS) -> None:
        self._schemas = schemas
        self.pages: list[Row] = []
        self.hosts: list[Row] = []
        self.links = Rows(KIND_NAMES)
        self.texts: list[tuple[int, int, int, bytes, str, str, str]] = []

    def add_page(self, row: Row) -> None:
        """Take the row of a page's fetch, with the values of the columns that plugins add."""
        self.pages.append(row)

    def add_host(self, row: Row) -> None:
        """Take the row of a robots file's fetch."""
        self.hosts.append(row)

    def add_content(self, fetch: Row, links: Sequence[Links], text: Text) -> None:
        """Take the links and the text of a page that was kept."""
        url_number, fetch_number, moment, _, url = fetch[:5]
        for some in links:
            if some.kinds:
                self.links.add(url_number, url, fetch_number, moment, some)
        if text.text:
            self.texts.append((url_number, fetch_number, moment, *text))

    def batches(self) -> dict[str, pa.RecordBatch]:
        """Return the rows as one record batch for each kind that has any."""
        batches: dict[str, pa.RecordBatch] = {}
        if self.links:
            batches["links"] = self._links_batch()
        if self.texts:
            batches["text"] = self._text_batch()
        for kind, rows in (("hosts", self.hosts), ("pages", self.pages)):
            if rows:
                batches[kind] = _fetches_batch(self._schemas[kind], rows)
        return batches

    def _links_batch(self) -> pa.RecordBatch:
        schema, count = JOURNAL_SCHEMAS["links"], len(self.links)
        columns = zip(schema, self.links.columns(), strict=True)
        arrays = [_column(field.type, count, column) for field, column in columns]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _text_batch(self) -> pa.RecordBatch:
        url_ids, fetch_ids, moments, texts, *about = zip(*self.texts, strict=True)
        columns = [
            _ids(array("Q", url_ids)),
            _ids(array("Q", fetch_ids)),
            _moments(array("Q", moments)),
            _encoded(texts),
            *map(_strings, about),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=JOURNAL_SCHEMAS["text"])


def _column(kind: pa.DataType, count: int, column: bytes | tuple[bytes, ...]) -> pa.Array:
    """Return a column of links as `Rows` gives it."""
    if isinstance(column, bytes):
        return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(column)])
    *places, ends, content = map(pa.py_buffer, column)
    strings = len(ends) // 4 - 1
    values = pa.Array.from_buffers(pa.string(), strings, [None, ends, content])
    if not places:
        return values
    rows = pa.Array.from_buffers(pa.int32(), count, [None, *places])
    return pa.DictionaryArray.from_arrays(rows, values, safe=False)


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """Return a schema with strings in place of dictionaries."""
    return pa.schema(
        [
            field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
            for field in schema
        ]
    )


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows of a journal with strings in place of dictionaries."""
    columns = [
        column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, schema=plain_schema(batch.schema))


def url_id(key: str) -> int:
    """Return the id of a URL, unsigned."""
    return xxh3_64_intdigest(key.encode())


def fetch_id(key: str, moment: float) -> int:
    """Return the id of a fetch, unsigned."""
    return int(xxh3_64_intdigest(key.encode() + _moment_bytes(moment)))


def signed(number: int) -> int:
    """Return an id as it stands in the rows."""
    return number - (1 << 64) if number >> 63 else number


def microseconds(moment: float) -> int:
    """Return a moment as it stands in the rows."""
    return round(moment * 1_000_000)


def _fetches_batch(schema: pa.Schema, rows: Sequence[tuple[Any, ...]]) -> pa.RecordBatch:
    columns = []
    for field, values in zip(schema, zip(*rows, strict=True), strict=True):
        if field.name in _UNSIGNED:
            columns.append(_ids(array("Q", values)))
        elif field.name not in _OURS:
            columns.append(pa.array(values, field.type))
        elif field.type == pa.string():
            columns.append(_strings(values))
        else:
            columns.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _ids(values: array[int]) -> pa.Array:
    """Take unsigned numbers for signed ones, bit by bit."""
    return _numbers(values, _ID)


def _moments(values: array[int]) -> pa.Array:
    return _numbers(values, _MOMENT)


def _numbers(values: array[int], kind: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def _strings(values: Sequence[str | None]) -> pa.Array:
    """Return strings as a column; what is not Unicode (a lone surrogate) becomes a mark.

    Joined and measured by the interpreter's own loops: Arrow's conversion takes each string
    by itself, at three times the cost.
    """
    if None in values:
        return _few_strings(values) if any(values) else pa.nulls(len(values), pa.string())
    present = cast(Sequence[str], values)
    joined = "".join(present)
    if joined.isascii():
        return _joined(joined.encode(), map(len, present))
    return _encoded([value.encode("utf-8", "replace") for value in present])


def _encoded(values: Sequence[bytes]) -> pa.Array:
    """Return strings that are in UTF-8 already as a column."""
    return _joined(b"".join(values), map(len, values))


def _joined(content: bytes, sizes: Iterable[int]) -> pa.Array:
    ends = array("i", accumulate(sizes, initial=0))
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), len(ends) - 1, buffers)


def _few_strings(values: Sequence[str | None]) -> pa.Array:
    """Return a column of strings some of which are missing."""
    return pa.array(
        [None if value is None else value.encode("utf-8", "replace").decode() for value in values],
        pa.string(),
    )
