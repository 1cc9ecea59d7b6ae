"""Results of visits to pages, and the cycle of revisits under way: a part of the fold.

A page has an entry only if it was visited while the job had a policy, so a crawl that revisits
nothing pays nothing: 44 bytes per page, 20 per host. The numbers come ready in the events; nothing
is estimated here, so a better estimator never changes what an old log means.

Partition 0 also keeps the bids for the next cycle, until it begins.
"""

from __future__ import annotations

from array import array
from typing import Any

from lycosa.frontier.facts.columns import Columns
from lycosa.frontier.freshness.bids import Bid
from lycosa.frontier.freshness.changes import NONE, Evidence
from lycosa.model.records import BidTaken, CycleBegun, CycleWanted, Sight, Visited

_MOST = 0xFFFF


class Visits(Columns):
    """One entry per page that was asked for, by its number in `Fetches`, as far as visited."""

    moment: array[float]
    """When the page was last seen; 0 when that is not recorded."""
    announced: array[float]
    """When it changed last, according to its site's sitemap."""
    digest: array[int]
    """Of what was seen when it last changed."""
    fingerprint: array[int]
    changes: array[float]
    seconds: array[float]
    """The evidence for its rate of change."""
    visits: array[int]
    changed: array[int]
    """How many of the visits found it changed."""

    _types = {  # noqa: RUF012
        "moment": "d",
        "announced": "d",
        "digest": "Q",
        "fingerprint": "Q",
        "changes": "f",
        "seconds": "f",
        "visits": "H",
        "changed": "H",
    }

    def reach(self, fetch: int) -> None:
        """Make sure that there is an entry."""
        missing = fetch + 1 - len(self.moment)
        if missing > 0:
            self.grow(missing)


class HostVisits(Columns):
    """One entry per host."""

    changes: array[float]
    seconds: array[float]
    """The evidence for the rate at which its pages change."""
    planned: array[int]
    """How many of its URLs the present cycle has."""

    _types = {"changes": "d", "seconds": "d", "planned": "I"}  # noqa: RUF012

    def reach(self, host: int) -> None:
        """Make sure that there is an entry."""
        missing = host + 1 - len(self.planned)
        if missing > 0:
            self.grow(missing)


