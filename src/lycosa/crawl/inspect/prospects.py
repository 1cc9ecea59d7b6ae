"""What is known of a page's changes, and what a visit to it would be worth: for `explain`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from lycosa.config import Job
from lycosa.crawl.worker.quality import Quality
from lycosa.frontier.cycle_candidates import Planner
from lycosa.frontier.fold.columns import NONE
from lycosa.frontier.fold.state import PartitionState


class Prospect(NamedTuple):
    """A page as the planner sees it."""

    policy: str
    visits: int
    changed: int
    """How many of them found a change."""
    visited_at: float
    """The last time; 0 for never."""
    mean_seconds: float
    """How long it stays as it is, on the average, as far as is known."""
    fresh: float
    """How probably the copy is what the page is now."""
    quality: float
    worth: float
    """Of a visit now, in what the policy counts in: the profit, with `profit`."""
    cycle: int
    """The cycle under way; 0 before the first."""
    planned_worth: float | None
    """What a visit was worth when that cycle chose it; None when it was not chosen."""
    next_cycle_at: float
    """When the next cycle begins at the earliest; 0 when there is none."""
    next_worth: float
    """Of a visit then, if there is none before."""


def prospect_of(
    state: PartitionState, page: int, job: Job, quality: Callable[[], Quality], now: float
) -> Prospect | None:
    """Return what is known of a page; None in a crawl without cycles."""
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
