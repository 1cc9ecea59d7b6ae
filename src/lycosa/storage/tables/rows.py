"""The tables of a crawl, as Arrow columns that any tool can read.

    pages   one row for each fetch of a page, whatever its outcome
    links   one row for each target and kind of link of a page that was kept; `reason` says
            whether the link is followed, or why not
    text    the visible text of a page that was kept
    hosts   one row for each fetch of a robots file
    items   one row for each item that a plugin has read out of a page (`items`)

`url_id` is the 64-bit hash (XXH3) of a URL's key, `fetch_id` the hash of the key and the
moment of the answer; both are signed, because not every tool knows unsigned numbers. Rows of
one fetch share its `fetch_id`.

While a segment is open its rows stand in Arrow IPC streams, one record batch per flush. They
have two columns more than sealed rows: offset and length, in the WARC file, of the records of the
fetch, from the request to the metadata. Rows of `pages` also say how many links, texts, blocks of
quads and items belong to the fetch, so that missing ones are noticed (`survey`), and whether its
record is left out of the index of replay (`withheld`). In rows of `links` the strings that repeat
from page to page are Arrow dictionaries, written again with every flush; sealed, they are strings.

Here are the schemas, and how ids and moments stand in rows. `_rows` gathers the rows of a crawl and
writes the streams.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from xxhash import xxh3_64_intdigest

from lycosa.model.records import LinkKind, Outcome

if TYPE_CHECKING:
    from lycosa.storage.tables._rows import Pending

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
_CONTENT += [("withheld", pa.bool_()), ("item_rows", pa.int32())]

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
    "items": pa.schema(
        [
            ("url_id", _ID),
            ("fetch_id", _ID),
            ("fetched_at", _MOMENT),
            ("url", pa.string()),
            ("ordinal", pa.int32()),
            ("kind", pa.string()),
            ("item_key", pa.string()),
            ("data", pa.string()),
            ("types", pa.string()),
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

_UNSIGNED = frozenset({"url_id", "fetch_id", "fingerprint"})
_CODES = {_ID: b"q", pa.int32(): b"i", pa.int16(): b"h", _MOMENT: b"q"}
_CODES |= {pa.string(): b"s", pa.bool_(): b"?"}
CODES = {
    kind: b"".join(
        b"Q" if field.name in _UNSIGNED else _CODES[field.type] for field in JOURNAL_SCHEMAS[kind]
    )
    for kind in ("pages", "hosts", "text")
}
"""The type of each column of an open segment: as `array` has them, `?` a flag, `s` a string."""
_moment_bytes = struct.Struct("<d").pack


Row = tuple[Any, ...]
"""The values of a row in the order of its columns; the ids that are never missing are unsigned."""


def batches(pending: Pending) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Yield rows that have not been flushed: for each kind that has any, a record batch."""
    for kind, messages in pending.messages().items():
        stream = JOURNAL_SCHEMAS[kind].serialize().to_pybytes() + b"".join(messages)
        yield kind, pa.ipc.open_stream(stream).read_next_batch()


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


def label_of(key: str, moment: float) -> str:
    """Return the beginning of the labels of a fetch's blank nodes."""
    return f"f{fetch_id(key, moment):x}"


def signed(number: int) -> int:
    """Return an id as it stands in the rows."""
    return number - (1 << 64) if number >> 63 else number


def microseconds(moment: float) -> int:
    """Return a moment as it stands in the rows."""
    return round(moment * 1_000_000)