class History:
    """The visits of a partition, and its place in the cycles."""

    def __init__(self) -> None:
        self.visits = Visits()
        self.hosts = HostVisits()
        self.not_before: dict[int, float] = {}
        """By the number of the fetch: when the few pages that say so ask to be visited again."""
        self.cycle = 0
        """The number of the cycle under way; 0 when the crawl does not go in cycles."""
        self.round = 0
        """How often what was left of the cycle has been shared out since it began."""
        self.began = 0.0
        self.room = 0
        """How many more URLs that are found the cycle takes."""
        self.plan: dict[int, float] = {}
        """Pages that were chosen for the cycle, with the worth of a visit when it began."""
        self.wanted = 0
        """The cycle that bids are, or were last, asked for."""
        self.wanted_round = 0
        self.wanted_at = 0.0
        self.bids: dict[int, Bid] = {}
        self.rooms: dict[int, int] = {}
        """Room that is left to the partitions that have bid."""
        self.left = 0
        """The room that all partitions together were given in the last round."""

    # -- asking ---------------------------------------------------------------------------

    @property
    def step(self) -> tuple[int, int]:
        """The cycle and round under way."""
        return self.cycle, self.round

    @property
    def wanted_step(self) -> tuple[int, int]:
        """The cycle and round that bids are, or were last, asked for."""
        return self.wanted, self.wanted_round

    def unspent(self) -> int:
        """Return how many URLs the cycle lacks, by what all partitions have said."""
        return max(0, sum(self.rooms.values())) if any(self.bids.values()) else 0

    def visited_at(self, fetch: int) -> float:
        """Return when a page was last seen, or 0."""
        return self.visits.moment[fetch] if fetch < len(self.visits.moment) else 0.0

    def evidence(self, fetch: int) -> Evidence:
        """Return the evidence of a page's own visits."""
        if fetch >= len(self.visits.moment):
            return NONE
        return Evidence(self.visits.changes[fetch], self.visits.seconds[fetch])

    def host_evidence(self, host: int) -> Evidence:
        """Return the evidence of visits to all pages of a host."""
        if host >= len(self.hosts.planned):
            return NONE
        return Evidence(self.hosts.changes[host], self.hosts.seconds[host])

    def planned_of(self, host: int) -> int:
        """Return how many URLs of a host the present cycle has."""
        return self.hosts.planned[host] if host < len(self.hosts.planned) else 0

    # -- folding --------------------------------------------------------------------------

    def apply_visited(self, event: Visited, fetch: int, host: int) -> None:
        """Take in what a visit showed."""
        visits, hosts = self.visits, self.hosts
        visits.reach(fetch)
        if event.seen is Sight.ANNOUNCED:
            visits.announced[fetch] = event.moment
            return
        visits.moment[fetch] = event.moment
        if event.not_before:
            self.not_before[fetch] = event.not_before
        else:
            self.not_before.pop(fetch, None)
        visits.digest[fetch] = event.digest
        visits.fingerprint[fetch] = event.fingerprint
        visits.changes[fetch] = event.changes
        visits.seconds[fetch] = event.seconds
        visits.visits[fetch] = min(visits.visits[fetch] + 1, _MOST)
        if event.seen is Sight.CHANGED:
            visits.changed[fetch] = min(visits.changed[fetch] + 1, _MOST)
        hosts.reach(host)
        hosts.changes[host] = event.host_changes
        hosts.seconds[host] = event.host_seconds

    def apply_wanted(self, event: CycleWanted) -> None:
        """Begin to collect bids."""
        self.wanted, self.wanted_round, self.wanted_at = event.cycle, event.round, event.moment
        self.bids, self.rooms = {}, {}

    def apply_bid(self, event: BidTaken) -> None:
        """Keep a bid."""
        self.bids[event.partition] = event.bins
        self.rooms[event.partition] = event.room

    def apply_begun(self, event: CycleBegun) -> None:
        """Begin a cycle or a round of it; the pages are the state's to put up."""
        if not event.round:
            self.began, self.plan = event.moment, {}
            self.hosts.planned[:] = array("I", bytes(4 * len(self.hosts.planned)))
        self.cycle, self.round, self.room, self.left = (
            event.cycle,
            event.round,
            event.room,
            event.left,
        )
        self.plan.update(zip(event.pages, event.worths, strict=False))
        self.bids, self.rooms = {}, {}
        if not event.cycle:
            self.wanted_round = 0

    def take(self, host: int) -> None:
        """Count a URL of the host as one of the cycle's."""
        self.hosts.reach(host)
        self.hosts.planned[host] += 1

    # -- snapshots ------------------------------------------------------------------------

    def pack(self) -> dict[str, Any]:
        """Return the data for a snapshot."""
        return {
            "visits": self.visits.pack(),
            "hosts": self.hosts.pack(),
            "cycle": [self.cycle, self.began, self.room, self.wanted, self.wanted_at],
            "plan": self.plan,
            "bids": self.bids,
            "rounds": [self.round, self.wanted_round, self.left],
            "rooms": self.rooms,
            "not_before": self.not_before,
        }

    def unpack(self, packed: dict[str, Any]) -> None:
        """Take it back; older snapshots have none."""
        if packed:
            self.visits.unpack(packed["visits"])
            self.hosts.unpack(packed["hosts"])
            self.cycle, self.began, self.room, self.wanted, self.wanted_at = packed["cycle"]
            self.plan, self.bids = packed["plan"], packed["bids"]
            self.round, self.wanted_round, self.left = packed.get("rounds", (0, 0, 0))
            self.rooms = packed.get("rooms", {})
            self.not_before = packed.get("not_before", {})
