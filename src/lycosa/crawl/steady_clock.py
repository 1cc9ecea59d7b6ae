"""A crawl's clock never goes back, even where the machine's does.

Moments in the log are those of the machine's clock, and some are still to come: when a host is due,
when a robots file expires. On a machine whose clock was set back between two runs all of those
would be further away than anybody meant. So a run whose clock is behind its log is told by how
much (`clock_ahead`), and counts time from the newest moment of the log on: the crawl's clock is
ahead of the machine's, and every pause takes what it would have taken.

What others read has the machine's time: the records, dates that servers name, and
what is shown. `Taken` says by how much each owner's clock was ahead, so that the two can be told
apart later.

Always true:
  * no moment in a partition's log is before the newest one of the run before;
  * a run on a clock that is not behind its log has the machine's time.

Not here: a clock that is set while a crawl runs (`lycosa.clock`: it does not matter).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime

from lycosa.frontier.fold.state import PartitionState
from lycosa.log.format import decode_events
from lycosa.log.protocol import Log

TAIL_BATCHES = 2
"""How many batches of a partition are looked at: a command may have added one without a moment."""

SAID_SECONDS = 1.0
"""A clock that is behind by less was adjusted, not set: nothing is said of it."""


def newest_moment(log: Log) -> float:
    """Return the newest moment of a log, or 0 where it has none."""
    newest = 0.0
    for number, head in enumerate(log.heads()):
        if not head.log:
            continue
        for _, batch in log.read(number, max(0, head.log - TAIL_BATCHES)):
            for event in decode_events(batch):
                newest = max(newest, getattr(event, "moment", 0.0))
    return newest


def clock_ahead(log: Log, now: float) -> float:
    """Return how many seconds the machine's clock, which says `now`, is behind the log."""
    return max(0.0, newest_moment(log) - now)


def behind_text(ahead: float, now: float) -> str:
    """Say that the machine's clock is behind the log."""
    newest = datetime.fromtimestamp(now + ahead, UTC).isoformat(" ", "seconds")
    return (
        f"the clock of this machine is {ahead:.0f} s behind the crawl, which was last at work at"
        f" {newest}: the crawl counts on from there, so that no host waits longer for it; records"
        " have the machine's time"
    )


def present_moment(states: Iterable[PartitionState]) -> float:
    """Return the present moment by the crawl's clock, as far as somebody can tell who looks on."""
    return max(time.time(), max((state.last_moment for state in states), default=0.0))
