"""Encodes events and inbox messages as bytes, with a version number in front.

A batch is the MessagePack array `[version, [event, …]]`. A reader refuses newer versions than its
own, naming them, and upgrades older ones: `UPGRADES[n]` turns the decoded lists of version n into
those of version n + 1. msgspec was measured against the standard library's pickle and json
(docs/decisions/0003-encoding.md).

A field added at the end of an event, with a default, needs no new version, because older releases
ignore it. A new event needs one, because older releases would report it as damage. Batches written
before it are read unchanged (`READ_AS_THEY_ARE`).

    1   the first format
    2   new events: origins that cannot be reached, records that were lost
    3   a new event and a new message: processes that died
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import msgspec

from lycosa._support.decoders import converted, msgpack_decoder
from lycosa.errors import FormatError
from lycosa.model.records import AnyEvent, AnyMessage

VERSION = 3

READ_AS_THEY_ARE = frozenset({1, 2, VERSION})
"""Versions whose events are all in the current version too, in the same form."""

UPGRADES: dict[int, Callable[[list[Any]], list[Any]]] = {}
"""Functions that upgrade the items of a batch from version n to n + 1."""

_encoder = msgspec.msgpack.Encoder()
_header = msgpack_decoder(tuple[int, msgspec.Raw])
_raw_items = msgpack_decoder(tuple[int, list[msgspec.Raw]])


@cache
def _events() -> msgspec.msgpack.Decoder[list[AnyEvent]]:
    """Return the decoder of events, made late: a new crawl reads none, and making it takes 1 ms."""
    return msgpack_decoder(list[AnyEvent])


@cache
def _messages() -> msgspec.msgpack.Decoder[list[AnyMessage]]:
    """Return the decoder of inbox messages."""
    return msgpack_decoder(list[AnyMessage])


def encode(items: Sequence[AnyEvent] | Sequence[AnyMessage]) -> bytes:
    """Return a batch of the current version."""
    return _encoder.encode((VERSION, items))


def merge(batches: Sequence[bytes]) -> list[bytes]:
    """Return the fewest batches with the same items in the same order, without decoding them."""
    if len(batches) == 1:
        return list(batches)
    merged: list[tuple[int, list[msgspec.Raw]]] = []
    for batch in batches:
        version, items = _raw_items.decode(batch)
        if merged and merged[-1][0] == version:
            merged[-1][1].extend(items)
        else:
            merged.append((version, items))
    return [_encoder.encode(one) for one in merged]


def decode_events(batch: bytes) -> list[AnyEvent]:
    """Return the events of a batch of this or an older version."""
    events: list[AnyEvent] = _decode(batch, _events(), list[AnyEvent])
    return events


def decode_messages(batch: bytes) -> list[AnyMessage]:
    """Return the inbox messages of a batch of this or an older version."""
    messages: list[AnyMessage] = _decode(batch, _messages(), list[AnyMessage])
    return messages


def _decode(batch: bytes, decoder: msgspec.msgpack.Decoder[Any], kind: Any) -> Any:
    try:
        version, items = _header.decode(batch)
        if version in READ_AS_THEY_ARE:
            return decoder.decode(items)
        return converted(_upgrade(version, msgspec.msgpack.decode(items)), kind)
    except (msgspec.DecodeError, msgspec.ValidationError) as problem:
        raise FormatError(
            f"a batch of {len(batch)} bytes in the log cannot be read: {problem}\n"
            "  the log is damaged or was not written by Lycosa; restore log/ from a copy, or"
            " remove the snapshots to rebuild the state from log and archive"
        ) from problem


def _upgrade(version: int, items: list[Any]) -> list[Any]:
    if version > VERSION or version not in UPGRADES:
        raise FormatError(
            f"the log holds a batch of format {version}; this Lycosa reads formats"
            f" {min([*UPGRADES, *READ_AS_THEY_ARE])} to {VERSION}\n"
            "  it was written by another release: resume the crawl with that one or a newer one"
        )
    while version in UPGRADES:
        items = UPGRADES[version](items)
        version += 1
    return items
