"""Every call of both clients fails once, in every way: a member waits, and never crashes.

The calls of the client of NATS fail inside. Answers of both servers are torn on their way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
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
from lycosa.model.job import Job
from lycosa.runtime.recovery.counting import SealingRules
from lycosa.storage.log.opening import open_log
from lycosa.storage.log.protocol import Log, Take, Write
from lycosa.storage.log.snapshot import MemorySnapshots
from lycosa.storage.segments.sealing import NOWHERE
from servers import fresh_name
from servers.fixtures import SharedNats
from servers.nats import CLIENT_PORT, nats_cluster
from servers.postgres import postgres_server
from servers.proxy import Proxy, proxy_to

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
    log = open_log(urls, 2, crawl=name, patience_seconds=patience_seconds, joins=joins)
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


MANY = 1_000_000
Line = tuple[Proxy, str]


@pytest.fixture(params=[pytest.param("postgres", marks=pytest.mark.needs("postgresql")), "nats"])
def line(request: pytest.FixtureRequest) -> Iterator[Line]:
    """A network before a server, and the address of a log in it."""
    if request.param == "postgres":
        with (
            postgres_server(in_memory=True) as server,
            proxy_to(server.socket_path) as proxy,
        ):
            at = f"{proxy.host}:{proxy.port}"
            yield proxy, f"postgresql://lycosa@{at}/postgres?sslmode=disable"
    else:
        with (
            nats_cluster(in_memory=True) as cluster,
            proxy_to((cluster.addresses[0], CLIENT_PORT)) as proxy,
        ):
            yield proxy, f"nats://{proxy.host}:{proxy.port}"


@pytest.mark.parametrize("joins", [True, False])
def test_an_answer_that_arrives_in_half_is_asked_for_again(line: Line, joins: bool) -> None:
    proxy, url = line
    name = fresh_name()
    use(url, name, 20, joins=True)
    proxy.heal()
    proxy.tear(MANY)
    use(url, name, 20, joins=joins)
    answers, torn = proxy.answers, 0
    for answer in range(1, answers + 1):
        proxy.tear(answer)
        use(url, name, 20, joins=joins)
        torn += proxy.answers >= answer
    # What a server says arrives in more or fewer pieces, so the last may not come.
    assert torn > answers // 2


@pytest.mark.parametrize("joins", [True, False])
def test_servers_whose_answers_all_break_are_unavailable(line: Line, joins: bool) -> None:
    proxy, url = line
    name = fresh_name()
    use(url, name, 20, joins=True)
    proxy.tear(MANY)
    use(url, name, 20, joins=joins)
    for answer in range(1, proxy.answers + 1, 3):
        proxy.tear(answer, last=MANY)
        with pytest.raises(LogUnavailable, match="has not answered"):
            use(url, name, 0.2, joins=joins)
    proxy.heal()
    use(url, name, 20, joins=joins)


def test_sealing_keeps_its_log_open_until_it_fails(line: Line, tmp_path: Path) -> None:
    proxy, url = line
    name = fresh_name()
    use(url, name, 20, joins=True)
    opened: list[Log] = []

    def opened_anew() -> Log:
        opened.append(open_log(url, 2, crawl=name, patience_seconds=3.0, joins=False))
        return opened[-1]

    job = Job.of(["http://h.test/"], frontier={"partitions": 2}, log={"server": url})
    with closing(SealingRules(tmp_path, job, opened_anew, MemorySnapshots())) as rules:
        assert [rules.positions()[0][0] for _ in range(3)] == [2, 2, 2]
        assert len(opened) == 1
        proxy.cut()
        assert rules.positions() == NOWHERE
        proxy.heal()
        assert rules.positions()[0][0] == 2
        assert len(opened) == 2
