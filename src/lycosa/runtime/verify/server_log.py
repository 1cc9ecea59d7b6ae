"""Read a log on a server for a verification, as `log_reader` reads the log in a file.

The server checks its own files. The verification therefore checks only the content of the log: no
batch is missing, all can be folded, and the segments of this directory hold the named records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType

from lycosa.errors import LogUnavailable, LycosaError
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.shared_log.notes import own_numbers
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY, Name
from lycosa.storage.log.protocol import Head


class ServerLogView:
    """A log in a server; problems are collected, and only an unavailable server raises."""

    is_in_file = False

    def __init__(self, directory: CrawlDirectory, job: Job) -> None:
        self.folder = directory.log_folder
        self.place = job.log.server
        self.problems: list[str] = []
        self.partition_of: Callable[[str], int] | None = None
        self._log = directory.log(job, may_have_gone_back=True)
        self._own = own_numbers(self._log, directory)

    def __enter__(self) -> ServerLogView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None
    ) -> None:
        self._log.close()

    def ends(self) -> list[bytes]:
        """Return []: servers do not keep the ends of tables on this machine."""
        return []

    def sealed(self) -> frozenset[Name]:
        """Return nothing: servers do not name the sealed segments of this machine."""
        return frozenset()

    def check(self, *, is_quick: bool) -> None:
        """Do nothing: the server checks its own files."""

    def heads(self) -> dict[int, Head]:
        """Return all heads, each from the replica that decides on writes."""
        seen = self._log.heads()
        return {
            number: self._log.head(number) if head.log else head for number, head in enumerate(seen)
        }

    def notes(self) -> dict[str, bytes]:
        """Return all notes."""
        return self._log.notes("")

    def history(self, partition: int, after: int = 0) -> Iterator[tuple[int, bytes]]:
        """Yield the batches up to the first that cannot be read."""
        try:
            yield from self._log.read(partition, after)
        except LogUnavailable:
            raise
        except LycosaError as problem:
            told = f"partition {partition}: {str(problem).splitlines()[0]}"
            if told not in self.problems:
                self.problems.append(told)

    def labelled(self, partition: int) -> set[int]:
        """Return the sequences that can be read; the server's archive has no labels."""
        return {sequence for sequence, _ in self.history(partition)}

    def archive_damage(self, partition: int) -> str:
        """Return "": damage shows when the history is read."""
        return ""

    def is_elsewhere(self, segment: int) -> bool:
        """Return whether a segment belongs to another directory of the crawl."""
        return segment // MOST_IN_DIRECTORY not in self._own

    def messages(self, partition: int) -> list[int]:
        """Return []: numbers of messages may have gaps here, so a loss cannot be detected."""
        return []
