"""The messages between a program that asks SPARQL queries and the process that answers them.

They go over pipes as frames of MessagePack, each with its length in front. A result comes in
several frames: `begin` with its format, a `piece` for every 64 kB, and finally `answer`, or the
reason why there is none, whatever came before.
"""

from __future__ import annotations

import struct
from typing import IO, NamedTuple

import msgspec

from lycosa.errors import QueryError

_LENGTH = struct.Struct("<I")


class Refused(QueryError):
    """A question that is not put to the store."""


class Question(NamedTuple):
    """What somebody wants to know."""

    query: str
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()
    accept: str = "*/*"
    """The forms that the asker likes, as HTTP says it."""
    form: str = ""
    """The form that it must be, whatever `accept` says; `usual` is a table or Turtle."""
    is_guarded: bool = False
    """Whether CSV is for spreadsheets, which must find no formula in it."""


class Asked(msgspec.Struct):
    """A question on its way to a process."""

    question: Question
    seconds: float
    """How long it may take; 0 is as long as it takes."""
    largest_bytes: int
    """How long the answer may be; 0 is any length."""


class Answered(msgspec.Struct):
    """What a process says."""

    kind: str
    """`ready` before the first question; `begin`, `piece` and `answer`; or why there is no answer:
    `refused`, `failed`, `too-large`, `too-slow`, `busy`, `not-acceptable`, `unguarded`."""
    text: str = ""
    """The form of an answer; otherwise what is wrong."""
    body: bytes = b""
    is_no: bool = False
    """Whether the answer to an ASK is no."""


def send(pipe: IO[bytes], message: Asked | Answered) -> None:
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
