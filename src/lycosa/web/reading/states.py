"""The folded states of a crawl, kept for some seconds: folding a large log takes long."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa.errors import LycosaError
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.log.sqlite_files import log_signature

if TYPE_CHECKING:
    from lycosa.analysis.page_list.listing import PageList

LEAST_SECONDS = 2.0
TIMES_AS_LONG = 5.0
"""States are kept for this multiple of the time that folding them took."""


class States:
    """Folds the log of a crawl when it has changed, and less often the longer that takes."""

    def __init__(self, folder: Path) -> None:
        self.directory = CrawlDirectory(folder)
        self.job = Job()
        self._states: dict[int, PartitionState] = {}
        self._signature: tuple[int, ...] | None = None
        self._until = 0.0
        self.page_list: PageList | None = None
        """The list of URLs, once it was asked for (`lycosa.web.reading.page_list`)."""

    def now(self) -> dict[int, PartitionState]:
        """Return the states of all partitions, some seconds old at most."""
        signature = log_signature(self.directory.path)
        began = time.monotonic()
        if signature == self._signature or (self._states and began < self._until):
            return self._states
        self.job = self.directory.job()
        if self.job.log.server:
            raise LycosaError(
                "the log of this crawl is in a server, which a reading process cannot reach\n"
                f"  ask there: lycosa explain '{self.job.log.server}#{self.job.log.name}' URL"
            )
        has_begun = self.directory.has_begun
        self._states = self.directory.states(self.job) if has_begun else {}
        took = time.monotonic() - began
        self._signature = signature
        self._until = time.monotonic() + max(LEAST_SECONDS, TIMES_AS_LONG * took)
        return self._states
