"""Finds the URLs that a partition could fetch in its next cycle of revisits.

Candidates are the URLs that wait for a cycle, and the stored pages that were not seen too
recently. Each host has at most as many as its pause permits within a cycle: its best ones. While a
cycle runs, this module also decides which newly found URLs it still has room for.

Always true:
  * a URL that is pending, waits for another try, failed for good or belongs to a closed site is not
    a candidate;
  * candidates follow from the state, the moment and the qualities alone: asked twice, a partition
    makes the same bid twice.

Cost: one pass over all URLs of the partition, a microsecond or two for each stored page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from heapq import nlargest
from typing import NamedTuple

from lycosa.frontier.distance import depth_of
from lycosa.frontier.facts.columns import DONE, PUT_OFF
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.freshness.bids import Candidate
from lycosa.frontier.freshness.changes import Belief, first_belief, of_host
from lycosa.frontier.freshness.worth import POLICIES
from lycosa.model.job import Revisit
from lycosa.model.records import Outcome
from lycosa.model.url.key import reversed_host_of

KEPT = int(Outcome.KEPT)

QualityOf = Callable[[str, int], float]
"""(key, depth) → between 0 and 1."""

MostOfHost = Callable[[PartitionState, int | None], int]
"""(state, host, or None for one that is new) → how many of its URLs fit into a cycle."""


class Assessment(NamedTuple):
    """Facts of a page, for display."""

    quality: float
    worth: float
    """Of a visit at that moment; 0 when the page was seen too recently."""
    belief: Belief
    fresh: float
    """The probability that our copy is still the page; 0 when there is no copy."""
    visited_at: float


class Planner:
    """Finds the candidates of partitions; one for each worker."""

    def __init__(
        self, revisit: Revisit, most_of_host: MostOfHost, *, posts_again: bool = False
    ) -> None:
        """`posts_again`: revisits post again what plugins have posted."""
        self._policy = POLICIES.get(revisit.policy, POLICIES["profit"])
        self._revisit = revisit
        self._most_of_host = most_of_host
        self._posts_again = posts_again
        self._first = first_belief(revisit.change_seconds)

    @property
    def needs_quality(self) -> bool:
        """Whether the policy needs the quality of pages."""
        return self._policy.needs_quality

    def candidates(
        self,
        state: PartitionState,
        moment: float,
        quality_of: QualityOf,
        *,
        is_further: bool = False,
    ) -> list[Candidate]:
        """Return the URLs that could be fetched in a cycle that begins at that moment.

        In a further round of a cycle (`is_further`) these are the URLs that were put off since.
        """
        of_hosts: dict[int, list[Candidate]] = {}
        beliefs: dict[int, Belief] = {}
        pages, sites = state.pages, state.sites
        posted = () if self._posts_again else state.posts
        for page, status in enumerate(pages.status):
            is_new = status == PUT_OFF
            is_held = status == DONE and pages.outcome[page] == KEPT and page not in posted
            if not is_new and (is_further or not is_held):
                continue
            site = pages.site[page]
            if sites.closed[site]:
                continue
            host = sites.host[site]
            if host not in beliefs:
                beliefs[host] = of_host(self.host_belief(state, host))
            worth = self._worth(state, page, moment, quality_of, beliefs[host])
            if worth > 0.0:
                of_hosts.setdefault(host, []).append(Candidate(worth, page))
        found: list[Candidate] = []
        for host, candidates in of_hosts.items():
            most = self._most_of_host(state, host)
            if is_further:
                most = max(0, most - state.history.planned_of(host))
            found += candidates if len(candidates) <= most else nlargest(most, candidates, _order)
        return found

    def assess(
        self, state: PartitionState, page: int, moment: float, quality_of: QualityOf
    ) -> Assessment:
        """Return what is known of a page, and the worth of a visit."""
        host = state.sites.host[state.pages.site[page]]
        prior, history = of_host(self.host_belief(state, host)), state.history
        fetch = state.pages.fetch[page]
        belief, visited_at = prior.given(history.evidence(fetch)), history.visited_at(fetch)
        is_held = visited_at and state.pages.outcome[page] == KEPT
        is_told = is_held and history.visits.announced[fetch] > visited_at
        return Assessment(
            self._quality(state, page, quality_of),
            self._worth(state, page, moment, quality_of, prior),
            belief,
            belief.fresh(moment - visited_at) if is_held and not is_told else 0.0,
            visited_at,
        )

    def host_belief(self, state: PartitionState, host: int) -> Belief:
        """Return the belief about the rate of change of a host's pages."""
        return self._first.given(state.history.host_evidence(host))

    def put_off(self, state: PartitionState, keys: Sequence[str]) -> list[int]:
        """Return the positions of the new URLs that the cycle under way has no room for."""
        history, later = state.history, []
        room = history.room if history.cycle else 0
        taken: Counter[str] = Counter()
        for place, key in enumerate(keys):
            name = reversed_host_of(key)
            if room > 0 and self._has_room(state, name, taken[name]):
                room -= 1
                taken[name] += 1
            else:
                later.append(place)
        return later

    def _has_room(self, state: PartitionState, name: str, taken: int) -> bool:
        host = state.host_number(name)
        planned = state.history.planned_of(host) if host is not None else 0
        return planned + taken < self._most_of_host(state, host)

    def _worth(
        self,
        state: PartitionState,
        page: int,
        moment: float,
        quality_of: QualityOf,
        prior: Belief,
    ) -> float:
        """Return the worth of a visit; this is computed for every page of the crawl."""
        history, fetch = state.history, state.pages.fetch[page]
        visited_at = history.visited_at(fetch)
        if not visited_at or state.pages.outcome[page] != KEPT:
            return self._policy.new(self._quality(state, page, quality_of))
        age = moment - visited_at
        if age < self._revisit.not_before_seconds:
            return 0.0
        if history.not_before and moment < history.not_before.get(fetch, 0.0):
            return 0.0
        quality, visits = self._quality(state, page, quality_of), history.visits
        if visits.announced[fetch] > visited_at:
            # The site says that the page has changed: a visit is worth as much as a first one.
            return self._policy.new(quality)
        belief = Belief(prior.shape + visits.changes[fetch], prior.seconds + visits.seconds[fetch])
        return self._policy.known(quality, belief, age)

    def _quality(self, state: PartitionState, page: int, quality_of: QualityOf) -> float:
        if not self._policy.needs_quality:
            return 1.0
        return quality_of(state.table.key(page), depth_of(state.pages.distance[page]))


def _order(candidate: Candidate) -> tuple[float, int]:
    return candidate.worth, -candidate.page
