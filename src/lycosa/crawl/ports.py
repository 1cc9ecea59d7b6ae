"""The ports of a worker: protocols for clock, transport, log, store and limits.

A crawl gives it real ones (`processes.runtime`), a simulation virtual ones (`simulation`); the
worker is the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from msgspec import Struct, field

from lycosa.clock import Clock
from lycosa.cluster.partitioners import Partitioner
from lycosa.config import Job
from lycosa.crawl.budget import Limit
from lycosa.crawl.ending import Report
from lycosa.crawl.scope import JobScope
from lycosa.crawl.status.durations import Durations
from lycosa.frontier.readiness.addresses import Slots
from lycosa.log.protocol import Head, Log
from lycosa.log.snapshot import Snapshots
from lycosa.records import Answer, Capture, KeyedLink, Place, Request, Resolved, Validators
from lycosa.store.tables.link_ends import LinkEnds

if TYPE_CHECKING:
    from lycosa.crawl.apart.readers import Asked, Findings
    from lycosa.plugins.hooks import Hooks
    from lycosa.render.renderer import Renders
    from lycosa.store.warc.record_reader import Stored

T = TypeVar("T")


class Transport(Protocol):
    """Carries requests to the web and answers back; calls back on the worker's thread."""

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        """Send one request; `on_answer` is called once, later."""

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        """Look a host name up; `on_resolved` is called once, later."""

    def cut_all(self) -> None:
        """End every request that is under way; each is called back with a failure, soon or now."""

    def cut(self, partition: int) -> None:
        """End the requests of one partition in the same way."""


@runtime_checkable
class Archive(Protocol):
    """A store that keeps what it is given; those of some simulations do not."""

    def read(self, place: Place) -> Stored:
        """Return the exchange at a place; raises a `LycosaError` where it cannot be read."""


class Store(Protocol):
    """Keeps records; what is appended is durable after the next flush."""

    def append(self, record: Capture) -> Place:
        """Buffer a record and say where it will stand."""

    def flush(self) -> tuple[int, bytes] | None:
        """Make everything appended so far survive a kill; runs beside the worker.

        Returns the ends for the next commit (`Write.ends`), if the store has tables.
        """

    def mark(self) -> int:
        """Return a mark behind everything appended so far."""

    def settle(self, mark: int, partitions: Collection[int]) -> None:
        """Learn that the log has the events of what these partitions appended before a mark.

        Runs beside the worker.
        """

    def lose(self, partition: int, sequence: int) -> None:
        """Learn that decisions about a partition's records are dropped.

        Which of the records count is up to what its log has after `sequence`, the last one known.
        """

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of a record: the adjacency that exact depth needs.

        Raises `Elsewhere` if another machine has it.
        """

    def validators(self, place: Place) -> Validators | None:
        """Return what tells the server that we hold a record, or None."""

    def link_ends(self) -> LinkEnds:
        """Return who links to whom in everything that is stored; runs beside the worker."""


class StoredElsewhere(Protocol):
    """Records that other machines have put into the store of objects; a call may take long.

    Raises `Elsewhere` for what is not there yet, `ObjectsUnavailable` if the store is silent.
    """

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of a record."""

    def validators(self, place: Place) -> Validators | None:
        """Return what tells the server that we hold a record, or None."""


class Distant(Protocol):
    """The way to records of other machines, in a thread of its own."""

    def ask(self, job: Callable[[StoredElsewhere], T], done: Callable[[T], object]) -> None:
        """Let `job` read, and hand `done` its result on the worker's thread."""


class Reservations(Protocol):
    """The job's limits as a worker sees them: `Budget`, or what is granted of it (`grants`)."""

    @property
    def reached(self) -> Limit | None:
        """The limit that has ended the crawl."""

    def look(self, now: float) -> None:
        """Notice limits that are reached without anybody asking: time and disk."""

    def next_moment(self) -> float:
        """Return when the time is up."""

    def reserve(self, now: float) -> int | None:
        """Return how many bytes a fetch may bring, or None: not now, or never again."""

    def keep(self, reserved_bytes: int, size_bytes: int, url: str) -> bool:
        """End a reservation with a page; False if it does not fit and must not be kept."""

    def give_back(self, reserved_bytes: int) -> None:
        """End a reservation that kept nothing."""

    def uncount(self, pages: int, size_bytes: int) -> None:
        """Take back pages that were kept in a partition which has passed to another owner."""


