"""The table of items: rows that plugins have read out of pages, as they are stored.

    items    one row for each item, with the `fetch_id` of its page and its ordinal there, from 1

The values of an item are JSON (`data`), beside the types that its plugin has declared (`types`) and
its key (`item_key`); readers make columns of it. A segment in which no plugin has emitted anything
has no such table. The `metadata` record of a page has its items, too, in the field `items`: so
damaged tables are made again from the records.

A page that came again with the same bytes and the same items has no rows: those of its held version
stay valid. Its record has their digest (`items-digest`), by which the next visit knows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import pyarrow as pa
from xxhash import xxh3_64_hexdigest

from lycosa._support.decoders import json_decoder
from lycosa.model.records import Capture, Item
from lycosa.storage.tables.rows import SCHEMAS, Row, fetch_id, microseconds, signed, url_id

FIELD, DIGEST_FIELD = "items", "items-digest"
"""Names of the fields in metadata records."""

_LINE = rb"(?m)^items: (.*)\r$"
_DIGEST_LINE = rb"(?m)^items-digest: ([0-9a-f]{16})\r$"
_SCHEMA = SCHEMAS["items"]


class _Written(msgspec.Struct, omit_defaults=True):
    """An item in a record."""

    kind: str
    data: msgspec.Raw
    key: str | None = None
    types: str | None = None


_decoder = json_decoder(list[_Written])


def unchanged(items: Sequence[Item]) -> tuple[Item, ...]:
    """Return what stands for items that the held version of a page has already."""
    return (Item("", _digest(_written(items))),)


def line_of(items: Sequence[Item]) -> bytes:
    """Return the line of a metadata record that tells of a page's items."""
    if not items[0].kind:
        return f"{DIGEST_FIELD}: {items[0].data}\r\n".encode()
    return f"{FIELD}: ".encode() + _written(items) + b"\r\n"


def are_told(block: bytes, items: Sequence[Item]) -> bool:
    """Return whether a metadata record has told of the same items."""
    found = re.search(_LINE, block)
    told = _digest(found[1]) if found else ""
    if not told and (known := re.search(_DIGEST_LINE, block)):
        told = known[1].decode()
    return told == _digest(_written(items))


def items_told(line: str) -> list[Item]:
    """Return the items in a metadata record, from the field `items`."""
    return [
        Item(one.kind, bytes(one.data).decode(), one.key, one.types)
        for one in _decoder.decode(line)
    ]


def rows_of(capture: Capture) -> list[Row]:
    """Return the rows of the items of a page."""
    ended = capture.answer.ended
    numbers = signed(url_id(capture.key)), signed(fetch_id(capture.key, ended))
    return rows_of_fetch((*numbers, microseconds(ended), capture.request.url), capture.items)


def rows_of_fetch(fetch: Row, items: Sequence[Item]) -> list[Row]:
    """Return the rows of the items of a fetch: its ids, its moment and its URL are given."""
    return [
        (*fetch, number, item.kind, item.key, item.data, item.columns)
        for number, item in enumerate(items, 1)
    ]


def batch_of(rows: Sequence[Row]) -> pa.RecordBatch:
    """Return rows as Arrow has them."""
    columns = list(zip(*rows, strict=True)) or [()] * len(_SCHEMA)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, _SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)


def _written(items: Sequence[Item]) -> bytes:
    return msgspec.json.encode(
        [
            _Written(item.kind, msgspec.Raw(item.data.encode()), item.key, item.columns)
            for item in items
        ]
    )


def _digest(written: bytes) -> str:
    return xxh3_64_hexdigest(written)
