"""The ports of a worker: protocols for clock, transport, log, store and limits.

A crawl passes real ones (`processes.runtime`), a simulation virtual ones (`simulation`); the worker
is the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from msgspec import Struct, field

from lycosa.crawl.budget import Limit
from lycosa.crawl.ending import Finding, Report
from lycosa.crawl.scope import JobScope
from lycosa.crawl.status.durations import Durations
from lycosa.frontier.partition import Partition
from lycosa.frontier.partitioners import Partitioner
from lycosa.frontier.readiness.addresses import Slots
from lycosa.model.clock import Clock
from lycosa.model.job import Job
from lycosa.model.records import (
    Answer,
    Capture,
    Discovered,
    Hinted,
    KeyedLink,
    Place,
    Request,
    Resolved,
    Validators,
)
from lycosa.storage.log.protocol import Head, Log
from lycosa.storage.log.snapshot import Snapshots
from lycosa.storage.tables.link_ends import LinkEnds

if TYPE_CHECKING:
    from lycosa.crawl.suspects.findings import Asked, Findings
    from lycosa.fetch.browser.renderer import Renders
    from lycosa.frontier.fold.state import PartitionState
    from lycosa.frontier.schedulers import Scheduler
    from lycosa.storage.warc.record_reader import Stored

T = TypeVar("T")


class Transport(Protocol):
    """Carries requests to the web and answers back; calls back on the worker's thread."""

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        """Send one request; `on_answer` is called once, later."""

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        """Look a host name up; `on_resolved` is called once, later."""

    def cut_all(self) -> None:
        """End every request in flight; each is called back with a failure, soon or at once."""

    def cut(self, partition: int) -> None:
        """End the requests of one partition in the same way."""

    def let_go(self, is_wanted: Callable[[str], bool], idle_seconds: float) -> None:
        """Close connections to unwanted sites that have been idle for this long."""


@runtime_checkable
class Archive(Protocol):
    """A store that can read its records back; the stores of some simulations cannot."""

    def read(self, place: Place) -> Stored:
        """Return the exchange at a place; raises a `LycosaError` if it cannot be read."""


class Store(Protocol):
    """Keeps records; what is appended is durable after the next flush."""

    def append(self, record: Capture) -> Place:
        """Buffer a record and return its future place."""

    def flush(self) -> tuple[int, bytes] | None:
        """Make everything appended so far survive a kill; runs outside the worker's thread.

        Returns the ends for the next commit (`Write.ends`), if the store has tables.
        """

    def mark(self) -> int:
        """Return a mark behind everything appended so far."""

    def settle(self, mark: int, partitions: Collection[int]) -> None:
        """Learn that the log has the events for the records that partitions appended before a mark.

        Runs outside the worker's thread.
        """

    def lose(self, partition: int, sequence: int) -> None:
        """Learn that decisions about a partition's records are dropped.

        The partition's log after `sequence`, the last one known, decides which of the records
        count.
        """

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of a record, from which exact depths are computed.

        Raises `Elsewhere` if another machine has it.
        """

    def validators(self, place: Place) -> Validators | None:
        """Return the validators that tell the server which version we hold, or None."""

    def link_ends(self) -> LinkEnds:
        """Return source and target of all stored links; runs outside the worker's thread."""


class StoredElsewhere(Protocol):
    """Records that other machines have put into the object store; a call may take long.

    Raises `Elsewhere` for records not there yet, `ObjectsUnavailable` if the store is silent.
    """

    def links(self, place: Place) -> list[KeyedLink]:
        """Return the links of a record."""

    def validators(self, place: Place) -> Validators | None:
        """Return the validators that tell the server which version we hold, or None."""


class Distant(Protocol):
    """Reader of other machines' records, on a thread of its own."""

    def ask(self, job: Callable[[StoredElsewhere], T], done: Callable[[T], object]) -> None:
        """Let `job` read, and hand `done` its result on the worker's thread."""


class Reservations(Protocol):
    """The job's limits for one worker: `Budget`, or the worker's grants (`grants`)."""

    @property
    def reached(self) -> Limit | None:
        """The limit that has ended the crawl."""

    def reach(self, limit: Limit) -> None:
        """End the crawl for a reason; the first one counts."""

    def look(self, now: float) -> None:
        """Check the limits that are reached without a request: time and disk."""

    def next_moment(self) -> float:
        """Return the end of the time limit."""

    def reserve(self, now: float) -> int | None:
        """Return how many bytes a fetch may bring; None if no fetch may start now, or ever."""

    def keep(self, reserved_bytes: int, size_bytes: int, url: str) -> bool:
        """End a reservation with a page; False if it does not fit and must not be kept."""

    def give_back(self, reserved_bytes: int) -> None:
        """End a reservation without a page."""

    def uncount(self, pages: int, size_bytes: int) -> None:
        """Take back pages that were kept in a partition that has passed to another owner."""


