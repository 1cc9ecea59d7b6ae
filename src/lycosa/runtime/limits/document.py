"""The ledger's document and its changes, as pure functions.

Everything about exact limits is decided here, for one machine and for many. Two adapters keep the
document: a supervisor in its memory (`runtime.workers.grants`), members on the board by
compare-and-swap (`desk`). A *unit* is a set of partitions that is counted as one: one partition in
a cluster, all partitions of a worker under a supervisor. A *life* is an owner of units.

    counted   a life has taken units, or has kept more of them
    granted   a life may keep another part of what is left
    settled   a life has made pages durable, or returns a part of its grants
    closed    a life has ended in order
    freed     lives have died, and others have counted their units
    reached   the durable pages have reached a limit

Always true:
  * durable amounts of all units + amounts that lives may still add ≤ limit, or nothing is granted;
  * a life opens a unit right after taking it, before it keeps any page of it: from then on `by`
    names the life. A life that no `by` names therefore cannot have kept an uncounted page, and its
    grant can be freed without asking the log;
  * the grant of a dead life stays charged until then: too much for a while, never too little;
  * all numbers are absolute, so a change can be repeated without harm;
  * nothing is granted and no limit is reached before every unit has been counted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import msgspec

from lycosa._support.decoders import msgpack_decoder


class Amount(NamedTuple):
    """Pages and bytes."""

    pages: int = 0
    bytes: int = 0

    def plus(self, other: Amount) -> Amount:
        """Return the sum."""
        return Amount(self.pages + other.pages, self.bytes + other.bytes)

    def minus(self, other: Amount) -> Amount:
        """Return the difference."""
        return Amount(self.pages - other.pages, self.bytes - other.bytes)


_NOTHING = Amount()


class Grant(NamedTuple):
    """Pages and bytes that a life may keep, in addition to earlier grants."""

    pages: int
    bytes: int
    is_rest: bool
    """Whether these are the last bytes of the limit; only one fetch at a time may use them."""


class Count(NamedTuple):
    """Amounts in the logs of a unit, up to a sequence that grows with every count."""

    sequence: int
    kept: Amount
    losses: int = 0
    """The last loss of a machine that the count includes."""


class Limits(NamedTuple):
    """Limits of the job; 0 means no limit."""

    pages: int
    bytes: int
    largest_bytes: int
    """Size of the largest page, which each fetch reserves."""
    partitions: int
    """Number of units."""


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """The count of one unit."""

    sequence: int
    pages: int
    bytes: int
    by: int
    """The life that works on it; 0 if its last owner left in order."""
    losses: int = 0
    """The last loss of a machine that the count includes."""


class Line(msgspec.Struct, frozen=True, array_like=True):
    """Total amounts that one life was granted, has returned, and has settled.

    Settled amounts are contained in the counts of its units.
    """

    granted: Amount = Amount()
    returned: Amount = Amount()
    settled: Amount = Amount()
    is_rest: bool = False
    """The last grant was the whole rest of the bytes, for one fetch at a time."""

    @property
    def charged(self) -> Amount:
        """Amount that the life may still keep; zero if the job has no limit."""
        left = self.granted.minus(self.returned).minus(self.settled)
        return Amount(max(0, left.pages), max(0, left.bytes))


class Changed(msgspec.Struct, frozen=True, array_like=True):
    """Limits that the operator has set during the crawl, and the last order given by then.

    They stand in the ledger, so every grant by any life respects them from the moment when the
    first life has written them.
    """

    revision: int = 0
    """Revision that an earlier version wrote in place of the order."""
    pages: int = 0
    bytes: int = 0
    order: int = 0
    """Number of the order; 0 if the job's own limits are in force."""

    @property
    def age(self) -> tuple[int, int]:
        """The larger, the newer: an order replaces what an earlier version has written."""
        return self.order, self.revision


class Ledger(msgspec.Struct, frozen=True):
    """Value on the board under `ledger`."""

    kept: dict[int, Kept] = {}
    lives: dict[int, Line] = {}
    is_short: bool = False
    """A life wants a grant and nothing is left: all lives return their unused grants."""
    changed: Changed = Changed()
    """The limits that the operator has set last."""

    @property
    def total(self) -> Amount:
        """Amounts in all logs, as recorded so far."""
        pages = sum(one.pages for one in self.kept.values())
        return Amount(pages, sum(one.bytes for one in self.kept.values()))

    @property
    def charged(self) -> Amount:
        """Amounts in the logs, plus those that lives may still add."""
        charged = self.total
        for line in self.lives.values():
            charged = charged.plus(line.charged)
        return charged


def pack(ledger: Ledger) -> bytes:
    """Return a ledger as stored on the board: some 20 bytes a partition."""
    return msgspec.msgpack.encode(ledger)


def unpack(value: bytes) -> Ledger:
    """Read a ledger; an empty value means an empty ledger."""
    return msgpack_decoder(Ledger).decode(value) if value else Ledger()


