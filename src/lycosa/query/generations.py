"""Finds the current generation of the index and opens it for reading.

It is separate from `index`, which builds generations, so that a process that answers queries
starts quickly: it needs the store but no code for segments.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph

from lycosa.errors import QueryError

STORE, LOCK = "store", "lock"


class Generations:
    """The generations of the triple store of one crawl directory."""

    def __init__(self, crawl: Path) -> None:
        self._crawl = crawl
        self.folder = crawl / "index" / "triples"

    def current(self) -> str | None:
        """Return the name of the generation in place; None when nothing has been indexed."""
        try:
            return (self.folder / "current").read_text(encoding="ascii").strip() or None
        except FileNotFoundError:
            return None

    @contextlib.contextmanager
    def reading(self) -> Iterator[pyoxigraph.Store]:
        """Open the current generation for reading, and keep it from being removed."""
        lock, folder = self._held()
        try:
            try:
                store = pyoxigraph.Store.read_only(str(folder / STORE))
            except (OSError, RuntimeError) as error:
                raise self.damaged(error) from None
            yield store
        finally:
            os.close(lock)

    def _held(self) -> tuple[int, Path]:
        """Lock the generation in place against removal."""
        for _ in range(100):
            name = self.current()
            if name is None:
                break
            folder = self.folder / name
            try:
                lock = os.open(folder / LOCK, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                continue  # a newer one is in place, and this one was removed
            fcntl.flock(lock, fcntl.LOCK_SH)
            if (folder / STORE).exists():
                return lock, folder
            os.close(lock)
        raise QueryError(
            f"{self._crawl}: has no triple index\n  build it: lycosa index {self._crawl}"
        )

    def damaged(self, error: Exception) -> QueryError:
        """Return the error for an index that cannot be read."""
        return QueryError(
            f"{self.folder}: cannot be read: {error}\n"
            f"  delete the folder and build it again from the segments:"
            f" lycosa index {self._crawl}"
        )
