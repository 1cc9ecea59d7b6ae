"""The reading of one answer in plain Python: the twin of `lycosa.fetch.http._wires.Wire`.

It follows the pieces of an answer as RFC 9112 has them cut: interim heads, the head, and a body
that is counted, chunked or ends with the connection.
"""

from __future__ import annotations

from typing import NamedTuple

from lycosa.fetch.coding import pure_reading
from lycosa.fetch.coding.heads import CHUNKED, UNTIL_CLOSE, BadHead
from lycosa.fetch.http.http1 import may_be_http
from plain_chunks import ChunkReader

LONGEST_HEADS_BYTES = 262_144


class Ended(NamedTuple):
    """How an answer ended."""

    verdict: str = ""
    """Why it failed, "" if it did not."""
    status: int = 0
    sent: bytes = b""
    """The body as it was sent, as far as it was taken."""
    is_cut: bool = False
    """There was more than the request allows."""
    is_kept: bool = False
    """The connection can carry another request."""


def read(pieces: list[bytes], limit: int, *, is_closed: bool) -> Ended | None:
    """Return how the answer that came in these pieces has ended; None if it has not."""
    reader = _Reader(limit)
    for piece in pieces:
        if (ended := reader.take(piece)) is not None:
            return ended
    return reader.closed() if is_closed else None


class _Reader:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pending = b""
        self._heads = 0
        self._status = 0
        self._is_body = self._is_lasting = False
        self._left = 0
        self._chunks: ChunkReader | None = None
        self._body = b""

    def take(self, data: bytes) -> Ended | None:
        data = self._pending + data
        while not self._is_body:
            cut = pure_reading.cut_head(data)
            if cut is None:
                self._pending = data
                is_bad = not may_be_http(data) or len(data) > LONGEST_HEADS_BYTES
                return self._bad() if is_bad else None
            self._pending = b""
            sent, data = cut
            self._heads += len(sent)
            try:
                head = pure_reading.read_head(sent)
            except BadHead:
                return self._bad()
            if self._heads > LONGEST_HEADS_BYTES:
                return self._bad()
            self._status = head.status
            if head.status >= 200 or head.status == 101:
                self._is_body = True
                self._left, self._is_lasting = head.length, head.is_lasting
                self._chunks = ChunkReader() if head.length == CHUNKED else None
        return self._take_body(data)

    def _take_body(self, data: bytes) -> Ended | None:
        is_over = False
        if self._chunks is not None:
            end = self._chunks.take(data)
            if end is not None:
                is_over = True
                self._is_lasting &= end == len(data) and not self._chunks.is_broken
                data = data[:end]
        elif self._left != UNTIL_CLOSE:
            self._is_lasting &= len(data) <= self._left
            data = data[: self._left]
            self._left -= len(data)
            is_over = not self._left
        room = self._limit - len(self._body)
        self._body += data[:room]
        if len(data) > room:
            return Ended("", self._status, self._body, True, False)
        return Ended("", self._status, self._body, False, self._is_lasting) if is_over else None

    def closed(self) -> Ended:
        if self._is_body and self._left == UNTIL_CLOSE and self._chunks is None:
            return Ended("", self._status, self._body)
        if not self._is_body and not self._pending and not self._status:
            return Ended("STALE_CONNECTION")
        return Ended("CUT_SHORT", self._status, self._body)

    def _bad(self) -> Ended:
        return Ended("BAD_ANSWER", self._status)
