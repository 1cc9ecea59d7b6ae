"""Measures how much faster two and three members of a cluster crawl than one: KSpider, Figure 11.

    python -m benchmarks.figures members

What bounds a crawl here is waiting, as on the web. 240 hosts on 240 addresses answer after one
second each and are left alone for one second after each answer, so all of them together give 120
pages a second at most. A member with n connections gets n pages a second at most. CPU time is
hardly needed: members, the log's servers and the web share this machine.

One crawl for each number of connections: one member, then a second one joins, then a third. When
every member has had its share of the partitions for some seconds, the answers that the web gives
in a while are counted, on the web's side. CPU seconds are those of members and servers in that
while; if they come near to the cores that the machine has, the figures say nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.charts import Line, draw
from benchmarks.figures.run import Made, Run
from benchmarks.processes import cpu_seconds
from benchmarks.race.table import markdown
from benchmarks.shared_logs import Place, placed

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory, named_anew
from lycosa.storage.log.protocol import Log
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.graph import GraphWeb

HOSTS = 240
PAGES = 150
"""Of each host: more than can be fetched while one crawl is measured."""
ANSWER_SECONDS = PAUSE_SECONDS = 1.0
PARTITIONS = 60
MEMBERS = (1, 2, 3)
COLOURS = {1: "#1f77b4", 2: "#d95f02", 3: "#1b9e77"}
_START_SECONDS = 120.0


class Speed(NamedTuple):
    """What was measured for one number of members."""

    pages_per_second: float
    cpu_cores: float
    """CPU seconds a second, of members and of the log's servers."""


def web() -> GraphWeb:
    """Hosts whose start pages link to all their other pages."""
    homes = [f"http://www.m{number}.test/" for number in range(HOSTS)]
    edges = {home: [f"{home}{page}" for page in range(PAGES)] for home in homes}
    return GraphWeb(edges, latency=ANSWER_SECONDS)


def job_of(served: SocketWeb, server: str, connections: int) -> Job:
    """Return the job of one crawl."""
    job = Job.of(
        seeds=[f"http://www.m{number}.test/" for number in range(HOSTS)],
        rules=[{"action": "accept", "suffix": "test"}],
        limits={"free_disk_bytes": 0},
        politeness={
            "delay_seconds": PAUSE_SECONDS,
            "large_site_delay_seconds": PAUSE_SECONDS,
            "ip_delay_seconds": 0,
            "answer_time_factor": 0,
        },
        fetch={
            "allow_private": True,
            "hosts_file": str(served.hosts_file),
            "connections": connections,
        },
        frontier={"partitions": PARTITIONS},
        discovery={"mining": "off"},
        extract={"soft_404_after": 0},
        traps={"budget": 0},
    )
    return named_anew(replace(job, log=replace(job.log, server=server)))


@contextmanager
def crawl(served: SocketWeb, place: Place, connections: int) -> Iterator[Crawl]:
    """Begin a crawl without members; they are killed in the end."""
    with tempfile.TemporaryDirectory(prefix="lycosa-members-") as folder:
        found = Crawl(Path(folder), job_of(served, place.address, connections), place.pids)
        try:
            yield found
        finally:
            found.end()


