"""A member's record of its progress on the board, from its worker's figures.

A member's pages are those of its partitions, so their number jumps when partitions move. The rate
counts only pages of partitions that the member held during the whole window.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from lycosa.crawl.status.progress import Progress
from lycosa.crawl.worker.commits import CommitTimes
from lycosa.crawl.worker.worker import Worker
from lycosa.runtime.membership import record

WINDOW_SECONDS = 15.0
"""Length of the window over which the rate is measured."""
_READY = ("awake", "taken")
_RESTING = ("waiting", "queued", "resolving")


class Telling:
    """Makes the progress records of one member."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._recent: deque[tuple[float, dict[int, int]]] = deque()

    def told(self, found: Progress, worker: Worker) -> record.Progress:
        """Return the record for the board, from the figures of the progress display."""
        hosts, partitions = found.hosts, worker.partitions()
        ready = sum(hosts.get(phase, 0) for phase in _READY)
        until = min((until for _, _, until in found.waits if until), default=0.0)
        is_still = not ready and not found.in_flight and until
        counts = worker.durable_counts
        return record.Progress(
            partitions=len(partitions),
            pages=found.pages,
            bytes=found.bytes,
            urls=found.pending + found.pages,
            waiting=found.pending,
            in_flight=found.in_flight,
            unsent_bytes=found.unsent_bytes,
            unsent_seconds=round(found.unsent_seconds, 1),
            trouble=found.unsent_problem,
            pages_per_second=self.rate(
                {number: counts[number].pages for number in partitions if number in counts}
            ),
            commit_seconds=_waited(worker.commit_times),
            ready=ready,
            resting=sum(hosts.get(phase, 0) for phase in _RESTING),
            next_seconds=round(max(0.1, until - time.time()), 1) if is_still else 0.0,
            links_owed=sum(len(one.state.links_owed) for one in partitions.values()),
        )

    def rate(self, pages: dict[int, int]) -> float:
        """Return how many pages a second these partitions have gained recently."""
        now = self._now()
        recent = self._recent
        while recent and recent[0][0] < now - WINDOW_SECONDS:
            recent.popleft()
        recent.append((now, pages))
        gained = 0
        for (_, before), (_, after) in zip(recent, list(recent)[1:], strict=False):
            gained += sum(after[one] - before[one] for one in after.keys() & before.keys())
        seconds = now - recent[0][0]
        return round(gained / seconds, 2) if seconds else 0.0


def _waited(times: CommitTimes) -> float:
    since = times.waiting_since
    return round(time.perf_counter() - since, 1) if since else 0.0
