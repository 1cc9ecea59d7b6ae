"""Go on with a log that has gone back: begin a new epoch, and let directories enter it.

A restored log lacks what was written after its copy. `lycosa cluster restored` begins an epoch
(`begin_epoch`):

    1. it refuses while a member lives, and ends lives that are silent;
    2. it takes all partitions that have an owner, so that no batch of an earlier life comes late;
    3. it clears the board, so that the next life has a number above all that are known, and limits
       are counted again from the log;
    4. it notes the epoch in the log (`restored-1`).

A directory enters the epoch when it crawls again (`opened`): it sets aside what the log does not
know. Segments of which the log knows nothing are moved to `damaged/`, others are rewritten without
the unknown records. Then each page stands once: in the log, and in the segment that it names.

Every step can be repeated. A directory remembers its epoch last: if it was killed, it enters again.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from lycosa._support import beneath
from lycosa._support.amounts import counted
from lycosa.errors import LogError, LogGoneBack, LogUnavailable
from lycosa.model.job import Job
from lycosa.model.records import Taken
from lycosa.runtime.coordination.changes import change
from lycosa.runtime.coordination.keys import (
    ADDRESSES,
    CORDONS,
    IDLE,
    LEDGER,
    LINES,
    MEMBERS,
    NUMBERS,
    SETTINGS,
)
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.membership.record import Member, life_of, pack, tombstone, unpack
from lycosa.runtime.recovery.lost_machines import SILENT_SECONDS
from lycosa.runtime.shared_log.notes import directory_number, own_numbers
from lycosa.storage.archive.layout import (
    CDX,
    DIGESTS,
    ITEMS,
    KINDS,
    MOST_IN_DIRECTORY,
    TRIPLES,
    WARC,
    Name,
    names_in,
    warc_names,
)
from lycosa.storage.archive.quarantine import move_aside
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Log, Take

NUMBERS_LEFT_OUT = 100_000
"""Numbers of lives that are left out: a directory may have had lives that nothing here names."""
_NOTE = "restored-"
_MOST_DIGITS = 18
_PATIENCE_SECONDS = 30.0


class Begun(NamedTuple):
    """An epoch that was begun."""

    number: int
    taken: int
    """Partitions that earlier lives owned."""
    ended: int
    """Silent lives that were ended."""


# -- the operator's part ------------------------------------------------------------------


def begin_epoch(log: Log, board: Board, wait: Callable[[float], None] = time.sleep) -> Begun:
    """Begin the next epoch; raises `LogError` while a member lives."""
    ended = _end_silent(board, wait)
    number = epoch_of(log) + 1
    heads = log.heads()
    lives = [life_of(head.owner) or 0 for head in heads]
    taken = _fence(log, f"{_NOTE}{number}")
    _begin_board(board, max(lives))
    log.note(f"{_NOTE}{number}", b"")
    return Begun(number, taken, ended)


def epoch_of(log: Log) -> int:
    """Return the number of the log's epoch; 0 if it was never restored."""
    number = 0
    while log.noted(f"{_NOTE}{number + 1}") is not None:
        number += 1
    return number


def _end_silent(board: Board, wait: Callable[[float], None]) -> int:
    """Write tombstones for all lives, which must be silent; return their number."""
    before = _living(board)
    if before:
        wait(SILENT_SECONDS)
    now = _living(board) if before else {}
    for key, (revision, member) in now.items():
        is_silent = before.get(key, (0, member))[0] == revision
        if is_silent:
            is_silent = board.put(key, pack(tombstone(member, 0)), revision).is_written
        if not is_silent:
            raise LogError(
                f"{member.machine}: member {member.number} is alive\n"
                "  stop the crawl on all machines first (Ctrl-C, or kill -INT)"
            )
    return len(now)


def _living(board: Board) -> dict[str, tuple[int, Member]]:
    """Return the lives that are not over, each with the revision of its record."""
    listed = board.list(MEMBERS)
    if listed is None:
        raise _silent_board()
    found = {key: (e.revision, unpack(e.value)) for key, e in listed.items() if e.value}
    return {key: one for key, one in found.items() if not one[1].is_gone}


