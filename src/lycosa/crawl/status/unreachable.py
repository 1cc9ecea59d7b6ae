"""Name the origins that a crawl gave up, and report seeds as soon as they fail.

The first failure of a seed in a run is reported once, with the reason and advice. The crawl keeps
trying the seed like any other URL.

Cost: nothing while requests are answered; some microseconds at the first failure of an origin.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping

from lycosa._support.tuples import NamedTuple
from lycosa.frontier.distance import depth_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.model.job import Job
from lycosa.model.records import GIVEN_UP, NO_CONNECTION, Answer, Outcome, RobotsState
from lycosa.model.url import host_of, url_of

MOST_NAMED = 20
"""Most given-up origins that are named; the others are counted."""

FIRST_URLS = 10_000
"""Number of a partition's first URLs that are searched for its seeds."""

UNREACHABLE = "unreachable"
"""Reason of the end: everything is done, but some origins could not be reached."""

NO_SEED = "no seed"
"""Reason of the end: no server could be reached at all."""

_NEVER_REACHED = frozenset(
    outcome.name.lower()
    for outcome in (
        *NO_CONNECTION,
        Outcome.REFUSED_ADDRESS,
        Outcome.REFUSED_PORT,
        Outcome.ROBOTS_UNREACHABLE,
        Outcome.NO_SUCH_HOST,
        Outcome.UNREACHABLE,
    )
)

_WHY = {
    Outcome.UNREACHABLE: "no connection could be made",
    Outcome.ROBOTS_UNREACHABLE: "its robots file could not be fetched",
    Outcome.HOST_GIVEN_UP: "its host kept refusing or failing",
    Outcome.HOST_PUT_OFF: "its host asks for a longer pause ([politeness] longest_pause_seconds)",
}


class GivenUp(NamedTuple):
    """An origin that was closed because it could not be reached."""

    origin: str
    urls: int
    why: str


def given_up_of(states: Iterable[PartitionState]) -> list[GivenUp]:
    """Return the origins that were given up, those with most URLs first."""
    found: list[GivenUp] = []
    for state in states:
        sites = state.sites
        closed_with = sites.closed.tobytes()  # a search in bytes takes a microsecond
        if not any(bytes((outcome,)) in closed_with for outcome in GIVEN_UP):
            continue
        for site, closed in enumerate(sites.closed):
            if closed in GIVEN_UP and sites.pending[site]:
                why = _WHY[Outcome(closed)]
                if closed == Outcome.UNREACHABLE and state.has_no_address(sites.host[site]):
                    why = "no name server answered for its address"
                found.append(GivenUp(_origin(state, site), sites.pending[site], why))
    return sorted(found, key=lambda one: (-one.urls, one.origin))


def what_was_missed(outcomes: Mapping[str, int], given_up_origins: int) -> str:
    """Return `NO_SEED` or `UNREACHABLE` for a crawl that has nothing left to do; "" for neither."""
    names = {name for name, count in outcomes.items() if count}
    if names and names <= _NEVER_REACHED:
        return NO_SEED
    return UNREACHABLE if given_up_origins else ""


def _origin(state: PartitionState, site: int) -> str:
    return url_of(state.site_names[site] + "/").removesuffix("/")


class SeedWatch:
    """Reports seeds that fail; each worker has one."""

    def __init__(self, job: Job, tell: Callable[[str, str], None]) -> None:
        self._job = job
        self._tell = tell
        self._told: set[tuple[int, int]] = set()

    def has_no_address(self, partition: Partition, host: int, is_missing: bool) -> None:
        """Report seeds whose host name has no address."""
        name = host_of(partition.state.host_names[host] + ":/")
        why = f"no name server answered for the address of {name}; check the network"
        if is_missing:
            why = f"the name {name} does not exist, or has no address; check how it is spelled"
        for site in partition.state.sites_of(host):
            self._say(partition, site, f"{why}. It is looked up again")

    def answered(self, partition: Partition, site: int, address: str, answer: Answer) -> None:
        """Report the seed of an origin that cannot be asked, by the answer or failure."""
        sites = partition.state.sites
        if answer.failure is Outcome.REFUSED_ADDRESS:
            why = (
                f"its address {address} is private or reserved, and the job allows no such address;"
                " add --allow-private to allow it"
            )
            self._say(partition, site, why)
        elif answer.failure is not None and sites.strikes[site]:
            detail = f": {answer.detail}" if answer.detail else ""
            is_secure = _origin(partition.state, site).startswith("https:")
            kind = "TLS connection" if is_secure else "connection"
            why = f"no {kind} to {address} could be made{detail}"
            advice = "check the port, and that a server listens there"
            if is_secure:
                advice += (
                    ", that it speaks TLS, and that its certificate is valid ([fetch] ca_file)"
                )
            self._say(partition, site, f"{why}; {advice}. It is tried again")
        elif sites.robots[site] in (RobotsState.UNREACHABLE, RobotsState.GIVEN_UP):
            what = f"answers {answer.status}" if answer.status else "could not be read"
            why = f"its robots file {what}: the whole site is disallowed until it can be fetched"
            self._say(partition, site, f"{why}. It is asked for again")

    def disallowed(self, partition: Partition, page: int) -> None:
        """Report a seed that its robots file forbids."""
        if not depth_of(partition.state.pages.distance[page]):
            state, site = partition.state, partition.state.pages.site[page]
            path = state.table.key(page)[len(state.site_names[site]) :]
            check = shlex.join(["lycosa", "check", "robots", f"{_origin(state, site)}/", path])
            why = f"its robots file forbids it for {self._job.fetch.agent}; see: {check}"
            self._say(partition, site, why)

    def _say(self, partition: Partition, site: int, why: str) -> None:
        if (partition.number, site) in self._told:
            return
        self._told.add((partition.number, site))
        page = _seed_of(partition.state, site)
        if page is not None:
            self._tell(url_of(partition.state.table.key(page)), why)


def _seed_of(state: PartitionState, site: int) -> int | None:
    """Return a seed of a site, or the target of a seed's redirect."""
    sites, distance, page = state.pages.site, state.pages.distance, -1
    while True:
        try:
            page = sites.index(site, page + 1, FIRST_URLS)
        except ValueError:
            return None
        if not depth_of(distance[page]):
            return page
