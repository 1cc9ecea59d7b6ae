"""Give up a machine that will not come back, so that its lost pages are fetched again.

A segment that was uploaded is safe. The others of the machine's directory are lost, and with them
records that the logs of partitions name. `forget_machine`

    1. refuses a machine that is alive; a life that no member has ended yet must be silent for 16 s;
    2. notes that the directory is given up (`lost/3`): `join` refuses it from now on, and a process
       that still writes there ends itself;
    3. takes the partitions that its lives own in the log, so that no batch arrives late;
    4. reads which of its segments the logs name, and creates a tombstone for each without a
       manifest: the first of the two wins, so a machine that returns cannot upload over it;
    5. notes another loss (`loss-2`), and tells every partition which of its records are gone
       (`SegmentsLost`). Its owner gives them up (`worker.messages.losses`). Until all have, the run
       does not end: not because all is done, since an inbox is not read to its end, and not because
       a limit is reached, since the counts do not contain the loss (`runtime.limits`).

Each step can be repeated: a command that was killed is simply repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from lycosa.errors import LogError, LogUnavailable
from lycosa.model.records import Outcome, RecordsLost, SegmentsLost
from lycosa.runtime.coordination.keys import MEMBERS, member_key
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.members.notes import current_run, loss_name, losses_in
from lycosa.runtime.membership.record import Member, pack, tombstone, unpack
from lycosa.runtime.recovery.fencing import fence
from lycosa.runtime.shared_log.notes import LOST, machines_of
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.log.format import decode_events, encode
from lycosa.storage.log.places import Named, places_of
from lycosa.storage.log.protocol import Log
from lycosa.storage.objects.manifests import bury_segment, read_manifest
from lycosa.storage.objects.protocol import Objects

SILENT_SECONDS = 16.0
"""A record that is unchanged for this long belongs to a dead life (`runtime.membership`)."""
MOST_RECORDS = 5_000
"""Most lost records that one message names."""


class Forgotten(NamedTuple):
    """Segments lost with a machine, and segments that are safe."""

    directories: tuple[int, ...]
    segments_lost: tuple[int, ...] = ()
    segments_safe: tuple[int, ...] = ()
    """Segments in the store."""
    pages: int = 0
    """Fetches of pages that will be repeated."""
    kept: int = 0
    """Number of these that counted against the limits."""
    robots: int = 0
    """Records of robots files that are lost."""
    is_run_over: bool = False
    """The last run has ended, so the next run fetches the lost pages."""


def forget_machine(
    log: Log,
    board: Board,
    objects: Objects | None,
    which: str | int,
    wait: Callable[[float], None] = time.sleep,
    *,
    rescue: Callable[[int], bool] | None = None,
) -> Forgotten:
    """Give up a machine by its name, or one directory by its number.

    `wait` is called while the command watches a record that no member has ended. `rescue` is asked
    for a segment without a manifest, and returns whether it has one now (`copying.rescue`). Raises
    `LogError` if the machine is alive or unknown, `LogUnavailable` and `ObjectsUnavailable` if a
    server does not answer: then try again.
    """
    directories = directories_of(log, which)
    _end_silent(board, directories, which, wait)
    for number in directories:
        log.note(f"{LOST}{number}", str(which).encode())
    fence(log, directories, "forgetting " + " ".join(f"d{number}" for number in directories))

    def is_lost(segment: int) -> bool:
        if objects is None:
            return True
        if rescue is not None and read_manifest(objects, segment) is None:
            rescue(segment)
        return bury_segment(objects, segment, f"forget {which}").lost

    losses = _Losses(directories, is_lost)
    messages = list(losses.messages(log))
    messages += losses.last_messages(log, _note_loss(log, which))
    log.post_all([(number, encode([message])) for number, message in messages])
    return losses.forgotten(log)


def what_is_at_risk(
    log: Log,
    objects: Objects | None,
    which: str | int,
    has_parts: Callable[[int], bool] | None = None,
) -> Forgotten:
    """Return what would be lost with a machine, and write nothing.

    `has_parts` returns whether a segment without a manifest could be rescued.
    """
    directories = directories_of(log, which)

    def is_lost(segment: int) -> bool:
        found = None if objects is None else read_manifest(objects, segment)
        if found is None:
            return has_parts is None or not has_parts(segment)
        return found.lost

    losses = _Losses(directories, is_lost)
    for _ in losses.messages(log):
        pass
    return losses.forgotten(log)


def directories_of(log: Log, which: str | int) -> tuple[int, ...]:
    """Return the numbers of a machine's directories, or the one number that is given."""
    known = machines_of(log)
    if isinstance(which, int) or (which.isdigit() and int(which) in known):
        found: tuple[int, ...] = (int(which),) if int(which) in known else ()
    else:
        found = tuple(number for number, machine in known.items() if machine == which)
    if found:
        return found
    names = ", ".join(f"{machine or 'unknown'} ({number})" for number, machine in known.items())
    raise LogError(
        f"this crawl has no machine named {which}\n  machines (directories): {names or 'none'}"
    )


