"""Members on machines of their own, and the servers that they share."""

from __future__ import annotations

import math
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from lycosa.model.records import Fetched, Outcome, Released, Taken
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory, named_anew
from lycosa.runtime.membership.tenure import TENURE_SECONDS
from lycosa.storage.log.format import decode_events
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb
from servers.nats import NatsCluster, nats_cluster
from servers.postgres import PostgresServer, postgres_server
from servers.processes import halt
from socket_crawls import DEPTH, RULES_LATER, job_of, socket_rules
from worker_crawls import eventually

PARTITIONS = 24


FORGOTTEN_SECONDS = 20.0
"""For how long a machine that was cut off may know of a demand that no other knows of: tenure."""


class Machine:
    """One process with its directory."""

    def __init__(self, folder: Path, number: int, words: list[str]) -> None:
        self.path = folder / f"m{number}"
        self._words = words
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        words = ["resume", str(self.path)] if self.path.exists() else self._words
        command = [sys.executable, "-m", "lycosa", *words, "--quiet"]
        with self.path.with_suffix(".said").open("ab") as file:
            self.process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        os.kill(self.process.pid, number)

    def said(self) -> str:
        return self.path.with_suffix(".said").read_text()


class SharedCrawl:
    """A web with a referee, and machines that share its crawl."""

    def __init__(
        self, web: GeneratedWeb, server: str, folder: Path, machines: int, delay_seconds: float
    ) -> None:
        self.web = web
        self._delay_seconds = delay_seconds
        self.chance = random.Random(machines)
        self.referee = Referee(RULES_LATER, web, keep_history=True)
        self.sockets = SocketWeb(web, referee=self.referee)
        self._server = server
        self._folder = folder
        self._count = machines
        self.killed_at: list[float] = []

    def __enter__(self) -> SharedCrawl:
        self.sockets.__enter__()
        job = job_of(self.web, self.sockets)
        job = replace(
            job,
            frontier=replace(job.frontier, partitions=PARTITIONS),
            politeness=replace(job.politeness, delay_seconds=self._delay_seconds),
            fetch=replace(job.fetch, connections=16),
            log=replace(job.log, server=self._server, seal_seconds=5.0),
        )
        self.job = named_anew(job)
        self.referee.rules = replace(
            socket_rules(self.job), demand_window_seconds=FORGOTTEN_SECONDS
        )
        self.directory = CrawlDirectory.create(self._folder / "m0", self.job)
        join = ["join", self._server, self.job.log.name, "-o"]
        self.machines = [
            Machine(self._folder, number, [*join, str(self._folder / f"m{number}")])
            for number in range(self._count)
        ]
        return self

    def __exit__(self, *_: object) -> None:
        for machine in self.machines:
            if machine.is_running:
                machine.send(signal.SIGCONT)
                machine.send(signal.SIGKILL)
            if machine.process is not None:
                machine.process.wait()
        self.sockets.settle()
        self.sockets.__exit__(None, None, None)

    def start_all(self) -> None:
        first, *others = self.machines
        first.start()
        self.wait_for_requests(1)
        for machine in others:
            machine.start()
        log = self.directory.log(self.job)
        eventually(lambda: len({head.owner for head in log.heads()} - {""}) == self._count)
        log.close()

    def wait_for_requests(self, count: int) -> None:
        wanted = self.sockets.requests + count
        eventually(lambda: self.sockets.requests >= wanted or not self.is_running, 180.0)

    @property
    def is_running(self) -> bool:
        return any(machine.is_running for machine in self.machines)

    def kill(self, machine: Machine) -> None:
        machine.send(signal.SIGKILL)
        self.killed_at.append(time.time())
        assert machine.process is not None
        machine.process.wait()
        self.sockets.worker_killed()

    def wait_until_tenure_ends(self) -> None:
        """Wait, with all servers down, until no machine may ask anything any more."""
        time.sleep(TENURE_SECONDS + 1.0)
        before = self.sockets.requests
        time.sleep(5.0)
        assert self.sockets.requests == before
        self.sockets.worker_killed()  # what could not be written is forgotten

    def takeovers(self) -> str:
        """Tell how long partitions of killed processes waited for an owner, and for an answer."""
        taken: list[float] = []
        answered: list[float] = []
        log = self.directory.log(self.job)
        for number in range(PARTITIONS):
            events = [event for _, batch in log.read(number, 0) for event in decode_events(batch)]
            for killed_at in self.killed_at:
                before = [e for e in events if getattr(e, "moment", 0.0) <= killed_at]
                after = [e for e in events if getattr(e, "moment", 0.0) > killed_at]
                if before and after and isinstance(after[0], Taken):
                    if isinstance(before[-1], Released) or after[0].moment > killed_at + 60:
                        continue  # it was handed over, or was not the killed one's
                    taken.append(after[0].moment - killed_at)
                    found = (e.moment for e in after if isinstance(e, Fetched))
                    answered.append(next(found, math.inf) - killed_at)
        log.close()
        assert taken, "nobody had to take a partition from a dead process"
        return (
            f"{len(taken)} partitions: taken {_spread(taken)} after the death of their owner,"
            f" first answer {_spread(answered)}"
        )

    @contextmanager
    def stopped(self, machine: Machine) -> Iterator[None]:
        assert machine.process is not None
        halt(machine.process.pid)
        self.sockets.worker_killed()  # what it knows and has not written, nobody knows
        yield
        machine.send(signal.SIGCONT)

    def finish(self, seconds: float = 240.0) -> None:
        eventually(lambda: not self.is_running, seconds)
        for machine in self.machines:
            if machine.process is not None and machine.process.returncode != -signal.SIGKILL:
                assert machine.process.returncode == 0, machine.said()

    def check(self) -> None:
        """Compare what the log has with the truth about the web."""
        kept: Counter[str] = Counter()
        for state in self.directory.each_state(self.job):
            assert state.pending == 0
            for page in range(len(state.table)):
                if state.outcome_of(page) is Outcome.KEPT:
                    kept[url_of(state.table.key(page))] += 1
        assert set(kept) == set(self.web.pages_within(list(self.job.seeds), DEPTH))
        assert [str(breach) for breach in self.referee.breaches] == []


def _spread(seconds: list[float]) -> str:
    found = sorted(second for second in seconds if second < math.inf)
    return f"{found[0]:.1f} to {found[-1]:.1f} s" if found else "never"


Servers = PostgresServer | NatsCluster


SLOW = [pytest.mark.needs("postgresql"), pytest.mark.soak]
"""The grid of kills has both logs in every run; whole machines on one are enough for it."""


@pytest.fixture(params=[pytest.param("postgresql", marks=SLOW), "nats"])
def servers(request: pytest.FixtureRequest) -> Iterator[Servers]:
    """Servers of one's own: they are killed, too."""
    if request.param == "postgresql":
        with postgres_server(in_memory=True) as server:
            yield server
    else:
        with nats_cluster(in_memory=True) as cluster:
            yield cluster
