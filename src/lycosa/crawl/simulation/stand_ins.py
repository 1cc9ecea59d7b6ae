"""Virtual stand-ins for a machine's clock, transport and address slots.

A simulated worker gets them in place of the real ones. The shifted ones give a machine a wrong
clock while the simulated web keeps the right time.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import Any, TypeVar

from lycosa.clock import Timer, VirtualClock
from lycosa.config import Job
from lycosa.crawl.apart.readers import Asked, Findings, Readers
from lycosa.records import Answer, Request
from lycosa.testweb.carrier import InProcessCarrier

T = TypeVar("T")


class MemorySlots:
    """Address slots of workers that live in one process, in virtual time."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._held: set[str] = set()
        self._free_at: dict[str, float] = {}

    def take(self, address: str, pause_seconds: float) -> float:
        """Take an address and return 0, or in how many seconds to try again."""
        if address in self._held:
            return max(0.02, pause_seconds)
        left = self._free_at.get(address, 0.0) - self._clock.now()
        if left > 0:
            return left
        self._held.add(address)
        return 0.0

    def let_go(self, address: str, pause_seconds: float) -> None:
        """Give an address back, to be taken again after the pause."""
        self._held.remove(address)
        self._free_at[address] = self._clock.now() + pause_seconds


class ShiftedClock:
    """The clock of a machine, ahead of the virtual clock of the web by a fixed shift."""

    def __init__(self, clock: VirtualClock, shift: float) -> None:
        self._clock = clock
        self.shift = shift

    def now(self) -> float:
        """Return the present moment by the machine's clock."""
        return self._clock.now() + self.shift

    def call_at(self, moment: float, callback: Callable[..., object], *arguments: Any) -> Timer:
        """Run a callback at a moment of the machine's clock."""
        return self._clock.call_at(moment - self.shift, callback, *arguments)

    def run_aside(self, job: Callable[[], T], done: Callable[[T], object]) -> None:
        """Run a job beside the callbacks."""
        self._clock.run_aside(job, done)


class ReadsHere:
    """Reads pages as the process does that reads them apart, in this one."""

    def __init__(self, job: Job, clock: ShiftedClock, *, has_plugins: bool) -> None:
        self._readers = Readers(job, has_plugins=has_plugins)
        self._clock = clock

    def read(self, asked: Asked, on_found: Callable[[Findings | None], None]) -> None:
        """Read an answer; what is found travels as it would between processes."""
        packed = marshal.dumps(self._readers.read(asked).packed())
        found = Findings.unpacked(marshal.loads(packed))
        self._clock.call_at(self._clock.now(), on_found, found)

    def cut_all(self) -> None:
        """Do nothing: all is read at once."""


class ShiftedTransport:
    """Carries requests, and turns the moments of answers into those of the machine's clock."""

    def __init__(self, carrier: InProcessCarrier, shift: float) -> None:
        self._carrier = carrier
        self._shift = shift
        self.resolve = carrier.resolve
        self.cut_all, self.cut = carrier.cut_all, carrier.cut

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        """Send one request; `on_answer` is called once, later."""
        if self._shift:
            self._carrier.send(request, lambda answer: on_answer(answer.earlier(-self._shift)))
        else:
            self._carrier.send(request, on_answer)
