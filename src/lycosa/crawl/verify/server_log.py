"""Read a log in a server for a verification: what `log_reader` does with the log in a file.

The server checks its own files. So only what is in the log is checked here: that no batch is
missing, that all can be folded, and that the segments of this directory hold what they name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType

from lycosa.config import Job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.logs.notes import own_numbers
from lycosa.errors import LogUnavailable, LycosaError
from lycosa.log.protocol import Head
from lycosa.store.layout import MOST_IN_DIRECTORY


class ServerLogView:
    """A log in a server; problems are collected instead of raised, unless it does not answer."""

    is_in_file = False

    def __init__(self, directory: CrawlDirectory, job: Job) -> None:
        self.folder = directory.log_folder
        self.place = job.log.server
        self.problems: list[str] = []
        self.partition_of: Callable[[str], int] | None = None
        self._log = directory.log(job)
        self._own = own_numbers(self._log, directory)

    def __enter__(self) -> ServerLogView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None
    ) -> None:
        self._log.close()

    def ends(self) -> list[bytes]:
        """Return nothing: servers do not keep the ends of tables on this machine."""
        return []

    def check(self, *, is_quick: bool) -> None:
        """Check nothing more: the server's files are its own affair."""

    def heads(self) -> dict[int, Head]:
        """Return all heads, each from the server that decides on writes."""
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
        """Return whether a segment belongs to another directory that helps in the crawl."""
        return segment // MOST_IN_DIRECTORY not in self._own

    def messages(self, partition: int) -> list[int]:
        """Return no messages: their numbers may have gaps, so that none can be missed."""
        return []
