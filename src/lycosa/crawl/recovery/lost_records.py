"""Records that the log names and that are not there: their pages are asked for again.

A crash of the machine can take the end of a file whose name the log already holds. When a crawl is
resumed, the segments that a dead process left open are looked through before they are sealed, and
what is not whole is given up by an event (`RecordsLost`): its page is pending again, the limits of
pages and bytes get back what it had taken, and robots files are learned anew.

Sealed files are only looked at from outside here: whether they are there, and as long as the log
says. What is wrong with them is said; `lycosa verify --repair` mends it.

Cost: for a crawl that was stopped one look at the size of every file of records. For one that was
killed the rows of its open segments, which sealing reads anyway. The log is read from its beginning
only where something is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from lycosa.cluster.partitioners import Partitioner
from lycosa.frontier.fold.state import Accounts, PartitionState, counted_by
from lycosa.log.format import encode
from lycosa.log.places import Named, places_of
from lycosa.log.protocol import Log, Write
from lycosa.records import Outcome, RecordsLost
from lycosa.store.layout import (
    CDX,
    KINDS,
    journal_path,
    names_in,
    quad_journal_path,
    warc_names,
    warc_path,
)
from lycosa.store.quarantine import move_aside
from lycosa.store.sealing import unsealed
from lycosa.store.survey import survey

States = Mapping[int, PartitionState]


class Mended(NamedTuple):
    """What was given up."""

    pages: int = 0
    """That are asked for again."""
    kept: int = 0
    """Pages that the limits get back."""
    robots: int = 0
    """Robots files that are learned anew."""

    def __str__(self) -> str:
        """Say it to the operator."""
        parts = []
        if self.pages:
            kept = f" ({self.kept:,} of them had been kept)" if self.kept else ""
            parts.append(f"{self.pages:,} fetches of pages were lost{kept} and are asked for again")
        if self.robots:
            parts.append(f"the robots files of {self.robots:,} sites were lost and are read anew")
        return f"the log names records that are not there: {'; '.join(parts)}"


def mend_open(folder: Path, log: Log, states: States, partitioner: Partitioner) -> Mended:
    """Give up what is lost of the segments that nobody writes to; they can be sealed then.

    The partitions must be ours, and nothing may be uncommitted.
    """
    names = unsealed(folder)
    if not names:
        return Mended()
    accounts = counted_by(states.values())
    whole: dict[int, set[int]] = {}
    for name in names:
        if not warc_path(folder, name).exists():
            whole[name.segment] = set()
            continue
        found = survey(folder, name, accounts)
        is_short = found.last_end < accounts.ends.get(name.segment, 0)
        if found.is_damaged or is_short:
            whole[name.segment] = set(found.whole)
    if not whole:
        return Mended()
    lost = lost_in(log, states, lambda named: named.place.offset in whole[named.place.segment])
    mended = give_up(log, states, partitioner, (n for n in lost if n.place.segment in whole))
    for name in names:
        if not warc_path(folder, name).exists():  # then its rows are of nothing
            journals = [journal_path(folder, kind, name) for kind in KINDS]
            move_aside(folder, [*journals, quad_journal_path(folder, name)])
    return mended


def lost_in(log: Log, states: States, is_whole: Callable[[Named], bool]) -> Iterable[Named]:
    """Return what the log names, has not given up, and is not whole."""
    found = []
    for number, state in states.items():
        for named in places_of(number, log.read(number, 0)):
            place = named.place
            if place.offset in state.lost.get(place.segment, ()):
                continue
            try:
                if not is_whole(named):
                    found.append(named)
            except KeyError:  # of a segment that nobody doubts
                continue
    return found


def give_up(log: Log, states: States, partitioner: Partitioner, lost: Iterable[Named]) -> Mended:
    """Record that these are lost, in one transaction."""
    now = time.time()
    events: dict[int, RecordsLost] = {}
    errands: set[str] = set()
    pages = kept = 0

    def event_of(number: int) -> RecordsLost:
        return events.setdefault(number, RecordsLost(now, [], [], [], [], [], []))

    for named in lost:
        event = event_of(named.partition)
        if not named.is_page:
            event.robots.append(named.place)
            if named.errand:
                errands.add(named.errand)
            elif named.site >= 0 and named.site not in event.sites:
                event.sites.append(named.site)
            continue
        event.pages.append(named.page)
        event.outcomes.append(named.outcome)
        event.sizes.append(named.size_bytes)
        event.places.append(named.place)
        pages += 1
        kept += named.outcome is Outcome.KEPT
    for name in errands:
        number = partitioner.partition_of(name + "/")
        site = states[number].site_number(name)
        if site is not None and site not in event_of(number).sites:
            event_of(number).sites.append(site)
    record(log, states, events)
    return Mended(pages, kept, sum(len(event.sites) for event in events.values()))


def record(log: Log, states: States, events: Mapping[int, RecordsLost]) -> None:
    """Write events to partitions that are ours, and let their states know."""
    writes = [
        Write(number, states[number].sequence, encode([event]), (), states[number].inbox_read)
        for number, event in events.items()
    ]
    for write, sequence in zip(writes, log.commit(writes), strict=True):
        if sequence is not None:
            states[write.partition].apply(events[write.partition])
            states[write.partition].sequence = sequence


def look_at_sealed(folder: Path, accounts: Accounts) -> list[str]:
    """Return what is wrong with sealed files, as far as their names and sizes tell."""
    open_names = {name.segment for name in unsealed(folder)}
    records = {name.segment: name for name in warc_names(folder)}
    indexed = set(names_in(folder, CDX, ".cdxj"))
    problems: list[str] = []
    for segment, end in sorted(accounts.ends.items()):
        if segment in open_names:
            continue
        name = records.get(segment)
        if name is None:
            problems.append(f"the file of records of segment {segment} is not there")
        elif (size := warc_path(folder, name).stat().st_size) < end:
            problems.append(f"{warc_path(folder, name).name} has {size:,} bytes, the log {end:,}")
        elif name not in indexed:
            problems.append(f"{name} has no index and no rows")
    for kind in KINDS:
        there = set(names_in(folder, kind, ".parquet"))
        problems += [f"the table {kind}/{name}.parquet is not there" for name in indexed - there]
    return problems


def say_sealed(folder: Path, problems: list[str]) -> str:
    """Say what is wrong with sealed files, and what to do."""
    more = f" (and {len(problems) - 3:,} more)" if len(problems) > 3 else ""
    return (
        f"sealed files are damaged: {'; '.join(problems[:3])}{more}\n"
        f"  see what is lost, and mend it: lycosa verify {folder} --repair"
    )
