"""The referee's memory: hosts and addresses, requests, counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from lycosa.model.records import Outcome, Purpose, Request
from lycosa_testweb.mixing import digest
from lycosa_testweb.parts import Parts
from lycosa_testweb.referee.robots_watch import Lesson
from lycosa_testweb.web import Reply


class Line:
    """The requests under way to one host or address, and the end of its last answer."""

    __slots__ = ("busy_seconds", "last_end", "under_way")

    def __init__(self) -> None:
        self.under_way = 0
        self.last_end = 0.0
        self.busy_seconds = 0.0

    def close(self, began: float, ended: float) -> None:
        """Take note that a request has ended."""
        self.under_way -= 1
        self.last_end = max(self.last_end, ended)
        self.busy_seconds += ended - began


class HostLine(Line):
    """A host and what it has demanded."""

    __slots__ = (
        "asked",
        "crawl_delay",
        "last",
        "pages",
        "refusals",
        "retry_lost",
        "retry_until",
        "unsure_delay",
    )

    def __init__(self) -> None:
        super().__init__()
        self.pages = 0
        self.asked = 0
        """Number of requests since its last full pause."""
        self.last: Entry | None = None
        self.refusals = 0
        """Number of refusals in a row (429, 503)."""
        self.retry_until = 0.0
        self.retry_lost = 0.0
        """A Retry-After that a killed client may not know of."""
        self.crawl_delay = 0.0
        self.unsure_delay: tuple[str, float] | None = None
        """The site whose robots answer a kill may have lost, and the Crawl-delay before it."""


class Entry:
    """A request and, once it has ended, what it taught the client."""

    __slots__ = (
        "began",
        "client",
        "delays",
        "ended",
        "host",
        "is_robots",
        "key",
        "lessons",
        "parts",
        "refusals_before",
        "request",
        "retry_before",
    )

    def __init__(
        self, request: Request, parts: Parts, began: float, client: str, host: HostLine
    ) -> None:
        self.request = request
        self.parts = parts
        self.began = began
        self.client = client
        self.host = host
        self.key = digest(request.url)
        self.is_robots = False
        self.ended = 0.0
        self.retry_before = 0.0
        self.refusals_before = 0
        self.lessons: list[Lesson] = []
        self.delays: list[tuple[HostLine, str, float]] = []


class Exchange(NamedTuple):
    """A request in a referee's history."""

    url: str
    host: str
    address: str
    purpose: Purpose
    began: float
    ended: float
    status: int
    failure: Outcome | None
    was_killed: bool


def exchange(entry: Entry, reply: Reply, was_killed: bool) -> Exchange:
    """Return an entry as it stands in the history."""
    request = entry.request
    return Exchange(
        request.url,
        entry.parts.host,
        request.address,
        request.purpose,
        entry.began,
        entry.ended,
        reply.status,
        reply.failure,
        was_killed,
    )


@dataclass(slots=True)
class Statistics:
    """Totals of requests and answers, as in the servers' logs."""

    requests: int = 0
    answered: int = 0
    killed: int = 0
    body_bytes: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    failures: Counter[Outcome] = field(default_factory=Counter)
    first_moment: float = 0.0
    last_moment: float = 0.0

    def begin(self, moment: float) -> None:
        """Count a request."""
        if not self.requests:
            self.first_moment = moment
        self.requests += 1
        self.last_moment = max(self.last_moment, moment)

    def end(self, moment: float, reply: Reply) -> None:
        """Count an answer or a failure."""
        self.answered += 1
        self.body_bytes += len(reply.body)
        self.last_moment = max(self.last_moment, moment)
        if reply.failure is None:
            self.statuses[reply.status] += 1
        else:
            self.failures[reply.failure] += 1

    def __str__(self) -> str:
        statuses = [f"{code}:{n}" for code, n in sorted(self.statuses.items())]
        failures = [f"{what.name}:{n}" for what, n in sorted(self.failures.items())]
        return (
            f"{self.requests} requests in {self.last_moment - self.first_moment:.3f} s, "
            f"{self.killed} killed; {' '.join(statuses + failures)}"
        )
