"""Every kind of log, opened for a test: one suite runs over all of them.

`Crawl.connect` gives a connection as another process would have it. A `LooseLog` raises
`LogUnavailable` now and then, so the suite speaks to it through `Patient`, which asks again: that
is what the contract tells callers to do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from lycosa.errors import LogUnavailable
from lycosa.simulation.cluster.loose_log import LooseLog, LooseServer
from lycosa.storage.jetstream.log import JetStreamLog
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.sqlite import SqliteLog
from lycosa.storage.postgres.log import PostgresLog
from servers import fresh_name
from servers.fixtures import SharedNats, SharedPostgres

T = TypeVar("T")
KINDS = ["memory", "loose", "sqlite", "postgres", "jetstream"]


class Patient:
    """A log whose calls are made again until they are answered."""

    def __init__(self, log: Log, calls: int = 1000) -> None:
        self._log = log
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._log, name)
        if not callable(found):
            return found

        def call(*values: Any) -> Any:
            for _ in range(self._calls):
                try:
                    answer = found(*values)
                    return list(answer) if name == "read" else answer
                except LogUnavailable:
                    continue
            raise AssertionError(f"{name} was never answered")

        return call


class Crawl:
    """One crawl's log, to which any number of connections can be made."""

    def __init__(self, kind: str, open_one: Callable[[], Log]) -> None:
        self.kind = kind
        self._open = open_one
        self._opened: list[Log] = []

    def connect(self) -> Log:
        """Return another connection; it is closed with the test."""
        log = self._open()
        self._opened.append(log)
        return log

    def close(self) -> None:
        """Close all connections."""
        for log in self._opened:
            log.close()


@contextmanager
def crawl_of(
    kind: str, request: pytest.FixtureRequest, folder: Path, partitions: int
) -> Iterator[Crawl]:
    """Make a new crawl's log of some kind."""
    crawl = Crawl(kind, _OPENERS[kind](request, folder, partitions))
    try:
        yield crawl
    finally:
        crawl.close()


def eventually(read: Callable[[], T], is_right: Callable[[T], bool], seconds: float = 20.0) -> T:
    """Read until the answer is right: reads may be old."""
    end = time.monotonic() + seconds
    while not is_right(found := read()):
        assert time.monotonic() < end, f"it stays {found!r}"
        time.sleep(0.002)
    return found


def _memory(request: pytest.FixtureRequest, folder: Path, partitions: int) -> Callable[[], Log]:
    log = MemoryLog(partitions)
    return lambda: log


def _loose(request: pytest.FixtureRequest, folder: Path, partitions: int) -> Callable[[], Log]:
    server = LooseServer(partitions)
    seeds = iter(range(1_000_000))
    return lambda: cast(Log, Patient(LooseLog(server, next(seeds))))


def _sqlite(request: pytest.FixtureRequest, folder: Path, partitions: int) -> Callable[[], Log]:
    return lambda: SqliteLog(folder, partitions)


def _postgres(request: pytest.FixtureRequest, folder: Path, partitions: int) -> Callable[[], Log]:
    server: SharedPostgres = request.getfixturevalue("postgres")
    crawl = fresh_name()
    return lambda: PostgresLog(server.url, partitions, crawl)


def _jetstream(request: pytest.FixtureRequest, folder: Path, partitions: int) -> Callable[[], Log]:
    servers: SharedNats = request.getfixturevalue("nats_servers")
    crawl = fresh_name()
    return lambda: JetStreamLog(servers.url, partitions, crawl)


_OPENERS: dict[str, Callable[[pytest.FixtureRequest, Path, int], Callable[[], Log]]] = {
    "memory": _memory,
    "loose": _loose,
    "sqlite": _sqlite,
    "postgres": _postgres,
    "jetstream": _jetstream,
}
