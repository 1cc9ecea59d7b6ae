"""Keep a crawl's clock from going back when the machine's clock was set back between two runs.

The log holds moments in the future: when a host is due, when a robots file expires. If the
machine's clock is set back, all of them move further away. A run whose clock is behind its log
therefore counts time from the newest moment in the log (`clock_ahead` returns the difference to the
machine's clock), and every pause keeps its length.

Records, dates for servers, and the screen show the machine's time. The event `Taken` notes how far
each owner's clock was ahead, so that both times can be recovered later.

Always true:
  * no moment in a partition's log is before the newest one of the run before;
  * a run on a clock that is not behind its log has the machine's time.

Not here: a clock that is set while a crawl runs (`lycosa.model.clock`: it does not matter).
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, datetime

from lycosa.frontier.fold.state import PartitionState
from lycosa.storage.log.format import decode_events
from lycosa.storage.log.protocol import Log

TAIL_BATCHES = 2
"""Batches of a partition that are read: a command may have added one without a moment."""

SAID_SECONDS = 1.0
"""A clock that is behind by less was adjusted, not set, so no warning is needed."""


def newest_moment(log: Log) -> float:
    """Return the newest moment of a log; 0 if it has none."""
    newest = 0.0
    for number, head in enumerate(log.heads()):
        if not head.log:
            continue
        for _, batch in log.read(number, max(0, head.log - TAIL_BATCHES)):
            for event in decode_events(batch):
                newest = max(newest, getattr(event, "moment", 0.0))
    return newest


def clock_ahead(log: Log, now: float) -> float:
    """Return by how many seconds the machine's clock, at `now`, is behind the log."""
    return max(0.0, newest_moment(log) - now)


def behind_text(ahead: float, now: float) -> str:
    """Return the warning that the machine's clock is behind the log."""
    newest = datetime.fromtimestamp(now + ahead, UTC).isoformat(" ", "seconds")
    return (
        f"this machine's clock is {ahead:.0f} s behind the crawl, which last ran at {newest}:"
        " the crawl counts time from that moment, so that no host waits longer; records have the"
        " machine's time"
    )


def present_moment(states: Iterable[PartitionState]) -> float:
    """Return the present moment by the crawl's clock, estimated from outside of its process."""
    return max(time.time(), max((state.last_moment for state in states), default=0.0))
