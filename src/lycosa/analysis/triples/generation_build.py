"""Makes the next generation of an index, beside the one in place, and puts it there by a rename.

A `NextGeneration` begins as a second folder for the files of the last one: files that never change
are linked instead of copied. The caller adds new files and calls `publish`. So a kill leaves only
an unfinished folder that is ignored, and readers neither wait nor notice.

Always true: `current` names a complete generation, even after a kill at any moment.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lycosa._support import beneath
from lycosa.analysis.triples.generations import LOCK, STORE, Generations
from lycosa.errors import QueryError, StoreError
from lycosa.storage.archive.files import remove_temporary
from lycosa.storage.archive.index_lists import LIST, is_content
from lycosa.storage.archive.lock import alone
from lycosa.storage.segments.digests import read_list, write_list

_BUILDING = ".building"


def _digests_of(generation: Path) -> dict[str, str]:
    """Return the digests of a generation; none if it has no list, or a damaged one."""
    try:
        return read_list(generation / LIST, generation) or {}
    except StoreError:
        return {}


def _ignore(_: object) -> None:
    pass


@contextmanager
def writing(generations: Generations) -> Iterator[None]:
    """Hold the lock of the one process that may make generations of an index.

    Leftovers of a killed process are removed.
    """
    folder = generations.folder
    busy = f"{folder}: another process is indexing the crawl\n  wait for it to end"
    with alone(folder / "writing", QueryError(busy)):
        remove_temporary(folder)
        yield


def remove_old(generations: Generations) -> None:
    """Remove generations that have no reader, except the current one."""
    current = generations.current()
    for path in generations.folder.iterdir():
        if not path.is_dir() or path.name == current:
            continue
        with contextlib.suppress(FileNotFoundError, BlockingIOError):
            lock = beneath.descriptor(path / LOCK, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path)
            finally:
                os.close(lock)


class NextGeneration:
    """The folder of the next generation, until it is published or abandoned."""

    def __init__(self, folder: Path) -> None:
        """Make the folder; an unfinished one of an earlier process is removed."""
        self._folder = folder
        numbers = [int(path.name) for path in folder.iterdir() if path.name.isdigit()]
        self._name = f"{max(numbers, default=0) + 1:08d}"
        self.path = folder / f"{self._name}{_BUILDING}"
        for leftover in folder.glob(f"*{_BUILDING}"):
            shutil.rmtree(leftover)
        self.store = self.path / STORE
        self.store.mkdir(parents=True)
        (self.path / LOCK).touch()
        self._known: dict[str, str] = {}
        """Digests of files that were taken over."""

    def link_store(self, before: str, never_changes: Callable[[Path], bool]) -> None:
        """Take over the files of a generation: linked if they never change, otherwise copied."""
        listed = _digests_of(self._folder / before)
        for path in beneath.checked_tree(self._folder / before / STORE).iterdir():
            if never_changes(path):
                try:
                    os.link(path, self.store / path.name)
                    place = f"{STORE}/{path.name}"
                    self._known |= {place: listed[place]} if place in listed else {}
                    continue
                except OSError:
                    pass  # the file system has no links
            if path.is_file():
                shutil.copyfile(beneath.checked(path), self.store / path.name)

    def publish(self, reach: Callable[[str], None] = _ignore) -> None:
        """Put the generation in place; its files must be complete and closed."""
        files = [path for path in self.path.rglob("*") if path.is_file() and is_content(path)]
        write_list(self.path / LIST, files, self._known)
        self.path.rename(self._folder / self._name)
        reach("index.renamed")
        name = self._folder / "current.writing"
        beneath.write_text(name, f"{self._name}\n", encoding="ascii")
        name.rename(self._folder / "current")
        reach("index.published")

    def abandon(self) -> None:
        """Delete the folder, unless it was published."""
        shutil.rmtree(self.path, ignore_errors=True)
