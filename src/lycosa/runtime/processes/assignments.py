"""Number the workers of a crawl, and assign them partitions, connections and bandwidth.

Connections and bandwidth are given in equal parts, partitions by rendezvous hashing (`assign`). All
workers of a run share one clock offset, so that they agree on the time even if the machine's clock
is set before one of them is replaced.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import msgspec

from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.frontier.partitioners import stable_hash
from lycosa.model.job import Job
from lycosa.model.url import key_of
from lycosa.runtime.processes.machine import core_count

if TYPE_CHECKING:
    from lycosa.features.plugins.hooks import Hooks


CONNECTIONS_EACH = 8
"""Connections for each worker, if the job leaves the number of workers to Lycosa."""


class Assignment(msgspec.Struct, frozen=True):
    """A worker's share of a crawl; a worker process is started with it."""

    number: int
    partitions: list[int]
    connections: int
    bytes_per_second: int
    is_alone: bool
    """Whether this is the only worker: it then also seals the segments of dead processes."""
    job_digest: str = ""
    """Digest of the job; "" lets the worker compute it, which takes a second for a long seed
    list."""
    clock_offset: float | None = None
    """The crawl's time minus the monotonic clock."""
    workers: int = 1
    """Number of workers of the crawl."""
    clock_ahead: float = 0.0
    """Seconds by which the crawl's time is ahead of the machine's (`runtime.steady_clock`)."""


def worker_count(job: Job, hosts: list[str] | None, hooks: Hooks | None = None) -> int:
    """Return how many workers to start: the job's number, or the number that can share the work.

    A crawl that stays on a few `hosts` has work only in their partitions, and each worker should
    have some connections. Plugins that are functions of this process need one worker, in it. A
    focused crawl has one worker, which compares all waiting URLs. Several workers would each take
    the best of their own hosts, and use up the pages on URLs that one worker would leave for last.
    """
    if hooks is not None and hooks.local:
        return 1
    most = min(job.frontier.partitions, job.fetch.connections)
    if job.crawl.workers:
        return min(job.crawl.workers, most)
    if job.frontier.scheduler == "topics" and job.topics.policy == "focused":
        return 1
    partitioner = partitioner_of(job, hooks) if hosts is not None else None
    if hosts is not None and partitioner is not None and not partitioner.splits_hosts:
        enough, found = min(most, core_count()), set[int]()
        for host in hosts:
            found.add(partitioner.partition_of(key_of(f"http://{host}/")))
            if len(found) >= enough:
                break
        most = min(most, len(found))
    return max(1, min(core_count(), most, job.fetch.connections // CONNECTIONS_EACH))


def assignments_of(job: Job, workers: int, clock_ahead: float = 0.0) -> list[Assignment]:
    """Return one assignment for each worker."""
    clock_offset = time.time() + clock_ahead - time.monotonic()
    if workers == 1:
        return [_whole(job, clock_offset, clock_ahead)]
    return _shares(job, workers, clock_offset, clock_ahead)


def assign(partitions: int, workers: int) -> list[list[int]]:
    """Return for every worker the partitions that it owns, in order.

    Every pair of a partition and a worker has a score, and pairs are served by falling score as
    long as the worker has room. No table is needed, all processes compute the same assignment, and
    most partitions stay where they are when the number of workers changes.

    Every partition has one worker, and no worker has more than one partition more than any other.
    Without this bound rendezvous hashing would be a little steadier and much less even: of 64
    partitions over 16 workers it gives one worker eight and another none.
    """
    scores = sorted(
        (-stable_hash(f"{partition} {worker}"), partition, worker)
        for partition in range(partitions)
        for worker in range(workers)
    )
    room, spare = divmod(partitions, workers)
    owned: list[list[int]] = [[] for _ in range(workers)]
    is_placed = [False] * partitions
    for _, partition, worker in scores:
        if is_placed[partition]:
            continue
        if len(owned[worker]) < room:
            pass
        elif len(owned[worker]) == room and spare:
            spare -= 1
        else:
            continue
        is_placed[partition] = True
        owned[worker].append(partition)
    return [sorted(numbers) for numbers in owned]


def share_of(connections: int, number: int, workers: int) -> int:
    """Return a worker's share of the crawl's connections."""
    each, more = divmod(connections, workers)
    return each + (number < more)


def _whole(job: Job, clock_offset: float, clock_ahead: float) -> Assignment:
    return Assignment(
        0,
        list(range(job.frontier.partitions)),
        job.fetch.connections,
        job.fetch.bytes_per_second,
        is_alone=True,
        clock_offset=clock_offset,
        clock_ahead=clock_ahead,
    )


def _shares(job: Job, workers: int, clock_offset: float, clock_ahead: float) -> list[Assignment]:
    connections, speed, digest = job.fetch.connections, job.fetch.bytes_per_second, job.digest()
    return [
        Assignment(
            number,
            partitions,
            share_of(connections, number, workers),
            max(1, speed // workers) if speed else 0,
            is_alone=False,
            job_digest=digest,
            clock_offset=clock_offset,
            workers=workers,
            clock_ahead=clock_ahead,
        )
        for number, partitions in enumerate(assign(job.frontier.partitions, workers))
    ]
