"""The state machine of one incarnation (life), without I/O.

Answers of the board and readings of the clocks go in, calls to the board and verdicts come out. A
simulation can therefore drive it, with clocks of any rate.

There are two lanes, each with one call at a time, so that a slow list cannot hold up a renewal:
`own` joins, renews and leaves; `watch` lists the members and ends those that are silent.

    agree → number → enter → live ⇄ (tenure lapsed) → left
                        ↘ refused      ↘ lost

A lost answer is not a failure. Every record of a life is unique (`beat`), so a life whose renewal
is refused reads its record. It finds one of its own undecided renewals, which then counts from its
own time of sending, or a tombstone, and the life is over.

A lapsed life that was not ended (the board was down for all) continues when it can renew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

import msgspec

from lycosa.errors import LogError
from lycosa.runtime.coordination.keys import AGREEMENT, MEMBERS, NUMBERS, member_key
from lycosa.runtime.coordination.protocol import NOTHING, Answer, Entry, Verdict
from lycosa.runtime.membership import joining
from lycosa.runtime.membership.calls import Call, Get, Listing, Put, Result, verdict_of
from lycosa.runtime.membership.joining import Agreement, Refused, board_gone_back
from lycosa.runtime.membership.offsets import certain_offset
from lycosa.runtime.membership.record import Member, Progress, Standing, pack, unpack
from lycosa.runtime.membership.tenure import RENEWAL_SECONDS, SILENCE_SECONDS, Instant, Tenure
from lycosa.runtime.membership.watch import Watch

WATCH_SECONDS = 1.0
"""Seconds between two lists of the members."""
RETRY_SECONDS = 0.5


class Phase(StrEnum):
    """Phase of a life."""

    AGREEING = "agreeing"
    FOUNDING = "founding"
    ASKING = "asking"
    NUMBERING = "numbering"
    RENEWING = "renewing"
    """It has a number; the record is written, or about to be written."""
    CHECKING = "checking"
    """It has a record, and reads it back to compare the clocks."""
    LOOKING = "looking"
    """A renewal was refused: it reads the present record."""
    LEFT = "left"
    REFUSED = "refused"
    LOST = "lost"
    """Another member has ended the life. The process may begin another one."""


OVER = (Phase.LEFT, Phase.REFUSED, Phase.LOST)


class _Sent(NamedTuple):
    """An attempt to write our record."""

    value: bytes
    at: Instant


class Life:
    """A life of a worker process, from joining to its end."""

    def __init__(
        self, member: Member, agreement: Agreement, oldest_format: int = 1, last_known: int = 0
    ) -> None:
        """Start with the record `member`, which has no number yet.

        A board that has not given the number `last_known` yet has gone back.
        """
        self.member = member
        self.agreement = agreement
        """This worker's agreement; after joining, that of the cluster."""
        self._oldest_format = oldest_format
        self._last_known = last_known
        self.phase = Phase.AGREEING
        self.refusal: LogError | None = None
        self.tenure = Tenure()
        self._watch = Watch()
        self.clock_offset = 0.0
        self.news: list[str] = []
        """Sentences for the log, which the driver removes."""
        self._is_checked = False
        self._is_leaving = False
        self._revision = 0
        self._next = (0, 0)
        """The number to take next, and the revision of the key that counts them."""
        self._undecided: list[_Sent] = []
        self._written: tuple[int, Instant, Instant] | None = None
        """Revision, time of sending and time of the answer of the last acknowledged renewal."""
        self._missing_since: float | None = None
        """Since when reads have found nothing of ours, or something older."""
        self._own: tuple[Call, Instant] | None = None
        self._watching: tuple[Call, Instant] | None = None
        self.own_due = self.watch_due = float("-inf")
        """Due moment of each lane's next call, on CLOCK_BOOTTIME."""

    # -- what the worker asks and says ----------------------------------------------------

    @property
    def number(self) -> int:
        """The number of this life; 0 while it has none."""
        return self.member.number

    @property
    def members(self) -> Mapping[int, Member]:
        """All records seen so far, tombstones too, by number."""
        return self._watch.members

    @property
    def is_joined(self) -> bool:
        """Whether the life has a record, and a clock that agrees with the cluster's."""
        return self._is_checked and self.phase not in OVER

    def may_begin(self, now: float) -> bool:
        """Return whether requests may begin."""
        return self._is_checked and self.tenure.holds(now)

    def tell(self, progress: Progress, settings: int, *, is_cordoned: bool = False) -> None:
        """Set the member's news, for the next renewal; adopted settings are sent at once."""
        if settings != self.member.settings and self._is_checked:
            self.own_due = float("-inf")
        self._change(progress=progress, settings=settings, is_cordoned=is_cordoned)

    def drain(self) -> None:
        """Announce that this life hands its partitions over."""
        if self.member.standing is Standing.LIVE:
            self._change(standing=Standing.LEAVING)
            self.own_due = float("-inf")

    def stay(self) -> None:
        """Cancel the announcement: this life continues with its remaining partitions."""
        if self.member.standing is Standing.LEAVING and not self._is_leaving:
            self._change(standing=Standing.LIVE)
            self.own_due = float("-inf")

    def leave(self) -> None:
        """End this life, once it has released all its partitions."""
        self._is_leaving = True
        self.own_due = float("-inf")

    # -- the own lane ---------------------------------------------------------------------

    def own_call(self, now: Instant) -> Call | None:
        """Return the next call of the own lane, if one is due; the caller must make it."""
        if self._own is not None or self.phase in OVER or now.boot < self.own_due:
            return None
        call = self._next_call(now)
        self._own = (call, now)
        return call

    def own_answered(self, result: Result, now: Instant) -> None:
        """Process the answer to the call of the own lane."""
        assert self._own is not None
        _, sent = self._own
        self._own = None
        self.own_due = now.boot
        if self.phase in OVER:
            return
        answered: Callable[[Result, Instant, Instant], None] = {
            Phase.AGREEING: self._agreed,
            Phase.FOUNDING: self._founded,
            Phase.ASKING: self._asked,
            Phase.NUMBERING: self._numbered,
            Phase.RENEWING: self._renewed,
            Phase.CHECKING: self._checked,
            Phase.LOOKING: self._looked,
        }[self.phase]
        answered(result, sent, now)

    def _next_call(self, now: Instant) -> Call:
        if self.phase is Phase.AGREEING:
            return Get(AGREEMENT)
        if self.phase is Phase.FOUNDING:
            return Put(AGREEMENT, joining.pack(self.agreement), 0)
        if self.phase is Phase.ASKING:
            return Get(NUMBERS)
        if self.phase is Phase.NUMBERING:
            number, revision = self._next
            return Put(NUMBERS, b"%d" % number, revision)
        if self.phase in (Phase.CHECKING, Phase.LOOKING):
            return Get(member_key(self.number))
        self._change(beat=self.member.beat + 1, clock_offset=round(self.clock_offset, 3))
        if self._is_leaving:
            self._change(standing=Standing.LEFT)
        value = pack(self.member)
        self._undecided.append(_Sent(value, now))
        return Put(member_key(self.number), value, self._revision)

    def _agreed(self, result: Result, sent: Instant, now: Instant) -> None:
        if not isinstance(result, Entry):
            self._retry(now)
        elif result.revision == NOTHING.revision:
            self.phase = Phase.FOUNDING
        else:
            there = joining.unpack(result.value)
            try:
                joining.check(there, self.agreement, self._oldest_format)
            except Refused as refusal:
                self.refusal, self.phase = refusal, Phase.REFUSED
                return
            self.agreement, self.phase = there, Phase.ASKING

    def _founded(self, result: Result, sent: Instant, now: Instant) -> None:
        if verdict_of(result) is Verdict.WRITTEN:
            self.phase = Phase.ASKING
        else:
            self.phase = Phase.AGREEING
            self._retry(now)

    def _asked(self, result: Result, sent: Instant, now: Instant) -> None:
        if not isinstance(result, Entry):
            self._retry(now)
        elif (last := int(result.value or b"0")) < self._last_known:
            if self._is_missing_for_long(now):
                self.refusal, self.phase = board_gone_back(self._last_known, last), Phase.REFUSED
        else:
            self._missing_since = None
            self._next = (last + 1, result.revision)
            self.phase = Phase.NUMBERING

    def _numbered(self, result: Result, sent: Instant, now: Instant) -> None:
        verdict = verdict_of(result)
        if verdict is Verdict.WRITTEN:
            self._change(number=self._next[0])
            self.phase = Phase.RENEWING
            return
        # If the answer was lost, the number may belong to this life or another: leave it unused.
        self.phase = Phase.ASKING
        if verdict is not Verdict.REFUSED:
            self._retry(now)

    def _renewed(self, result: Result, sent: Instant, now: Instant) -> None:
        assert isinstance(result, Answer)
        if result.is_written:
            self._written = (result.revision, sent, now)
            self._acknowledged(result.revision, self._undecided[-1], now)
            if not self._is_checked and self.phase not in OVER:
                self.phase, self.own_due = Phase.CHECKING, now.boot
        elif result.verdict is Verdict.REFUSED:
            self._undecided.pop()
            self.phase = Phase.LOOKING
        else:
            if result.verdict is Verdict.UNAVAILABLE:
                self._undecided.pop()
            self._retry(now)

    def _checked(self, result: Result, sent: Instant, now: Instant) -> None:
        """Compare the clocks before joining; without the stamp, after another renewal."""
        self.phase = Phase.RENEWING
        if isinstance(result, Entry) and result.revision == self._revision:
            self._compare_clocks(result)
            try:
                joining.check_clock(self.clock_offset)
            except Refused as refusal:
                self.refusal = refusal
                self.leave()
                return
            self._is_checked = True
            if not self._is_leaving:
                self.own_due = sent.boot + RENEWAL_SECONDS
            self.news.append(f"joined as life {self.number}")
        elif isinstance(result, Entry) and result.revision > self._revision:
            self.phase = Phase.LOOKING
        else:
            self._retry(now)

    def _looked(self, result: Result, sent: Instant, now: Instant) -> None:
        """Read the present record at our key, since it is not the one that we know."""
        if isinstance(result, Entry) and result.revision < self._revision:
            if self._is_missing_for_long(now):
                self._lose()
            return
        self._missing_since = None
        if not isinstance(result, Entry) or result.revision <= self._revision:
            self._retry(now)  # no answer, or a stale one
            return
        for one in self._undecided:
            if one.value == result.value:
                self.phase = Phase.RENEWING
                self._acknowledged(result.revision, one, now)
                if not self._is_checked:
                    self.own_due = now.boot  # renew once more, to get a stamp that can be compared
                return
        self._lose()

    def _is_missing_for_long(self, now: Instant) -> bool:
        """Return whether no replica can be so far behind; else the call is repeated.

        Our record is gone if another member ended this life, so long ago that the tombstone is
        removed, too: the process was frozen, or its machine was suspended. An older record, or an
        older number, belongs to a board that has gone back.
        """
        if self._missing_since is None:
            self._missing_since = now.boot
        if now.boot >= self._missing_since + SILENCE_SECONDS:
            return True
        self._retry(now)
        return False

    def _acknowledged(self, revision: int, renewal: _Sent, now: Instant) -> None:
        was_lapsed = not self.tenure.holds(now.boot)
        self.tenure.renewed(renewal.at.boot)
        self._revision = revision
        self._undecided.clear()
        told = unpack(renewal.value).standing
        is_told = told is self.member.standing and not self._is_leaving
        self.own_due = renewal.at.boot + RENEWAL_SECONDS if is_told else now.boot
        if was_lapsed:
            self._watch.restart(now.boot)
            if self._is_checked:
                self.news.append("the board answers again: requests continue")
        if told is Standing.LEFT:
            self.phase = Phase.REFUSED if self.refusal else Phase.LEFT
            self.tenure.end()

    def _compare_clocks(self, own: Entry) -> None:
        """Compare our clock with the server's, by the stamp of our last renewal."""
        if self._written is not None and own.revision == self._written[0]:
            _, sent, answered = self._written
            self.clock_offset = certain_offset(own.moment, sent.wall, answered.wall)

    def _lose(self) -> None:
        self.phase = Phase.LOST
        self.tenure.end()
        self.news.append(f"life {self.number} was ended by another member")

    def _retry(self, now: Instant) -> None:
        self.own_due = now.boot + RETRY_SECONDS

    def _change(self, **fields: object) -> None:
        self.member = msgspec.structs.replace(self.member, **fields)

    # -- the watching lane ----------------------------------------------------------------

    def watch_call(self, now: Instant) -> Call | None:
        """Return the next call of the watching lane, if one is due; the caller must make it."""
        if self._watching is not None or self.phase in OVER or now.boot < self.watch_due:
            return None
        # Without a lease this life may not judge others, as it has not seen their recent renewals.
        call = self._watch.tombstone(now.boot) if self.may_begin(now.boot) else None
        self._watching = (call or Listing(MEMBERS), now)
        return self._watching[0]

    def watch_answered(self, result: Result, now: Instant) -> None:
        """Process the answer to the call of the watching lane."""
        assert self._watching is not None
        call, sent = self._watching
        self._watching = None
        self.watch_due = sent.boot + WATCH_SECONDS
        if isinstance(call, Put):
            if (ended := self._watch.ended(call, result)) is not None:
                text = f"life {ended.number} on {ended.machine} is silent: its partitions move"
                self.news.append(text)
        elif isinstance(result, dict):
            self._watch.listed(result, self.number, now.boot)
            own = result.get(member_key(self.number))
            if own is not None and self.phase not in OVER:
                self._compare_clocks(own)
                if self.members[self.number].standing is Standing.DEAD:
                    self._lose()
