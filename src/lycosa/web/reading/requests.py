"""The requests to a reading process: small records, each named after its subject."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import msgspec

from lycosa.analysis.page_list.question import Question
from lycosa.analysis.triples.answer_pool import AnswerPool
from lycosa.analysis.triples.protocol import QueryReply

PROGRAM = "lycosa.web.reading.process"
NO_COPY = "text/x-no-copy"
"""The media type of a reply that says why the list of URLs cannot be read yet."""
IDLE_SECONDS = 120.0
"""After this time without a request the processes of a crawl end, and their memory is free."""


class Resting(msgspec.Struct, frozen=True, tag=True):
    """Asks for the state of a crawl at its last commit."""


class Hosts(msgspec.Struct, frozen=True, tag=True):
    """Asks for a page of the hosts."""

    filter: str = ""
    sort: str = "pending"
    is_descending: bool = True
    cursor: str = ""
    limit: int = 50


class Explain(msgspec.Struct, frozen=True, tag=True):
    """Asks for everything about one URL."""

    url: str


class Capture(msgspec.Struct, frozen=True, tag=True):
    """Asks for a part of an archived answer: `headers`, `body`, `text` or `screenshot`."""

    url: str
    part: str = "body"
    fetch_id: str = ""
    """The id of a fetch; if empty, the newest stored fetch."""


class Rows(msgspec.Struct, frozen=True, tag=True):
    """Asks for rows of `pages`, `links` or `hosts`."""

    table: str
    format: str = "json"
    cursor: str = ""
    limit: int = 100
    host: str = ""
    outcome: str = ""
    prefix: str = ""


class PageRows(msgspec.Struct, frozen=True, tag=True):
    """Asks for rows of the list of URLs."""

    question: Question
    format: str = "json"


class PageCounts(msgspec.Struct, frozen=True, tag=True):
    """Asks how many rows of the list of URLs the filters leave."""

    question: Question


class Sql(msgspec.Struct, frozen=True, tag=True):
    """Asks for the result of an SQL query."""

    query: str
    format: str = "json"
    limit: int = 1000


class Audit(msgspec.Struct, frozen=True, tag=True):
    """Asks for the audit."""


class Checks(msgspec.Struct, frozen=True, tag=True):
    """Asks for the faults of the site, with at most some findings of each check."""

    most: int = 100


class Fit(msgspec.Struct, frozen=True, tag=True):
    """Asks for the number of URLs in the queue that a rule would reject."""

    rule: dict[str, Any]


Asked = (
    Resting | Hosts | Explain | Capture | Rows | PageRows | PageCounts | Sql | Audit | Checks | Fit
)


class Request(msgspec.Struct):
    """A request with its limits, as it is sent to the process."""

    asked: Asked
    seconds: float
    largest_bytes: int


class ReadingPool:
    """The reading processes of a crawl; they are started when needed."""

    def __init__(self, folder: Path, most: int = 2, largest_bytes: int = 50_000_000) -> None:
        self._folder, self._most, self._largest_bytes = folder, most, largest_bytes
        self._pool: AnswerPool | None = None
        self._lock = threading.Lock()
        self._asking = 0
        self._used = 0.0

    def ask(self, asked: Asked, seconds: float) -> QueryReply:
        """Answer a request; the reply's `text` is a media type, or an error message."""
        with self._lock:
            self._pool = self._pool or AnswerPool(self._folder, self._most, program=PROGRAM)
            pool = self._pool
            self._asking += 1
        try:
            return pool.send(Request(asked, seconds, self._largest_bytes), seconds)
        finally:
            with self._lock:
                self._asking -= 1
                self._used = time.monotonic()

    def rest(self) -> None:
        """End the processes if they have been idle for some time."""
        with self._lock:
            if self._asking or time.monotonic() - self._used < IDLE_SECONDS:
                return
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()


def following_of(text: str) -> tuple[str, str]:
    """Split the `text` of a reply with rows: the media type, and the cursor of the next rows."""
    media_type, _, following = text.partition("\n")
    return media_type, following
