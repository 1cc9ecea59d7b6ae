"""The messages between a program that asks SPARQL queries and the process that answers them.

They go over pipes as frames of MessagePack, each with its length in front. A result comes in
several frames: `begin` with its format, a `piece` for every 64 kB, and finally `answer`, or the
reason why there is none, even after pieces.
"""

from __future__ import annotations

import struct
from typing import IO, NamedTuple

import msgspec

from lycosa.errors import QueryError

_LENGTH = struct.Struct("<I")


class Refused(QueryError):
    """The query is not SPARQL, or is not allowed."""


class Query(NamedTuple):
    """A SPARQL query, and how its result is wanted."""

    text: str
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()
    accept: str = "*/*"
    """The formats that the client accepts, as an HTTP `Accept` header."""
    form: str = ""
    """The format to use, regardless of `accept`; `usual` is a table or Turtle."""
    is_guarded: bool = False
    """Whether CSV is made safe for spreadsheets."""


class QueryRequest(msgspec.Struct):
    """A query with its limits, sent to an answering process."""

    query: Query
    seconds: float
    """The time limit; 0 means none."""
    largest_bytes: int
    """The size limit of the result; 0 means none."""


class QueryReply(msgspec.Struct):
    """A frame of a reply from an answering process."""

    kind: str
    """`ready` before the first query; `begin`, `piece` and `answer`; or why there is no answer:
    `refused`, `failed`, `too-large`, `too-slow`, `busy`, `not-acceptable`, `unguarded`."""
    text: str = ""
    """The format of the result, or the error."""
    body: bytes = b""
    is_no: bool = False
    """Whether the answer to an ASK is no."""


def send(pipe: IO[bytes], message: msgspec.Struct) -> None:
    """Write a frame."""
    frame = msgspec.msgpack.encode(message)
    pipe.write(_LENGTH.pack(len(frame)) + frame)
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """Read a frame; None when the other side has gone."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    frame = pipe.read(length)
    return frame if len(frame) == length else None
