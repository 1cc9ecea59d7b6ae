"""Enter the sealed segments' content in a log that has lost its end, before the crawl goes on.

A crawl on one machine does the same as `lycosa verify --repair`, but only for the segments that
know more than the log (`recovery.behind`). With a log in a server it refuses, because other
machines may know more of that log.

Cost: that of `behind`, and the names of the snapshots; rows are read only where the log is behind.
"""

from __future__ import annotations

from collections.abc import Callable

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.recovery.behind import Behind, behind
from lycosa.storage.log.protocol import Log


def caught_up(directory: CrawlDirectory, job: Job, log: Log, tell: Callable[[str], None]) -> Log:
    """Return the log, completed with the content of the sealed segments.

    The caller holds the lock of the directory, and no worker has begun.
    """
    names = behind(directory.path, log)
    ahead = next(iter(names.values()), None)
    if job.log.server:
        if ahead is not None:
            from lycosa.storage.log.last_write import gone_back  # a log in a file does not load it

            log.close()
            raise gone_back(job.log.server, str(ahead))
        return log
    ahead = ahead or _snapshot_ahead(directory, log)
    if ahead is None:
        return log
    log.close()
    from lycosa.runtime.verify.repair import enter_unknown  # rarely needed

    tell(f"the log has lost its end: {ahead}")
    for line in enter_unknown(directory, job, names):
        tell(line)
    return directory.log(job)


def _snapshot_ahead(directory: CrawlDirectory, log: Log) -> Behind | None:
    """Return a snapshot that knows more than the log, if there is one."""
    heads: list[int] | None = None
    for number, sequence in directory.snapshots().sequences():
        heads = heads or [head.log for head in log.heads()]
        if number < len(heads) and sequence > heads[number]:
            return Behind("its snapshot", number, sequence, "", heads[number])
    return None
