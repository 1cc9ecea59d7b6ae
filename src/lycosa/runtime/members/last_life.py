"""The number of the last life that a directory had, by which a board that has gone back is noticed.

The file `log/life` also names the place of the log: a log that was moved has a new board, which
counts from 1 again. It is written once a life, before any partition is taken.
"""

from __future__ import annotations

from lycosa._support import beneath
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory

_MOST_DIGITS = 18


class LastLife:
    """The file of one directory."""

    def __init__(self, directory: CrawlDirectory, job: Job) -> None:
        self._path = directory.log_folder / "life"
        self._place = f"{job.log.server}#{job.log.name}"

    @property
    def number(self) -> int:
        """The number of the last life; 0 if there was none at this place."""
        try:
            number, _, place = beneath.read_text(self._path).rstrip().partition(" ")
        except FileNotFoundError:
            return 0
        is_ours = place == self._place and number.isdecimal() and len(number) <= _MOST_DIGITS
        return int(number) if is_ours else 0

    def note(self, number: int) -> None:
        """Remember a life."""
        temporary = self._path.with_suffix(".writing")
        beneath.write_text(temporary, f"{number} {self._place}\n")
        temporary.rename(self._path)
