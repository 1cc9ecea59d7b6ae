"""Messages between a supervisor and its worker processes: `Command` and `Reply`.

The supervisor sends commands, the workers send replies. Each message is one small record, and
`channel` carries them in order. The counts of an `Account` are totals since the worker process
started, so a newer account replaces an older one.
"""

from __future__ import annotations

from typing import Any

import msgspec

from lycosa.crawl.ending import Finding, Report
from lycosa.runtime.limits.document import Amount, Grant


class _Message(msgspec.Struct, frozen=True, tag=True, array_like=True):
    """A message, tagged with the name of its class."""


class LimitReached(_Message, frozen=True):
    """A limit of the job is reached. As a command: send no more requests."""

    limit: str


# -- commands: from the supervisor --------------------------------------------------------


class Begin(_Message, frozen=True):
    """Start crawling."""

    seconds_run: float
    """Running time of the crawl, over all runs and without pauses of the operator."""
    orders: int = 0
    """Number of the last order to be followed from the beginning."""


class Adopt(_Message, frozen=True):
    """Follow the orders up to this number, which are in the log."""

    orders: int


class Granted(_Message, frozen=True):
    """Permission to reserve more pages and bytes."""

    grant: Grant


class Recall(_Message, frozen=True):
    """Return unreserved grants, now and whenever a reservation ends."""


class Found(_Message, frozen=True):
    """Result of the search for the end."""

    finding: Finding
    patience_ended: int
    """Number of times that unreachable origins were to be closed."""
    is_between: bool = False
    """Whether a cycle has just ended; the owner of partition 0 begins the next."""


class StopCleanly(_Message, frozen=True):
    """Send no more requests, and finish when the answers in flight are committed."""


# -- replies: from a worker ---------------------------------------------------------------


class Alive(_Message, frozen=True):
    """The worker is still opening its partitions."""


class PartitionsOpened(_Message, frozen=True):
    """The worker owns its partitions; these totals are in their logs."""

    kept: Amount
    seconds_run: float


class Committed(_Message, frozen=True):
    """The first commit of this process is durable, so its worker makes progress."""


class Relimited(_Message, frozen=True):
    """Limits have changed: amounts in the worker's logs, and the most that its fetches may add."""

    kept: Amount
    reserved: Amount
    orders: int
    """Number of the last order of the command that the worker follows."""


class OrdersApplied(_Message, frozen=True):
    """All partitions of the worker have durably followed the orders up to this number."""

    number: int


class GrantWanted(_Message, frozen=True):
    """The worker has URLs to fetch and no grant left to reserve from."""


class Account(_Message, frozen=True):
    """Durable and returned parts of a worker's grants."""

    durable: Amount
    returned: Amount


class Idle(_Message, frozen=True):
    """Partitions that became idle or stuck, or busy (None)."""

    reports: dict[int, Report | None]
    is_patience_over: bool
    """Whether the crawl has waited long enough for unreachable origins."""


class SeedFailed(_Message, frozen=True):
    """Report of a seed that cannot be reached, with the reason."""

    seed: str
    why: str


class Noticed(_Message, frozen=True):
    """A warning for the operator."""

    text: str


class Heartbeat(_Message, frozen=True):
    """A sign of life once a second, with the fields of `Progress` by name."""

    progress: dict[str, Any]


class LogLine(_Message, frozen=True):
    """A line for the crawl's log file, which the supervisor writes."""

    level: int
    text: str


class Failed(_Message, frozen=True):
    """The worker cannot continue, and a replacement would fail in the same way."""

    kind: str
    """Name of a class in `lycosa.errors`."""
    text: str


class Finished(_Message, frozen=True):
    """Everything is committed and sealed; these are the last figures."""

    reason: str
    progress: dict[str, Any]


Command = Begin | Adopt | Granted | Recall | LimitReached | Found | StopCleanly
Reply = (
    Alive
    | PartitionsOpened
    | Committed
    | Relimited
    | OrdersApplied
    | GrantWanted
    | Account
    | LimitReached
    | Idle
    | SeedFailed
    | Noticed
    | Heartbeat
    | LogLine
    | Failed
    | Finished
)
