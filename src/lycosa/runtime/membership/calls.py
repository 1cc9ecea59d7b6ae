"""Calls to the board, as values: a state machine asks for them, a driver makes them."""

from __future__ import annotations

from typing import NamedTuple

from lycosa.runtime.coordination.protocol import Answer, Board, Entry, Verdict


class Get(NamedTuple):
    """A call: read one key."""

    key: str


class Put(NamedTuple):
    """A call: write one key."""

    key: str
    value: bytes
    expect: int


class Listing(NamedTuple):
    """A call: read all keys of a prefix."""

    prefix: str


Call = Get | Put | Listing
Result = Entry | Answer | dict[str, Entry] | None


def make(call: Call, board: Board) -> Result:
    """Make a call; blocks until its answer or its deadline."""
    if isinstance(call, Get):
        return board.get(call.key)
    if isinstance(call, Put):
        return board.put(*call)
    return board.list(call.prefix)


def verdict_of(result: Result) -> Verdict | None:
    """Return the result of a write."""
    return result.verdict if isinstance(result, Answer) else None
