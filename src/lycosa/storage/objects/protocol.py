"""The interface of a store of objects: whole objects under keys, and creation if absent.

Keys are paths with slashes below the place of one crawl (`warc/lycosa-0-1048577.warc.gz`).

Always true:
  * an object is there whole or not at all, even if a process dies while writing it;
  * if two callers create the same key, one learns that it did, at any interval;
  * a call ends within its deadline, and a failure that a retry may overcome is
    `ObjectsUnavailable`: uploads are retried for ever, and it never counts as an answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from lycosa.errors import StoreError


def check_key(place: str, key: str) -> str:
    """Return a key, or raise `StoreError`: no part of it is empty or begins with a dot."""
    parts = key.rstrip("/").split("/")
    if not all(parts) or any(part.startswith(".") for part in parts):
        raise StoreError(
            f"{place}: {key!r} is not a key: its parts are not empty, and have no dot first"
        )
    return key


class Found(NamedTuple):
    """An object in a listing."""

    key: str
    size_bytes: int


class Objects(Protocol):
    """The objects of one crawl; threads may share it."""

    @property
    def place(self) -> str:
        """The URL of the place, without secrets, for messages."""

    def put(self, key: str, source: Path) -> None:
        """Write a file as an object, over one that is there; a large file is not read at once."""

    def create(self, key: str, value: bytes) -> bool:
        """Write a small object if the key has none; return whether this call, or an earlier try
        of the same bytes, has written it."""

    def read(self, key: str, start: int = 0, length: int | None = None) -> bytes | None:
        """Return an object or a range of it; None when there is no such object."""

    def download(self, key: str, target: Path) -> bool:
        """Copy an object to a file that is not there yet; False when there is no such object.

        A file that could not be written in full is removed again.
        """

    def size(self, key: str) -> int | None:
        """Return the length of an object in bytes; None when there is no such object."""

    def list(self, prefix: str = "") -> Iterator[Found]:
        """Yield the objects below a prefix, a whole part of the path (`warc`), by key."""

    def close(self) -> None:
        """Close the connections."""