def _fence(log: Log, owner: str) -> int:
    """Take the partitions that have an owner; return their number."""
    taken = 0
    for number in range(log.partitions):
        while (head := log.head(number)).owner not in ("", owner):
            batch = encode([Taken(time.time(), owner)])
            if log.take(owner, [Take(number, head.log, batch)])[0] is not None:
                taken += 1
                break
    return taken


def _begin_board(board: Board, last_life: int) -> None:
    """Remove what earlier lives have left, and let the next one have a number above theirs."""
    highest = last_life
    for prefix in (MEMBERS, LINES, ADDRESSES, IDLE):
        listed = board.list(prefix)
        if listed is None:
            raise _silent_board()
        for key, entry in listed.items():
            if prefix == MEMBERS and entry.value:
                highest = max(highest, unpack(entry.value).number)
            board.delete(key, entry.revision)
    for key in (CORDONS, LEDGER, SETTINGS):
        found = board.get(key)
        if found is None:
            raise _silent_board()
        if found.revision and not board.delete(key, found.revision).is_written:
            raise _silent_board()
    least = highest + NUMBERS_LEFT_OUT

    def above(value: bytes) -> bytes:
        return b"%d" % max(int(value or b"0"), least)

    # Twice left out after a command that was repeated: numbers are not scarce.
    if change(board, NUMBERS, above, _PATIENCE_SECONDS) is None:
        raise _silent_board()


def _silent_board() -> LogUnavailable:
    return LogUnavailable(
        "the board (coordination store) does not answer\n  start its server, then try again"
    )


# -- a directory's part -------------------------------------------------------------------


def opened(directory: CrawlDirectory, job: Job, tell: Callable[[str], None]) -> Log:
    """Open the log to crawl; if an epoch was begun since the last run here, enter it.

    The caller holds the lock of the directory, and no worker has begun.
    """
    own = _own_epoch(directory)
    try:
        log = directory.log(job, joins=True)
    except LogGoneBack:
        log = directory.log(job, joins=True, may_have_gone_back=True)
        if epoch_of(log) <= own:
            log.close()
            raise
    if (epoch := epoch_of(log)) > own:
        try:
            for line in _enter(directory, job, log):
                tell(line)
        except BaseException:
            log.close()
            raise
        _epoch_file(directory).parent.mkdir(exist_ok=True)
        beneath.write_text(_epoch_file(directory), f"{epoch}\n")
    return log


def _epoch_file(directory: CrawlDirectory) -> Path:
    return directory.log_folder / "epoch"


def _own_epoch(directory: CrawlDirectory) -> int:
    try:
        text = beneath.read_text(_epoch_file(directory)).strip()
    except FileNotFoundError:
        return 0
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else 0


def _enter(directory: CrawlDirectory, job: Job, log: Log) -> list[str]:
    """Set aside what the log does not know; return messages for the user."""
    from lycosa.runtime.verify.repair import drop_unknown  # rarely needed

    folder = directory.path
    directory_number(log, directory)  # the restored log may not know this directory
    # Snapshots and hints may rest on what is gone.
    shutil.rmtree(directory.log_folder / "snapshots", ignore_errors=True)
    (folder / WARC / ".payloads").unlink(missing_ok=True)
    numbers = own_numbers(log, directory)
    sealed = set(names_in(folder, CDX, ".cdxj"))
    foreign = [
        name
        for name in sorted({*sealed, *warc_names(folder)})
        if name.segment // MOST_IN_DIRECTORY not in numbers
    ]
    for name in foreign:
        _put_aside(directory, name)
    pages, unnamed = drop_unknown(directory, job, log, sorted(sealed - set(foreign)))
    for name in unnamed:
        _put_aside(directory, name)
    directory.last_write.unlink(missing_ok=True)
    aside = len(foreign) + len(unnamed)
    return [
        f"the log was restored: {counted(pages, 'page')} that it does not know"
        f" and {counted(aside, 'segment')} of which it knows nothing were set aside (damaged/);"
        " they are fetched again"
    ]


def _put_aside(directory: CrawlDirectory, name: Name) -> None:
    folder = directory.path
    for part in (WARC, CDX, TRIPLES, DIGESTS, ITEMS, *KINDS):
        with suppress(FileNotFoundError):
            move_aside(folder, sorted((folder / part).glob(f"{name}.*")))
