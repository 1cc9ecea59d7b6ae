"""Figures of the whole cluster, from the records of its members.

A member's progress covers the partitions that it owns. The sum over all live members is therefore
the whole crawl, except for partitions without an owner at the moment. A page kept by an ended life
is counted by its successor.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from lycosa.runtime.membership.offsets import is_off
from lycosa.runtime.membership.record import Member, Progress, Standing

_TIMES = ("unsent_seconds", "commit_seconds", "next_seconds")


class MachineFigures(NamedTuple):
    """A machine, as the sum of its worker processes."""

    machine: str
    workers: int
    progress: Progress
    is_leaving: bool
    clock_offset: float
    """Offset of the worker's clock that is farthest off; 0 if none is off by more than a second."""


class ClusterFigures(NamedTuple):
    """All machines."""

    machines: list[MachineFigures]
    total: Progress
    ended: int
    """Silent lives that were ended, if their tombstones are still on the board."""


def figures(members: Iterable[Member]) -> ClusterFigures:
    """Add up the records."""
    by_machine: dict[str, list[Member]] = {}
    ended = 0
    for member in members:
        if not member.is_gone:
            by_machine.setdefault(member.machine, []).append(member)
        ended += member.standing is Standing.DEAD
    machines = [_machine(name, workers) for name, workers in sorted(by_machine.items())]
    return ClusterFigures(machines, add_up(one.progress for one in machines), ended)


def _machine(name: str, workers: list[Member]) -> MachineFigures:
    offset = max((one.clock_offset for one in workers), key=abs)
    return MachineFigures(
        name,
        len(workers),
        add_up(one.progress for one in workers),
        all(one.standing is Standing.LEAVING for one in workers),
        offset if is_off(offset) else 0.0,
    )


def add_up(progress: Iterable[Progress]) -> Progress:
    """Return the figures of several members together; for durations, the longest."""
    total: dict[str, Any] = {}
    for one in progress:
        for name, value in msgspec.structs.asdict(one).items():
            if name in _TIMES:
                total[name] = max(total.get(name, 0.0), value)
            elif not isinstance(value, str):
                total[name] = total.get(name, 0) + value
    return Progress(**total)
