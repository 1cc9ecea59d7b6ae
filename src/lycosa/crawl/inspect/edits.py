"""Change a crawl on behalf of its operator: add seeds, retry URLs, block hosts, begin a cycle.

Seeds are posted to a crawl that may be running. The other changes need a crawl that does not run:
they take its lock and its partitions and append an event, as a worker would. The next
`lycosa resume` continues from there.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from lycosa.config import SPLITTING_PARTITIONERS, Job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.logs.notes import refuse_moved
from lycosa.crawl.recovery.counting import own_partitioner
from lycosa.crawl.scope import JobScope
from lycosa.crawl.seeds import Planted, Planter, topics_of
from lycosa.crawl.takeover import check_partitioner, take_partitions
from lycosa.errors import ConfigError
from lycosa.fetch.guard import AddressGuard
from lycosa.frontier.fold.accounts import counted_by
from lycosa.frontier.fold.columns import DONE
from lycosa.frontier.fold.state import PartitionState
from lycosa.log.format import encode
from lycosa.log.protocol import Log, Write
from lycosa.plugins.loader import load_hooks
from lycosa.plugins.scheduling import partitioner_of
from lycosa.records import (
    GIVEN_UP,
    TRANSIENT,
    TRAPS,
    AnyEvent,
    BatonTaken,
    CycleWanted,
    ErrandDone,
    Forgotten,
    HostChanged,
    HostReport,
    Outcome,
    Reopened,
    RobotsFound,
    RobotsState,
    Taken,
    Waited,
)
from lycosa.store.segments import removal
from lycosa.store.segments.sealing import seal_dead
from lycosa.url import canonicalize, host_of, key_of, reversed_host_of

FAILED = TRANSIENT | {
    Outcome.BAD_STATUS,
    Outcome.TOO_LARGE,
    Outcome.REFUSED_ADDRESS,
    Outcome.ROBOTS_UNREACHABLE,
    Outcome.HOST_GIVEN_UP,
    Outcome.NO_SUCH_HOST,
    Outcome.UNREACHABLE,
    Outcome.HOOK_FAILED,
}
"""Outcomes that `retry` tries again; a 404, or a refusal by robots rules, is no failure."""


class Blocked(NamedTuple):
    """The effect of blocking a host."""

    pending: int
    """How many pending URLs ended by it."""
    forgotten: removal.Forgotten | None
    """What was removed from the archive, if the operator wanted that."""


class Decision(NamedTuple):
    """The events to write to a partition."""

    events: list[AnyEvent]
    found: Sequence[RobotsFound] = ()
    """Messages for the partitions of their sites."""


Decide = Callable[[int, PartitionState, float], Decision | None]


def add_seeds(
    directory: CrawlDirectory,
    seeds: Iterable[str],
    told: Callable[[int], None] = lambda count: None,
) -> Planted:
    """Post more seeds; a running crawl reads them within a second, a stopped one on resume."""
    job = directory.job()
    log = directory.log(job)
    try:
        hooks = load_hooks(job)
        partitioner = partitioner_of(job, hooks)
        check_partitioner(log, partitioner)
        scope = JobScope(job, log, hooks=hooks)
        refuse_moved(log, directory)
        planter = Planter(scope, partitioner, log, topics_of(job))
        planted = planter.plant_at_once(seeds, time.time(), told)
        refuse_moved(log, directory)  # if it was moved meanwhile, what was posted may stay behind
        return planted
    finally:
        log.close()


def retry_failed(directory: CrawlDirectory) -> int:
    """Make all failed URLs pending again; return how many there are.

    A host whose address was refused is included if the job now allows that address. The crawl's
    patience for unreachable origins starts again from its full length.
    """
    count = 0
    fetch = directory.job().fetch
    guard = AddressGuard(fetch.allow_private, fetch.private_networks, fetch.loopback_origins)

    def decide(number: int, state: PartitionState, now: float) -> Decision | None:
        nonlocal count
        hosts = [
            host for host in range(len(state.host_names)) if _can_be_reopened(state, host, guard)
        ]
        reopened_hosts = set(hosts)
        pages = [
            page
            for page in range(len(state.table))
            if state.pages.status[page] == DONE
            and state.outcome_of(page) in FAILED
            and _is_or_becomes_open(state, page, reopened_hosts)
        ]
        reopened = sum(
            state.sites.pending[site]
            for host in hosts
            for site in state.sites_of(host)
            if state.sites.closed[site]
        )
        count += len(pages) + reopened
        events: list[AnyEvent] = [Reopened(now, hosts, pages)] if hosts or pages else []
        if state.waited_seconds:
            events.append(Waited(now, 0.0))
        return Decision(events) if events else None

    change(directory, decide)
    return count


def release_traps(directory: CrawlDirectory) -> int:
    """Make all URLs that were put aside as traps pending; return how many there are.

    Pages of mirrors are fetched again, because their links were not followed.
    """
    count = 0

    def decide(number: int, state: PartitionState, now: float) -> Decision | None:
        nonlocal count
        hosts = [
            host
            for host, closed in enumerate(state.hosts.closed)
            if closed in TRAPS or (not closed and state.traps.holds(host))
        ]
        reopened = set(hosts)
        pages = [
            page
            for page in range(len(state.table))
            if state.sites.host[state.pages.site[page]] in reopened and _is_held(state, page)
        ]
        count += len(pages) + sum(
            state.sites.pending[site]
            for host in hosts
            for site in state.sites_of(host)
            if state.sites.closed[site]
        )
        return Decision([Reopened(now, hosts, pages)]) if hosts else None

    change(directory, decide)
    return count


def _is_held(state: PartitionState, page: int) -> bool:
    """Return whether a URL was put aside, or its links were not followed."""
    if state.pages.status[page] != DONE:
        return False
    is_of_mirror = state.sites.host[state.pages.site[page]] in state.traps.mirrors
    outcome = state.pages.outcome[page]
    return outcome in TRAPS or (is_of_mirror and outcome == Outcome.KEPT)


def _can_be_reopened(state: PartitionState, host: int, guard: AddressGuard) -> bool:
    """Return whether a host is closed for a reason that may be over."""
    closed = state.hosts.closed[host]
    if closed == Outcome.REFUSED_ADDRESS:
        address = state.address_of(host)
        return not address or guard.refusal(address) is None
    return closed == Outcome.HOST_GIVEN_UP or any(
        state.sites.closed[site] in GIVEN_UP or state.sites.closed[site] == Outcome.NO_SUCH_HOST
        for site in state.sites_of(host)
    )


def _is_or_becomes_open(state: PartitionState, page: int, reopened: set[int]) -> bool:
    host = state.sites.host[state.pages.site[page]]
    return host in reopened or not state.hosts.closed[host]


def block_host(directory: CrawlDirectory, name: str, forget: bool = False) -> Blocked:
    """Never ask a host again, and with `forget` remove its pages from the archive.

    The log is written first, so that no reader looks for pages that are gone.
    """
    host_name = host_named(name)
    if forget and directory.is_distant:
        from lycosa.crawl.logs.distant import bytes_elsewhere

        raise bytes_elsewhere(directory, "what a host has sent")
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
            return _block_unknown(wanted, now) if is_everywhere else None
        is_known = True
        pending += sum(
            state.sites.pending[site]
            for site in state.sites_of(host)
            if not state.sites.closed[site]
        )
        return _block(state, host, now, forget)

    def drop() -> None:
        nonlocal forgotten
        if forget and is_known:
            partition_of = own_partitioner(directory.job()).partition_of
            seal_dead(directory.path, counted_by(states, partition_of))
            forgotten = removal.forget_host(directory.path, host_name)
            # A study names pages and hosts; it can be made again without this host.
            shutil.rmtree(directory.path / "index" / "study", ignore_errors=True)

    change(directory, decide, drop)
    if not is_known:
        file = "crawl.toml of every machine" if directory.is_distant else directory.job_file
        raise ConfigError(
            f"{name}: the crawl knows no such host\n"
            f"  to keep it from ever being asked, add a rule to {file}:"
            f' [[rules]] action = "reject", host = "{name}"'
        )
    return Blocked(pending, forgotten)


def unblock_host(directory: CrawlDirectory, name: str) -> int:
    """Ask a blocked host again; return how many of its URLs are back in the queue.

    Pages that were deleted when it was blocked are fetched again.
    """
    wanted = reversed_host_of(key_of(f"http://{host_named(name)}/"))
    count, is_blocked = 0, False

    def decide(number: int, state: PartitionState, now: float) -> Decision | None:
        nonlocal count, is_blocked
        host = state.host_number(wanted)
        if host is None or state.hosts.closed[host] != Outcome.BLOCKED:
            return None
        is_blocked = True
        sites = set(state.sites_of(host))
        pages = [
            page
            for page, site in enumerate(state.pages.site)
            if site in sites
            and state.pages.status[page] == DONE
            and state.pages.outcome[page] == Outcome.BLOCKED
        ]
        count += len(pages) + sum(state.sites.pending[site] for site in sites)
        return Decision([Reopened(now, [host], pages)])

    change(directory, decide)
    if not is_blocked:
        raise ConfigError(
            f"{name}: is not blocked\n"
            f"  blocked hosts are listed by: lycosa status {directory.shown}"
        )
    return count


def begin_cycle(directory: CrawlDirectory) -> int:
    """Let the next cycle begin at the next run, whenever it is due; return its number.

    A cycle that was begun and has URLs left is gone on with instead.
    """
    states = directory.states(directory.job())
    history = states[0].history
    cycle = history.cycle
    if cycle and any(state.pending for state in states.values()):
        return cycle

    def want(number: int, state: PartitionState, now: float) -> Decision | None:
        return Decision([CycleWanted(now, cycle + 1)]) if number == 0 else None

    if cycle and history.wanted <= cycle:  # the first one begins by itself
        change(directory, want)
    return cycle + 1


def host_named(name: str) -> str:
    """Return the host of a name or URL, as the tables spell it."""
    url = canonicalize(name if "://" in name else f"http://{name}/")
    if url is None:
        raise ConfigError(f"{name}: is not a host name\n  write it like www.example.org")
    return host_of(key_of(url))


def _block(state: PartitionState, host: int, now: float, forget: bool) -> Decision:
    due, strikes = state.hosts.due[host], state.hosts.strikes[host]
    events: list[AnyEvent] = [HostChanged(now, host, due, strikes, Outcome.BLOCKED)]
    found: list[RobotsFound] = []
    for errand, record in state.errands.items():
        if record.host == host:  # it must not be asked on behalf of another site, either
            events.append(ErrandDone(now, errand, 0.0))
            found.append(RobotsFound(now, record.site, RobotsState.UNREACHABLE, b"", 0.0))
    if forget:
        events.append(Forgotten(now, host))
    return Decision(events, found)


def _refuse_running(log: Log, job: Job) -> None:
    from lycosa.crawl.logs.other_machines import (
        refuse_running,  # a crawl in a folder does not need it
    )

    refuse_running(log, job)


def _is_shared(directory: CrawlDirectory, wanted: str) -> bool:
    """Return whether any partition may get URLs of a host that one of them knows."""
    job = directory.job()
    return job.frontier.partitioner in SPLITTING_PARTITIONERS and any(
        state.host_number(wanted) is not None for state in directory.states(job).values()
    )


def _block_unknown(wanted: str, now: float) -> Decision:
    """Block a host in a partition that has no URL of it yet, and may get one."""
    blocked = HostReport(wanted, closed=Outcome.BLOCKED)
    return Decision([BatonTaken(now, 0, [blocked], is_held=False)])


def change(
    directory: CrawlDirectory, decide: Decide, afterwards: Callable[[], None] = lambda: None
) -> None:
    """Take every partition, write what `decide` returns for it, then call `afterwards`."""
    job = directory.job()
    partitioner = own_partitioner(job)
    with directory.locked():
        log, snapshots = directory.log(job), directory.snapshots()
        try:
            check_partitioner(log, partitioner)
            refuse_moved(log, directory)
            if job.log.server:
                _refuse_running(log, job)
            now = time.time()
            taken = Taken(now, f"operator {os.getpid()} {now:.3f}")
            # One at a time keeps one state in memory; far away every commit is a round trip.
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
            afterwards()
        finally:
            log.close()
