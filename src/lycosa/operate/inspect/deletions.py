"""Free the space of pages that are gone: 404 or 410 at their last visit.

Removal happens only when the operator asks for it, because an archive keeps what it saw. Every
earlier version of such a page is removed from records, tables and index. The answer that reports
the page gone stays: the log refers to it, and it is the remaining fact.

The log is written first (`RecordsLost`: the records no longer count, and the limits on pages and
bytes get their amounts back). A kill in between is harmless: the next call removes the records that
the log has given up.

Always true: a record stays if another page refers to its payload.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable

from lycosa.frontier.fold.accounts import counted_by
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Outcome, Place, RecordsLost
from lycosa.operate.inspect.edits import change
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.decisions import Decision
from lycosa.storage.log.places import Named, places_of
from lycosa.storage.segments import removal
from lycosa.storage.segments.digests import Positions
from lycosa.storage.segments.sealing import seal_dead


def forget_deleted(directory: CrawlDirectory) -> removal.Forgotten:
    """Remove all versions of pages that are gone; a repetition is harmless."""
    states: dict[int, PartitionState] = {}
    change(directory, lambda number, state, now: _note(states, number, state))
    log = directory.log(directory.job())
    try:
        named = [one for number in states for one in places_of(number, log.read(number, 0))]
    finally:
        log.close()
    old = [one for one in named if one.is_page and _is_old(states[one.partition], one)]
    leaned_on = removal.leaned_on(directory.path, [one.place for one in old])
    goes = [one for one in old if one.place not in leaned_on]
    places = {one.place for one in goes}
    forgotten = removal.Forgotten(0, 0)

    def decide(number: int, state: PartitionState, now: float) -> Decision | None:
        given_up = [
            one
            for one in goes
            if one.partition == number
            and _is_old(state, one)
            and one.place.offset not in state.lost.get(one.place.segment, ())
        ]
        return Decision([_event(given_up)]) if given_up else None

    def remove(positions: Positions, partition_of: Callable[[str], int]) -> None:
        nonlocal forgotten
        accounts = counted_by(states, partition_of)
        seal_dead(directory.path, accounts, positions=positions)
        forgotten = removal.forget_exchanges(directory.path, places)
        # A study names the removed pages. It can be computed again without them.
        shutil.rmtree(directory.path / "index" / "study", ignore_errors=True)

    if places:
        change(directory, decide, remove)
    return forgotten


def _note(states: dict[int, PartitionState], number: int, state: PartitionState) -> None:
    states[number] = state


def _is_old(state: PartitionState, one: Named) -> bool:
    """Return whether a record is an earlier version of a page that is gone."""
    if state.pages.outcome[one.page] != Outcome.NOT_FOUND:
        return False
    return one.outcome is not Outcome.NOT_FOUND and one.place != state.place_of(one.page)


def _event(given_up: list[Named]) -> RecordsLost:
    places: list[Place] = [one.place for one in given_up]
    return RecordsLost(
        time.time(),
        [one.page for one in given_up],
        [one.outcome for one in given_up],
        [one.size_bytes for one in given_up],
        places,
    )
