"""The state machine by which one life reads and changes the ledger, without I/O.

The life's part is kept here as absolute numbers: counts of its partitions, durable amounts,
returned amounts, and whether it wants more. `call` applies all of it to the newest known document
and asks for one write. If another life was faster, or an answer was lost, the document is read
again and the same changes are applied to it.

The document defines the grants: the life was granted a total amount, and knows of a part of it. A
grant whose answer was lost is therefore found by reading.

Order matters in `account`: the caller reads the durable amounts first, then the counts. Otherwise a
page could be settled that no count contains.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lycosa.runtime.coordination.keys import LEDGER
from lycosa.runtime.coordination.protocol import Entry, Verdict
from lycosa.runtime.limits.document import (
    Amount,
    Changed,
    Count,
    Grant,
    Ledger,
    Limits,
    changed,
    closed,
    counted,
    freed,
    granted,
    new_grant,
    pack,
    reached,
    settled,
    unpack,
)
from lycosa.runtime.membership.calls import Call, Get, Put, Result, verdict_of

BUSY_SECONDS = 0.5
"""Interval of reading the ledger while this life or another waits for a grant."""
QUIET_SECONDS = 5.0
"""Interval otherwise, to see that others wait or that a limit is reached."""
RETRY_SECONDS = 0.25


class Desk:
    """A life's view of the ledger, and its changes."""

    def __init__(self, life: int, limits: Limits) -> None:
        self.limits = limits
        self.ledger = Ledger()
        """The newest known document."""
        self.losses = 0
        """Number of lost machines, according to the notes read so far."""
        self._life = life
        self._revision = -1
        self._counts: dict[int, Count] = {}
        self._taken_at: dict[int, int] = {}
        """Sequence of the last take of each partition."""
        self._durable = self._returned = self._told = Amount()
        self._gone: frozenset[int] = frozenset()
        self._changed = Changed()
        self._is_wanting = False
        self._is_closing = False
        self._is_entered = False
        self.is_lost = False
        """Others have closed this life's line: the life is over, and writes nothing more."""
        self._has_news = False
        self._must_read = True
        self._in_flight: Call | None = None
        self._put: Ledger | None = None
        self.due = float("-inf")

    # -- what the worker says -------------------------------------------------------------

    def open(self, counts: Mapping[int, Count]) -> None:
        """Set the counts of partitions taken in the log, before any of their pages is kept."""
        self._counts.update(counts)
        self._taken_at.update({partition: one.sequence for partition, one in counts.items()})
        self._say()

    def account(self, counts: Mapping[int, Count], durable: Amount, returned: Amount) -> None:
        """Set the counts of partitions, and the total kept and returned amounts of this life.

        Called when grants run short, at a release and at the end.
        """
        for partition, one in counts.items():
            # The worker knows less of a partition that has come back: it must be opened again.
            known = self._counts.get(partition)
            if known is None or known.sequence <= one.sequence:
                self._counts[partition] = one
        self._durable, self._returned = durable, returned
        self._say()

    def want(self) -> None:
        """Ask for a grant."""
        self._is_wanting = True
        self._say()

    def lives_gone(self, gone: Collection[int]) -> None:
        """Set the lives that are over, according to the board."""
        if not self._gone.issuperset(gone):
            self._gone = frozenset(gone)
            self._say()

    def adopt(self, limits: Changed) -> None:
        """Follow limits that the operator has set, and write them to the ledger."""
        if limits.age > self._changed.age:
            self._changed = limits
            self._say()

    def close(self) -> None:
        """End this life's line, after its last account and the release of its partitions."""
        self._is_closing = True
        self._is_wanting = False  # waiting for a grant would prevent the closing
        self._say()

    # -- what the worker asks -------------------------------------------------------------

    def has_opened(self, partition: int) -> bool:
        """Return whether the ledger knows that this life works on a partition.

        Pages of it may be kept only then. The ledger must know of the last take: a partition that
        was released and has come back may have had another owner in between.
        """
        known = self.ledger.kept.get(partition)
        return (
            known is not None
            and known.by == self._life
            and known.sequence >= self._taken_at.get(partition, known.sequence + 1)
        )

    def take_grant(self) -> Grant | None:
        """Return the amount granted since the last call."""
        line = self.ledger.lives.get(self._life)
        grant = None if line is None else new_grant(line, self._told)
        if line is not None and grant is not None:
            self._told, self._is_wanting = line.granted, False
        return grant

    @property
    def is_recalled(self) -> bool:
        """Whether all unreserved grants are to be returned."""
        return self.ledger.is_short

    @property
    def reached(self) -> str:
        """The limit that the whole crawl has durably reached; "" if none."""
        return reached(self.ledger, self._limits_in(self.ledger), self.losses)

    @property
    def is_closed(self) -> bool:
        """Whether the ledger has closed this life's line."""
        return self._is_closing and not self._has_news and self._life not in self.ledger.lives

    # -- calls to the board ---------------------------------------------------------------

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due; the caller must make it."""
        if self._in_flight is not None or now < self.due:
            return None
        if not self._must_read and self._has_news:
            self._put = self._applied(self.ledger)
            if self._put != self.ledger:
                self._in_flight = Put(LEDGER, pack(self._put), self._revision)
                return self._in_flight
            self._has_news = self._is_wanting
        self._in_flight = Get(LEDGER)
        return self._in_flight

    def answered(self, result: Result, now: float) -> None:
        """Process the answer to the call."""
        call, self._in_flight = self._in_flight, None
        if isinstance(call, Put):
            self._written(result, now)
        elif isinstance(result, Entry) and result.revision >= self._revision:
            self._accept(unpack(result.value), result.revision)
            is_busy = self._is_wanting or self.ledger.is_short
            pause = BUSY_SECONDS if is_busy else QUIET_SECONDS
            self.due = now if self._has_something_new() else now + pause
        else:
            self.due = now + RETRY_SECONDS

    def _written(self, result: Result, now: float) -> None:
        verdict = verdict_of(result)
        assert self._put is not None
        if verdict is Verdict.WRITTEN:
            self._accept(self._put, result.revision)  # type: ignore[union-attr]
            self._has_news = self._is_wanting
            self.due = now + BUSY_SECONDS if self._is_wanting else now + QUIET_SECONDS
            return
        self._must_read = True
        self.due = now if verdict is Verdict.REFUSED else now + RETRY_SECONDS

    def _accept(self, ledger: Ledger, revision: int) -> None:
        self.ledger, self._revision = ledger, revision
        self._must_read = False
        if self._life in ledger.lives:
            self._is_entered = True
        elif self._is_entered and not self._is_closing:
            self.is_lost = True

    def _say(self) -> None:
        self._has_news = True
        self.due = float("-inf")

    def _has_something_new(self) -> bool:
        return self._has_news and self._applied(self.ledger) != self.ledger

    def _applied(self, ledger: Ledger) -> Ledger:
        """Return the document with all changes of this life applied."""
        if self.is_lost:
            return ledger
        ledger = changed(ledger, self._changed)
        if self._counts:
            ledger = counted(ledger, self._life, self._counts)
        ledger = settled(ledger, self._life, self._durable, self._returned)
        ledger = freed(ledger, self._gone - {self._life})
        if self._is_closing:
            return closed(ledger, self._life)
        line = ledger.lives.get(self._life)
        if self._is_wanting and line is not None and line.granted == self._told:
            ledger = granted(ledger, self._life, self._limits_in(ledger))
        return ledger

    def _limits_in(self, ledger: Ledger) -> Limits:
        """Return the newest limits: the job's, those of the ledger, or those that this life
        knows."""
        newest = max(ledger.changed, self._changed, key=lambda one: one.age)
        if not any(newest.age):
            return self.limits
        return self.limits._replace(pages=newest.pages, bytes=newest.bytes)
