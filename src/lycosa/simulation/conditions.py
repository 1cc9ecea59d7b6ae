"""The circumstances of a simulated crawl that a test may vary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from lycosa.crawl.ports import Distant, RenderingPorts, Store
from lycosa.crawl.worker.worker import Worker
from lycosa.features.plugins.hooks import Hooks
from lycosa.model.clock import Clock
from lycosa.runtime.orders.orders import Order
from lycosa.storage.archive.journal import Journal
from lycosa_testweb.carrier import NAME_SECONDS
from lycosa_testweb.referee.referee import Referee


class Conditions(NamedTuple):
    """Time, disk, names, plugins and judge of a simulated crawl."""

    begins_at: float = 1_700_000_000.0
    """The virtual moment of the start."""
    commit_takes_seconds: float = 0.004
    name_seconds: tuple[float, float] = NAME_SECONDS
    """Shortest and longest time of a name lookup."""
    poll_seconds: float = 0.5
    """Interval at which each of several workers looks for links from the others. Where hours of
    virtual time pass in waiting, a longer interval makes a run much shorter."""
    clock_error: Callable[[int], float] = lambda life: 0.0
    """For each life, how many seconds the machine's clock is ahead of the web's."""
    free_disk: Callable[[], int] = lambda: 1 << 62
    """Returns how many bytes are free on the disk."""
    hooks: Hooks | None = None
    """Functions of plugins."""
    on_begun: Callable[[Sequence[Worker]], None] = lambda workers: None
    """Called when the workers of a life have begun; it may let them hand partitions over."""
    make_store: Callable[[Path, int], Store] | None = None
    """Makes the store of a worker in the folder of the crawl; None gives all of them a journal."""
    distant: Distant | None = None
    """Reader of records that other machines have uploaded."""
    orders: Sequence[tuple[float, Order]] = ()
    """Orders of the operator, each with the virtual seconds after which it is given."""
    reads_apart: bool = False
    """Whether pages are marked before reading, and suspects read as in another process."""
    rendering: Callable[[Clock, Journal], RenderingPorts] | None = None
    """Makes the browsers of a worker, which render in virtual time; None: nothing is rendered."""
    referee: Referee | None = None
    """The judge; None makes one with the rules that the job promises."""


ORDINARY = Conditions()
