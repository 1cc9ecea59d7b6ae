"""Work of the leader, the owner of partition 0, for all members: find the end, clear the board.

A run has ended when every partition has reported that it was idle at exactly the sequences at which
its log and inbox end. Heads are read from any replica that answers, partition by partition, so by
themselves they prove nothing. The end is therefore a note that the log accepts only if no head has
moved (`Log.note_at`): any process that writes something first keeps the crawl going.

The same note, under another name, says that a cycle is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lycosa.crawl.ending import Finding, Report, compare
from lycosa.crawl.worker.worker import EXHAUSTED
from lycosa.runtime.cluster.idle import IdleReport, reports_in
from lycosa.runtime.cluster.shares import forgettable
from lycosa.runtime.coordination.keys import IDLE, LEDGER
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.limits.document import unpack
from lycosa.runtime.members.notes import end_name, idle_name
from lycosa.runtime.membership.graves import forget
from lycosa.runtime.membership.record import Member, life_of
from lycosa.storage.log.protocol import Head, Log

CLEARING_SECONDS = 600.0
"""Seconds between two searches for old tombstones."""
GRAVE_SECONDS = 3_600.0
"""Seconds that tombstones and log lines of ended lives stay on the board."""


class Minutes(NamedTuple):
    """Facts with which the leader looks for the end."""

    run: int
    step: str
    """Name of the cycle and round that would be over."""
    own: list[IdleReport]


def look_for_end(log: Log, board: Board, minutes: Minutes) -> Finding | None:
    """Note the end if all partitions are idle; return None if the board did not answer.

    Asks board and log, so it is called outside the worker's thread. May raise `LogUnavailable`.
    """
    listed = board.list(IDLE)
    if listed is None:
        return None
    heads = log.heads()
    fitting = _fitting([*minutes.own, *reports_in(listed)], heads)
    if len(fitting) < len(heads):
        return Finding()
    reports = [fitting[number] for number in range(len(heads))]
    is_idle, is_stuck = compare(reports, heads)
    has_answers = any(report.has_answers for report in reports)
    if not is_idle:
        return Finding(is_stuck=is_stuck, has_answers=has_answers)
    if not any(report.goes_on for report in reports):
        log.note_at(end_name(minutes.run), EXHAUSTED.encode(), heads)
        return Finding(has_answers=has_answers)
    name = idle_name(minutes.run, minutes.step)
    is_between = log.note_at(name, b"", heads) or log.noted(name) is not None
    return Finding(has_answers=has_answers, is_between=is_between)


def clear_graves(log: Log, board: Board, members: Mapping[int, Member]) -> int:
    """Remove the records of lives that ended long ago; return the number of lives removed.

    Without this the board would grow with every restart. A life that the log still names as an
    owner, or that the ledger charges, stays: without its record no member could take over from it.
    """
    entry = board.get(LEDGER)
    if entry is None:
        return 0
    ledger = unpack(entry.value)
    charged = {*ledger.lives, *(one.by for one in ledger.kept.values())}
    owners = [life_of(head.owner) for head in log.heads()]
    return forget(board, forgettable(owners, members, charged), GRAVE_SECONDS)


def _fitting(reports: Iterable[IdleReport], heads: list[Head]) -> dict[int, Report]:
    """Return for each partition a report that fits its inbox, and its log if there is one."""
    found: dict[int, Report] = {}
    for one in reports:
        number, report, head = one.partition, Report(*one[1:]), heads[one.partition]
        if report.inbox == head.inbox and (report.log == head.log or number not in found):
            found[number] = report
    return found
