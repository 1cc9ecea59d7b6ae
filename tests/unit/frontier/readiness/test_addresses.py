"""Hosts of one address go one by one, also when another process asks the address."""

from __future__ import annotations

from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda


class Entrants:
    """Hosts that note when they are let through."""

    def __init__(self) -> None:
        self.passed: list[int] = []

    def let_through(self, host: int, now: float) -> bool:
        self.passed.append(host)
        return True

    def comes_next(self, host: int, now: float) -> None:
        """Nothing to prepare."""


class ScriptedSlots:
    """Slots whose answers are written down beforehand."""

    def __init__(self, *answers: float) -> None:
        self.answers = list(answers)
        self.let_go_of: list[tuple[str, float]] = []

    def take(self, address: str, pause_seconds: float) -> float:
        return self.answers.pop(0)

    def let_go(self, address: str, pause_seconds: float) -> None:
        self.let_go_of.append((address, pause_seconds))


def test_a_host_whose_address_another_process_asks_waits_at_the_head_of_the_queue() -> None:
    agenda, entrants, slots = Agenda(), Entrants(), ScriptedSlots(0.25, 0.0)
    addresses = Addresses(agenda, 0.5, 0.0, slots)
    for host in (1, 2):
        addresses.enter("192.0.2.1", entrants, host, 100.0)
    assert entrants.passed == [1]
    assert not addresses.claim("192.0.2.1", 100.0)
    addresses.queue_again("192.0.2.1", entrants, 1, 100.0)
    agenda.run(100.2)
    assert entrants.passed == [1]
    agenda.run(100.25)
    assert entrants.passed == [1, 1]
    assert addresses.claim("192.0.2.1", 100.25)
    assert slots.let_go_of == []
    addresses.asked("192.0.2.1", 101.0)
    assert slots.let_go_of == [("192.0.2.1", 0.5)]
    agenda.run(101.49)
    assert entrants.passed == [1, 1]
    agenda.run(101.5)
    assert entrants.passed == [1, 1, 2]


def test_a_wait_too_short_to_be_counted_does_not_let_the_host_through_at_once() -> None:
    agenda, entrants = Agenda(), Entrants()
    addresses = Addresses(agenda, 0.5, 0.0, ScriptedSlots(1e-12))
    addresses.enter("192.0.2.1", entrants, 1, 1_700_000_000.0)
    assert not addresses.claim("192.0.2.1", 1_700_000_000.0)
    addresses.queue_again("192.0.2.1", entrants, 1, 1_700_000_000.0)
    assert entrants.passed == [1]


def test_a_turn_that_is_given_up_lets_go_of_no_slot() -> None:
    agenda, entrants, slots = Agenda(), Entrants(), ScriptedSlots()
    addresses = Addresses(agenda, 0.5, 0.0, slots)
    addresses.enter("192.0.2.1", entrants, 1, 100.0)
    addresses.leave("192.0.2.1", 100.0)
    assert slots.let_go_of == []


def test_machines_that_ask_one_address_share_its_pace() -> None:
    agenda, entrants, slots = Agenda(), Entrants(), ScriptedSlots()
    machines = {"192.0.2.1": 3, "192.0.2.2": 1}
    addresses = Addresses(agenda, 0.5, 0.0, slots, machines.__getitem__)
    for address in machines:
        for host in (1, 2):
            addresses.enter(address, entrants, host, 100.0)
        addresses.asked(address, 100.0)
    assert slots.let_go_of == [("192.0.2.1", 1.5), ("192.0.2.2", 0.5)]
    assert addresses.owed(100.0) == {"192.0.2.1": 1.5, "192.0.2.2": 0.5}
    agenda.run(101.4)
    assert entrants.passed == [1, 1, 2]
    agenda.run(101.5)
    assert entrants.passed == [1, 1, 2, 2]
    assert addresses.served() == ["192.0.2.1", "192.0.2.2"]
