"""Report the progress of a run to its listener, `live.json`, the statistics file, the notifier."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from lycosa.crawl.status.progress import FRAME_SECONDS, Listener, Pace, Progress, limited
from lycosa.crawl.suspects import marks
from lycosa.model.job import Job
from lycosa.runtime.directory import OpenCrawl
from lycosa.runtime.orders.live import Frame, write_frame
from lycosa.runtime.orders.watch import Standing

if TYPE_CHECKING:
    from lycosa.crawl.status.statistics import StatisticsFile
    from lycosa.runtime.notifying import Notifier


class ProgressReport:
    """Reports progress to a listener at the listener's interval."""

    def __init__(
        self,
        listener: Listener,
        crawl: OpenCrawl,
        unsent: Callable[[Progress], Progress],
        look_first: Callable[[], object],
    ) -> None:
        """`unsent` adds what waits for the job's store; `look_first` is called before a report."""
        self._listener = listener
        self._directory = crawl.directory
        self._next_frame = 0.0
        self.standing: Callable[[], Standing] | None = None
        """Returns the state of the crawl, once a crawl exists."""
        self._look_first = look_first
        self._unsent = unsent
        self._statistics = _statistics_of(crawl.job)
        self._notifier = _notifier_of(crawl)
        self._pace = Pace()
        self._next = time.monotonic() + listener.progress_seconds

    def look(self, progress: Progress) -> None:
        """Report progress if the listener's interval has passed."""
        self._look_first()
        progress = self.timed(progress)
        if self._statistics is not None:
            self._statistics.look(progress)
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._listener.progress_seconds - 0.05
            self._listener.progress(progress)
        if time.monotonic() >= self._next_frame:
            self._next_frame = time.monotonic() + FRAME_SECONDS - 0.05
            progress = self._with_disk(progress)
            self._show(progress)
            if self._notifier is not None:
                self._notifier.look(progress)

    def end(self, progress: Progress, reason: str) -> None:
        """Note how the run ended."""
        if self._statistics is not None:
            self._statistics.write(progress)
        progress = self._with_disk(progress)
        self._show(progress, reason)
        if self._notifier is not None:
            self._notifier.end(progress, reason)

    def _with_disk(self, progress: Progress) -> Progress:
        try:
            return progress._replace(free_disk_bytes=self._directory.free_disk())
        except OSError:
            return progress

    def _show(self, progress: Progress, reason: str = "") -> None:
        """Write the present state to `live.json`; a full disk does not stop the crawl."""
        if self.standing is None:
            return
        state, in_force, job, applied = self.standing()
        limits = job.limits
        frame = Frame(
            pid=marks.leading_pid(),
            moment=time.time(),
            state="ended" if reason else state,
            progress=progress._asdict(),
            reason=reason,
            limits={"pages": limits.pages, "bytes": limits.bytes, "seconds": limits.seconds},
            values=in_force.values,
            rules=in_force.rules,
            order=applied,
        )
        with suppress(OSError):
            write_frame(self._directory.path, frame)

    def timed(self, progress: Progress) -> Progress:
        """Return the progress with the time and speed of this run."""
        progress = self._unsent(self._pace.of(progress))
        return progress if self.standing is None else limited(progress, self.standing()[2])


def _statistics_of(job: Job) -> StatisticsFile | None:
    if not job.statistics.file:
        return None
    from lycosa.crawl.status.statistics import StatisticsFile

    return StatisticsFile(job.statistics)


def _notifier_of(crawl: OpenCrawl) -> Notifier | None:
    notify = crawl.job.notify
    if not notify.command and not notify.webhook:
        return None
    from lycosa.crawl.access import notify_of
    from lycosa.runtime.notifying import Notifier

    return Notifier(notify_of(crawl.job), str(crawl.directory.path))