class EndWatch(Protocol):
    """Who is told of idle partitions: `Ending`, or the way to it."""

    @property
    def is_over(self) -> bool:
        """Whether all is done."""

    def report(self, partition: int, report: Report | None) -> None:
        """Note that a partition is idle, or (None) that it is not."""

    @property
    def is_between(self) -> bool:
        """Whether a cycle is over and another follows."""

    def is_possible(self) -> bool:
        """Return whether a look at the heads is worth its cost, and ours to take."""

    @property
    def has_answers(self) -> bool:
        """Whether any server has ever answered."""

    @property
    def patience_ended(self) -> int:
        """How often what is out of reach was to be given up."""

    def end_patience(self) -> None:
        """Let all workers give up what is out of reach."""

    def may_be_stuck(self) -> bool:
        """Return whether no partition has anything left but what is out of reach."""

    def is_stuck(self, read_heads: Callable[[], Sequence[Head]]) -> bool:
        """Return whether that is so and nothing is on its way between partitions."""

    def look(self, heads: Sequence[Head]) -> bool:
        """Return whether this is the second look in a row at the same idle whole, and the last."""


class RenderingPorts(Struct, frozen=True):
    """What a worker needs to render pages."""

    browsers: Sequence[Renders]
    read: Callable[[Place], Stored]
    """Returns the exchange that the archive has at a place."""
    ignore: Callable[[], None] = lambda: None


class ReadsApart(Protocol):
    """What reads answers in another process (`lycosa.crawl.apart.helper`)."""

    def read(self, asked: Asked, on_found: Callable[[Findings | None], None], /) -> None:
        """Read an answer; `on_found` is called later, once: with None if it was cut."""

    def cut_all(self) -> None:
        """End everything under way; each is called back."""


class Ports(Struct, frozen=True):
    """A worker's surroundings."""

    job: Job
    scope: JobScope
    clock: Clock
    log: Log
    snapshots: Snapshots
    store: Store
    transport: Transport
    partitioner: Partitioner
    budget: Reservations
    ending: EndWatch
    owner: str
    random: random.Random = field(default_factory=random.Random)
    may_begin: Callable[[], bool] = lambda: True
    """Whether requests may begin now: False at the end of tenure, on a cluster."""
    is_shared: bool = False
    """Whether other machines crawl, too: the log may let us wait, and partitions are released at
    a stop so that others can take them at once."""
    on_notes: Callable[[Mapping[str, bytes]], None] = lambda notes: None
    """Told of notes in the log as they come in, if the crawl is shared."""
    poll_seconds: float = 0.5
    """How often inboxes are looked at for what others have posted; infinite if nobody else does."""
    machines_at: Callable[[str], int] | None = None
    """How many machines ask an address, this one among them; None on one machine."""
    slots: Slots | None = None
    """What keeps the processes of this machine from asking an address at once."""
    connections: int = 0
    """Our share of the job's connections; 0 is all of them."""
    job_digest: str = ""
    """The digest of the job from whoever knows it; else it is computed."""
    sealed_folder: Path | None = None
    """Where URLs are put for which there is no memory; None keeps them in it, compressed."""
    clock_ahead: float = 0.0
    """By how much `clock` is ahead of the machine's, which was set back (`steady_clock`)."""
    seed_failed: Callable[[str, str], None] = lambda seed, why: None
    """Who wants to know of a seed that cannot be reached, and why."""
    distant: Distant | None = None
    """Records of other machines, if the crawl has a store of objects."""
    durations: Durations = field(default_factory=Durations)
    """Counts how long requests take."""
    rendering: RenderingPorts | None = None
    """Browsers, in a crawl that renders pages."""
    hooks: Hooks | None = None
    """What the job's plugins want to be called for; None when there are none."""
    mark: memoryview[int] | None = None
    """The words in which the page that is read is noted (`lycosa.marks`); None notes nothing."""
    apart: ReadsApart | None = None
    """Reads pages of which a process may have died; None reads all of them here."""