def changed(ledger: Ledger, limits: Changed) -> Ledger:
    """Record newer limits."""
    if limits.age <= ledger.changed.age:
        return ledger
    return _replaced(ledger, changed=limits)


def counted(
    ledger: Ledger, life: int, counts: Mapping[int, Count], reserved: Amount = _NOTHING
) -> Ledger:
    """Record the counts of a life's units, and that it works on them.

    A new life is charged with what it has `reserved`, as if that had been granted.
    """
    kept = dict(ledger.kept)
    for unit, (sequence, amount, losses) in counts.items():
        before = kept.get(unit)
        # A later owner may have counted more of the log.
        if before is None or before.sequence <= sequence:
            kept[unit] = Kept(sequence, *amount, life, losses)
    return _replaced(ledger, kept=kept, lives={life: Line(granted=reserved), **ledger.lives})


def settled(ledger: Ledger, life: int, durable: Amount, returned: Amount) -> Ledger:
    """Record the total kept and returned amounts of a life.

    The counts of its units must contain the durable amounts, so they are written first.
    """
    line = ledger.lives.get(life)
    if line is None:
        return ledger
    line = msgspec.structs.replace(
        line,
        settled=_larger(line.settled, durable),
        returned=_larger(line.returned, returned),
    )
    return _replaced(ledger, lives={**ledger.lives, life: line})


def closed(ledger: Ledger, life: int) -> Ledger:
    """Free the grant of a life that ends in order, after its last counts were written."""
    kept = {
        partition: msgspec.structs.replace(one, by=0) if one.by == life else one
        for partition, one in ledger.kept.items()
    }
    return _without(_replaced(ledger, kept=kept), {life})


def freed(ledger: Ledger, gone: Collection[int]) -> Ledger:
    """Free the grants of lives that are over, and whose units all have new owners."""
    working = {one.by for one in ledger.kept.values()}
    return _without(ledger, {life for life in ledger.lives if life in gone} - working)


def granted(ledger: Ledger, life: int, limits: Limits) -> Ledger:
    """Grant a life its next part: large while much is left, single pages near the end."""
    if len(ledger.kept) < limits.partitions or life not in ledger.lives:
        return ledger  # a log may hold pages that are not counted yet
    grant = _next_grant(ledger, limits)
    if grant is None:
        return ledger if ledger.is_short else _replaced(ledger, is_short=True)
    line = ledger.lives[life]
    total = line.granted.plus(Amount(grant.pages, grant.bytes))
    line = msgspec.structs.replace(line, granted=total, is_rest=grant.is_rest)
    return _replaced(ledger, lives={**ledger.lives, life: line}, is_short=False)


def new_grant(line: Line, told: Amount) -> Grant | None:
    """Return what a life was granted beyond what it has been told of."""
    if line.granted == told:
        return None
    return Grant(*line.granted.minus(told), is_rest=line.is_rest)


def _next_grant(ledger: Ledger, limits: Limits) -> Grant | None:
    """Return the next grant for any life that asks; None if nothing is left for now."""
    charged = ledger.charged
    left_pages, left_bytes = limits.pages - charged.pages, limits.bytes - charged.bytes
    if (limits.pages and left_pages <= 0) or (limits.bytes and left_bytes <= 0):
        return None
    share = 2 * len(ledger.lives)
    pages = max(1, left_pages // share) if limits.pages else 0
    if not limits.bytes:
        return Grant(pages, 0, is_rest=False)
    if left_bytes >= limits.largest_bytes:
        return Grant(pages, max(limits.largest_bytes, left_bytes // share), is_rest=False)
    if any(line.charged.bytes for line in ledger.lives.values()):
        return None  # the rest is not final: a life may still return some of its bytes
    return Grant(pages, left_bytes, is_rest=True)


def reached(ledger: Ledger, limits: Limits, losses: int = 0) -> str:
    """Return the limit that the durable pages have reached: `pages`, `bytes` or "".

    Pages that were lost with a machine do not count. No limit is therefore reached before every
    count includes as many losses as there were.
    """
    if len(ledger.kept) < limits.partitions:
        return ""
    if losses and min(one.losses for one in ledger.kept.values()) < losses:
        return ""
    total = ledger.total
    if limits.pages and total.pages >= limits.pages:
        return "pages"
    return "bytes" if limits.bytes and total.bytes >= limits.bytes else ""


def _without(ledger: Ledger, lives: Collection[int]) -> Ledger:
    if not lives & ledger.lives.keys():
        return ledger
    return _replaced(ledger, lives={n: one for n, one in ledger.lives.items() if n not in lives})


def _larger(one: Amount, other: Amount) -> Amount:
    return Amount(max(one.pages, other.pages), max(one.bytes, other.bytes))


def _replaced(ledger: Ledger, **fields: object) -> Ledger:
    return msgspec.structs.replace(ledger, **fields)
