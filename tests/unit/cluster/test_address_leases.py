"""Address groups: one holder at a time, through lost and late writes and deaths."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from lycosa.cluster.address_leases import GROUPS, LeaseDesk, group_of
from lycosa.cluster.board.memory import MemoryBoard
from lycosa.cluster.board.protocol import UNDECIDED
from lycosa.cluster.membership.calls import Call, Put, Result, make

PAUSE = 2.0


class World:
    """Some lives that ask two groups, on a board whose writes may be lost, silent or late."""

    def __init__(self, seed: int, lives: int) -> None:
        self.random = Random(seed)
        self.board = MemoryBoard(kept_versions=8)
        self.now = 0.0
        self.late: list[tuple[float, Put]] = []
        self.desks = {number: LeaseDesk(number, PAUSE + 1) for number in range(1, lives + 1)}
        self.gone: set[int] = set()
        self.is_rough = True
        self.used: dict[int, tuple[int, float]] = {}
        self.turns: dict[int, int] = dict.fromkeys(self.desks, 0)

    def carry(self, call: Call) -> Result:
        chance = self.random.random() if self.is_rough else 1.0
        if isinstance(call, Put):
            if chance < 0.1:
                return UNDECIDED
            if chance < 0.2:
                self.late.append((self.now + self.random.uniform(0, 5), call))
                return UNDECIDED
            answer = make(call, self.board)
            return UNDECIDED if chance < 0.3 else answer
        if chance < 0.1:
            return None
        age = self.random.randint(1, 8) if chance < 0.3 else 0
        return self.board.list("address-group/", age)

    def step(self) -> None:
        self.now += 0.1
        for when, put in [one for one in self.late if one[0] <= self.now]:
            self.late.remove((when, put))
            make(put, self.board)
        for number, desk in self.desks.items():
            if number in self.gone:
                continue
            desk.lives_gone(self.gone)
            if (call := desk.call(self.now)) is not None:
                desk.answered(self.carry(call), self.now)
            for group in (0, 1):
                self.use(number, desk, group)

    def use(self, number: int, desk: LeaseDesk, group: int) -> None:
        """Begin a request if we may, and pass the group on when another waits."""
        if desk.may_use(group, self.now):
            before, last = self.used.get(group, (number, float("-inf")))
            assert before == number or self.now >= last + PAUSE - 1e-6, "asked within its pause"
            self.turns[number] += before != number
            self.used[group] = (number, self.now)
            if group in desk.asked_for:
                desk.pass_on(group, PAUSE)
        elif self.random.random() < 0.2:
            desk.want(group)

    def kill(self) -> None:
        living = sorted(self.desks.keys() - self.gone)
        if len(living) > 2:
            self.gone.add(self.random.choice(living))


def run(seed: int) -> World:
    world = World(seed, 5)
    for n in range(1200):
        world.is_rough = n < 900
        if n in (300, 600):
            world.kill()
        world.step()
    return world


def test_no_two_lives_ask_a_group_within_its_pause() -> None:
    for seed in range(10):
        world = run(seed)
        living = world.desks.keys() - world.gone
        assert all(world.turns[number] for number in living), (seed, world.turns)


def test_using_a_group_that_is_being_passed_on_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(self: LeaseDesk, group: int, now: float) -> bool:
        return now >= self._free_at.get(group, float("inf"))

    monkeypatch.setattr(LeaseDesk, "may_use", careless)
    assert is_caught(run)


def test_a_pause_that_does_not_travel_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = LeaseDesk.pass_on
    monkeypatch.setattr(LeaseDesk, "pass_on", lambda self, group, rest: passed(self, group, 0.0))
    assert is_caught(run)


def is_caught(act: Callable[[int], object]) -> bool:
    for seed in range(25):
        try:
            act(seed)
        except AssertionError:
            return True
    return False


def test_a_group_that_no_one_wants_stays_with_its_holder() -> None:
    world = World(1, 2)
    world.is_rough = False
    desk = world.desks[1]
    desk.want(0)
    for n in range(20):
        if (call := desk.call(n / 10)) is not None:
            desk.answered(make(call, world.board), n / 10)
    assert desk.may_use(0, 2.0)
    assert desk.asked_for == set()


def test_addresses_have_groups() -> None:
    assert {group_of(f"10.0.{n % 256}.{n // 256}") for n in range(5000)} == set(range(GROUPS))
