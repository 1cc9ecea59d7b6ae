"""Estimate for `lycosa explain` how often a page changes and the value of a visit."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.freshness.quality import Quality
from lycosa.model.job import Job


class Prospect(NamedTuple):
    """The cycle planner's knowledge of a page."""

    policy: str
    visits: int
    changed: int
    """Number of visits that found a change."""
    visited_at: float
    """Time of the last visit; 0 for none."""
    mean_seconds: float
    """Estimated average time between two changes."""
    fresh: float
    """Probability that our copy is still current."""
    quality: float
    worth: float
    """Worth of a visit now, by the policy; with `profit`, the profit."""
    cycle: int
    """The present cycle; 0 before the first."""
    planned_worth: float | None
    """Worth of a visit when that cycle chose the page; None if it did not choose it."""
    next_cycle_at: float
    """Earliest beginning of the next cycle; 0 if there is none."""
    next_worth: float
    """Worth of a visit then, if the page is not visited before."""


def prospect_of(
    state: PartitionState, page: int, job: Job, quality: Callable[[], Quality], now: float
) -> Prospect | None:
    """Return the estimate for a page; None in a crawl without cycles."""
    revisit, history = job.revisit, state.history
    if revisit.policy == "off":
        return None
    planner = Planner(revisit, lambda state, host: revisit.cycle_urls)
    measured = quality() if planner.needs_quality else Quality({})
    seen = planner.assess(state, page, now, measured.of)
    goes_on = revisit.continuous or history.cycle < revisit.cycles
    next_at = max(now, history.began + revisit.cycle_seconds) if goes_on else 0.0
    then = planner.assess(state, page, next_at, measured.of) if goes_on else seen
    fetch, visits = state.pages.fetch[page], history.visits
    is_known = fetch != NONE and fetch < len(visits.visits)
    return Prospect(
        policy=revisit.policy,
        visits=visits.visits[fetch] if is_known else 0,
        changed=visits.changed[fetch] if is_known else 0,
        visited_at=seen.visited_at,
        mean_seconds=1.0 / seen.belief.rate,
        fresh=seen.fresh,
        quality=seen.quality,
        worth=seen.worth,
        cycle=history.cycle,
        planned_worth=history.plan.get(page),
        next_cycle_at=next_at,
        next_worth=then.worth,
    )
