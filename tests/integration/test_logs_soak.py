"""Both logs of a cluster under lost answers, cut lines and kills: nothing half, nothing twice.

Four machines, each behind a line of its own, take partitions from each other and commit. Meanwhile
answers are lost, lines are cut, and servers are killed and started again. At the end the logs and
inboxes must agree with each other and with every answer that was given.
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from typing import TypeVar

import pytest

from lycosa.errors import LogUnavailable
from lycosa.model.records import Counted, Discovered, Taken
from lycosa.storage.log.format import decode_events, decode_messages, encode
from lycosa.storage.log.opening import open_log
from lycosa.storage.log.protocol import Log, Take, Write
from servers import fresh_name, nats_cluster, postgres_server
from servers.nats import CLIENT_PORT
from servers.proxy import Proxy, proxy_to

T = TypeVar("T")
PARTITIONS = 4
MACHINES = 4
SECONDS = float(os.environ.get("LYCOSA_SOAK_SECONDS", "60"))

pytestmark = [pytest.mark.soak, pytest.mark.needs("postgresql")]


class Servers:
    """What can be killed, and the lines that lead to it."""

    def __init__(
        self, urls: list[str], lines: list[Proxy], restart: Callable[[Random], None]
    ) -> None:
        self.urls = urls
        self.lines = lines
        self.restart = restart


@contextmanager
def postgres() -> Iterator[Servers]:
    with ExitStack() as stack:
        server = stack.enter_context(postgres_server(in_memory=True))
        lines = [stack.enter_context(proxy_to(server.socket_path)) for _ in range(MACHINES)]
        urls = [
            f"postgresql://lycosa@{line.host}:{line.port}/postgres?sslmode=disable"
            for line in lines
        ]

        def restart(chance: Random) -> None:
            server.kill()
            server.start()

        yield Servers(urls, lines, restart)


@contextmanager
def jetstream() -> Iterator[Servers]:
    with ExitStack() as stack:
        cluster = stack.enter_context(nats_cluster(3, in_memory=True))
        addresses = cluster.addresses
        lines = [
            stack.enter_context(proxy_to((addresses[n % 3], CLIENT_PORT))) for n in range(MACHINES)
        ]

        def restart(chance: Random) -> None:
            victims = chance.choice([[0], [1], [2], [0, 1, 2]])
            for number in victims:
                cluster.kill(number)
            cluster.start_all()

        yield Servers([f"nats://{line.host}:{line.port}" for line in lines], lines, restart)


class Machine:
    """Takes partitions from others and commits, asking again whenever there is no answer."""

    def __init__(self, number: int, log: Log, stop: threading.Event, seed: int) -> None:
        self.answers: dict[str, tuple[int, int]] = {}
        self.unanswered = 0
        self._number = number
        self._log = log
        self._stop = stop
        self._chance = Random(seed)
        self._owned: dict[int, int] = {}
        self._count = 0

    def run(self) -> None:
        while not self._stop.is_set():
            partition = self._chance.randrange(PARTITIONS)
            if partition in self._owned:
                self._commit()
            elif self._chance.random() < 0.2:
                self._take(partition)
            else:
                time.sleep(0.005)

    def _commit(self) -> None:
        writes: list[Write] = []
        names: list[str] = []
        for partition, sequence in self._owned.items():
            self._count += 1
            names.append(f"{self._number}-{self._count}")
            events = encode([Counted({names[-1]: 1})])
            posts = [
                ((partition + step) % PARTITIONS, encode([Discovered(1.0, "", [names[-1]], [0])]))
                for step in (1, 2)
            ]
            writes.append(Write(partition, sequence, events, posts, 0))
        results = self._until_answered(lambda: self._log.commit(writes))
        for write, name, result in zip(writes, names, results, strict=True):
            if result is None:
                del self._owned[write.partition]
            else:
                self._owned[write.partition] = result
                self.answers[name] = (write.partition, result)

    def _take(self, partition: int) -> None:
        self._count += 1
        owner = f"owner {self._number}-{self._count}"
        expect = self._until_answered(lambda: self._log.head(partition)).log
        take = Take(partition, expect, encode([Taken(1.0, owner)]))
        (result,) = self._until_answered(lambda: self._log.take(owner, [take]))
        if result is not None:
            self._owned[partition] = result

    def _until_answered(self, ask: Callable[[], T]) -> T:
        while True:
            try:
                return ask()
            except LogUnavailable:
                self.unanswered += 1


def make_trouble(servers: Servers, chance: Random, until: float) -> Counter[str]:
    """Do one bad thing after the other."""
    done: Counter[str] = Counter()
    while time.monotonic() < until:
        what = chance.choice(["lose", "lose", "lose", "cut", "cut", "restart"])
        done[what] += 1
        if what == "restart":
            servers.restart(chance)
            continue
        line = chance.choice(servers.lines)
        if what == "lose":
            line.lose_answers()
        else:
            line.cut()
        time.sleep(chance.uniform(0.05, 0.6))
        line.heal()
        time.sleep(chance.uniform(0.0, 0.4))
    for line in servers.lines:
        line.heal()
    return done


@pytest.mark.parametrize("kind", [postgres, jetstream])
def test_nothing_is_lost_half_done_or_done_twice(
    kind: Callable[[], Servers], capsys: pytest.CaptureFixture[str]
) -> None:
    stop, crawl = threading.Event(), fresh_name()
    with kind() as servers:  # type: ignore[attr-defined]
        logs = [
            open_log(url, PARTITIONS, crawl=crawl, patience_seconds=2.0) for url in servers.urls
        ]
        machines = [Machine(n, log, stop, seed=n) for n, log in enumerate(logs)]
        threads = [threading.Thread(target=machine.run) for machine in machines]
        for thread in threads:
            thread.start()
        troubles = make_trouble(servers, Random(1), time.monotonic() + SECONDS)
        time.sleep(2)
        stop.set()
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()
        for log in logs:
            log.close()
        reader = open_log(servers.urls[0], PARTITIONS, crawl=crawl)
        answers = {name: place for machine in machines for name, place in machine.answers.items()}
        unanswered = sum(machine.unanswered for machine in machines)
        found = compare(reader, answers)
        reader.close()
    with capsys.disabled():
        print(
            f"\n{kind.__name__}: {dict(troubles)}, {len(answers):,} writes acknowledged, {found:,}"
            f" in the log, {unanswered} calls without an answer"
        )


def compare(log: Log, answers: dict[str, tuple[int, int]]) -> int:
    """Hold the log against the answers and the inboxes against the log."""
    places: dict[str, tuple[int, int]] = {}
    wanted: Counter[tuple[int, str]] = Counter()
    for partition in range(PARTITIONS):
        last = 0
        for sequence, batch in log.read(partition, 0):
            assert sequence == last + 1
            last = sequence
            for event in decode_events(batch):
                if isinstance(event, Counted):
                    (name,) = event.refusals
                    assert name not in places, "it is there twice"
                    places[name] = (partition, sequence)
                    wanted.update(((partition + step) % PARTITIONS, name) for step in (1, 2))
        assert log.head(partition).log == last
    assert {name: places.get(name) for name in answers} == answers, "an answer was wrong"
    posted: Counter[tuple[int, str]] = Counter()
    for partition in range(PARTITIONS):
        after = 0
        while after < log.head(partition).inbox:
            for sequence, batch in log.inbox(partition, after):
                after = sequence
                for message in decode_messages(batch):
                    assert isinstance(message, Discovered)
                    posted.update((partition, key) for key in message.keys)
    assert posted == wanted, "a write was done by half, or twice"
    return len(places)
