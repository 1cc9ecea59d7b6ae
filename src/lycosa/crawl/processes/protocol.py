"""What a supervisor and its workers say to each other.

Each message is one small record; `lycosa.crawl.processes.channel` carries them, in order. All
counts of an `Account` are totals of this life of the worker, so that a later one makes an earlier
one needless.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Post(msgspec.Struct, frozen=True):
    """Where a worker is placed; what its process is started with."""

    number: int
    partitions: list[int]
    connections: int
    bytes_per_second: int
    is_alone: bool
    """Whether nobody else crawls: then it knows what counts in the segments of the dead."""
    job_digest: str = ""
    """Of the job, from whoever has it already: of a long list of seeds it takes a second."""
    clock_offset: float | None = None
    """The crawl's time less the monotonic clock's, the same for all workers of a run."""
    clock_ahead: float = 0.0
    """By how much the crawl's time is ahead of the machine's (`timekeeping`)."""


class _Message(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A message that says by itself what it is."""


# -- from the supervisor ------------------------------------------------------------------


class Begin(_Message, frozen=True):
    """Start crawling; the time is up in so many seconds, if there is a limit."""

    seconds_left: float | None


class Grant(_Message, frozen=True):
    """So many pages and bytes more may be reserved."""

    pages: int
    bytes: int
    is_rest: bool
    """Whether these bytes are all that is left: one fetch at a time gets them."""


class Recall(_Message, frozen=True):
    """Give back what is not reserved, and from now on as soon as it is not."""


class Reached(_Message, frozen=True):
    """A limit is reached: send nothing more. From a worker: it has seen one."""

    limit: str


class CycleOver(_Message, frozen=True):
    """A cycle has ended everywhere; who has the first partition begins the next."""


class Stuck(_Message, frozen=True):
    """Whether no worker has anything left but origins out of reach."""

    is_stuck: bool
    has_answers: bool
    """Whether any server has ever answered."""


class GiveUp(_Message, frozen=True):
    """Patience has ended: close what is out of reach."""


class Over(_Message, frozen=True):
    """All is done."""


class Stop(_Message, frozen=True):
    """Send nothing more; end when what is under way is committed."""


# -- from a worker ------------------------------------------------------------------------


class Alive(_Message, frozen=True):
    """Still opening partitions."""


class Opened(_Message, frozen=True):
    """The partitions are taken; what their logs say."""

    kept_pages: int
    kept_bytes: int
    seconds_run: float


class Want(_Message, frozen=True):
    """There is something to ask for and no reservation to be had."""


class Account(_Message, frozen=True):
    """What became of what was granted since the partitions were opened."""

    kept_pages: int
    kept_bytes: int
    durable_pages: int
    durable_bytes: int
    returned_pages: int
    returned_bytes: int


class Idle(_Message, frozen=True):
    """Partitions that are idle or stuck: the fields of `Report`; None: neither, or not ours."""

    reports: dict[int, tuple[int, int, bool, bool, bool] | None]


class SeedFailed(_Message, frozen=True):
    """A seed cannot be reached, and why."""

    seed: str
    why: str


class PatienceOver(_Message, frozen=True):
    """From who has partition 0: the crawl has waited long enough for what is out of reach."""


class Beat(_Message, frozen=True):
    """A sign of life, with how it is getting on: the fields of `Progress` by name."""

    progress: dict[str, Any]


class Said(_Message, frozen=True):
    """A line for the log file."""

    level: int
    text: str


class Failed(_Message, frozen=True):
    """The worker cannot go on, and nor could another one in its place."""

    kind: str
    text: str


class Ended(_Message, frozen=True):
    """Everything is committed and sealed; the last figures."""

    reason: str
    progress: dict[str, Any]


Order = Begin | Grant | Recall | Reached | CycleOver | Stuck | GiveUp | Over | Stop
Answer = (
    Alive
    | Opened
    | Want
    | Account
    | Reached
    | Idle
    | SeedFailed
    | PatienceOver
    | Beat
    | Said
    | Failed
    | Ended
)
