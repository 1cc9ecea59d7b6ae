"""Decisions of an order for one partition: the events to write, and the number of URLs concerned.

The functions read a state and change nothing. `inspect.edits` writes the events to a crawl that is
not running, `applying` to one that is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from lycosa.fetch.guard import AddressGuard
from lycosa.frontier.facts.columns import DONE
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import (
    GIVEN_UP,
    TRANSIENT,
    TRAPS,
    AnyEvent,
    BatonTaken,
    ErrandDone,
    Forgotten,
    HostChanged,
    HostReport,
    Outcome,
    Reopened,
    RobotsFound,
    RobotsState,
    Waited,
)

FAILED = TRANSIENT | {
    Outcome.BAD_STATUS,
    Outcome.TOO_LARGE,
    Outcome.REFUSED_ADDRESS,
    Outcome.REFUSED_PORT,
    Outcome.ROBOTS_UNREACHABLE,
    Outcome.HOST_GIVEN_UP,
    Outcome.HOST_PUT_OFF,
    Outcome.NO_SUCH_HOST,
    Outcome.UNREACHABLE,
    Outcome.HOOK_FAILED,
    Outcome.TOO_MANY_ITEMS,
    Outcome.UNKNOWN_POST,
}
"""Outcomes that `retry` tries again; a 404 or a refusal by robots rules is not a failure."""


class Decision(NamedTuple):
    """The events to write to a partition."""

    events: list[AnyEvent]
    found: Sequence[RobotsFound] = ()
    """Messages to the partitions of these sites."""
    urls: int = 0
    """Number of URLs that leave the queue or return to it."""


# -- retry --------------------------------------------------------------------------------


def retry_failed(state: PartitionState, now: float, guard: AddressGuard) -> Decision | None:
    """Make failed URLs pending again, and restart the patience."""
    every = range(len(state.host_names))
    hosts = [host for host in every if _can_be_reopened(state, host, guard, now)]
    reopened_hosts = set(hosts)
    pages = [
        page
        for page in range(len(state.table))
        if state.pages.status[page] == DONE
        and state.outcome_of(page) in FAILED
        and _is_or_becomes_open(state, page, reopened_hosts)
    ]
    events: list[AnyEvent] = [Reopened(now, hosts, pages)] if hosts or pages else []
    if state.waited_seconds:
        events.append(Waited(now, 0.0))
    urls = len(pages) + _pending_on_closed(state, hosts)
    return Decision(events, urls=urls) if events else None


def retry_traps(state: PartitionState, now: float) -> Decision | None:
    """Make pending again the URLs put aside as traps, and the pages of mirrors."""
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
    urls = len(pages) + _pending_on_closed(state, hosts)
    return Decision([Reopened(now, hosts, pages)], urls=urls) if hosts else None


def _pending_on_closed(state: PartitionState, hosts: list[int]) -> int:
    return sum(
        state.sites.pending[site]
        for host in hosts
        for site in state.sites_of(host)
        if state.sites.closed[site]
    )


def _is_held(state: PartitionState, page: int) -> bool:
    """Return whether a URL was put aside, or its links were not followed."""
    if state.pages.status[page] != DONE:
        return False
    is_of_mirror = state.sites.host[state.pages.site[page]] in state.traps.mirrors
    outcome = state.pages.outcome[page]
    return outcome in TRAPS or (is_of_mirror and outcome == Outcome.KEPT)


def _can_be_reopened(state: PartitionState, host: int, guard: AddressGuard, now: float) -> bool:
    """Return whether a host is closed for a reason that may be over."""
    closed = state.hosts.closed[host]
    if closed == Outcome.HOST_PUT_OFF:
        return state.hosts.due[host] <= now  # the host itself said when to ask again
    if closed == Outcome.REFUSED_ADDRESS:
        address = state.address_of(host)
        return not address or guard.refusal(address) is None
    return closed == Outcome.HOST_GIVEN_UP or any(
        state.sites.closed[site] in GIVEN_UP
        or state.sites.closed[site] in (Outcome.NO_SUCH_HOST, Outcome.REFUSED_PORT)
        for site in state.sites_of(host)
    )


def _is_or_becomes_open(state: PartitionState, page: int, reopened: set[int]) -> bool:
    host = state.sites.host[state.pages.site[page]]
    return host in reopened or not state.hosts.closed[host]


# -- block and unblock --------------------------------------------------------------------


def block(
    state: PartitionState, host: int, now: float, *, forget: bool = False, keep: Sequence[int] = ()
) -> Decision:
    """Close a host, also for errands on behalf of other sites.

    Errands in `keep` are in flight; their answers decide their end.
    """
    pending = sum(
        state.sites.pending[site] for site in state.sites_of(host) if not state.sites.closed[site]
    )
    due, strikes = state.hosts.due[host], state.hosts.strikes[host]
    events: list[AnyEvent] = [HostChanged(now, host, due, strikes, Outcome.BLOCKED)]
    found: list[RobotsFound] = []
    for errand, record in state.errands.items():
        if record.host == host and errand not in keep:
            events.append(ErrandDone(now, errand, 0.0))
            found.append(RobotsFound(now, record.site, RobotsState.UNREACHABLE, b"", 0.0))
    if forget:
        events.append(Forgotten(now, host))
    return Decision(events, found, pending)


def block_unknown(reversed_host: str, now: float) -> Decision:
    """Block a host in a partition that has no URL of it yet, and may get one later."""
    blocked = HostReport(reversed_host, closed=Outcome.BLOCKED)
    return Decision([BatonTaken(now, 0, [blocked], is_held=False)])


def unblock(state: PartitionState, reversed_host: str, now: float) -> Decision | None:
    """Reopen a blocked host, and make the pages that were deleted by the block pending again."""
    host = state.host_number(reversed_host)
    if host is None or state.hosts.closed[host] != Outcome.BLOCKED:
        return None
    sites = set(state.sites_of(host))
    pages = [
        page
        for page, site in enumerate(state.pages.site)
        if site in sites
        and state.pages.status[page] == DONE
        and state.pages.outcome[page] == Outcome.BLOCKED
    ]
    urls = len(pages) + sum(state.sites.pending[site] for site in sites)
    return Decision([Reopened(now, [host], pages)], urls=urls)


# -- rules --------------------------------------------------------------------------------


def bring_back(
    state: PartitionState, now: float, is_rejected: Callable[[str], bool]
) -> Decision | None:
    """Make pending again the URLs that an added rule ended, unless another rule rejects them."""
    excluded = int(Outcome.EXCLUDED)
    if not state.outcomes[excluded]:
        return None
    pages = [
        page
        for page, outcome in enumerate(state.pages.outcome)
        if outcome == excluded
        and state.pages.status[page] == DONE
        and not is_rejected(state.table.key(page))
    ]
    return Decision([Reopened(now, [], pages)], urls=len(pages)) if pages else None
