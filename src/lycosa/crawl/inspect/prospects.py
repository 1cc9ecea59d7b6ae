"""Estimate for `lycosa explain` how often a page changes and what a visit to it is worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lycosa.config import Job
from lycosa.crawl.worker.quality import Quality
from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.fold.facts.columns import NONE
from lycosa.frontier.fold.state import PartitionState


class Prospect(NamedTuple):
    """What the planner of cycles knows about a page."""

    policy: str
    visits: int
    changed: int
    """How many of them found a change."""
    visited_at: float
    """The last visit; 0 for none."""
    mean_seconds: float
    """The estimated average time between two changes."""
    fresh: float
    """The probability that our copy is still current."""
    quality: float
    worth: float
    """Of a visit now, as the policy counts it: with `profit`, the profit."""
    cycle: int
    """The cycle under way; 0 before the first."""
    planned_worth: float | None
    """What a visit was worth when that cycle chose it; None when it was not chosen."""
    next_cycle_at: float
    """When the next cycle begins at the earliest; 0 when there is none."""
    next_worth: float
    """Of a visit then, if the page is not visited before."""


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
