"""Prints when a page will be visited again, and why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from math import isfinite
from typing import Any

from lycosa.cli.amounts import counted, duration_text
from lycosa.operate.inspect.prospects import Prospect


def prospect_lines(prospect: Prospect) -> Iterator[str]:
    """Yield what `explain` prints."""
    if prospect.visits:
        visits, changes = counted(prospect.visits, "visit"), counted(prospect.changed, "change")
        yield f"{visits}, {changes}; last seen {_moment(prospect.visited_at)}"
    else:
        yield "not visited in any cycle yet"
    mean = duration_text(prospect.mean_seconds)
    yield f"estimated to change every {mean}; fresh with probability {prospect.fresh:.2f}"
    name = "profit" if prospect.policy == "profit" else f"worth by `{prospect.policy}`"
    quality = f"quality {prospect.quality:.3f}, " if prospect.policy == "profit" else ""
    yield f"{quality}{name} of a visit now: {_worth(prospect.worth)}"
    if prospect.planned_worth is not None:
        yield f"chosen for cycle {prospect.cycle}, at {_worth(prospect.planned_worth)}"
    elif prospect.cycle:
        yield f"not chosen for cycle {prospect.cycle}"
    if prospect.next_cycle_at:
        yield (
            f"the next cycle begins {_moment(prospect.next_cycle_at)} at the earliest;"
            f" a visit is worth {_worth(prospect.next_worth)} then"
        )


def prospect_data(prospect: Prospect) -> dict[str, Any]:
    """Return the same for JSON; an infinite worth becomes null."""
    data = prospect._asdict()
    return {
        name: None if isinstance(value, float) and not isfinite(value) else value
        for name, value in data.items()
    }


def _worth(worth: float) -> str:
    if not isfinite(worth):
        return "before all others"
    return f"{worth:.4g}" if worth else "nothing; the page was seen too recently"


def _moment(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"
