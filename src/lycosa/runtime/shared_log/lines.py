"""Reads the log lines of all members from the board, and then the new ones.

A member's document has its last hundred lines and is rewritten with every new one. Lines shown
before are recognised by member, moment and text; a later line of the same moment is still shown.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import NamedTuple

from lycosa.errors import ConfigError, LogUnavailable
from lycosa.runtime.cluster.lines import Line, merged
from lycosa.runtime.coordination.keys import LINES, MEMBERS, member_key
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.membership.record import unpack


class MemberLine(NamedTuple):
    """A line of one member."""

    moment: str
    """Time by the wall clock of its machine, in UTC."""
    member: int
    machine: str
    level: str
    text: str

    def __str__(self) -> str:
        """Return the line for people."""
        when = self.moment[:19].replace("T", " ")
        level = "" if self.level == "INFO" else f"{self.level.lower()}: "
        return f"{when}  {self.member:>3} {self.machine}  {level}{self.text}"


class LineReader:
    """Reads lines repeatedly; each is returned once."""

    def __init__(self, directory: CrawlDirectory, member: int | None = None) -> None:
        job = directory.job()
        if not job.log.server:
            raise ConfigError(
                f"{directory.shown}: this crawl runs on one machine\n"
                f"  its lines are in {directory.messages}"
            )
        self._place = directory.shown
        self._board = open_board(job.log.server, job.log.name)
        self._member = member
        self._shown: Counter[tuple[int, Line]] = Counter()
        self._is_first = True

    def close(self) -> None:
        """Close the connection."""
        self._board.close()

    def look(self) -> list[MemberLine]:
        """Return the new lines by moment; [] while the board does not answer."""
        entries, records = self._board.list(LINES), self._board.list(MEMBERS)
        if entries is None or records is None:
            if self._is_first:
                raise LogUnavailable(
                    f"{self._place}: the board (coordination store) does not answer\n  try again"
                )
            return []
        members = {key: unpack(entry.value) for key, entry in records.items()}
        if self._is_first and self._member is not None:
            known = sorted(one.number for one in members.values())
            if self._member not in known:
                named = ", ".join(map(str, known)) or "none"
                raise ConfigError(f"{self._place}: has no member {self._member}; members: {named}")
        self._is_first = False
        found = [one for one in merged(entries) if self._member in (None, one[0])]
        now, before = Counter(found), self._shown
        self._shown = now
        fresh: list[MemberLine] = []
        skipped: Counter[tuple[int, Line]] = Counter()
        for number, line in found:
            # Equal lines may be repeated in earnest, so they are counted and not compared alone.
            if skipped[number, line] < before[number, line]:
                skipped[number, line] += 1
                continue
            record = members.get(member_key(number))
            moment = datetime.fromtimestamp(line.moment, UTC).isoformat(timespec="milliseconds")
            fresh.append(
                MemberLine(moment, number, record.machine if record else "", line.level, line.text)
            )
        return fresh
