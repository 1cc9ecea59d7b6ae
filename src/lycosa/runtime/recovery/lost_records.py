"""Give up missing records that the log names, so that their pages are fetched again.

A crash of the machine can cut off the end of a file that the log already refers to. A resumed crawl
checks the segments that a dead process left open before it seals them. Each incomplete record is
given up with an event (`RecordsLost`): its page is pending again, the limits on pages and bytes get
its amounts back, and robots files are fetched again.

Of sealed files only existence and length are checked here. The crawl reports damage, and
`lycosa verify --repair` repairs it.

Cost: after a clean stop, one look at the size of every WARC file. After a kill, the rows of the
open segments, which sealing reads anyway. The log is read from its beginning only where a record
is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa._support.tuples import NamedTuple
from lycosa.frontier.fold.accounts import Accounts, counted_by
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import Partitioner
from lycosa.model.records import Outcome, RecordsLost
from lycosa.storage.archive.layout import (
    CDX,
    FLUSHES,
    ITEM_FLUSHES,
    ITEMS,
    KINDS,
    Name,
    flushes_path,
    journal_path,
    names_in,
    quad_journal_path,
    sealed_path,
    warc_names,
    warc_path,
)
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Log, Write
from lycosa.storage.segments.flushes import cut_torn
from lycosa.storage.segments.sealing import unsealed
from lycosa.storage.segments.survey import survey
from lycosa.storage.tables.extra import DAMAGE

if TYPE_CHECKING:
    from lycosa.storage.log.places import Named

States = Mapping[int, PartitionState]


class Mended(NamedTuple):
    """Amounts that were given up."""

    pages: int = 0
    """Pages that are fetched again."""
    kept: int = 0
    """Number of these that counted against the limits."""
    robots: int = 0
    """Robots files that are fetched again."""

    def __str__(self) -> str:
        """Return the message for the operator."""
        parts = []
        if self.pages:
            kept = f" ({self.kept:,} of them had been kept)" if self.kept else ""
            parts.append(f"{self.pages:,} fetches of pages were lost{kept} and will be repeated")
        if self.robots:
            parts.append(
                f"robots files of {self.robots:,} sites were lost and will be fetched again"
            )
        return f"the log refers to records that are missing: {'; '.join(parts)}"


def mend_open(folder: Path, log: Log, states: States, partitioner: Partitioner) -> Mended:
    """Give up lost records of open segments of dead processes, so that these can be sealed.

    The caller must own the partitions, and everything must be committed.
    """
    names = unsealed(folder)
    if not names:
        return Mended()
    accounts = counted_by(states)
    whole: dict[int, set[int]] = {}
    for name in names:
        if not warc_path(folder, name).exists():
            whole[name.segment] = set()
            continue
        cut_torn(folder, name)
        found = survey(folder, name, accounts)
        is_short = found.last_end < accounts.ends.get(name.segment, 0)
        if found.is_damaged or is_short:
            whole[name.segment] = set(found.whole)
    if not whole:
        return Mended()
    lost = lost_in(log, states, lambda named: named.place.offset in whole[named.place.segment])
    gone = [name for name in names if not warc_path(folder, name).exists()]
    lost = [*lost, *_leaning(folder, log, states, lost)]
    mended = give_up(log, states, partitioner, lost, [name.segment for name in gone])
    from lycosa.storage.archive.quarantine import move_aside  # few crawls have losses

    for name in gone:  # the rows of a missing segment have no records
        journals = [journal_path(folder, kind, name) for kind in (ITEMS, *KINDS)]
        others = [flushes_path(folder, name, ending) for ending in (FLUSHES, ITEM_FLUSHES)]
        others.append(quad_journal_path(folder, name))
        move_aside(folder, [*journals, *others])
    return mended


def _leaning(folder: Path, log: Log, states: States, lost: Iterable[Named]) -> Iterable[Named]:
    """Return the revisits whose payload is lost, in any partition and segment."""
    from lycosa.storage.segments.leaning import leaning_on  # few crawls have losses

    gone = {one.place[:2] for one in lost}
    leaning = leaning_on(folder, gone) - gone if gone else set()
    if not leaning:
        return ()
    return lost_in(log, states, lambda named: named.place[:2] not in leaning)


def lost_in(log: Log, states: States, is_whole: Callable[[Named], bool]) -> Iterable[Named]:
    """Return the records that the log refers to, has not given up, and that are not whole."""
    from lycosa.storage.log.places import places_of  # few crawls have losses

    found = []
    for number, state in states.items():
        for named in places_of(number, log.read(number, 0)):
            place = named.place
            if place.offset in state.lost.get(place.segment, ()):
                continue
            try:
                if not is_whole(named):
                    found.append(named)
            except KeyError:  # of a segment without damage
                continue
    return found


def give_up(
    log: Log,
    states: States,
    partitioner: Partitioner,
    lost: Iterable[Named],
    segments: Iterable[int] = (),
) -> Mended:
    """Write to the log, in one transaction, that these records are lost.

    No counted record is left in `segments`.
    """
    now = time.time()
    events: dict[int, RecordsLost] = {}
    errands: set[str] = set()
    pages = kept = 0

    def event_of(number: int) -> RecordsLost:
        return events.setdefault(number, RecordsLost(now, [], [], [], [], [], [], segments=[]))

    for named in lost:
        event = event_of(named.partition)
        # Robots files are not pages: their site or errand asks again, and no count changes.
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
    # A robots file that was fetched for another site is asked for again by that site's partition,
    # or by any partition if the pages of a host are split.
    for name in errands:
        own = states if partitioner.splits_hosts else [partitioner.partition_of_site(name)]
        for number in own:
            site = states[number].site_number(name)
            if site is not None and site not in event_of(number).sites:
                event_of(number).sites.append(site)
    # Only partitions that have named records in a segment need to know that it is gone.
    for segment in segments:
        for number, state in states.items():
            if segment in state.segment_ends:
                event_of(number).segments.append(segment)
    record(log, states, events)
    return Mended(pages, kept, sum(len(event.sites) for event in events.values()))


def record(log: Log, states: States, events: Mapping[int, RecordsLost]) -> None:
    """Write events to partitions that we own, and apply them to their states."""
    writes = [
        Write(number, states[number].sequence, encode([event]), (), states[number].inbox_read)
        for number, event in events.items()
    ]
    for write, sequence in zip(writes, log.commit(writes), strict=True):
        if sequence is not None:
            states[write.partition].apply(events[write.partition])
            states[write.partition].sequence = sequence


def look_at_sealed(
    folder: Path, accounts: Accounts, is_elsewhere: Callable[[int], bool] = lambda segment: False
) -> list[str]:
    """Return the problems of sealed files that their names and sizes show.

    `is_elsewhere` is asked about a segment that is missing: other machines may have helped once.
    """
    open_names = {name.segment for name in unsealed(folder)}
    records = {name.segment: name for name in warc_names(folder)}
    indexed = set(names_in(folder, CDX, ".cdxj"))
    problems: list[str] = []
    for segment, end in sorted(accounts.ends.items()):
        if segment in open_names:
            continue
        name = records.get(segment)
        if name is None and (accounts.is_given_up(segment) or is_elsewhere(segment)):
            continue
        if name is None:
            problems.append(f"the WARC file of segment {segment} is missing")
        # A file may rightly end early: records at its end had been given up before its sealing.
        elif (size := warc_path(folder, name).stat().st_size) < end:
            if not _ends_with_rows(folder, name, size, accounts.lost.get(segment, ())):
                problems.append(
                    f"{warc_path(folder, name).name} has {size:,} bytes; the log needs {end:,}"
                )
        elif name not in indexed:
            problems.append(f"{name} has no index and no rows")
    for kind in KINDS:
        there = set(names_in(folder, kind, ".parquet"))
        problems += [f"the table {kind}/{name}.parquet is missing" for name in indexed - there]
    return problems


def _ends_with_rows(folder: Path, name: Name, size: int, given_up: Iterable[int]) -> bool:
    """Return whether a file was sealed short: its last records had been given up before.

    The log tells where the last record that it named ended, but not the ends of the others; the
    rows of the segment do.
    """
    if not any(offset >= size for offset in given_up):
        return False
    from lycosa.storage.tables.parquet_files import rows_file  # few crawls have losses

    ends = [0]
    try:
        for kind in ("pages", "hosts"):
            with rows_file(sealed_path(folder, kind, name)) as file:
                for batch in file.iter_batches(columns=["offset", "length"]):
                    ends += map(sum, zip(*batch.to_pydict().values(), strict=True))
    except DAMAGE:
        return False
    return max(ends) <= size


def say_sealed(folder: Path, problems: list[str]) -> str:
    """Return the message about damaged sealed files, with the command that repairs them."""
    more = f" (and {len(problems) - 3:,} more)" if len(problems) > 3 else ""
    return (
        f"sealed files are damaged: {'; '.join(problems[:3])}{more}\n"
        f"  to repair them: lycosa verify {folder} --repair"
    )
