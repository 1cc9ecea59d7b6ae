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
    look up its address first when its turn came.

The gates belong to the machine, not to a partition: they are not in the log. After a
resume every address begins with its pause, as if it had just been asked. Machines of a cluster
that ask one address do not wait for each other: each takes so much longer pauses.

Other processes of the machine send requests to addresses too. Right before a request the address
is *claimed*: its slot (`slots`), shared by all of them, is taken. While another process has it, the
host goes back to the head of its queue and the gate stays shut for a while.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from lycosa.frontier.readiness.agenda import Agenda


class Entrant(Protocol):
    """The readiness of a partition, whose hosts are let through."""

    def let_through(self, host: int, now: float) -> bool:
        """Wake the host's sites; False if it has nothing left to fetch."""

    def comes_next(self, host: int, now: float) -> None:
        """Prepare for the host's turn."""


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
    __slots__ = ("free_at", "is_taken", "noted", "number", "queue")

    def __init__(self, number: int, free_at: float) -> None:
        self.number = number
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
    ) -> None:
        """`machines_at` says how many machines ask an address, which share its pace."""
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
            gate = self._gates[address] = _Gate(len(self._by_number), self._shut_until)
            self._by_number.append(gate)
        if not gate.queue and not gate.is_taken and gate.free_at <= now:
            gate.is_taken = True
            if not entrant.let_through(host, now):
                gate.is_taken = False
                self._advance(gate, now)
            return
        if had_turn:
            gate.line().put_first(entrant, host)
        else:
            gate.line().append(entrant, host)
        self._advance(gate, now)

    def leave(self, address: str, now: float) -> None:
        """End the turn of a host that has sent no request."""
        gate = self._gates[address]
        gate.is_taken = False
        self._advance(gate, now)

    def claim(self, address: str, now: float) -> bool:
        """Make sure, right before a request, that no other process asks the address."""
        if self._slots is None:
            return True
        seconds = self._slots.take(address, self._ip_delay_seconds)
        if seconds:
            self._gates[address].free_at = now + max(seconds, 0.001)
        return not seconds

    def queue_again(self, address: str, entrant: Entrant, host: int, now: float) -> None:
        """Put a host whose claim failed back to the head of the queue."""
        gate = self._gates[address]
        gate.is_taken = False
        gate.line().put_first(entrant, host)
        self._advance(gate, now)

    def asked(self, address: str, now: float) -> None:
        """Say that the answer is in: the address's pause begins."""
        gate, pause = self._gates[address], self._ip_delay_seconds
        if self._machines_at is not None:
            pause *= self._machines_at(address)
        if self._slots is not None:
            self._slots.let_go(address, pause)
        gate.is_taken = False
        gate.free_at = now + pause
        self._advance(gate, now)

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
        while gate.queue and not gate.is_taken:
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

    def _on_free(self, number: int, now: float) -> None:
        gate = self._by_number[number]
        gate.noted = False
        self._advance(gate, now)
