"""The calls of one process to the board, in virtual time.

The threads of a real process (`runtime.membership.session`, `runtime.cluster.courier`) become
timers here. A call takes its time, its answer may be lost or come late, and a request that was sent
arrives even if its sender is dead by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from lycosa.model.clock import VirtualClock
from lycosa.runtime.cluster.courier import Desk
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.coordination.protocol import ANSWER_SECONDS, UNAVAILABLE, UNDECIDED
from lycosa.runtime.membership.calls import Call, Listing, Put, Result, make
from lycosa.runtime.membership.life import OVER, Life, Phase
from lycosa.runtime.membership.record import Member
from lycosa.runtime.membership.tenure import Instant
from lycosa.simulation.cluster.process_clock import ProcessClock

TICK_SECONDS = 0.5
LOST, LATE, STALE = 0.03, 0.01, 0.05
"""Shares of calls that lose their request or answer, arrive up to 20 s late, or read old values."""


class Way:
    """A process's connection to the board."""

    def __init__(
        self, server: MemoryBoard, true: VirtualClock, clock: ProcessClock, chance: Random
    ) -> None:
        self._server = server
        self._true = true
        self._clock = clock
        self._chance = chance
        self.is_cut = False
        self.is_loose = True

    def send(self, call: Call, on_answer: Callable[[Result], None]) -> None:
        """Make a call; its answer comes once, even if only to report that none came."""
        is_answered = False

        def answer(result: Result) -> None:
            nonlocal is_answered
            if not is_answered:
                is_answered = True
                on_answer(result)

        def arrive() -> None:
            result = self._made(call)
            back = self._delay()
            if back is not None and not self.is_cut:
                self._clock.after(back, lambda: answer(result))

        none = UNDECIDED if isinstance(call, Put) else None
        if self.is_cut and self._chance.random() < 0.5:
            at_once = UNAVAILABLE if isinstance(call, Put) else None
            self._clock.after(0.1, lambda: answer(at_once))
            return
        there = self._delay()
        if there is not None and not self.is_cut:
            self._true.call_at(self._true.now() + there, arrive)
        self._clock.after(ANSWER_SECONDS, lambda: answer(none))

    def _delay(self) -> float | None:
        chance = self._chance.random()
        if self.is_loose and chance < LOST:
            return None
        if self.is_loose and chance < LOST + LATE:
            return self._chance.uniform(0, 20)
        return self._chance.expovariate(50)

    def _made(self, call: Call) -> Result:
        if isinstance(call, Put) or not self.is_loose or self._chance.random() >= STALE:
            return make(call, self._server)
        age = self._chance.randint(1, 12)
        if isinstance(call, Listing):
            return self._server.list(call.prefix, age)
        return self._server.get(call.key, age)


class VirtualSession:
    """The membership of one process, over all its lives."""

    def __init__(
        self,
        way: Way,
        clock: ProcessClock,
        read_clocks: Callable[[], Instant],
        make_life: Callable[[], Life],
    ) -> None:
        self._way = way
        self._clock = clock
        self._read_clocks = read_clocks
        self._make_life = make_life
        self.life = make_life()
        self._desks: Sequence[Desk] = ()
        self._is_busy = False
        self._tick()

    @property
    def number(self) -> int:
        """The number of the present life."""
        return self.life.number

    @property
    def phase(self) -> Phase:
        """Phase of the present life."""
        return self.life.phase

    @property
    def is_joined(self) -> bool:
        """Whether the present life has joined."""
        return self.life.is_joined

    def may_begin(self) -> bool:
        """Return whether a request may begin at this moment."""
        return self.life.may_begin(self._read_clocks().boot)

    def members(self) -> Mapping[int, Member]:
        """Return the records of all lives, as last read."""
        return dict(self.life.members)

    def drain(self) -> None:
        """Announce that this worker hands its partitions over."""
        self.life.drain()

    def stay(self) -> None:
        """Cancel that announcement, while partitions are left."""
        self.life.stay()

    def leave_soon(self) -> None:
        """End the life."""
        self.life.leave()

    def begin_again(self) -> None:
        """Begin a new life."""
        assert self.life.phase in OVER
        self.life = self._make_life()
        self._desks = ()

    def serve(self, desks: Sequence[Desk]) -> None:
        """Make the calls of these desks from now on, as a courier does."""
        self._desks = desks

    def _tick(self) -> None:
        self._clock.call_at(self._clock.now() + TICK_SECONDS, self._tick)
        life, now = self.life, self._read_clocks()
        if (own := life.own_call(now)) is not None:
            self._way.send(own, lambda got: life.own_answered(got, self._read_clocks()))
        if (watch := life.watch_call(now)) is not None:
            self._way.send(watch, lambda got: life.watch_answered(got, self._read_clocks()))
        life.news.clear()
        self._serve_next()

    def _serve_next(self) -> None:
        if self._is_busy:
            return
        for desk in self._desks:
            call = desk.call(self._clock.now())
            if call is not None:
                self._is_busy = True
                self._way.send(call, lambda got, desk=desk: self._served(desk, got))  # type: ignore[misc]
                return

    def _served(self, desk: Desk, result: Result) -> None:
        self._is_busy = False
        desk.answered(result, self._clock.now())
        self._serve_next()
