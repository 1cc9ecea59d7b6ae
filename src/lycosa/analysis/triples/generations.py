"""Finds the current generation of an index, and keeps it in place while it is read.

An index of a crawl (triples, text) is a folder of *generations*:

    index/<name>/00000003/      one whole index, never written to again
    index/<name>/current        which of them is the index: "00000003"

`generation_build` makes them; this is separate from it so that a process that answers queries
starts quickly. A reader holds a lock on its generation: a generation is removed when a newer one
is in place and no process reads it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path

from lycosa._support import beneath
from lycosa.errors import QueryError

STORE, LOCK = "store", "lock"
_NAME = re.compile(r"[0-9]{8,20}")


class Generations:
    """The generations of one index of a crawl directory."""

    def __init__(self, crawl: Path, name: str, title: str) -> None:
        """Name the folder in `index/`, and what messages call the index."""
        self.crawl = crawl
        self.folder = crawl / "index" / name
        self._title = title

    def current(self) -> str | None:
        """Return the name of the generation in place; None when nothing has been indexed."""
        try:
            name = beneath.read_text(self.folder / "current", encoding="ascii").strip()
        except (FileNotFoundError, UnicodeDecodeError):
            return None
        return name if _NAME.fullmatch(name) else None  # a path would lead elsewhere

    @contextlib.contextmanager
    def held(self) -> Iterator[Path]:
        """Return the folder of the current generation, and keep it from being removed."""
        lock, folder = self._locked()
        try:
            yield folder
        finally:
            os.close(lock)

    def _locked(self) -> tuple[int, Path]:
        """Lock the generation in place against removal."""
        for _ in range(100):
            name = self.current()
            if name is None:
                break
            folder = self.folder / name
            try:
                lock = beneath.descriptor(folder / LOCK)
            except FileNotFoundError:
                continue  # a newer one is in place, and this one was removed
            fcntl.flock(lock, fcntl.LOCK_SH)
            if (folder / STORE).exists():
                return lock, folder
            os.close(lock)
        raise self.missing()

    def missing(self) -> QueryError:
        """Return the error for an index that has not been built."""
        return QueryError(
            f"{self.crawl}: has no {self._title}\n  build it: lycosa index {self.crawl}"
        )

    def damaged(self, error: BaseException) -> QueryError:
        """Return the error for an index that cannot be read."""
        return QueryError(
            f"{self.folder}: cannot be read: {error}\n"
            f"  delete the folder and build it again from the segments:"
            f" lycosa index {self.crawl}"
        )
