"""Change a crawl that is not running: retry URLs, block hosts, begin a cycle.

A change takes the crawl's lock and its partitions and appends events, as a worker would. The next
`lycosa resume` continues from there. A running crawl is changed by orders (`runtime.orders`), which
decide the same.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from typing import NamedTuple

from lycosa.crawl.takeover import take_partitions
from lycosa.errors import ConfigError
from lycosa.features.plugins.scheduling import settled_partitioner
from lycosa.fetch.guard import AddressGuard
from lycosa.frontier.fold.accounts import counted_by
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import SPLITTING_PARTITIONERS, Job
from lycosa.model.records import CycleWanted, Taken
from lycosa.model.url import key_of, reversed_host_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders import decisions
from lycosa.runtime.orders.decisions import Decision
from lycosa.runtime.orders.orders import host_named
from lycosa.runtime.recovery.behind import refuse_behind
from lycosa.runtime.shared_log.notes import refuse_moved
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Log, Write
from lycosa.storage.log.told_segments import note_sealed
from lycosa.storage.segments import removal
from lycosa.storage.segments.digests import Positions, durable_positions
from lycosa.storage.segments.sealing import seal_dead


class Blocked(NamedTuple):
    """The effect of blocking a host."""

    pending: int
    """Number of pending URLs that the block ended."""
    forgotten: removal.Forgotten | None
    """Items removed from the archive, if the operator wanted that."""


Decide = Callable[[int, PartitionState, float], Decision | None]


def retry_failed(directory: CrawlDirectory) -> int:
    """Make all failed URLs pending again; return their number.

    A host whose address was refused is included if the job now allows that address. The crawl's
    patience for unreachable origins starts again from its full length.
    """
    count = 0
    fetch = directory.job().fetch
    guard = AddressGuard(fetch.allow_private, fetch.private_networks, fetch.loopback_origins)

    def decide(number: int, state: PartitionState, now: float) -> Decision | None:
        nonlocal count
        decision = decisions.retry_failed(state, now, guard)
        count += decision.urls if decision is not None else 0
        return decision

    change(directory, decide)
    return count


def release_traps(directory: CrawlDirectory) -> int:
    """Make all URLs that were put aside as traps pending; return their number.

    Pages of mirrors are fetched again, because their links were not followed.
    """
    count = 0

    def decide(number: int, state: PartitionState, now: float) -> Decision | None:
        nonlocal count
        decision = decisions.retry_traps(state, now)
        count += decision.urls if decision is not None else 0
        return decision

    change(directory, decide)
    return count


def block_host(directory: CrawlDirectory, name: str, forget: bool = False) -> Blocked:
    """Never ask a host again, and with `forget` remove its pages from the archive.

    The log is written first, so that no reader looks for pages that are gone.
    """
    host_name = host_named(name)
    if forget and directory.is_distant:
        from lycosa.runtime.shared_log.distant import bytes_elsewhere

        raise bytes_elsewhere(directory, "the answers of a host")
    wanted = reversed_host_of(key_of(f"http://{host_name}/"))
    pending, is_known = 0, False
    is_everywhere = _is_shared(directory, wanted)
    states: dict[int, PartitionState] = {}
    forgotten: removal.Forgotten | None = None

    def decide(number: int, state: PartitionState, now: float) -> Decision | None:
        nonlocal pending, is_known
        if forget:
            states[number] = state
        host = state.host_number(wanted)
        if host is None:
            return decisions.block_unknown(wanted, now) if is_everywhere else None
        is_known = True
        decision = decisions.block(state, host, now, forget=forget)
        pending += decision.urls
        return decision

    def drop(positions: Positions, partition_of: Callable[[str], int]) -> None:
        nonlocal forgotten
        if forget and is_known:
            accounts = counted_by(states, partition_of)
            seal_dead(directory.path, accounts, positions=positions)
            forgotten = removal.forget_host(directory.path, host_name)
            # A study names pages and hosts. It can be computed again without this host.
            shutil.rmtree(directory.path / "index" / "study", ignore_errors=True)

    change(directory, decide, drop)
    if not is_known:
        file = "crawl.toml of every machine" if directory.is_distant else directory.job_file
        raise ConfigError(
            f"{name}: the crawl does not know this host\n"
            f"  to keep it from ever being asked, add a rule to {file}:"
            f' [[rules]] action = "reject", host = "{name}"'
        )
    return Blocked(pending, forgotten)


def unblock_host(directory: CrawlDirectory, name: str) -> int:
    """Ask a blocked host again; return the number of its URLs that are back in the queue.

    Pages that were deleted when it was blocked are fetched again.
    """
    wanted = reversed_host_of(key_of(f"http://{host_named(name)}/"))
    count, is_blocked = 0, False

    def decide(number: int, state: PartitionState, now: float) -> Decision | None:
        nonlocal count, is_blocked
        decision = decisions.unblock(state, wanted, now)
        if decision is not None:
            is_blocked = True
            count += decision.urls
        return decision

    change(directory, decide)
    if not is_blocked:
        raise ConfigError(
            f"{name}: not blocked\n  to list blocked hosts: lycosa status {directory.shown}"
        )
    return count


def begin_cycle(directory: CrawlDirectory) -> int:
    """Let the next cycle begin at the next run, even if it is not due; return its number.

    If a cycle has begun and still has URLs, it is continued instead.
    """
    states = directory.states(directory.job())
    history = states[0].history
    cycle = history.cycle
    if cycle and any(state.pending for state in states.values()):
        return cycle

    def want(number: int, state: PartitionState, now: float) -> Decision | None:
        return Decision([CycleWanted(now, cycle + 1)]) if number == 0 else None

    if cycle and history.wanted <= cycle:  # the first cycle begins by itself
        change(directory, want)
    return cycle + 1


def _refuse_running(log: Log, job: Job) -> None:
    from lycosa.runtime.shared_log.other_machines import (
        refuse_running,  # a crawl in a folder does not load it
    )

    refuse_running(log, job)


def _is_shared(directory: CrawlDirectory, wanted: str) -> bool:
    """Return whether any partition may get URLs of a host that at least one of them knows."""
    job = directory.job()
    return job.frontier.partitioner in SPLITTING_PARTITIONERS and any(
        state.host_number(wanted) is not None for state in directory.states(job).values()
    )


def change(
    directory: CrawlDirectory,
    decide: Decide,
    afterwards: Callable[[Positions, Callable[[str], int]], None] = lambda *_: None,
) -> None:
    """Take every partition, write the events that `decide` returns for it, then call `afterwards`.

    `afterwards` receives the positions up to which the log is on disk, and what divides URLs.
    """
    job = directory.job()
    with directory.locked():
        log, snapshots = directory.log(job), directory.snapshots()
        try:
            partitioner = settled_partitioner(job, log)
            refuse_moved(log, directory)
            refuse_behind(directory, log)
            if job.log.server:
                _refuse_running(log, job)
            now = time.time()
            taken = Taken(now, f"operator {os.getpid()} {now:.3f}")
            # One partition at a time keeps one state in memory. On a server each commit is a round
            # trip, so several are taken at once.
            step = log.reads_at_once
            for first in range(0, job.frontier.partitions, step):
                numbers = range(first, min(first + step, job.frontier.partitions))
                opened = take_partitions(log, snapshots, numbers, taken, job.digest())
                writes: list[Write] = []
                for number, (state, *_) in opened.items():
                    decision = decide(number, state, now)
                    if decision is not None:
                        posts = [
                            (partitioner.partition_of_site(message.site), encode([message]))
                            for message in decision.found
                        ]
                        batch = encode(decision.events)
                        writes.append(Write(number, state.sequence, batch, posts, state.inbox_read))
                if writes:
                    log.commit(writes)
            afterwards(durable_positions(log), partitioner.partition_of)
            note_sealed(directory.path)  # a host is removed from sealed segments alone
        finally:
            log.close()
