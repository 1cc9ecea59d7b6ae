"""Lives on a board in memory, with clocks that a test sets by hand."""

from __future__ import annotations

from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.membership.calls import make
from lycosa.runtime.membership.joining import Agreement
from lycosa.runtime.membership.life import Life
from lycosa.runtime.membership.record import Member
from lycosa.runtime.membership.tenure import Instant

WALL = 1_700_000_000.0
AGREEMENT = Agreement("crawl", "domain over 64 partitions", "", 2)


class Machine:
    """One life, its clock and its way to the board."""

    def __init__(self, board: Board, name: str = "m1", agreement: Agreement = AGREEMENT) -> None:
        self.board = board
        self.life = Life(Member(0, name, "1.0", agreement.format), agreement, 1)
        self.boot = 1000.0
        self.wall_offset = WALL - 1000.0

    def now(self) -> Instant:
        return Instant(self.boot, self.boot + self.wall_offset)

    def run(self, seconds: float = 0.0, step: float = 0.25) -> None:
        """Let time pass and make every call that is due, at once."""
        end = self.boot + seconds
        while True:
            for _ in range(10):
                if not self._step():
                    break
            if self.boot >= end:
                return
            self.boot = min(end, self.boot + step)

    def may_begin(self) -> bool:
        return self.life.may_begin(self.boot)

    def _step(self) -> bool:
        own = self.life.own_call(self.now())
        if own is not None:
            self.life.own_answered(make(own, self.board), self.now())
        watch = self.life.watch_call(self.now())
        if watch is not None:
            self.life.watch_answered(make(watch, self.board), self.now())
        return own is not None or watch is not None


def joined(board: MemoryBoard, name: str = "m1") -> Machine:
    machine = Machine(board, name)
    machine.run(1.5)
    assert machine.life.is_joined
    return machine


def together(*machines: Machine, seconds: float) -> None:
    """Let time pass for several machines alike."""
    for _ in range(round(seconds * 4)):
        for machine in machines:
            machine.run(0.25)
