"""Find the origins that a crawl waits for, with the reason and the end of each wait.

Three callers ask. `lycosa explain` asks about one page (`wait_of_page`), `lycosa status` about the
whole log (`waits_of`), and the panel of a running crawl about the next due moments (`next_waits`).
The last one also knows names that are being looked up and addresses that are busy, which the log
does not hold.

Cost: some microseconds for a page or a host; `waits_of` one pass over all hosts; `next_waits` a
sample of fixed size, however large the crawl is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.pauses.due import usual_pause
from lycosa.frontier.facts.columns import NONE, WAITING
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.hosts import Readiness
from lycosa.model.job import Job
from lycosa.model.records import NO_CONNECTION, TRANSIENT, Outcome, RobotsState
from lycosa.model.url import host_of, url_of

MOST_NAMED = 5
"""Most waits that are named."""

SAMPLE = 64
"""Number of entries of the agenda that a running crawl examines."""

MOST_PAGES = 1_000
"""Most pages with a due moment of their own that are examined."""

NO_NAME = "its name does not exist; it is looked up once more"
NO_ANSWER = "no name server answered for its address; it is looked up again"
REFUSED = "it answered 429 or 503; back-off"
ANNOUNCED = "it answered 429 or 503 with Retry-After"
NO_CONNECTION_MADE = "no connection could be made; it is tried again"
ROBOTS = "its robots file could not be fetched; it is asked for again"
ELSEWHERE = "its robots file is elsewhere, and being asked for there"
CRAWL_DELAY = "Crawl-delay"
PAUSE = "the usual pause"
LOOKED_UP = "its name is being looked up"
BUSY = "its address serves another host, rests, or waits for a connection"
ASKED_ELSEWHERE = "another crawl on this machine is asking {}"
ASKED_BY_WORKER = "another crawl or worker on this machine is asking {}"
REVISIT = "a page is to be revisited"


class Wait(NamedTuple):
    """A host or origin that the crawl waits for."""

    who: str
    """A host or an origin."""
    why: str
    until: float
    """End of the wait; 0 if that depends on an answer."""
    urls: int = 0
    """Number of URLs that wait with it; 0 if they were not counted."""

    def by_clock_behind(self, seconds: float) -> Wait:
        """Return the wait by a clock that is behind the crawl's (`runtime.steady_clock`)."""
        return self._replace(until=self.until - seconds) if self.until else self


class Waits(NamedTuple):
    """The hosts and origins that a crawl waits for."""

    first: list[Wait]
    """The waits that end first, at most `MOST_NAMED`."""
    total: int
    """Number of all waits."""


def wait_of_site(state: PartitionState, site: int, job: Job, now: float) -> Wait | None:
    """Return the wait of an open site's URLs; None if they may be asked for now."""
    sites, hosts = state.sites, state.hosts
    host = sites.host[site]
    host_due, robots = hosts.due[host], sites.robots[site]
    why, until = "", host_due
    if hosts.missing[host]:
        why = NO_NAME
    elif state.has_no_address(host):
        why = NO_ANSWER
    elif hosts.strikes[host] and host_due > now:
        why = ANNOUNCED if hosts.announced[host] else REFUSED
    elif sites.strikes[site]:
        why, until = NO_CONNECTION_MADE, max(host_due, sites.due[site])
    elif robots == RobotsState.UNREACHABLE:
        why, until = ROBOTS, max(host_due, sites.robots_expires[site])
    elif robots == RobotsState.ELSEWHERE:
        why, until = ELSEWHERE, 0.0
    elif host_due > now:
        why = _pause(state, host, job)
    return Wait(_origin(state, site), why, until, sites.pending[site]) if why else None


def _pause(state: PartitionState, host: int, job: Job) -> str:
    usual = usual_pause(job, state.hosts.kept[host])
    delays = (state.sites.crawl_delay[site] for site in state.sites_of(host))
    return CRAWL_DELAY if any(delay > usual for delay in delays) else PAUSE


def wait_of_page(state: PartitionState, page: int, job: Job, now: float) -> Wait | None:
    """Return the wait of a pending URL: for its own moment, or for its site."""
    site, fetch = state.pages.site[page], state.pages.fetch[page]
    of_site = wait_of_site(state, site, job, now)
    own = state.fetches.due[fetch] if fetch != NONE else 0.0
    if state.pages.status[page] != WAITING or own <= max(now, of_site.until if of_site else 0.0):
        return of_site
    return Wait(_origin(state, site), _own_reason(state, page), own, 1)


def _own_reason(state: PartitionState, page: int) -> str:
    outcome = state.pages.outcome[page]
    if outcome in NO_CONNECTION:
        return NO_CONNECTION_MADE
    if outcome not in TRANSIENT:
        return REVISIT
    name = Outcome(outcome).name.lower()
    return f"a page is tried again after a failure ({name})"


