"""Hosts of one address go one by one, also when another process asks the address."""

from __future__ import annotations

from lycosa.frontier.readiness.addresses import (
    HANDSHAKE_SECONDS,
    LIVELY_SECONDS,
    Addresses,
    Entrant,
    Slots,
)
from lycosa.frontier.readiness.agenda import Agenda


class Entrants(Entrant):
    """Hosts that note when they are let through."""

    def __init__(self, known: tuple[int, ...] = ()) -> None:
        self.passed: list[int] = []
        self.has_work = True
        self._known = known

    def let_through(self, host: int, now: float) -> bool:
        self.passed.append(host)
        return self.has_work

    def comes_next(self, host: int, now: float) -> None:
        """Nothing to prepare."""

    def has_answered(self, host: int) -> bool:
        return host in self._known


class ScriptedSlots(Slots):
    """Slots whose answers are written down beforehand."""

    def __init__(self, *answers: float) -> None:
        self.answers = list(answers)
        self.let_go_of: list[tuple[str, float]] = []

    def take(self, address: str, pause_seconds: float) -> float:
        return self.answers.pop(0)

    @property
    def kept(self) -> list[str]:
        return []

    def let_go(self, address: str, pause_seconds: float, keeps: bool = False) -> None:
        self.let_go_of.append((address, pause_seconds))

    def let_others_in(self) -> None:
        """Nothing is kept."""


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


# -- newcomers ----------------------------------------------------------------------------


class Crowd:
    """Hosts 0 to n, each at an address of its own, at a worker with four connections."""

    def __init__(self, hosts: int, known: tuple[int, ...] = ()) -> None:
        self.entrants = Entrants(known=known)
        self.addresses = Addresses(Agenda(), 0.0, 0.0, connections=lambda: 4)
        self.sent: list[int] = []
        """The hosts that were asked, in order."""
        for host in range(hosts):
            self.enter(host, 0.0)

    def enter(self, host: int, now: float) -> None:
        self.addresses.enter(str(host), self.entrants, host, now)
        self.send(now)

    def send(self, now: float) -> None:
        """Ask every host that was let through, as a worker would."""
        while self.entrants.passed:
            host = self.entrants.passed.pop(0)
            if self.addresses.claim(str(host), now):
                self.sent.append(host)
            else:
                self.addresses.queue_again(str(host), self.entrants, host, now)

    def end(self, host: int, now: float, *, has_answered: bool) -> None:
        self.addresses.heard(str(host), now, has_answered=has_answered)
        self.addresses.asked(str(host), now)
        self.send(now)


def test_while_no_address_has_answered_newcomers_have_all_connections() -> None:
    crowd = Crowd(6)
    assert crowd.sent == [0, 1, 2, 3]
    crowd.end(1, 1.0, has_answered=False)
    assert crowd.sent == [0, 1, 2, 3, 4]


def test_each_address_that_has_answered_has_a_connection_of_its_own() -> None:
    crowd = Crowd(9)
    crowd.end(0, 1.0, has_answered=True)
    assert crowd.sent == [0, 1, 2, 3]  # three newcomers are left, and no more may come
    crowd.end(1, 1.0, has_answered=False)
    assert crowd.sent == [0, 1, 2, 3, 4]
    crowd.enter(0, 3.0)
    assert crowd.sent == [0, 1, 2, 3, 4, 0]


def test_half_of_the_connections_at_most_are_for_addresses_that_have_answered() -> None:
    crowd = Crowd(12)
    for host in range(3):
        crowd.end(host, 1.0, has_answered=True)
    assert crowd.sent == [0, 1, 2, 3, 4]  # two newcomers are left
    crowd.end(3, 1.0, has_answered=False)
    assert crowd.sent == [0, 1, 2, 3, 4, 5]


def test_an_address_that_has_nothing_left_to_fetch_needs_no_connection() -> None:
    crowd = Crowd(12)
    for host in range(2):
        crowd.end(host, 1.0, has_answered=True)
    assert crowd.sent == [0, 1, 2, 3]
    crowd.addresses.done("0", 1.0)
    crowd.send(1.0)
    assert crowd.sent == [0, 1, 2, 3, 4]
    crowd.addresses.done("1", 1.0)
    crowd.addresses.done("1", 1.0)
    crowd.send(1.0)
    assert crowd.sent == [0, 1, 2, 3, 4, 5]


def test_connections_that_no_proven_address_uses_are_lent_to_newcomers() -> None:
    crowd = Crowd(9)
    crowd.end(0, 1.0, has_answered=True)
    crowd.end(1, 1.0 + LIVELY_SECONDS, has_answered=False)
    assert crowd.sent == [0, 1, 2, 3, 4, 5]


def test_an_address_that_answered_before_a_resume_is_no_newcomer() -> None:
    crowd = Crowd(9, known=(7,))
    assert crowd.sent == [0, 1, 2, 3, 7]


def test_an_address_that_falls_silent_is_a_newcomer_again() -> None:
    crowd = Crowd(6, known=(0, 1, 2, 3, 4, 5))
    assert crowd.sent == [0, 1, 2, 3, 4, 5]
    for host in range(4):
        crowd.end(host, 1.0, has_answered=False)
        crowd.enter(host, 2.0)
    assert crowd.sent[6:] == [0, 1, 2, 3]
    crowd.end(4, 3.0, has_answered=True)
    crowd.end(5, 3.0, has_answered=False)
    crowd.enter(5, 3.0)
    crowd.enter(4, 3.0)
    assert crowd.sent[10:] == [4]


def test_an_address_that_misses_its_handshake_goes_to_the_back_and_has_the_whole_time() -> None:
    crowd = Crowd(6)
    assert crowd.addresses.handshake_seconds("0") == HANDSHAKE_SECONDS
    crowd.addresses.missed("0")
    crowd.addresses.asked("0", 5.0)
    crowd.send(5.0)
    crowd.enter(0, 5.0)
    assert crowd.sent == [0, 1, 2, 3, 4]
    for host in (1, 2):
        crowd.end(host, 6.0, has_answered=False)
    assert crowd.sent == [0, 1, 2, 3, 4, 5, 0]
    assert crowd.addresses.handshake_seconds("0") == 0.0


def test_a_worker_that_may_send_nothing_does_not_forget_those_in_the_crowd() -> None:
    crowd = Crowd(0)
    connections = [0]
    crowd.addresses = Addresses(Agenda(), 0.0, 0.0, connections=lambda: connections[0])
    for host in range(3):
        crowd.enter(host, 0.0)
    assert crowd.sent == [0]
    connections[0] = 4
    crowd.end(0, 1.0, has_answered=False)
    assert crowd.sent == [0, 1, 2]


def test_a_crowd_that_has_nothing_left_to_fetch_is_gone_through_without_recursion() -> None:
    crowd, hosts = Crowd(5_000), 5_000
    assert crowd.sent == [0, 1, 2, 3]
    crowd.entrants.has_work = False
    crowd.addresses.leave("0", 1.0)
    assert crowd.entrants.passed == list(range(4, hosts))
    assert crowd.addresses.newcomers == {1, 2, 3}
