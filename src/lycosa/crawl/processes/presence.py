"""Notices that the folder of a running crawl, or a part of it, was removed or renamed.

A process goes on writing to files that were removed: nothing fails until a file has to be made, and
all that was written by then is lost. So the folders and the log are looked at once a second.

Cost: ten calls of stat(2) a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lycosa.crawl.directory import CrawlDirectory
from lycosa.errors import StoreError
from lycosa.store.layout import CDX, DIGESTS, KINDS, TRIPLES, WARC


class Presence:
    """Remembers which folders and files a crawl was begun with."""

    def __init__(self, directory: CrawlDirectory) -> None:
        folder, log = directory.path, directory.log_folder
        parts = [folder / part for part in (WARC, CDX, TRIPLES, DIGESTS, *KINDS)]
        self._folder = folder
        self._paths = [folder, log, log / "log.sqlite", *parts]
        self._seen: dict[Path, tuple[int, int]] = {}
        self.removed()

    def begin(self) -> None:
        """Take what is there from now on: a log that was behind has been written anew."""
        self._seen.clear()
        self.removed()

    def look(self) -> None:
        """Raise `StoreError` when something that was there is gone, or is another one."""
        if (path := self.removed()) is not None:
            raise _error(self._folder, path)

    def removed(self) -> Path | None:
        """Return what is gone; None if all is there. What is new is remembered."""
        for path in self._paths:
            try:
                state = path.stat()
            except OSError:
                if path in self._seen:
                    return path
                continue
            identity = (state.st_dev, state.st_ino)
            if self._seen.setdefault(path, identity) != identity:
                return path
        return None

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn any failure into this one where something is gone: it is the cause of the other."""
        try:
            yield
        except Exception as error:
            if (path := self.removed()) is None:
                raise
            raise _error(self._folder, path) from error


def _error(folder: Path, path: Path) -> StoreError:
    what = "the folder of the crawl" if path == folder else "a part of the crawl"
    return StoreError(
        f"{path}: {what} was removed or renamed while the crawl ran, so it was stopped\n"
        f"  put it back, then see what is left: lycosa verify {folder}   and go on: lycosa resume"
        f" {folder}"
    )
