"""What an operator changes in a crawl that stands still: more seeds, another try, a block.

Each takes the crawl's lock and its partitions, records its decision as an event like any
other, and lets go. The next `resume` goes on from there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable

from lycosa.cluster.partitioners import make_partitioner
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.opening import check_partitioner, take_partition
from lycosa.crawl.scoping import JobScope
from lycosa.crawl.seeding import Planted, plant
from lycosa.errors import ConfigError
from lycosa.frontier.columns import DONE
from lycosa.frontier.state import PartitionState
from lycosa.log.format import encode
from lycosa.log.protocol import Write
from lycosa.records import TRANSIENT, AnyEvent, HostChanged, Outcome, Reopened, Taken
from lycosa.url import canonicalize, key_of, reversed_host_of

FAILED = TRANSIENT | {
    Outcome.BAD_STATUS,
    Outcome.TOO_LARGE,
    Outcome.REFUSED_ADDRESS,
    Outcome.ROBOTS_UNREACHABLE,
    Outcome.HOST_GIVEN_UP,
}
"""What `retry` asks for again; a 404 or a refusal by robots rules is an answer, not a failure."""

Decide = Callable[[int, PartitionState, float], AnyEvent | None]


def add_seeds(directory: CrawlDirectory, seeds: Iterable[str]) -> Planted:
    """Post more seeds; a running crawl finds them within a second, else the next one does."""
    job = directory.job()
    log = directory.log(job)
    try:
        partitioner = make_partitioner(job.frontier.partitioner, job.frontier.partitions)
        check_partitioner(log, partitioner)
        return plant(seeds, JobScope(job, log), partitioner, log, time.time())
    finally:
        log.close()


def retry_failed(directory: CrawlDirectory) -> int:
    """Let everything that failed be asked for again; returns how many URLs that are."""
    count = 0

    def decide(number: int, state: PartitionState, now: float) -> AnyEvent | None:
        nonlocal count
        hosts = [
            host
            for host in range(len(state.host_names))
            if state.hosts.closed[host] == Outcome.HOST_GIVEN_UP
            or any(
                state.sites.closed[site] == Outcome.ROBOTS_UNREACHABLE
                for site in state.sites_of(host)
            )
        ]
        pages = [
            page
            for page in range(len(state.table))
            if state.pages.status[page] == DONE and state.outcome_of(page) in FAILED
        ]
        reopened = sum(
            state.sites.pending[site]
            for host in hosts
            for site in state.sites_of(host)
            if state.sites.closed[site]
        )
        count += len(pages) + reopened
        return Reopened(now, hosts, pages) if hosts or pages else None

    _change(directory, decide)
    return count


def block_host(directory: CrawlDirectory, name: str) -> int:
    """Stop asking a host; returns how many pending URLs end by it."""
    url = canonicalize(name if "://" in name else f"http://{name}/")
    if url is None:
        raise ConfigError(f"{name}: is no host name\n  write it as in www.example.org")
    wanted = reversed_host_of(key_of(url))
    count, is_known = 0, False

    def decide(number: int, state: PartitionState, now: float) -> AnyEvent | None:
        nonlocal count, is_known
        host = state.host_number(wanted)
        if host is None:
            return None
        is_known = True
        count = sum(
            state.sites.pending[site]
            for site in state.sites_of(host)
            if not state.sites.closed[site]
        )
        due, strikes = state.hosts.due[host], state.hosts.strikes[host]
        return HostChanged(now, host, due, strikes, Outcome.BLOCKED)

    _change(directory, decide)
    if not is_known:
        raise ConfigError(
            f"{name}: the crawl knows no such host\n"
            f"  to keep it from ever being asked, add a rule to {directory.job_file}:"
            f' [[rules]] action = "reject", host = "{name}"'
        )
    return count


def _change(directory: CrawlDirectory, decide: Decide) -> None:
    """Take every partition and record what `decide` says of it."""
    job = directory.job()
    with directory.locked():
        log, snapshots = directory.log(job), directory.snapshots()
        try:
            now = time.time()
            taken = Taken(now, f"operator {os.getpid()} {now:.3f}")
            for number in range(job.frontier.partitions):
                state = take_partition(log, snapshots, number, taken, job.digest()).state
                event = decide(number, state, now)
                if event is not None:
                    batch = encode([event])
                    log.commit([Write(number, state.sequence, batch, [], state.inbox_read)])
        finally:
            log.close()
