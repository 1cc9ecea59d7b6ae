"""The gates of addresses in plain Python: what `lycosa.frontier.readiness.addresses` has to do."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from lycosa.frontier.readiness.addresses import (
    HANDSHAKE_SECONDS,
    LIVELY_SECONDS,
    MOST_LIVELY,
    Slots,
)
from lycosa.frontier.readiness.agenda import Agenda

NEW, MISSED, PROVEN = range(3)


class Entrant(Protocol):
    """The readiness of a partition, whose hosts are let through."""

    def let_through(self, host: int, now: float) -> bool:
        """Wake the host's sites; False if it has nothing left to fetch."""

    def comes_next(self, host: int, now: float) -> None:
        """Prepare for the host's turn."""

    def has_answered(self, host: int) -> bool:
        """Return whether the log says that the host can be reached."""


class _Gate:
    __slots__ = ("free_at", "is_crowding", "is_taken", "noted", "number", "queue", "standing")

    def __init__(self, number: int, free_at: float, standing: int = NEW) -> None:
        self.number = number
        self.standing = standing
        self.is_crowding = False
        """Whether it waits for a place."""
        self.is_taken = False
        self.free_at = free_at
        self.noted = False
        self.queue: deque[tuple[Entrant, int]] | None = None
        """The hosts that wait; None until one had to."""

    def line(self) -> deque[tuple[Entrant, int]]:
        """Return the queue, which is made."""
        if self.queue is None:
            self.queue = deque()
        return self.queue