class Crawl:
    """A crawl and the members that share it."""

    def __init__(self, folder: Path, job: Job, server_pids: Sequence[int]) -> None:
        self._folder = folder
        self._job = job
        self._server_pids = server_pids
        self._directory = CrawlDirectory.create(folder / "m0", job)
        self._members: list[subprocess.Popen[bytes]] = []
        self._log: Log | None = None

    def join(self) -> None:
        """Start one more member, and return when all have their share."""
        number, job = len(self._members), self._job
        path = str(self._folder / f"m{number}")
        words = ["join", job.log.server, job.log.name, "-o", path] if number else ["resume", path]
        with (self._folder / "said").open("ab") as said:
            command = [sys.executable, "-m", "lycosa", *words, "--quiet"]
            self._members.append(subprocess.Popen(command, stdout=said, stderr=said))
        self._wait(self._is_shared)

    def _is_shared(self) -> bool:
        if self._log is None:
            if not self._directory.has_begun:
                return False
            self._log = self._directory.log(self._job)
        owners = Counter(head.owner for head in self._log.heads())
        share = PARTITIONS // len(self._members)
        return "" not in owners and list(owners.values()) == [share] * len(self._members)

    def _wait(self, is_done: Callable[[], bool]) -> None:
        end = time.monotonic() + _START_SECONDS
        while not is_done():
            ended = [one for one in self._members if one.poll() is not None]
            if ended or time.monotonic() > end:
                raise RuntimeError((self._folder / "said").read_text()[-3000:])
            time.sleep(0.2)

    def cpu_seconds(self) -> float:
        """Return what members and servers have used since they were started."""
        return sum(
            cpu_seconds(pid) for pid in [*(m.pid for m in self._members), *self._server_pids]
        )

    def end(self) -> None:
        """Kill all members."""
        for member in self._members:
            member.kill()
            member.wait()
        if self._log is not None:
            self._log.close()


class Watch(NamedTuple):
    """For how long is waited, and then counted."""

    settle_seconds: float
    seconds: float


def measured(connections: int, watch: Watch) -> dict[int, Speed]:
    """Crawl with one member, with two, with three; return how fast each was."""
    found: dict[int, Speed] = {}
    with (
        placed("jetstream") as place,
        SocketWeb(web(), time_scale=1.0, tls=False) as served,
        crawl(served, place, connections) as crawling,
    ):
        for members in MEMBERS:
            crawling.join()
            time.sleep(watch.settle_seconds)
            requests, cpu, began = served.requests, crawling.cpu_seconds(), time.monotonic()
            time.sleep(watch.seconds)
            took = time.monotonic() - began
            found[members] = Speed(
                (served.requests - requests) / took, (crawling.cpu_seconds() - cpu) / took
            )
    return found


HEADS = (
    "connections of each",
    "1 member",
    "2 members",
    "3",
    "2 / 1",
    "3 / 1",
    "CPU cores used",
)


def row(connections: int, speeds: Mapping[int, Speed]) -> list[str]:
    """Return the rates, and how they grow."""
    rates = {members: speed.pages_per_second for members, speed in speeds.items()}
    return [
        f"{connections}",
        *(f"{rates[members]:.1f}" for members in MEMBERS),
        *(f"**{rates[members] / rates[1]:.2f}**" for members in MEMBERS[1:]),
        ", ".join(f"{speeds[members].cpu_cores:.2f}" for members in MEMBERS),
    ]


def picture(found: Mapping[int, Mapping[int, Speed]]) -> str:
    """Draw machines by connections, as Figure 11 has machines by threads."""
    lines = [
        Line(
            f"{members} member{'s' * (members > 1)}",
            [(0.0, 0.0), *((float(n), found[n][members].pages_per_second) for n in sorted(found))],
            COLOURS[members],
        )
        for members in reversed(MEMBERS)
    ]
    most = HOSTS / (ANSWER_SECONDS + PAUSE_SECONDS)
    lines.append(Line("all hosts", [(0.0, most), (float(max(found)), most)], "#777777", True))
    title = "Gathering speed of 1, 2 and 3 members"
    return draw(title, "connections of each member", "pages a second", lines)


def made_of(found: Mapping[int, Mapping[int, Speed]]) -> Made:
    """Return the table and the picture of what was measured."""
    table = markdown(HEADS, [row(*one) for one in found.items()])
    return Made({"members": table}, {"kspider-figure-11-members": picture(found)})


def figure(run: Run) -> Made:
    """Measure each number of connections by a crawl of its own."""
    numbers, watch = ((5,), Watch(2, 2)) if run.is_small else ((1, 5, 10, 20, 50), Watch(10, 20))
    return made_of(run.each(partial(measured, watch=watch), numbers))
