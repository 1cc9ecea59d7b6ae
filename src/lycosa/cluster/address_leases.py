"""Address groups, each asked by one life at a time: for jobs with `address_scope = "cluster"`.

By default machines that share an IP address share its rate (`cluster.addresses`). A job can ask for
more: one request at a time, over all machines. Addresses are divided into groups by a hash, and a
group is asked only by the life that the board names as its holder. A life that wants a group of
another joins its list; the holder sees that, lets its answers come in, and passes the group to the
first of the list, with the rest of the address's pause as a *duration*.

Always true, while lives hold tenure:
  * no two lives hold a group: it changes hands by compare-and-swap, from its holder, or from a life
    whose tombstone stands on the board;
  * a life that has begun to pass a group on does not use it again before it is given back: the
    write may arrive late.

It costs two writes and up to a second for every change of hands. A `courier` makes the calls.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import msgspec

from lycosa.cluster.addresses import hash_of
from lycosa.cluster.board.keys import ADDRESS_GROUPS, group_key, number_in
from lycosa.cluster.board.protocol import Answer, Entry
from lycosa.cluster.membership.calls import Call, Listing, Put, Result
from lycosa.decoders import msgpack_decoder

GROUPS = 256
LOOK_SECONDS = 0.5


class Lease(msgspec.Struct, frozen=True, array_like=True):
    """What stands on the board under `address-group/7`."""

    holder: int = 0
    wanted: tuple[int, ...] = ()
    rest_seconds: float = 0.0
    """What was left of the pause when the group changed hands."""
    turn: int = 0
    """Counts the changes of hands."""


class _Seen(NamedTuple):
    lease: Lease
    revision: int


_NEW = _Seen(Lease(), 0)


def group_of(address: str) -> int:
    """Return the group of an address."""
    return hash_of(address) % GROUPS


class LeaseDesk:
    """The address groups of one life."""

    def __init__(self, life: int, pause_seconds: float) -> None:
        """`pause_seconds` is how long a group rests that is taken from a dead life."""
        self._life = life
        self._pause_seconds = pause_seconds
        self._seen: dict[int, _Seen] = {}
        self._held: dict[int, int] = {}
        """The groups that we hold, with the turn that is ours."""
        self._free_at: dict[int, float] = {}
        """From when on each of them may be used."""
        self._wanted: set[int] = set()
        self._given: dict[int, float] = {}
        """Groups that we pass on, with the rest of their pause."""
        self._gone: Collection[int] = ()
        self._must_look = True
        self._in_flight: Call | None = None
        self._put: Lease | None = None
        self.due = float("-inf")

    # -- the worker -----------------------------------------------------------------------

    def want(self, group: int) -> None:
        """Ask for a group; repeated asking changes nothing."""
        if group not in self._wanted:
            self._wanted.add(group)
            self.due = float("-inf")

    def may_use(self, group: int, now: float) -> bool:
        """Return whether a request to a group may begin; tenure is asked for besides."""
        return group not in self._given and now >= self._free_at.get(group, float("inf"))

    @property
    def asked_for(self) -> set[int]:
        """Our groups that other lives wait for: use them no more, and `pass_on` when they rest."""
        return {group for group in self._held if self._others(group)}

    def pass_on(self, group: int, rest_seconds: float) -> None:
        """Give a group up, when no request to it is under way."""
        if group in self._held:
            self._given[group] = rest_seconds
            self._wanted.discard(group)
            self.due = float("-inf")

    def lives_gone(self, gone: Collection[int]) -> None:
        """Say which lives are over."""
        self._gone = gone

    # -- the board ------------------------------------------------------------------------

    def call(self, now: float) -> Call | None:
        """Return the next call, if one is due."""
        if self._in_flight is not None or now < self.due:
            return None
        if not self._must_look:
            for group in sorted(self._wanted | self._given.keys()):
                seen = self._seen.get(group, _NEW)
                changed = self._changed(group, seen.lease)
                if changed != seen.lease:
                    self._put = changed
                    value = msgspec.msgpack.encode(changed)
                    self._in_flight = Put(group_key(group), value, seen.revision)
                    return self._in_flight
        if not self._wanted and not self._held:
            return None
        self._in_flight = Listing(ADDRESS_GROUPS)
        return self._in_flight

    def answered(self, result: Result, now: float) -> None:
        """Take in the answer."""
        call, self._in_flight = self._in_flight, None
        if not isinstance(call, Put):
            self.due = now + LOOK_SECONDS
            if isinstance(result, dict):
                self._must_look = False
                self._listed(result, now)
                self.due = now if self._has_more() else self.due
        elif isinstance(result, Answer) and result.is_written:
            assert self._put is not None
            self._look(number_in(call.key), _Seen(self._put, result.revision), now)
        else:
            self._must_look = True
            self.due = now + LOOK_SECONDS / 5

    def _has_more(self) -> bool:
        groups = self._wanted | self._given.keys()
        seen = ((group, self._seen.get(group, _NEW).lease) for group in groups)
        return any(self._changed(group, lease) != lease for group, lease in seen)

    def _listed(self, entries: dict[str, Entry], now: float) -> None:
        for key, entry in entries.items():
            lease = msgpack_decoder(Lease).decode(entry.value)
            self._look(number_in(key), _Seen(lease, entry.revision), now)

    def _look(self, group: int, seen: _Seen, now: float) -> None:
        """Take in what a group's lease is; older revisions are stale."""
        before = self._seen.get(group, _NEW)
        if seen.revision <= before.revision:
            return
        self._seen[group] = seen
        lease = seen.lease
        is_ours = lease.holder == self._life
        if is_ours and self._held.get(group) == lease.turn:
            return
        # Another turn: what we knew of the group, and meant to do with it, is over.
        for known in (self._held, self._free_at, self._given):
            known.pop(group, None)
        if is_ours:
            self._held[group] = lease.turn
            self._free_at[group] = now + lease.rest_seconds

    def _changed(self, group: int, lease: Lease) -> Lease:
        """Return the lease as this life would have it."""
        waiting = tuple(n for n in lease.wanted if n not in self._gone and n != self._life)
        if lease.holder == self._life:
            if group not in self._given:
                return lease
            heir = waiting[0] if waiting else 0
            return Lease(heir, waiting[1:], self._given[group], lease.turn + 1)
        if group not in self._wanted:
            return lease
        if not lease.holder:
            return Lease(self._life, waiting, lease.rest_seconds, lease.turn + 1)
        if lease.holder in self._gone:
            return Lease(self._life, waiting, self._pause_seconds, lease.turn + 1)
        if self._life in lease.wanted:
            return lease
        wanted = (*lease.wanted, self._life)
        return Lease(lease.holder, wanted, lease.rest_seconds, lease.turn)

    def _others(self, group: int) -> bool:
        lease = self._seen[group].lease
        return any(life != self._life and life not in self._gone for life in lease.wanted)
