"""Fold partitions and take them, if the log and the board permit it.

A wish gives no right, and heads may be old. The owner that the folded log names decides, because
the take is conditional on that exact sequence. The partition must have no owner, or one whose life
is over by its tombstone, or this life.

A partition whose owner died is first recorded as a death (`runtime.cluster.cordons`): a partition
that kills its owners must not pass through the whole cluster.

Every function here asks servers, so it is called outside the worker's thread.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from lycosa.crawl.takeover import Opened, take_partitions
from lycosa.errors import LogUnavailable
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Taken
from lycosa.runtime.cluster import cordons
from lycosa.runtime.cluster.cordons import Cordons
from lycosa.runtime.cluster.shares import is_free
from lycosa.runtime.coordination.keys import CORDONS
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.membership.record import Member, Standing, life_of
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.snapshot import Snapshots


class Permit(NamedTuple):
    """Facts on which a take is decided."""

    life: int
    members: Mapping[int, Member]
    owners: Mapping[int, int | None]
    """For each wanted partition, the life that the heads name."""


def take(
    log: Log, snapshots: Snapshots, board: Board, permit: Permit, taken: Taken, digest: str
) -> dict[int, Opened]:
    """Take the partitions that may be taken; the others can be tried again."""
    dead = {
        number: owner
        for number, owner in permit.owners.items()
        if owner is not None and _has_died(owner, permit.members)
    }
    known = write_deaths(board, dead) if dead else Cordons()
    if known is None:
        return {}

    def may_take(number: int, state: PartitionState) -> bool:
        # An owner outside the cluster is a command such as `verify`: it asks no hosts, and the log
        # refuses its writes once the partition is taken.
        owner = life_of(state.owner)
        if number in known.cordoned:
            return False
        if owner is None or owner == permit.life:
            return True
        is_written = owner in known.deaths.get(number, ())
        return is_free(owner, permit.members) and (
            is_written or not _has_died(owner, permit.members)
        )

    wanted = [number for number in permit.owners if number not in known.cordoned]
    try:
        return take_partitions(log, snapshots, wanted, taken, digest, may_take=may_take)
    except LogUnavailable:
        return {}  # some may be taken already; the next heads will show it


def write_deaths(board: Board, dead: Mapping[int, int]) -> Cordons | None:
    """Record the deaths that these partitions have seen; return None if the board did not
    accept."""
    entry = board.get(CORDONS)
    if entry is None:
        return None
    found = cordons.unpack(entry.value)
    for number, owner in dead.items():
        found = found.died(number, owner)
    value = cordons.pack(found)
    if value == entry.value or board.put(CORDONS, value, entry.revision).is_written:
        return found
    return None


def known_cordons(board: Board, earlier: Collection[int]) -> Cordons | None:
    """Return the cordons, without deaths of this process's earlier lives: the process is alive.

    The member that takes the partition may record such a death long after this process is back.
    Such deaths are therefore removed whenever cordons are read. None if the board did not answer.
    """
    entry = board.get(CORDONS)
    if entry is None:
        return None
    before = cordons.unpack(entry.value)
    found = before.without(earlier)
    if found is before or board.put(CORDONS, cordons.pack(found), entry.revision).is_written:
        return found
    return before


def strike_out(board: Board, survived: Collection[int]) -> None:
    """Remove the deaths of partitions whose owner survives; a lost answer does no harm."""
    entry = board.get(CORDONS)
    if entry is None or not entry.value:
        return
    found = before = cordons.unpack(entry.value)
    for number in survived:
        found = found.cleared(number)
    if found is not before:
        board.put(CORDONS, cordons.pack(found), entry.revision)


def _has_died(life: int, members: Mapping[int, Member]) -> bool:
    return life in members and members[life].standing is Standing.DEAD
