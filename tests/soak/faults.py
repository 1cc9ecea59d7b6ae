"""Faults of machines, of the network, of the log's servers and of the store, chosen by a seed.

Every fault begins, lasts for some seconds and ends. The kinds come in shuffled decks, so that each
of them comes about as often as any other; their victims are machines that have no other fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from servers.nats import NatsCluster
from soak.machine import Machine
from soak.network import Network
from soak.stores import Store

AFTER_SECONDS = 20.0
"""For how long after a cut a machine may still drop what no other knows: tenure and some."""


class Fault(NamedTuple):
    """A fault that has begun."""

    text: str
    ends_at: float
    end: Callable[[], None]


class Around(NamedTuple):
    """Everything that can break."""

    machines: Sequence[Machine]
    network: Network
    servers: NatsCluster
    store: Store


class Faults:
    """Injects faults, and ends them in time."""

    def __init__(self, around: Around, chance: Random, forget: Callable[[Machine], None]) -> None:
        """`forget` tells the referee that a machine may have lost its last answers."""
        self._around = around
        self._chance = chance
        self._forget = forget
        self._deck: list[str] = []
        self._under_way: list[Fault] = []
        self._doubts: dict[str, float] = {}
        self._server_down = self._store_down = False
        self.counts: Counter[str] = Counter()
        self.kinds: dict[str, Callable[[float], Fault | None]] = {
            "kill": self._kill,
            "stop": self._stop,
            "cut": self._cut,
            "cut to the machine": self._cut_to,
            "cut from the machine": self._cut_from,
            "full disk": self._fill,
            "slow disk": self._slow,
            "clock": self._set_clock,
            "log server killed": self._kill_server,
            "store down": self._stop_store,
        }

    def inject(self, now: float) -> str:
        """Begin the next fault; returns what it is, "" if no victim is there for it."""
        if not self._deck:
            self._deck = list(self.kinds)
            self._chance.shuffle(self._deck)
        kind = self._deck.pop()
        fault = self.kinds[kind](now)
        if fault is None:
            return ""
        self.counts[kind] += 1
        self._under_way.append(fault)
        return f"{kind}: {fault.text}, {fault.ends_at - now:.0f} s"

    def look(self, now: float) -> list[str]:
        """End what is over; returns what it was."""
        over = [fault for fault in self._under_way if fault.ends_at <= now]
        self._under_way = [fault for fault in self._under_way if fault.ends_at > now]
        for fault in over:
            fault.end()
        for machine in self._around.machines:
            until = self._doubts.get(machine.name, 0.0)
            if machine.is_doubtful or now < until:
                self._forget(machine)
                if machine.is_doubtful:
                    self._doubts[machine.name] = now + AFTER_SECONDS
        return [fault.text for fault in over]

    def end_all(self) -> None:
        """End every fault."""
        self.look(float("inf"))

    # -- machines -------------------------------------------------------------------------

    def _victim(self) -> Machine | None:
        whole = [one for one in self._around.machines if one.is_running and not one.is_faulty]
        return self._chance.choice(whole) if whole else None

    def _on_machine(
        self,
        now: float,
        seconds: tuple[float, float],
        begin: Callable[[Machine], None],
        end: Callable[[Machine], None],
        *,
        is_doubtful: bool = True,
    ) -> Fault | None:
        machine = self._victim()
        if machine is None:
            return None
        begin(machine)
        machine.is_faulty, machine.is_doubtful = True, is_doubtful

        def over() -> None:
            end(machine)
            machine.is_faulty = machine.is_doubtful = False

        return Fault(machine.name, now + self._chance.uniform(*seconds), over)

    def _kill(self, now: float) -> Fault | None:
        def kill(machine: Machine) -> None:
            machine.kill()
            self._forget(machine)

        # It is started again by the one who looks after machines.
        return self._on_machine(now, (1, 30), kill, lambda machine: None, is_doubtful=False)

    def _stop(self, now: float) -> Fault | None:
        return self._on_machine(now, (5, 40), Machine.stop, Machine.go_on)

    def _cut(self, now: float) -> Fault | None:
        network = self._around.network
        return self._on_machine(
            now, (5, 40), lambda one: network.unplug(one.name), lambda one: network.plug(one.name)
        )

    def _cut_to(self, now: float) -> Fault | None:
        return self._one_way(now, "INPUT")

    def _cut_from(self, now: float) -> Fault | None:
        return self._one_way(now, "OUTPUT")

    def _one_way(self, now: float, chain: str) -> Fault | None:
        network = self._around.network
        return self._on_machine(
            now,
            (5, 40),
            lambda one: network.block(one.name, chain),
            lambda one: network.unblock(one.name),
        )

    def _fill(self, now: float) -> Fault | None:
        return self._on_machine(now, (10, 30), Machine.fill_disk, Machine.free_disk)

    def _slow(self, now: float) -> Fault | None:
        sync, write = self._chance.choice([(0.2, 0.01), (1.0, 0.05), (4.0, 0.3)])
        return self._on_machine(
            now,
            (10, 30),
            lambda one: one.break_down(sync_seconds=sync, write_seconds=write),
            Machine.break_down,
        )

    def _set_clock(self, now: float) -> Fault | None:
        ahead = self._chance.choice([-3600, 3600])
        return self._on_machine(
            now,
            (10, 40),
            lambda one: one.break_down(clock_seconds=ahead),
            Machine.break_down,
            is_doubtful=False,
        )

    # -- what all machines use ------------------------------------------------------------

    def _kill_server(self, now: float) -> Fault | None:
        if self._server_down:
            return None
        servers = self._around.servers
        number = self._chance.randrange(len(servers.addresses))
        servers.kill(number)
        self._server_down = True

        def start() -> None:
            servers.start(number)
            self._server_down = False

        return Fault(f"n{number}", now + self._chance.uniform(3, 20), start)

    def _stop_store(self, now: float) -> Fault | None:
        store = self._around.store
        if self._store_down:
            return None
        store.go_down(self._chance)
        self._store_down = True

        def come_back() -> None:
            store.come_back()
            self._store_down = False

        return Fault("the store", now + self._chance.uniform(5, 40), come_back)
