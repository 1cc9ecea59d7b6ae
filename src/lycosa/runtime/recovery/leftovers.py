"""Seal the segments that dead processes have left open, while other workers crawl.

The partitions of such a segment may belong to several workers by now, so no single worker knows
which of its records count. But the segment no longer changes. `counting` lists the segments, folds
every partition, one at a time, and then seals the listed segments.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial

from lycosa.crawl.takeover import take_partitions
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.frontier.fold.accounts import counted_by
from lycosa.model.job import Job
from lycosa.model.records import Taken
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.recovery.counting import SealingRules
from lycosa.runtime.recovery.lost_records import look_at_sealed, mend_open, say_sealed
from lycosa.runtime.shared_log.notes import is_elsewhere
from lycosa.storage.log.protocol import Log
from lycosa.storage.segments.sealing import Sealed, unsealed


def mend_before(directory: CrawlDirectory, job: Job, log: Log) -> list[str]:
    """Give up lost records of open segments before workers start; return messages for the user.

    Only a crawl that was killed has open segments.
    """
    if not unsealed(directory.path):
        return []
    taken = Taken(time.time(), f"mending {os.getpid()} {time.time():.3f}")
    numbers = range(job.frontier.partitions)
    opened = take_partitions(log, directory.snapshots(), numbers, taken, job.digest())
    states = {number: one.state for number, one in opened.items()}
    mended = mend_open(directory.path, log, states, partitioner_of(job, noted=log.noted))
    elsewhere = partial(is_elsewhere, log, directory)
    problems = look_at_sealed(directory.path, counted_by(states), elsewhere)
    said = [str(mended)] if any(mended) else []
    return [*said, say_sealed(directory.path, problems)] if problems else said


def seal_leftovers(
    directory: CrawlDirectory, job: Job, is_given_up: Callable[[], bool] = lambda: False
) -> list[Sealed]:
    """Seal the segments of dead processes; `is_given_up` is asked before each partition."""
    rules = SealingRules(directory.path, job, lambda: directory.log(job), directory.snapshots())
    with closing(rules):
        return rules.seal_dead(is_given_up)
