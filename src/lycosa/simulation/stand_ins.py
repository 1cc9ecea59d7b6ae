"""Virtual stand-ins for a machine's clock, transport and address slots.

A simulated worker gets them in place of the real ones. The shifted ones give a machine a wrong
clock while the simulated web keeps the right time.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from typing import Any, TypeVar

from lycosa.crawl.suspects.findings import Asked, Findings
from lycosa.frontier.readiness.addresses import Slots
from lycosa.model.clock import Timer, VirtualClock
from lycosa.model.job import Job
from lycosa.model.records import Answer, Request
from lycosa.runtime.isolation.readers import Readers
from lycosa_testweb.carrier import InProcessCarrier

T = TypeVar("T")


class MemorySlots(Slots):
    """Address slots of workers that live in one process, in virtual time."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._held: set[str] = set()
        self._kept: set[str] = set()
        self._free_at: dict[str, float] = {}

    @property
    def kept(self) -> set[str]:
        """Addresses held by the acting worker without a request in flight."""
        return self._kept

    def take(self, address: str, pause_seconds: float) -> float:
        """Take an address and return 0, or the seconds until the next attempt."""
        if address in self._held and address not in self._kept:
            return max(0.02, pause_seconds)
        left = self._free_at.get(address, 0.0) - self._clock.now()
        if left > 0:
            return left
        self._held.add(address)
        self._kept.discard(address)
        return 0.0

    def let_go(self, address: str, pause_seconds: float, keeps: bool = False) -> None:
        """Give an address back, to be taken again after the pause."""
        self._free_at[address] = self._clock.now() + pause_seconds
        if keeps and not pause_seconds:
            self._kept.add(address)
        else:
            self._held.remove(address)

    def let_others_in(self) -> None:
        """Release the addresses that were kept."""
        self._held -= self._kept
        self._kept.clear()


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
        """Run a job on a side thread."""
        self._clock.run_aside(job, done)


class ReadsHere:
    """Reads pages in this process as the separate process would."""

    def __init__(self, job: Job, clock: ShiftedClock, *, has_plugins: bool) -> None:
        self._readers = Readers(job, has_plugins=has_plugins)
        self._clock = clock

    def read(self, asked: Asked, on_found: Callable[[Findings | None], None]) -> None:
        """Read an answer; its findings are packed as if sent between processes."""
        packed = marshal.dumps(self._readers.read(asked).packed())
        found = Findings.unpacked(marshal.loads(packed))
        self._clock.call_at(self._clock.now(), on_found, found)

    def cut_all(self) -> None:
        """Do nothing: pages are read at once."""


class ShiftedTransport:
    """Carries requests, and turns the moments of answers into those of the machine's clock."""

    def __init__(self, carrier: InProcessCarrier, shift: float) -> None:
        self._carrier = carrier
        self._shift = shift
        self.resolve = carrier.resolve
        self.cut_all, self.cut, self.let_go = carrier.cut_all, carrier.cut, carrier.let_go

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        """Send one request; `on_answer` is called once, later."""
        if self._shift:
            self._carrier.send(request, lambda answer: on_answer(answer.earlier(-self._shift)))
        else:
            self._carrier.send(request, on_answer)
