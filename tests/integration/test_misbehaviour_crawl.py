"""Whatever a server does, it ends as a named outcome, and the rest of the site is crawled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.misbehaviour import MisbehavingWeb
from lycosa_testweb.webs.misdeeds import Tempo

MOST_MEMORY_BYTES = 300_000_000

CRAWL = r"""
import json, re, sys
from pathlib import Path
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
ended = run_crawl(CrawlDirectory.open(Path(sys.argv[1])))
peak = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024
print(json.dumps({"reason": ended.reason, "peak_bytes": peak}))
"""


def job_of(web: MisbehavingWeb, server: SocketWeb, **fetch: object) -> Job:
    return Job.of(
        seeds=list(web.seeds()),
        rules=[{"action": "accept", "suffix": "bad.test"}],
        limits={"free_disk_bytes": 0},
        politeness={
            "delay_seconds": 0.0,
            "ip_delay_seconds": 0.0,
            "answer_time_factor": 0.0,
            "backoff_first_seconds": 0.2,
            "backoff_most_seconds": 0.4,
            "strikes": 2,
        },
        robots={"unreachable_retry_seconds": 1.0, "unreachable_tries": 2},
        fetch={
            "allow_private": True,
            "hosts_file": str(server.hosts_file),
            "ca_file": str(server.ca_file),
            "connect_seconds": 2.0,
            "first_byte_seconds": 3.0,
            "total_seconds": 6.0,
            "retries": 1,
            "retry_first_seconds": 0.2,
            **fetch,
        },
    )


def crawl(directory: CrawlDirectory) -> dict[str, object]:
    command = [sys.executable, "-c", CRAWL, str(directory.path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    result: dict[str, object] = json.loads(done.stdout)
    return result


def outcomes(directory: CrawlDirectory) -> dict[str, Outcome | None]:
    return {
        url_of(state.table.key(page)): state.outcome_of(page)
        for state in directory.states(directory.job()).values()
        for page in range(len(state.table))
    }


def test_every_misdeed_ends_as_a_named_outcome_and_the_rest_is_crawled(tmp_path: Path) -> None:
    web = MisbehavingWeb(tempo=Tempo(drip_seconds=0.2, silence_seconds=20.0))
    with SocketWeb(web, silence_seconds=20.0) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(web, server))
        result = crawl(directory)
    assert result["reason"] == "unreachable"
    assert isinstance(result["peak_bytes"], int)
    assert result["peak_bytes"] < MOST_MEMORY_BYTES
    found = outcomes(directory)
    wrong = {
        url: (found.get(url), sorted(outcome.name for outcome in right))
        for url, right in web.truth.items()
        if found.get(url) not in right
    }
    assert wrong == {}
    # What comes in part is kept in part, after the last try.
    in_part = ("drip", "half-and-silence", "length-too-long", "no-last-chunk", "reset-midway")
    assert {found[f"http://{name}.bad.test/bad"] for name in in_part} == {Outcome.KEPT}
    unexpected = {
        url: outcome
        for url, outcome in found.items()
        if url not in web.truth and outcome not in web.maybe.get(url, {outcome})
    }
    assert unexpected == {}
    assert all(outcome is not None for outcome in found.values())


def test_no_redirect_leads_into_the_house(tmp_path: Path) -> None:
    """The guard is on, and the test web itself is on loopback: nothing at all is asked."""
    web = MisbehavingWeb(["guard"])
    with SocketWeb(web) as server:
        job = job_of(web, server, allow_private=False, contact="https://example.org/about")
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        result = crawl(directory)
        asked = server.requests
    assert result["reason"] == "no seed"
    assert asked == 0
    assert set(outcomes(directory).values()) == {Outcome.REFUSED_ADDRESS}
