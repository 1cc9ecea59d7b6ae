"""The phases of a host, and what the readiness of a partition uses of its worker."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING

from lycosa._support.tuples import NamedTuple
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda

if TYPE_CHECKING:
    from lycosa.frontier.fold.state import PartitionState
    from lycosa.frontier.readiness.hosts import Readiness


class Phase(IntEnum):
    """The phase of a host."""

    IDLE = 0
    WAITING = 1
    RESOLVING = 2
    QUEUED = 3
    AWAKE = 4
    TAKEN = 5


# Bound once: reading a member of an enum costs as much as all the rest of a comparison.
IDLE, WAITING, RESOLVING, QUEUED, AWAKE, TAKEN = (int(phase) for phase in Phase)


class WorkerContext(NamedTuple):
    """The parts of its worker that the readiness of a partition uses."""

    agenda: Agenda
    addresses: Addresses
    resolve: Callable[[int, int], str | None]
    """(partition, host) → the address of a host of which the state has none that is valid, or
    None: `resolved` will be called."""
    pause_of: Callable[[PartitionState, int], float]
    """(state, host) → the pause that is due to the host in any case."""
    resumed_at: float | None
    """When the partition was taken over, or None if it is new."""
    with_work: dict[int, None]
    """The partitions that may have something to fetch, in turn; a partition enters itself."""
    changed: dict[int, None]
    """The partitions that have decided something since the last commit, in that order."""
    look_ahead: Callable[[int, int], None] = lambda partition, host: None
    """(partition, host): its address will be wanted soon."""
    make_readiness: Callable[..., Readiness] | None = None
    """Makes another readiness than this one, with the same arguments: `turns`."""
