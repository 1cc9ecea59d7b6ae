"""The test web of a trial without seeds, and the referee who watches its members.

Its sites are finite, so the pages that a crawl must hold in the end are known (`pages`). Some have
robots files with rules or a Crawl-delay, some refuse for a while with 429 or 503.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from lycosa.cli.trial.children import free_address
from lycosa.model.job import Job
from lycosa.simulation.referee_rules import referee_rules
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.robots_kinds import ROBOTS_KINDS
from lycosa_testweb.generated.weather import Overload, RetryAfter
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.robots import Group, Robots
from lycosa_testweb.sections import Tree, Vault
from lycosa_testweb.servers.server import Listen, SocketWeb
from lycosa_testweb.windows import Windows

HOSTS, LEVELS = 60, 5
DELAY_SECONDS, IP_DELAY_SECONDS = 1.0, 0.05
PARTITIONS = 96
SEAL_SECONDS = 10.0
_TENURE_SECONDS = 20.0
"""Seconds during which a killed member may have been the only one to know a server's demand."""

_OFTEN = Windows(period_seconds=30.0, window_seconds=3.0, share=0.5)


class TrialWeb(NamedTuple):
    """A web that is being served, and its referee."""

    web: GeneratedWeb
    server: SocketWeb
    referee: Referee
    job: Job
    """The job that crawls it, without a log."""

    def pages(self) -> set[str]:
        """Return the pages that a crawl of it must hold, as the web itself computes them."""
        return self.web.pages_within(list(self.job.seeds), self.job.limits.depth_static)

    def judge_by(self, job: Job) -> None:
        """Let the referee judge by the pauses of this job.

        The server's event loop records the end of an answer a moment late. A kill may repeat one
        request a host; the bound is a number, not a time, because a busy machine is slow.
        """
        self.referee.rules = replace(
            referee_rules(job, 0.1),
            tolerance_seconds=0.03,
            forget_window_seconds=math.inf,
            demand_window_seconds=_TENURE_SECONDS,
        )

    def member_killed(self) -> None:
        """Tell the referee that a process was killed: it may have lost its last answers."""
        self.server.worker_killed()


@contextmanager
def served_web(hosts: int = HOSTS, levels: int = LEVELS) -> Iterator[TrialWeb]:
    """Serve a web on loopback for as long as the block runs; a site has 3 ** levels / 2 pages."""
    web = GeneratedWeb(
        19,
        Mixture(
            hosts,
            max(1, hosts // 2),
            sections=(((Tree(levels, 3),), 6.0), ((Tree(levels - 1, 3), Vault()), 2.0)),
            robots=(
                (ROBOTS_KINDS["none"], 40.0),
                (ROBOTS_KINDS["some"], 30.0),
                (Robots((Group("*", (), 1.5),)), 10.0),
            ),
            overloads=(
                (None, 85.0),
                (Overload(_OFTEN), 10.0),
                (Overload(_OFTEN, 503, RetryAfter.DATE), 5.0),
            ),
        ),
    )
    referee = Referee(referee_rules(Job()), web)
    with SocketWeb(web, referee=referee, tls=False, listen=_own_addresses()) as server:
        job = _job(web, server, levels + 1)
        trial = TrialWeb(web, server, referee, job)
        trial.judge_by(job)
        yield trial


def _own_addresses() -> Listen:
    """Choose random loopback addresses: crawls of one machine share waits at shared ones."""
    network = free_address().rpartition(".")[0]
    return Listen(first_address=f"{network}.2")


def _job(web: GeneratedWeb, server: SocketWeb, depth: int) -> Job:
    return Job.of(
        seeds=[web.home(number) for number in range(web.plan.hosts)],
        rules=[{"action": "accept", "suffix": "test"}],
        limits={"depth_static": depth, "depth_dynamic": depth, "free_disk_bytes": 0},
        politeness={
            "delay_seconds": DELAY_SECONDS,
            "ip_delay_seconds": IP_DELAY_SECONDS,
            "backoff_first_seconds": 1.0,
            "backoff_most_seconds": 3.0,
            "strikes": 50,
        },
        robots={"unreachable_retry_seconds": 1.0, "unreachable_tries": 100},
        fetch={
            "allow_private": True,
            "hosts_file": str(server.hosts_file),
            "retries": 20,
            "retry_first_seconds": 0.3,
            "connections": 32,
        },
        frontier={"partitions": PARTITIONS},
        store={"seal_seconds": SEAL_SECONDS},
    )