class EndWatch(Protocol):
    """Receives idle reports: `Ending`, or `EndingElsewhere` in the place of it."""

    def report(self, partition: int, report: Report | None) -> None:
        """Note that a partition is idle, or (None) that it is not."""

    def look(self, read_heads: Callable[[], Sequence[Head]]) -> Finding:
        """Look for the end, if that is this process's task; return what is known of it."""

    @property
    def finding(self) -> Finding:
        """The result of the last look."""

    @property
    def patience_ended(self) -> int:
        """Number of times that URLs out of reach were to be given up."""

    def end_patience(self) -> None:
        """Let all workers give up the URLs out of reach."""


class Companion(Protocol):
    """Attaches data to links for other partitions, and reads that of incoming links."""

    def hear_message(self, partition: Partition, found: Discovered | Hinted, /) -> None:
        """Use the sender of links as their witness."""

    def end(self) -> None:
        """Learn that all links of the last witness are routed."""

    def sent_before(
        self, partition: Partition, target: int, keys: Sequence[str], fresh: set[str], /
    ) -> None:
        """Learn of links to another partition, of which only the new ones are sent."""

    def sent(self, keys: Sequence[str], /) -> tuple[bytes, bytes]:
        """Return the data that is sent with links: about their page, and about each link."""


class RenderingPorts(Struct, frozen=True):
    """Parts with which a worker renders pages."""

    browsers: Sequence[Renders]
    read: Callable[[Place], Stored]
    """Returns the archived exchange at a place."""


class ReadsApart(Protocol):
    """Reader of answers in another process (`lycosa.runtime.isolation.helper`)."""

    def read(self, asked: Asked, on_found: Callable[[Findings | None], None], /) -> None:
        """Read an answer; `on_found` is called later, once: with None if it was cut."""

    def cut_all(self) -> None:
        """End all reading; each answer is called back."""


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
    may_begin: Callable[[], bool] | None = None
    """Whether requests may begin now: on a cluster False after the end of the lease (tenure); None
    means always."""
    is_shared: bool = False
    """Whether other machines crawl too: calls of the log may wait, and partitions are released at a
    stop so that others can take them at once."""
    on_notes: Callable[[Mapping[str, bytes]], None] = lambda notes: None
    """Called with incoming notes of the log, if the crawl is shared."""
    poll_seconds: float = 0.5
    """Seconds between two looks at inboxes for other processes' posts; infinite without any."""
    machines_at: Callable[[str], int] | None = None
    """Returns how many machines ask an address, this one included; None on one machine."""
    slots: Slots | None = None
    """Keeps the processes of this machine from asking an address at once."""
    connections: int = 0
    """This worker's share of the job's connections; 0 means all of them."""
    job_digest: str = ""
    """Digest of the job, if the caller knows it; otherwise it is computed."""
    sealed_folder: Path | None = None
    """Folder for URLs that do not fit into memory; None keeps them in memory, compressed."""
    clock_ahead: float = 0.0
    """Seconds by which `clock` is ahead of the machine's, which was set back (`steady_clock`)."""
    seed_failed: Callable[[str, str], None] = lambda seed, why: None
    """Called with a seed that cannot be reached, and the reason."""
    noticed: Callable[[str], None] = lambda text: None
    """Called with a warning for the operator."""
    distant: Distant | None = None
    """Records of other machines, if the crawl has an object store."""
    durations: Durations = field(default_factory=Durations)
    """Histogram of the durations of requests."""
    rendering: RenderingPorts | None = None
    """Browsers, in a crawl that renders pages."""
    scheduler: Callable[[PartitionState], Scheduler] | None = None
    """Makes the scheduler of a partition; None makes the built-in one that the job names."""
    mark: memoryview[int] | None = None
    """Words in which the page being read is noted (`lycosa.crawl.suspects.marks`); None notes
    nothing.
    """
    apart: ReadsApart | None = None
    """Reads suspected pages in another process; None reads all pages here."""
