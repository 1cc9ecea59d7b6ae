"""A process of a cluster ends when it is told to, also while no server answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lycosa.crawl.budget import Limit
from lycosa.model.clock import VirtualClock
from lycosa.runtime.members.lives import LEAVE_SECONDS, Lives
from lycosa.runtime.membership.life import Phase
from lycosa.runtime.membership.record import Member


class SilentSession:
    """A session whose board does not answer."""

    number = 1
    phase = Phase.AGREEING
    is_joined = False

    def __init__(self) -> None:
        self.is_left = False

    def may_begin(self) -> bool:
        return False

    def members(self) -> Mapping[int, Member]:
        return {}

    def drain(self) -> None:
        pass

    def stay(self) -> None:
        pass

    def leave_soon(self) -> None:
        self.is_left = True

    def begin_again(self) -> None:
        raise AssertionError("it was told to stop")


def never(number: int) -> Any:
    raise AssertionError("nobody has joined")


def test_a_process_that_waits_to_join_ends_when_it_is_stopped() -> None:
    clock, session, ended = VirtualClock(), SilentSession(), list[str]()
    lives = Lives(clock, session, never, ended.append)
    lives.begin()
    clock.run(clock.now() + 60)
    assert ended == []
    told = clock.now()
    lives.stop()
    clock.run(told + 60, lambda: bool(ended))
    assert ended == [Limit.STOPPED]
    assert session.is_left
    assert clock.now() <= told + LEAVE_SECONDS + 1


def test_a_process_whose_life_was_cut_off_ends_when_it_is_stopped() -> None:
    clock, session, ended = VirtualClock(), SilentSession(), list[str]()
    lives = Lives(clock, session, never, ended.append)
    lives.life_over()
    clock.run(clock.now() + 60)
    lives.stop()
    clock.run(clock.now() + 60, lambda: bool(ended))
    assert ended == [Limit.STOPPED]
