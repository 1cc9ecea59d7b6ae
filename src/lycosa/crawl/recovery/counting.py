"""Which partition a stored page belongs to, for those who seal segments."""

from __future__ import annotations

from collections.abc import Callable

from lycosa.cluster.partitioners import Partitioner
from lycosa.config import Job
from lycosa.log.protocol import Log
from lycosa.plugins.loader import load_hooks
from lycosa.plugins.scheduling import partitioner_of


def own_partitioner(job: Job) -> Partitioner:
    """Return the job's partitioner; a plugin's is loaded."""
    return partitioner_of(job, load_hooks(job) if ":" in job.frontier.partitioner else None)


def division_of(log: Log, job: Job) -> Callable[[str], int] | None:
    """Return how the log divides URLs, or None if this installation divides them otherwise.

    Another list of public suffixes, or an edited job, would look for a page's record in the account
    of another partition, and drop it.
    """
    partitioner = own_partitioner(job)
    is_same = log.noted("partitioner") == partitioner.identity.encode()
    return partitioner.partition_of if is_same else None