# -- lives --------------------------------------------------------------------------------


def _end_silent(
    board: Board, directories: tuple[int, ...], which: str | int, wait: Callable[[float], None]
) -> None:
    """Write tombstones for lives of these directories that are silent; raise if one is alive."""
    before = _living(board, directories)
    if not before:
        return
    wait(SILENT_SECONDS)
    now = _living(board, directories)
    for number, (revision, member) in now.items():
        is_silent = before.get(number, (0, member))[0] == revision
        if is_silent:
            key = member_key(number)
            is_silent = board.put(key, pack(tombstone(member, 0)), revision).is_written
        if not is_silent:
            raise LogError(
                f"{which}: the machine is alive ({member.machine}, member {number})\n"
                "  stop its process first (Ctrl-C, or kill -INT): it then hands its partitions over"
            )


def _living(board: Board, directories: tuple[int, ...]) -> dict[int, tuple[int, Member]]:
    """Return the lives of directories that are not over, each with the revision of its record."""
    listed = board.list(MEMBERS)
    if listed is None:
        raise LogUnavailable(
            "the board (coordination store) does not answer\n  start its server, then try again"
        )
    members = ((entry.revision, unpack(entry.value)) for entry in listed.values() if entry.value)
    return {
        member.number: (revision, member)
        for revision, member in members
        if member.directory_number in directories and not member.is_gone
    }


def _note_loss(log: Log, which: str | int) -> int:
    """Note one more loss; return its number."""
    number = losses_in(log.notes("loss-")) + 1
    while not log.note(loss_name(number), str(which).encode()):
        number += 1
    return number


# -- records ------------------------------------------------------------------------------


class _Losses:
    """Finds the records that lie in lost segments of directories."""

    def __init__(self, directories: tuple[int, ...], is_lost: Callable[[int], bool]) -> None:
        self._directories = directories
        self._ask = is_lost
        self._segments: dict[int, bool] = {}
        self._pages = self._kept = self._robots = 0
        self._errands: set[str] = set()
        """Sites whose robots files were fetched on their behalf, and are lost."""

    def forgotten(self, log: Log) -> Forgotten:
        """Return the findings."""
        lost = (number for number, is_lost in sorted(self._segments.items()) if is_lost)
        safe = (number for number, is_lost in sorted(self._segments.items()) if not is_lost)
        is_over = bool(current_run(log)[1])
        return Forgotten(
            self._directories,
            tuple(lost),
            tuple(safe),
            self._pages,
            self._kept,
            self._robots,
            is_over,
        )

    def messages(self, log: Log) -> Iterator[tuple[int, SegmentsLost]]:
        """Yield the messages for the partitions that have lost records."""
        for number in range(log.partitions):
            lost = self._lost_in(log, number)
            for first in range(0, len(lost), MOST_RECORDS):
                yield number, _message(lost[first : first + MOST_RECORDS], self._errands)

    def last_messages(self, log: Log, loss: int) -> list[tuple[int, SegmentsLost]]:
        """Return the last message for every partition."""
        last = SegmentsLost(time.time(), loss, names=sorted(self._errands))
        return [(number, last) for number in range(log.partitions)]

    def _lost_in(self, log: Log, number: int) -> list[Named]:
        """Return the records of one partition that are lost and have not been given up."""
        head = log.head(number).log
        given_up: set[tuple[int, int]] = set()
        last = 0

        def batches() -> Iterator[tuple[int, bytes]]:
            nonlocal last
            for sequence, batch in log.read(number, 0):
                last = sequence
                for event in decode_events(batch):
                    if isinstance(event, RecordsLost):
                        places = [*event.places, *event.robots]
                        given_up.update((place.segment, place.offset) for place in places)
                yield sequence, batch

        found = [named for named in places_of(number, batches()) if self._is_lost(named)]
        if last < head:
            raise LogUnavailable(f"partition {number} cannot be read to its end yet\n  try again")
        new = [one for one in found if (one.place.segment, one.place.offset) not in given_up]
        self._pages += sum(one.is_page for one in new)
        self._kept += sum(one.is_page and one.outcome is Outcome.KEPT for one in new)
        self._robots += sum(not one.is_page for one in new)
        return new

    def _is_lost(self, named: Named) -> bool:
        segment = named.place.segment
        if segment // MOST_IN_DIRECTORY not in self._directories or not named.place.length:
            return False
        if segment not in self._segments:
            self._segments[segment] = self._ask(segment)
        return self._segments[segment]


def _message(lost: Iterable[Named], errands: set[str]) -> SegmentsLost:
    """Return the message about records of one partition; errands are done for other sites."""
    message = SegmentsLost(time.time(), 0, [], [], [], [], [], [])
    for named in lost:
        if named.is_page:
            message.pages.append(named.page)
            message.outcomes.append(named.outcome)
            message.sizes.append(named.size_bytes)
            message.places.append(named.place)
            continue
        message.robots.append(named.place)
        if named.errand:
            errands.add(named.errand)
        elif named.site >= 0 and named.site not in message.sites:
            message.sites.append(named.site)
    return message
