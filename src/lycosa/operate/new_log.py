"""The new log of a move, in its place: a server, or a file that is made next to the old one.

A log is whole when its job is noted. A log without a job was left by an interrupted move: it is
removed and made again.
"""

from __future__ import annotations

import shutil
from typing import Protocol

from lycosa._support.failpoints import reach
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.shared_log.notes import IN_FILE, JOB, LogPlace
from lycosa.storage.log.opening import open_in_server
from lycosa.storage.log.protocol import FillableLog, ServerLog
from lycosa.storage.log.sqlite import SqliteLog
from lycosa.storage.log.told_segments import note_sealed

NAME = "name"
"""Note of a log in a file that names the move that made it."""
_FILES = ("log.sqlite", "log.sqlite-wal", "log.sqlite-shm")


class OpenPlace(Protocol):
    """The new log, open."""

    is_whole: bool
    """Whether an interrupted move has filled it."""

    @property
    def log(self) -> FillableLog:
        """The log."""

    def put_in_place(self) -> None:
        """Put a whole log where the directory expects it."""

    def close(self) -> None:
        """Close the log."""


def open_place(
    directory: CrawlDirectory, job: Job, place: LogPlace, first_number: int, *, is_repeated: bool
) -> OpenPlace:
    """Open the log that a move fills; its inboxes are numbered from at least `first_number`.

    `is_repeated` tells that an earlier move may have left it half filled.
    """
    if place.server == IN_FILE:
        return _File(directory, job, place)
    return _Server(job, place, first_number, is_repeated)


class _Server:
    def __init__(self, job: Job, place: LogPlace, first_number: int, is_repeated: bool) -> None:
        self.log: ServerLog = self._open(job, place, first_number)
        self.is_whole = self.log.noted(JOB) is not None
        if is_repeated and not self.is_whole:
            self.log.drop()
            self.log.close()
            self.log = self._open(job, place, first_number)

    def put_in_place(self) -> None:
        """Do nothing: a log on a server is in place."""

    def close(self) -> None:
        self.log.close()

    @staticmethod
    def _open(job: Job, place: LogPlace, first_number: int) -> ServerLog:
        return open_in_server(
            place.server,
            job.frontier.partitions,
            crawl=place.name,
            durability=job.log.durability,
            first_number=first_number,
        )


class _File:
    """A log in a file is made in `log/moving`, then takes the place of an old one."""

    def __init__(self, directory: CrawlDirectory, job: Job, place: LogPlace) -> None:
        self._folder = directory.log_folder
        self._made = self._folder / "moving"
        partitions, durability = job.frontier.partitions, job.log.durability
        self.is_whole = self._is_placed(partitions, durability, place)
        folder = self._folder
        if not self.is_whole:
            shutil.rmtree(self._made, ignore_errors=True)
            folder = self._made
        self.log = SqliteLog(folder, partitions, durability)
        self.log.note(NAME, place.name.encode())
        self._is_closed = False

    def put_in_place(self) -> None:
        if self.is_whole:
            return
        self.close()
        # The new archive holds everything in the old one.
        shutil.rmtree(self._folder / "archive", ignore_errors=True)
        (self._made / "archive").rename(self._folder / "archive")
        reach("move.archive")
        for name in _FILES:
            (self._folder / name).unlink(missing_ok=True)
        (self._made / _FILES[0]).rename(self._folder / _FILES[0])
        shutil.rmtree(self._made)
        note_sealed(self._folder.parent)

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self.log.close()

    def _is_placed(self, partitions: int, durability: str, place: LogPlace) -> bool:
        """Return whether the file in place was made by this move."""
        if not (self._folder / _FILES[0]).exists():
            return False
        log = SqliteLog(self._folder, partitions, durability)
        try:
            return log.noted(NAME) == place.name.encode()
        finally:
            log.close()
