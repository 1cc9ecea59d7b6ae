"""Moves partitions between the workers of a simulated crawl, as an assignment would."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from lycosa.crawl.worker.worker import Worker
from lycosa.simulation.simulation import Simulation
from small_crawl import PARTITIONS


class Mover:
    """Moves a partition between workers at random moments, as an assignment would."""

    def __init__(self, seed: int, moves: int, by_force: float = 0.0, *, tells: bool = True) -> None:
        self._random = random.Random(seed)
        self._by_force = by_force
        self._tells = tells
        self._left = moves
        self._moving: set[int] = set()
        self.handed_over = self.taken_by_force = 0

    def watch(self, simulation: Simulation) -> None:
        """Move partitions of this crawl, and say to its referee what is lost by that."""
        self.clock, self.referee = simulation.clock, simulation.referee

    def __call__(self, workers: Sequence[Worker]) -> None:
        """Begin with the workers of a new life."""
        self._workers = workers
        self._moving.clear()
        self._later()

    def _later(self) -> None:
        if self._left:
            seconds = self._random.expovariate(1 / 20)
            self.clock.call_at(self.clock.now() + seconds, self._move)

    def _move(self) -> None:
        number = self._random.randrange(PARTITIONS)
        owners = [worker for worker in self._workers if number in worker.partitions()]
        others = [worker for worker in self._workers if worker not in owners]
        is_over = any(worker.is_over for worker in self._workers)
        if owners and others and number not in self._moving and not is_over:
            self._left -= 1
            self._moving.add(number)
            successor = self._random.choice(others)
            if self._random.random() < self._by_force:
                self.taken_by_force += 1
                if self._tells:
                    owners[0].drop([number])
                self.referee.partly_killed(self.clock.now())
                successor.take([number], self._moving.discard)
            else:
                self.handed_over += 1
                owners[0].release([number], self._taken_by(successor))
        self._later()

    def _taken_by(self, successor: Worker) -> Callable[[int], None]:
        return lambda number: successor.take([number], self._moving.discard)
