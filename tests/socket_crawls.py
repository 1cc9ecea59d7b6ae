"""Crawls of a generated web over sockets, by a process of their own that can be killed."""

from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

from lycosa.model.job import Job
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.directory import CrawlDirectory
from lycosa.simulation.referee_rules import referee_rules
from lycosa.storage.archive.reader import table
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.robots_kinds import ROBOTS_KINDS
from lycosa_testweb.generated.weather import Overload, RetryAfter
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.robots import Group, Robots
from lycosa_testweb.sections import Moves, Tree, Vault
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.windows import Windows
from warc_tools import check_folder

DEPTH = 4


def web_of(hosts: int, addresses: int) -> GeneratedWeb:
    """Finite sites with TLS, 429s and 503s, Crawl-delays and robots files of several kinds."""
    often = Windows(period_seconds=20.0, window_seconds=2.0, share=0.5)
    return GeneratedWeb(
        3,
        Mixture(
            hosts,
            addresses,
            sections=(((Tree(3, 2),), 6.0), ((Tree(2, 3), Vault()), 2.0), ((Moves(),), 1.0)),
            robots=(
                (ROBOTS_KINDS["none"], 40.0),
                (ROBOTS_KINDS["some"], 30.0),
                (Robots((Group("*", (), 0.6),)), 10.0),
                (ROBOTS_KINDS["moved"], 5.0),
            ),
            overloads=(
                (None, 80.0),
                (Overload(often), 10.0),
                (Overload(often, 503, RetryAfter.DATE), 5.0),
                (Overload(often, retry_after=RetryAfter.UNSAID), 5.0),
            ),
            https_share=0.3,
        ),
    )


def job_of(web: GeneratedWeb, server: SocketWeb) -> Job:
    seeds = tuple(web.home(number) for number in range(web.plan.hosts))
    ca_file = str(server.ca_file)
    job = job_of_any(server)
    return replace(job, seeds=seeds, fetch=replace(job.fetch, ca_file=ca_file))


def job_of_any(server: SocketWeb) -> Job:
    return Job.of(
        rules=[{"action": "accept", "suffix": "test"}],
        limits={"depth_static": DEPTH, "depth_dynamic": DEPTH, "free_disk_bytes": 0},
        politeness={
            "delay_seconds": 0.3,
            "ip_delay_seconds": 0.02,
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
        },
        log={"snapshot_batches": 10},
    )


def start(directory: CrawlDirectory) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "lycosa", "resume", str(directory.path), "--quiet"]
    with said(directory).open("wb") as file:
        return subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)


def said(directory: CrawlDirectory) -> Path:
    """Return where the last process's words are."""
    return directory.path.with_suffix(".said")


def finish(process: subprocess.Popen[bytes], directory: CrawlDirectory, code: int = 0) -> str:
    process.wait(timeout=300)
    text = said(directory).read_text()
    assert process.returncode == code, text
    return text


def socket_rules(job: Job) -> RefereeRules:
    """Return what a crawl over sockets is judged by, on a machine that may be busy.

    An answer that waits for a process without a processor looks from here like one that was
    forgotten, however long ago it was sent. So no window of time says what a kill may repeat; the
    number does: of a host with such a pause it is the last request, and no other.
    """
    assert job.politeness.delay_seconds >= RULES_LATER.one_lost_pause_seconds
    return replace(
        referee_rules(job, COMMIT_TAKES_SECONDS),
        # The server notes the end of an answer when its own loop comes round to it.
        tolerance_seconds=0.03,
        forget_window_seconds=math.inf,
    )


COMMIT_TAKES_SECONDS = 0.1


RULES_LATER = referee_rules(Job())


def check(web: GeneratedWeb, directory: CrawlDirectory, referee: Referee, forgettable: int) -> None:
    assert [str(breach) for breach in referee.breaches] == []
    seeds = [web.home(number) for number in range(web.plan.hosts)]
    pages = table(directory.path, "pages", ["url", "outcome", "record"]).to_pylist()
    kept = Counter(row["url"] for row in pages if row["outcome"].lower() == "kept")
    assert set(kept) == web.pages_within(seeds, DEPTH)
    assert {url: times for url, times in kept.items() if times > 1} == {}
    verdict = audit(directory)
    assert verdict.breaches == []
    seen = referee.statistics.requests
    assert seen - forgettable <= verdict.requests <= seen
    check_folder(directory.path)
    lines = [
        line
        for path in (directory.path / "cdx").glob("*.cdxj")
        for line in path.read_text().splitlines()
    ]
    assert len(lines) >= len(kept)
