"""One request at a time per address, with a short pause, for all host names behind it.

Several host names are often one machine. Each address is a gate: hosts whose own pause
is over enter its queue, the first of them is let through (its sites wake), and when its
answer is in, the gate stays shut for `ip_delay_seconds` before the next one is let
through. Only one host per address is awake at any time, so a request costs the same
whether an address has one name or a hundred thousand.

Always true:
  * at most one host of an address is let through and not yet done;
  * none is let through before the pause of the address is over;
  * a host in the queue is let through after all that entered before it, unless it had to
    look up its address first when its turn came;
  * while proven addresses are asked, others leave a connection for each of them, and hold half of
    all at most, rounded up.

The gates belong to the machine, not to a partition: they are not in the log. After a
resume every address begins with its pause, as if it had just been asked. Machines of a cluster
that ask one address do not wait for each other: each takes so much longer pauses.

Places for newcomers. An address that has not answered may never do so, and then holds one of the
worker's connections until a time limit ends it. So connections are reserved for addresses that have
answered (*proven*): one for each that was asked within `LIVELY_SECONDS` and has more to fetch, and
half of all at most. Newcomers share the rest. Each takes a place when it is claimed, until its
request has ended; a gate that finds none goes to the crowd, and its hosts wait. TCP's handshake
with a newcomer has `HANDSHAKE_SECONDS`. An address that misses it goes to the back of the crowd,
and has the job's whole time then.

Other processes of the machine send requests to addresses too. Right before a request the address
is *claimed*: its slot (`slots`), shared by all of them, is taken. While another process has it, the
host goes back to the head of its queue and the gate stays shut for a while.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from lycosa.frontier.readiness.agenda import Agenda

HANDSHAKE_SECONDS = 5.0
"""Time limit for the first handshake with an address that has not answered."""

LIVELY_SECONDS = 60.0
"""For so long after the last request to a proven address a connection stays reserved for it."""
MOST_LIVELY = 4_096
"""Of more addresses than half of the connections the number says nothing."""

NEW, MISSED, PROVEN = range(3)
"""The standing of an address: nothing is known, its short handshake failed, it has answered."""


class Entrant(Protocol):
    """The readiness of a partition, whose hosts are let through."""

    def let_through(self, host: int, now: float) -> bool:
        """Wake the host's sites; False if it has nothing left to fetch."""

    def comes_next(self, host: int, now: float) -> None:
        """Prepare for the host's turn."""

    def has_answered(self, host: int) -> bool:
        """Return whether the log says that the host can be reached."""


class Slots(Protocol):
    """Keeps the processes of a machine from asking one address at once (`readiness.slots`)."""

    def take(self, address: str, pause_seconds: float) -> float:
        """Take an address and return 0, or in how many seconds to try again."""

    def let_go(self, address: str, pause_seconds: float) -> None:
        """Release an address; it rests for `pause_seconds`."""


class _Queue:
    """Hosts that wait at an address.

    Most addresses have few: a list takes 60 bytes, a `deque` 600 from the first host on.
    """

    __slots__ = ("_hosts",)

    LIST_MOST = 16

    def __init__(self) -> None:
        self._hosts: list[tuple[Entrant, int]] | deque[tuple[Entrant, int]] = []

    def __len__(self) -> int:
        return len(self._hosts)

    def append(self, entrant: Entrant, host: int) -> None:
        """Put a host at the end."""
        self._hosts.append((entrant, host))
        if type(self._hosts) is list and len(self._hosts) > self.LIST_MOST:
            self._hosts = deque(self._hosts)

    def put_first(self, entrant: Entrant, host: int) -> None:
        """Put a host before all others."""
        self._hosts.insert(0, (entrant, host))

    def first(self) -> tuple[Entrant, int]:
        """Return the host that is next."""
        return self._hosts[0]

    def pop(self) -> tuple[Entrant, int]:
        """Take out the host that is next."""
        return self._hosts.pop(0) if isinstance(self._hosts, list) else self._hosts.popleft()


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
        self.queue: _Queue | None = None
        """The hosts that wait; None until one had to."""

    def line(self) -> _Queue:
        """Return the queue, which is made."""
        if self.queue is None:
            self.queue = _Queue()
        return self.queue


class Addresses:
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
            gate.line().put_first(entrant, host)
        else:
            gate.line().append(entrant, host)
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
        gate.line().put_first(entrant, host)
        self._end_turn(gate, now)

    def asked(self, address: str, now: float) -> None:
        """Say that the answer is in: the address's pause begins."""
        gate, pause = self._gates[address], self._ip_delay_seconds
        if self._machines_at is not None:
            pause *= self._machines_at(address)
        if self._slots is not None:
            self._slots.let_go(address, pause)
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
            entrant, host = gate.queue.pop()
            gate.is_taken = True
            if not entrant.let_through(host, now):
                gate.is_taken = False
            elif gate.queue:
                entrant, host = gate.queue.first()
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
