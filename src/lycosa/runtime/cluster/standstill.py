"""Reasons why a crawl that several machines share stands still, or is slower than it could be.

Each reason is a sentence with the command that helps. The first reasons stop the whole crawl, the
others explain delays of parts.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import NamedTuple

from lycosa._support.amounts import counted, duration_text
from lycosa.runtime.cluster.status import ClusterView, MemberView
from lycosa.runtime.membership.offsets import is_off
from lycosa.runtime.membership.record import Progress, Standing

SLOW_COMMIT_SECONDS = 3.0
RESTING_SECONDS = 2.0
"""Shorter rests of hosts are not reported: a request follows before the text is read."""
_MOST_NAMED = 4


class Reason(NamedTuple):
    """A reason for a standstill or a delay."""

    what: str
    mend: str = ""
    """The command to type, if one helps."""
    stops: bool = False
    """Whether the whole crawl stands still."""


def reasons_of(view: ClusterView) -> list[Reason]:
    """Return the reasons, those that stop the whole crawl first."""
    found = [*_stops(view), *_parts(view)]
    return sorted(found, key=lambda reason: not reason.stops)


def _stops(view: ClusterView) -> Iterator[Reason]:
    join = _command("lycosa", "join", view.place, "-o", "DIR")
    if not view.is_answering:
        yield Reason(
            "log or board do not answer; the figures were read before. Members wait, and send"
            " nothing from 14 s after their last renewal",
            stops=True,
        )
    if view.moved_to:
        yield Reason(f"the log was moved to {view.moved_to}", stops=True)
    elif view.ended:
        yield Reason(f"the last run has ended: {ended_text(view.ended)}", join, stops=True)
    elif not view.members:
        yield Reason("no member is alive", join, stops=True)
    elif not view.alive:
        longest = min(one.silent_seconds for one in view.members)
        yield Reason(
            f"no member has renewed its record for {duration_text(longest)}: they wait for the"
            " board, or their machines are down",
            join,
            stops=True,
        )
    # All further reasons come from the records of living members.
    if view.ended or view.moved_to or not view.alive:
        return
    if view.settings.is_paused:
        mend = _command("lycosa", "cluster", "resume", view.place)
        yield Reason("the operator has paused the crawl", mend, stops=True)
    progress = [one.record.progress for one in view.alive]
    if any(one.in_flight or one.ready for one in progress):
        return
    if all(one.commit_seconds >= SLOW_COMMIT_SECONDS for one in progress):
        longest = max(one.commit_seconds for one in progress)
        yield Reason(f"all members have waited {duration_text(longest)} for the log", stops=True)
    elif view.total.resting and view.total.waiting:
        due = min((one.next_seconds for one in progress if one.next_seconds), default=0.0)
        if due >= RESTING_SECONDS:
            yield Reason(f"all hosts rest; the next is due in {duration_text(due)}", stops=True)
    # A partition without an owner may hold URLs that no member counts.
    elif not view.total.waiting and view.owned == view.partitions:
        yield Reason("nothing is in the queue; members look for the end", stops=True)


def _parts(view: ClusterView) -> Iterator[Reason]:
    if view.cordoned:
        first = next(iter(view.cordoned))
        named = ", ".join(map(str, list(view.cordoned)[:_MOST_NAMED]))
        more = f" and {len(view.cordoned) - _MOST_NAMED:,} more" * (
            len(view.cordoned) > _MOST_NAMED
        )
        yield Reason(
            f"{counted(len(view.cordoned), 'partition')} cordoned, because every owner died soon:"
            f" {named}{more}",
            _command("lycosa", "cluster", "lift", view.place, str(first)),
        )
    # Only cordons concern the next run, too.
    if view.ended or view.moved_to:
        return
    silent = [one for one in view.members if one.is_silent]
    if silent and view.alive:
        yield Reason(f"{_named(silent)} silent: others take its partitions after 15.5 s")
    # Members take no cordoned partition: those are named above.
    waiting = view.orphaned + view.released - len(view.cordoned)
    if waiting > 0 and view.alive:
        yield Reason(f"{counted(waiting, 'partition')} without an owner: members take them")
    slow = [one for one in view.alive if _progress(one).commit_seconds >= SLOW_COMMIT_SECONDS]
    if slow:
        longest = max(_progress(one).commit_seconds for one in slow)
        yield Reason(f"{_named(slow)} waiting for the log, for {duration_text(longest)}")
    leaving = [one for one in view.alive if one.record.standing is Standing.LEAVING]
    if leaving:
        yield Reason(f"{_named(leaving)} leaving: partitions go to the others")
    for one in view.alive:
        if trouble := _progress(one).trouble:
            yield Reason(f"{_name(one)}: {trouble}")
    off = [one for one in view.alive if is_off(one.record.clock_offset)]
    if off:
        yield Reason(
            f"{_named(off)} with a clock that is wrong by more than a second: moments of"
            " Retry-After are shared",
            "set the clock there (NTP)",
        )
    if owed := view.total.links_owed:
        yield Reason(f"links of {counted(owed, 'page')} are on another machine and not read yet")
    if view.behind:
        yield Reason(
            f"members still without revision {view.revision} of the settings:"
            f" {', '.join(map(str, view.behind[:_MOST_NAMED]))}"
        )


def ended_text(reason: str) -> str:
    """Describe why a run has ended."""
    return {
        "exhausted": "nothing was left to fetch",
        "stopped": "the operator has stopped it",
        "found": "a wanted page was found",
        "free disk": "a disk was full",
        "not logged in": "the login had failed",
    }.get(reason, f"the limit on {reason} was reached")


def _progress(one: MemberView) -> Progress:
    return one.record.progress


def _name(one: MemberView) -> str:
    return f"member {one.record.number} on {one.record.machine}"


def _named(members: list[MemberView]) -> str:
    if len(members) == 1:
        return f"{_name(members[0])} is"
    return f"{len(members):,} members are"


def _command(*words: str) -> str:
    return shlex.join(words)