def waits_of(states: Iterable[PartitionState], job: Job, now: float) -> Waits:
    """Return the hosts and origins that a crawl waits for, according to its log."""
    found: list[Wait] = []
    for state in states:
        found += _waits_of_sites(state, job, now)
    return _first(found, len(found))


def _waits_of_sites(state: PartitionState, job: Job, now: float) -> Iterator[Wait]:
    sites = state.sites
    own = _pages_with_own_moment(state, now) if state.pending else {}
    for site, pending in enumerate(sites.pending):
        if not pending or sites.closed[site]:
            continue
        pages = own.get(site, [])
        wait = wait_of_site(state, site, job, now)
        if pages and len(pages) == pending:
            first = min(pages, key=lambda page: state.fetches.due[state.pages.fetch[page]])
            wait = wait_of_page(state, first, job, now) or wait
            wait = wait._replace(urls=pending) if wait is not None else None
        if wait is not None:
            yield wait


def _pages_with_own_moment(state: PartitionState, now: float) -> dict[int, list[int]]:
    """Return pages that are due later, by site; at most `MOST_PAGES`."""
    found: dict[int, list[int]] = {}
    status, page = state.pages.status, -1
    for _ in range(MOST_PAGES):
        try:
            page = status.index(WAITING, page + 1)
        except ValueError:
            break
        if state.fetches.due[state.pages.fetch[page]] > now:
            found.setdefault(state.pages.site[page], []).append(page)
    return found


def next_waits(
    agenda: Agenda,
    partitions: dict[int, Partition],
    looking_up: Iterable[tuple[int, int]],
    total: int,
    job: Job,
    *,
    now: float,
    elsewhere: str = "",
    asked_by: str = "",
) -> Waits:
    """Return the waits of a running worker, from a sample of its agenda.

    `total` is the number of its hosts that wait: for a moment, a name lookup, or a busy address.
    `elsewhere` is an address that another process asks, and `asked_by` says so.
    """
    by_readiness = {id(p.readiness): p for p in partitions.values()}
    found: dict[str, Wait] = {}
    for number, host in looking_up:
        if number in partitions and partitions[number].readiness.is_resolving(host):
            wait = Wait(_host(partitions[number].state, host), LOOKED_UP, 0.0)
            found[wait.who] = wait
    for moment, owner, subject in agenda.sample(SAMPLE):
        waits: Iterable[Wait | None] = ()
        if isinstance(owner, Readiness) and (partition := by_readiness.get(id(owner))):
            # The agenda keeps outdated entries: only one with the host's present moment counts.
            if owner.rests_until(subject) == moment:
                waits = _waits_of_host(partition.state, subject, moment, job, now)
        elif isinstance(owner, Partition) and _is_waiting(owner.state, subject):
            waits = [wait_of_page(owner.state, subject, job, now)]
        for one in waits:
            if one is not None:
                found.setdefault(one.who, one)
    # Hosts behind a busy address are not on the agenda.
    if not found and total:
        found.update(_queued(partitions))
    if elsewhere:
        found[elsewhere] = Wait(elsewhere, asked_by, 0.0)
    return _first(list(found.values()), max(total, len(found)))


def _waits_of_host(
    state: PartitionState, host: int, moment: float, job: Job, now: float
) -> Iterator[Wait]:
    """Yield the waits of a host's sites; the host's pause if no site waits."""
    is_told = False
    for site in state.sites_of(host):
        if state.sites.pending[site] and not state.sites.closed[site]:
            wait = wait_of_site(state, site, job, now)
            if wait is not None:
                is_told = True
                yield wait
    if not is_told:  # the full pause after a resume belongs to the host, not to a site
        yield Wait(_host(state, host), PAUSE, moment)


def _is_waiting(state: PartitionState, page: int) -> bool:
    is_open = not state.sites.closed[state.pages.site[page]]
    return is_open and state.pages.status[page] == WAITING


def _queued(partitions: dict[int, Partition]) -> dict[str, Wait]:
    """Return some hosts whose address is busy."""
    for partition in partitions.values():
        host = partition.readiness.first_queued()
        if host is not None:
            name = _host(partition.state, host)
            return {name: Wait(name, BUSY, 0.0)}
    return {}


def _first(found: list[Wait], count: int) -> Waits:
    return Waits(sorted(found, key=lambda wait: wait.until)[:MOST_NAMED], count)


def _origin(state: PartitionState, site: int) -> str:
    return url_of(state.site_names[site] + "/").removesuffix("/")


def _host(state: PartitionState, host: int) -> str:
    return host_of(state.host_names[host] + ":/")
