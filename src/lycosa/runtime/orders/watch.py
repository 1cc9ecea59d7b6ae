"""Looks for new orders in the log, for the process that leads a crawl.

A look is one indexed read that usually finds nothing: the note with the next number is not there.
No client has to know where the process is, so no socket can be stale or have too long a path.
"""

from __future__ import annotations

from lycosa._support.tuples import NamedTuple
from lycosa.model.job import Job
from lycosa.runtime.orders.desk import orders
from lycosa.runtime.orders.live import State
from lycosa.runtime.orders.orders import InForce, Numbered, Stop
from lycosa.storage.log.protocol import Log

LOOK_SECONDS = 0.25


class Standing(NamedTuple):
    """A crawl's own state, which is shown with its progress."""

    state: State
    in_force: InForce
    job: Job
    """The job with the changes by orders."""
    applied: int
    """Number of the last order that all workers have applied."""


class Watch:
    """Reads each order once."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.in_force = InForce()

    def look(self) -> list[Numbered]:
        """Return the orders given since the last look."""
        found = orders(self._log, self.in_force.last)
        for one in found:
            self.in_force = self.in_force.after(one.number, one.order)
        return found


def wants_stop(given: list[Numbered]) -> bool:
    """Return whether one of these orders ends the present run."""
    return any(isinstance(one.order, Stop) for one in given)
