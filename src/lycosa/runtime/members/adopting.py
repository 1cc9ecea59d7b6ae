"""Makes the workers of one process follow the operator's orders, over all its lives.

Orders are notes in the log and nothing else. New ones come with the other notes, twice a second,
and before every plan of partitions the member asks the log itself for the next one (`member`). The
worker follows a job of its own, which changes with the orders (`control.live_job`).

Always true: a life takes no partition before it knows every order that was given before its plan,
so no request of it begins under older settings. A crawl that was paused in the meantime stays
paused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from lycosa.crawl.ports import Ports
from lycosa.crawl.worker.worker import Worker
from lycosa.model.clock import Clock
from lycosa.model.job import Job
from lycosa.runtime.cluster.settings import Settings, unpack
from lycosa.runtime.coordination.changes import change
from lycosa.runtime.coordination.keys import SETTINGS
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.members.limits import SharedLimits
from lycosa.runtime.orders.applying import Applier, Steering
from lycosa.runtime.orders.desk import known_in_force, note_order, order_name, orders_among
from lycosa.runtime.orders.live_job import Bandwidth, LiveJob
from lycosa.runtime.orders.orders import InForce, Numbered, Order, Pause, Resume, SetValue, Unset
from lycosa.storage.log.protocol import Log

_ORDERS = order_name(1).rpartition("/")[0]


class Adopter:
    """Applies the orders to one worker process, over all its lives."""

    def __init__(self, job: Job, clock: Clock, machines: Callable[[], int]) -> None:
        """Follow `job`; `machines` returns how many machines crawl, which multiplies an address's
        pause."""
        self._live = LiveJob(job, clock, machines)
        self._clock = clock
        self._given: list[Numbered] = []
        self._early: dict[str, bytes] = {}
        """Orders that have come before one with a smaller number."""
        self._steering: Steering | None = None
        self._limits: SharedLimits | None = None
        self.in_force = InForce()
        """The combined effect of the orders that are followed."""
        self.applied = 0
        """Number of the last order that is durable on all partitions of this process."""

    @property
    def job(self) -> Job:
        """The job that the worker follows."""
        return self._live.job

    def employ(
        self, ports: Ports, worker: Worker, transport: Bandwidth, limits: SharedLimits
    ) -> None:
        """Begin with the worker of another life."""
        applier = Applier(ports, worker, self._orders_applied)
        self._limits = limits
        self._steering = Steering(
            self._live, applier, worker, transport, limits, share=lambda connections: connections
        )
        self._follow(self._given)

    def noted(self, notes: Mapping[str, bytes]) -> None:
        """Read notes of the log."""
        self._early.update(notes)
        self.learn(orders_among(self._early, self.in_force.last))
        self._early = {name: note for name, note in self._early.items() if self._is_early(name)}

    def learn(self, given: Sequence[Numbered]) -> None:
        """Follow new orders; those that are known are left out."""
        given = [one for one in given if one.number > self.in_force.last]
        if given:
            self._given += given
            self._follow(given)

    def look(self) -> None:
        """Apply orders that had to wait, and begin requests again after a pause."""
        if self._steering is not None:
            self._steering.look()

    # -- inside ---------------------------------------------------------------------------

    def _follow(self, given: Sequence[Numbered]) -> None:
        if self._steering is None or self._limits is None:
            for one in given:  # there is no life yet
                self.in_force = self.in_force.after(one.number, one.order)
            return
        self._steering.learn(given, self._clock.now())
        self.in_force = self._steering.in_force
        self._limits.ordered(self.in_force.last)

    def _is_early(self, name: str) -> bool:
        prefix, _, number = name.rpartition("/")
        return prefix == _ORDERS and int(number) > self.in_force.last

    def _orders_applied(self, number: int) -> None:
        self.applied = number


def note_old_settings(log: Log, board: Board) -> None:
    """Note as orders what an earlier version has left on the board, and remove it there.

    Orders are noted before the value is removed, and only those that are missing, so that all of it
    can be repeated after a kill.
    """

    def noted(value: bytes) -> bytes:
        for order in _missing(unpack(value), known_in_force(log)) if value else ():
            note_order(log, order)
        return b""

    change(board, SETTINGS, noted)


def _missing(old: Settings, known: InForce) -> Iterator[Order]:
    """Yield the orders that bring settings back into force."""
    for name, value in old.values.items():
        if known.values.get(name) != value:
            yield SetValue(name, value)
    for name in known.values.keys() - old.values:
        yield Unset(name)
    if old.is_paused != known.is_paused:
        yield Pause() if old.is_paused else Resume()
