"""Notices the removal or renaming of a running crawl's folder, or of parts of it.

A process can continue to write to files that were removed: no call fails until a new file has to be
made, and everything written by then is lost. The folders and the log are therefore checked once a
second.

Cost: ten calls of stat(2) a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lycosa.errors import StoreError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import CDX, DIGESTS, ITEMS, KINDS, TRIPLES, WARC


class Presence:
    """Remembers the folders and files with which a crawl began."""

    def __init__(self, directory: CrawlDirectory) -> None:
        folder, log = directory.path, directory.log_folder
        parts = [folder / part for part in (WARC, CDX, TRIPLES, DIGESTS, ITEMS, *KINDS)]
        self._folder = folder
        self._paths = [folder, log, log / "log.sqlite", *parts]
        self._seen: dict[Path, tuple[int, int]] = {}
        self.removed()

    def begin(self) -> None:
        """Remember the present files: a log that was behind has been rewritten."""
        self._seen.clear()
        self.removed()

    def look(self) -> None:
        """Raise `StoreError` if a file is gone, or was replaced by another one."""
        if (path := self.removed()) is not None:
            raise _error(self._folder, path)

    def removed(self) -> Path | None:
        """Return the missing path, or None; new files are remembered."""
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
        """Replace any failure by this one if a file is gone: that is the cause of the other
        failure."""
        try:
            yield
        except Exception as error:
            if (path := self.removed()) is None:
                raise
            raise _error(self._folder, path) from error


def _error(folder: Path, path: Path) -> StoreError:
    what = "the folder of the crawl" if path == folder else "a part of the crawl"
    return StoreError(
        f"{path}: {what} was removed or renamed while the crawl was running,"
        " so the crawl was stopped\n"
        f"  put it back and check it: lycosa verify {folder}   then continue: lycosa resume"
        f" {folder}"
    )
