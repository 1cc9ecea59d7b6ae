"""Measures the time from the kill of one worker to the next request for its partitions.

    python -m benchmarks.worker_deaths [--kills 10] [--workers 2] [--seed 1]

The drawn web of `benchmarks.kills`, without pauses. A worker is killed by SIGKILL again and again
while the supervisor and the other workers go on; the referee's log tells when the first request
came for a host of the partitions that the dead one had owned. A host rests for a second after a
takeover (docs/decisions/0008-politeness-after-a-kill.md), so what is above that second is the time
to see the exit, to start a process, and to fold the partitions.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import msgspec
from benchmarks import kills

from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.model.job import Job
from lycosa.model.url import key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.assignments import Assignment
from lycosa.simulation.referee_rules import referee_rules
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SOCKET_TOLERANCE_SECONDS, SocketWeb


def partitions_of(pid: int) -> set[int] | None:
    """Return the partitions of a worker process; None before it runs."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return set(msgspec.json.decode(words[-2], type=Assignment).partitions)
    except (OSError, IndexError, msgspec.DecodeError):
        return None


def seconds_to_request(
    directory: CrawlDirectory,
    server: SocketWeb,
    referee: Referee,
    process: subprocess.Popen[bytes],
    chance: random.Random,
) -> float | None:
    """Kill a worker; return the time to the next request for its partitions, None at the end."""
    partitioner = partitioner_of(directory.job(), None)
    time.sleep(chance.uniform(0.2, 0.6))
    holder = directory.holder()
    victim = chance.choice(holder.workers) if holder and holder.workers else 0
    owned = partitions_of(victim) if victim else None
    if process.poll() is not None or owned is None:
        return None
    os.kill(victim, signal.SIGKILL)
    killed_at = server.now()
    while Path(f"/proc/{victim}/fd").exists() and process.poll() is None:
        time.sleep(0.001)
    server.worker_killed()
    seen = 0
    while process.poll() is None:
        history = referee.history
        for exchange in history[seen:]:
            partition = partitioner.partition_of(key_of(f"http://{exchange.host}/"))
            # A request that was under way at the kill began before it.
            if exchange.began > killed_at and partition in owned:
                return exchange.began - killed_at
        seen = len(history)
        time.sleep(0.001)
    return None


def measure(kills_wanted: int, workers: int, seed: int) -> list[float]:
    """Crawl until there were so many kills; return the time after each."""
    chance, found = random.Random(seed), list[float]()
    while len(found) < kills_wanted:
        web = kills.drawn_web(has_copies=False)
        referee = Referee(referee_rules(Job()), web, keep_history=True)
        with (
            tempfile.TemporaryDirectory(prefix="deaths-") as name,
            SocketWeb(web, referee=referee, time_scale=1.0, tls=False) as server,
        ):
            job = kills.job_of(server, 0.05, workers, {})
            referee.rules = replace(
                referee_rules(job),
                tolerance_seconds=SOCKET_TOLERANCE_SECONDS,
                forget_window_seconds=float("inf"),
                demand_window_seconds=float("inf"),
            )
            directory = CrawlDirectory.create(Path(name) / "crawl", job)
            command = [sys.executable, "-m", "lycosa", "resume", str(directory.path), "--quiet"]
            with (Path(name) / "said").open("wb") as said:
                process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
            kills.wait_for(lambda server=server: server.requests > 0, process)  # type: ignore[misc]
            while len(found) < kills_wanted:
                took = seconds_to_request(directory, server, referee, process, chance)
                if took is None:
                    break
                found.append(took)
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=120)
            server.settle()
        if referee.breaches:
            raise SystemExit("\n".join(map(str, referee.breaches)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = sorted(measure(given.kills, given.workers, given.seed))
    print(
        f"{len(found)} kills, {given.workers} workers, kill to request, s:"
        f" median {statistics.median(found):.2f}, most {found[-1]:.2f}"
    )


if __name__ == "__main__":
    main()
