"""Every call of the client of NATS fails once, in every way: a member waits, and never crashes."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from nats.aio.client import Client
from nats.errors import (
    ConnectionClosedError,
    NoRespondersError,
    OutboundBufferLimitError,
    StaleConnectionError,
)
from nats.errors import TimeoutError as NatsTimeout

from lycosa.errors import LogUnavailable
from lycosa.storage.jetstream.log import JetStreamLog
from lycosa.storage.log.protocol import Take, Write
from servers import fresh_name
from servers.fixtures import SharedNats

FAULTS: list[Callable[[], Exception]] = [
    NatsTimeout,
    TimeoutError,
    ConnectionClosedError,
    ConnectionResetError,
    NoRespondersError,  # what a server answers with 503
    OutboundBufferLimitError,
    StaleConnectionError,
    BrokenPipeError,
]
CALLS = ("request", "publish")
"""A request publishes, so that it fails before it is sent and instead of its answer."""


class Weather:
    """Lets calls of the client fail from one call on, for a number of calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls = 0
        self.failing = range(0)
        self.fault: Callable[[], Exception] = NatsTimeout
        for name in CALLS:
            monkeypatch.setattr(Client, name, self._failing(getattr(Client, name)))

    def _failing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        async def made(*args: Any, **named: Any) -> Any:
            self.calls += 1
            if self.calls in self.failing:
                raise self.fault()
            return await call(*args, **named)

        return made


def use(urls: str, name: str, patience_seconds: float, *, joins: bool) -> None:
    """Do with a log what a member, its sealing and a reader do."""
    log = JetStreamLog(urls, 2, name, patience_seconds=patience_seconds, joins=joins)
    with closing(log):
        heads = log.heads()
        if joins:
            expect = heads[0].log
            (taken,) = log.take("life-1", [Take(0, expect, b"begun")])
            if taken is not None:
                log.commit([Write(0, taken, b"events", [(1, b"links")], 0)])
            log.note("note", b"value")
            log.inbox(1, 0)
        list(log.read(0, 0))
        log.notes("")
        log.head(1)


@pytest.mark.parametrize("joins", [True, False])
def test_one_failing_call_is_waited_for(
    nats_servers: SharedNats, monkeypatch: pytest.MonkeyPatch, joins: bool
) -> None:
    name, chance = fresh_name(), random.Random(1)
    weather = Weather(monkeypatch)
    use(nats_servers.url, name, 20, joins=True)
    weather.calls = 0
    use(nats_servers.url, name, 20, joins=joins)
    for number in range(1, weather.calls + 1):
        weather.calls, weather.failing = 0, range(number, number + 1)
        weather.fault = chance.choice(FAULTS)
        use(nats_servers.url, name, 20, joins=joins)


@pytest.mark.parametrize("joins", [True, False])
def test_servers_that_vanish_at_any_call_are_unavailable(
    nats_servers: SharedNats, monkeypatch: pytest.MonkeyPatch, joins: bool
) -> None:
    name, chance = fresh_name(), random.Random(2)
    weather = Weather(monkeypatch)
    use(nats_servers.url, name, 20, joins=True)
    weather.calls = 0
    use(nats_servers.url, name, 20, joins=joins)
    ended = 0
    for number in range(1, weather.calls + 1, 2):
        weather.calls, weather.failing = 0, range(number, 1_000_000)
        weather.fault = chance.choice(FAULTS)
        try:
            use(nats_servers.url, name, 0.2, joins=joins)
        except LogUnavailable as told:
            assert "JetStream has not answered" in str(told)
            ended += 1
    assert ended
    weather.failing = range(0)
    use(nats_servers.url, name, 20, joins=joins)


def test_opening_a_log_to_read_it_publishes_nothing(
    nats_servers: SharedNats, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = fresh_name()
    use(nats_servers.url, name, 20, joins=True)
    subjects: list[str] = []
    for call in ("request", "publish"):
        made = getattr(Client, call)

        def told(self: Client, subject: str, *args: Any, made: Any = made, **named: Any) -> Any:
            subjects.append(subject)
            return made(self, subject, *args, **named)

        monkeypatch.setattr(Client, call, told)
    use(nats_servers.url, name, 20, joins=False)
    assert subjects
    written = [s for s in subjects if not s.startswith("$JS.API.") or ".PURGE." in s]
    assert written == []
