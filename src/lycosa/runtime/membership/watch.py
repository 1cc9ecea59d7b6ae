"""A member's view of the others: their records, and the silent ones.

Lists may be stale, so a record counts only if its revision is higher than any seen before.
"""

from __future__ import annotations

from collections.abc import Mapping

from lycosa.runtime.coordination.keys import member_key, number_in
from lycosa.runtime.coordination.protocol import Entry, Verdict
from lycosa.runtime.membership.calls import Put, Result, verdict_of
from lycosa.runtime.membership.record import Member, pack, tombstone, unpack
from lycosa.runtime.membership.silence import Silences
from lycosa.runtime.membership.tenure import SILENCE_SECONDS


class Watch:
    """The records of all lives, as one life sees them."""

    def __init__(self) -> None:
        self.members: dict[int, Member] = {}
        """The newest known records, tombstones too, by number."""
        self._own = 0
        self._revisions: dict[int, int] = {}
        self._listed_at: dict[int, float] = {}
        self._silences = Silences()

    def listed(self, entries: Mapping[str, Entry], own: int, now: float) -> None:
        """Process a list of the members."""
        self._own = own
        seen = {number_in(key): entry for key, entry in entries.items()}
        for number, entry in seen.items():
            if entry.revision > self._revisions.get(number, 0):
                self._revisions[number] = entry.revision
                self.members[number] = unpack(entry.value)
            self._listed_at[number] = now
        # Not listed: its tombstone was removed, or the list is stale and the member too new for it.
        for number in self.members.keys() - seen.keys():
            is_missing_long = now - self._listed_at[number] >= SILENCE_SECONDS
            if self.members[number].is_gone or is_missing_long:
                del self.members[number], self._revisions[number], self._listed_at[number]
        others = {n: one.revision for n, one in seen.items() if self._is_watched(n)}
        self._silences.look(others, now)

    def restart(self, now: float) -> None:
        """Restart all timers after a time without looks."""
        self._silences.restart(now)

    def tombstone(self, now: float) -> Put | None:
        """Return the call that ends a silent life, if there is one."""
        for number, revision in self._silences.silent(now):
            if self._revisions.get(number) == revision and self._is_watched(number):
                ended = tombstone(self.members[number], self._own)
                return Put(member_key(number), pack(ended), revision)
        return None

    def ended(self, call: Put, result: Result) -> Member | None:
        """Note the result of writing a tombstone; return it if it stands on the board.

        Without a clear result the write is tried again.
        """
        number, verdict = number_in(call.key), verdict_of(result)
        if verdict is Verdict.REFUSED:
            self._silences.forget(number)  # the record has changed
        if verdict is not Verdict.WRITTEN:
            return None
        self.members[number] = ended = unpack(call.value)
        return ended

    def _is_watched(self, number: int) -> bool:
        return number != self._own and number in self.members and not self.members[number].is_gone
