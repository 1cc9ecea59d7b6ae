"""The record that a parsed response head becomes."""

from __future__ import annotations

from lycosa._support.tuples import NamedTuple

UNTIL_CLOSE = -1
CHUNKED = -2

Headers = tuple[tuple[str, str], ...]


class BadHead(Exception):
    """The bytes are not HTTP."""


class Head(NamedTuple):
    """The head of an answer."""

    sent: bytes
    status: int
    headers: Headers
    """In their order, in Latin-1."""
    length: int
    """Of the body in bytes, or `UNTIL_CLOSE` or `CHUNKED`."""
    is_lasting: bool
    """The connection can carry another request when the body has ended."""
    is_coded: bool
    """The body is not simply the content."""
    by_name: dict[str, str]
    """The first header of each name, which is in lower case."""