class PlainAddresses:
    """The gates of all addresses that this worker asks."""

    def __init__(
        self,
        agenda: Agenda,
        ip_delay_seconds: float,
        shut_until: float,
        slots: Slots | None = None,
        machines_at: Callable[[str], int] | None = None,
        connections: Callable[[], int] = lambda: 65_536,
    ) -> None:
        """`machines_at` says how many machines ask an address, which share its pace.

        `connections` says how many requests the worker may have under way.
        """
        self._connections = connections
        self.newcomers: set[int] = set()
        """Gates that hold a place: claimed or about to be, and not proven."""
        self._crowd: deque[_Gate] = deque()
        self._is_admitting = False
        self._lively: dict[int, float] = {}
        """When each proven gate was last asked, the latest at the end."""
        self._latest = -1
        """The gate that was noted last."""
        self._machines_at = machines_at
        self._agenda = agenda
        self._slots = slots
        self._ip_delay_seconds = ip_delay_seconds
        self._shut_until = shut_until
        self._gates: dict[str, _Gate] = {}
        self._by_number: list[_Gate] = []

    def pace(self, ip_delay_seconds: float) -> None:
        """Change the pause between two requests to an address, from the next one on."""
        self._ip_delay_seconds = ip_delay_seconds

    def enter(
        self, address: str, entrant: Entrant, host: int, now: float, had_turn: bool = False
    ) -> None:
        """Queue a host that may be asked as far as its own clock goes.

        One that had its turn and was not ready for it comes before all others.
        """
        gate = self._gates.get(address)
        if gate is None:
            standing = PROVEN if entrant.has_answered(host) else NEW
            gate = _Gate(len(self._by_number), self._shut_until, standing)
            self._gates[address] = gate
            self._by_number.append(gate)
        if not gate.queue and not gate.is_taken and gate.free_at <= now:
            gate.is_taken = True
            if not entrant.let_through(host, now):
                self._end_turn(gate, now)
            return
        if had_turn:
            gate.line().appendleft((entrant, host))
        else:
            gate.line().append((entrant, host))
        self._advance(gate, now)

    def leave(self, address: str, now: float) -> None:
        """End the turn of a host that has sent no request."""
        self._end_turn(self._gates[address], now)

    def claim(self, address: str, now: float) -> bool:
        """Make sure, right before a request, that there is a place and no other process asks."""
        gate = self._gates[address]
        if gate.standing != PROVEN and not self._take_place(gate, now):
            return False
        if self._slots is None:
            return True
        seconds = self._slots.take(address, self._ip_delay_seconds)
        if seconds:
            gate.free_at = now + max(seconds, 0.001)
        return not seconds

    def queue_again(self, address: str, entrant: Entrant, host: int, now: float) -> None:
        """Put a host whose claim failed back to the head of the queue."""
        gate = self._gates[address]
        gate.line().appendleft((entrant, host))
        self._end_turn(gate, now)

    def asked(self, address: str, now: float, keeps: bool = False) -> None:
        """Say that the answer is in: the address's pause begins.

        With `keeps` its slot may stay ours: the caller sends requests, then lets others in.
        """
        gate, pause = self._gates[address], self._ip_delay_seconds
        if self._machines_at is not None:
            pause *= self._machines_at(address)
        if self._slots is not None:
            self._slots.let_go(address, pause, keeps)
        if gate.standing == PROVEN:
            if gate.number == self._latest:  # it stands at the end already
                self._lively[gate.number] = now
            else:
                self._note_lively(gate, now)
        gate.free_at = now + pause
        self._end_turn(gate, now)

    def handshake_seconds(self, address: str) -> float:
        """Return the time limit for TCP's handshake with an address; 0 is the job's own."""
        return HANDSHAKE_SECONDS if self._gates[address].standing == NEW else 0.0

    def missed(self, address: str) -> None:
        """Note that the short handshake with an address failed."""
        self._gates[address].standing = MISSED

    def heard(self, address: str, now: float, *, has_answered: bool) -> None:
        """Note whether anything has come from an address; its place is free, its turn goes on."""
        gate = self._gates[address]
        if has_answered:
            gate.standing = PROVEN
            self._note_lively(gate, now)
        elif gate.standing == PROVEN:
            gate.standing = NEW
            self._lively.pop(gate.number, None)
        self._give_place_up(gate, now)

    def done(self, address: str, now: float) -> None:
        """Note that a host of an address has nothing left to fetch: it needs no connection."""
        gate = self._gates[address]
        if not gate.queue and not gate.is_taken and self._lively.pop(gate.number, None) is not None:
            self._give_place_up(gate, now)

    def served(self) -> list[str]:
        """Return all addresses that were asked, or are about to be."""
        return list(self._gates)

    def owed(self, now: float) -> dict[str, float]:
        """Return the addresses that must rest, and for how many seconds more."""
        rest = self._ip_delay_seconds
        return {
            address: rest if gate.is_taken else gate.free_at - now
            for address, gate in self._gates.items()
            if gate.is_taken or gate.free_at > now
        }

    def rest(self, address: str, until: float) -> None:
        """Let nobody through to an address before this moment: others have just asked it."""
        gate = self._gates.get(address)
        if gate is None:
            gate = self._gates[address] = _Gate(len(self._by_number), self._shut_until)
            self._by_number.append(gate)
        gate.free_at = max(gate.free_at, until)

    def rest_all(self, until: float) -> None:
        """Let nobody through to any address before this moment."""
        self._shut_until = max(self._shut_until, until)
        for gate in self._by_number:
            gate.free_at = max(gate.free_at, until)

    def _advance(self, gate: _Gate, now: float) -> None:
        """Let the next host through, or note when that will be possible."""
        while gate.queue and not gate.is_taken and not gate.is_crowding:
            if gate.free_at > now:
                if not gate.noted:
                    gate.noted = True
                    self._agenda.note(gate.free_at, self._on_free, gate.number)
                return
            entrant, host = gate.queue.popleft()
            gate.is_taken = True
            if not entrant.let_through(host, now):
                gate.is_taken = False
            elif gate.queue:
                entrant, host = gate.queue[0]
                entrant.comes_next(host, now)

    def _end_turn(self, gate: _Gate, now: float) -> None:
        """Let others go on after a host's turn; the gate itself comes after those in the crowd."""
        gate.is_taken = False
        if self.newcomers:
            self._give_place_up(gate, now)
        if gate.queue:
            self._advance(gate, now)

    # -- places for newcomers -------------------------------------------------------------

    def _take_place(self, gate: _Gate, now: float) -> bool:
        """Give a gate that is not proven a place; without one it waits in the crowd."""
        if gate.number in self.newcomers:  # it comes out of the crowd
            return True
        if len(self.newcomers) < self._places(now):
            self.newcomers.add(gate.number)
            return True
        gate.is_crowding = True
        self._crowd.append(gate)
        return False

    def _places(self, now: float) -> int:
        """Return how many connections newcomers may hold.

        At least one, also where the worker may send nothing for now: its end admits the others.
        """
        connections, lively = self._connections(), self._lively
        while lively and now - lively[first := next(iter(lively))] >= LIVELY_SECONDS:
            del lively[first]
        return max(connections - min(connections // 2, len(lively)), 1)

    def _note_lively(self, gate: _Gate, now: float) -> None:
        self._latest = gate.number
        self._lively.pop(gate.number, None)
        self._lively[gate.number] = now
        if len(self._lively) > MOST_LIVELY:
            del self._lively[next(iter(self._lively))]

    def _give_place_up(self, gate: _Gate, now: float) -> None:
        """Free the place of a gate, if it has one, and let gates of the crowd have theirs."""
        self.newcomers.discard(gate.number)
        if self._is_admitting:  # the loop below goes on by itself
            return
        self._is_admitting = True
        while self._crowd and len(self.newcomers) < self._places(now):
            first = self._crowd.popleft()
            first.is_crowding = False
            self.newcomers.add(first.number)
            self._advance(first, now)
            if not first.is_taken:  # it has nothing left to fetch, or must look its address up
                self.newcomers.discard(first.number)
        self._is_admitting = False

    def _on_free(self, number: int, now: float) -> None:
        gate = self._by_number[number]
        gate.noted = False
        self._advance(gate, now)
