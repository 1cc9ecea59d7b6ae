"""Sealing what processes left that died: done in one place, beside those that crawl.

A segment of a dead process holds records of partitions that several workers may own by now,
so no single one of them knows what counts in it. But it does not change any more: the segments
are named first, then every partition is folded, one at a time, and then they are sealed. So a
segment whose writer dies meanwhile is left for the next time.
"""

from __future__ import annotations

from collections.abc import Callable

from lycosa.config import Job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.opening import read_partition
from lycosa.store.sealing import Sealed, abandoned, seal_dead


def seal_leftovers(
    directory: CrawlDirectory, job: Job, is_given_up: Callable[[], bool] = lambda: False
) -> list[Sealed]:
    """Seal the segments that nobody writes to; may be given up between two partitions."""
    names = abandoned(directory.path)
    if not names:
        return []
    ends = dict.fromkeys((name.segment for name in names), 0)
    log, snapshots = directory.log(job), directory.snapshots()
    try:
        for number in range(job.frontier.partitions):
            if is_given_up():
                return []
            state = read_partition(log, snapshots, number).state
            for segment in ends:
                ends[segment] = max(ends[segment], state.segment_ends.get(segment, 0))
    finally:
        log.close()
    return seal_dead(
        directory.path, lambda place: place.offset < ends.get(place.segment, 0), only=names
    )
