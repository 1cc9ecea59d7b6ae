"""The hosts of a crawl, filtered, sorted and paged."""

from __future__ import annotations

import time
from collections.abc import Iterator
from operator import attrgetter

import msgspec

from lycosa.crawl.status.waiting import wait_of_site
from lycosa.errors import LycosaError
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import Outcome, RobotsState
from lycosa.model.url import host_of
from lycosa.runtime.steady_clock import present_moment
from lycosa.web.reading.requests import Hosts
from lycosa.web.reading.states import States
from lycosa.web.rest.records import HostList, HostRow

SORTS = ("host", "kept", "pending", "due", "state")


def read(states: States, asked: Hosts) -> bytes:
    """Return a page of hosts as JSON."""
    if asked.sort not in SORTS:
        raise LycosaError(f"hosts cannot be sorted by `{asked.sort}`\n  use: {', '.join(SORTS)}")
    try:
        first = int(asked.cursor or 0)
    except ValueError:
        raise LycosaError("the cursor is invalid\n  begin without a cursor") from None
    folded = states.now()
    now = present_moment(folded.values())
    wanted = asked.filter.lower()
    found = [
        row
        for state in folded.values()
        for row in _rows(state, states.job, now)
        if wanted in row.host or wanted == row.state
    ]
    found.sort(key=attrgetter("host"))
    found.sort(key=attrgetter(asked.sort), reverse=asked.is_descending)
    last = first + asked.limit
    return msgspec.json.encode(
        HostList(
            hosts=found[first:last],
            total=len(found),
            next=str(last) if last < len(found) else "",
            as_of=time.time(),
        )
    )


def _rows(state: PartitionState, job: Job, now: float) -> Iterator[HostRow]:
    hosts, sites = state.hosts, state.sites
    # The crawl's clock may be ahead of this machine's, whose time is shown.
    behind = now - time.time()
    for host, name in enumerate(state.host_names):
        own = list(state.sites_of(host))
        pending = sum(sites.pending[site] for site in own if not sites.closed[site])
        closed = hosts.closed[host] or next((sites.closed[s] for s in own if sites.closed[s]), 0)
        waits = (wait_of_site(state, site, job, now) for site in own if sites.pending[site])
        wait = None if closed or not pending else next((one for one in waits if one), None)
        due = hosts.due[host] - behind if hosts.due[host] > now else 0.0
        robots = RobotsState(sites.robots[own[0]]).name.lower() if own else ""
        yield HostRow(
            host=host_of(f"{name}:/"),
            kept=hosts.kept[host],
            pending=pending,
            state=Outcome(closed).name.lower() if closed else "open",
            due=due,
            why=wait.why if wait else "",
            address=state.address_of(host),
            strikes=hosts.strikes[host],
            crawl_delay=max((sites.crawl_delay[site] for site in own), default=0.0),
            robots=robots,
        )
