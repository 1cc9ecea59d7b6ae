"""Makes a partition without a worker, for benchmarks and tests."""

from __future__ import annotations

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext


def waiting_partition(number: int = 0, scheduler: str = "breadth-first") -> Partition:
    """Return an empty one whose hosts will all wait: admitting does not lead to requests."""
    agenda = Agenda()
    around = WorkerContext(
        agenda=agenda,
        addresses=Addresses(agenda, 0.0, 0.0),
        resolve=lambda number, host: None,
        pause_of=lambda state, host: 0.0,
        resumed_at=None,
        with_work={},
        changed={},
    )
    return Partition(number, PartitionState(), scheduler, around)
