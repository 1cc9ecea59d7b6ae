"""Measures what a page costs with the log in a file, in PostgreSQL and in NATS JetStream.

    python -m benchmarks.shared_logs [--runs 3] [--only sqlite,postgres] [--tree B] [--json]

One crawl after the other of a tree that nginx serves, as in the race, each log in turn. The servers
run on this machine, with fsync as in production, in a folder on the disk: one PostgreSQL, three
NATS servers with three copies and `sync_interval: always`. Their work is counted by itself.

    cpu        CPU time of the crawl, a page; beside it that of the servers
    wall       pages a second
    commit     p50 and p99 of `Log.commit`, as the crawl saw it
    given      bytes that the crawl gave to the log, a page
    on disk    bytes that the log took on one server's disk, a page
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.processes import cpu_seconds
from benchmarks.race import server as web_server
from benchmarks.race import trees
from benchmarks.race.clients import Course, lycosa_command

from lycosa.storage.log.protocol import Write

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from servers import nats_cluster, postgres_server
from servers.nats import NatsCluster
from servers.postgres import PostgresServer

KINDS = ("sqlite", "postgres", "jetstream")
SAME_PARTITIONS = "frontier.partitions=64"


class Place(NamedTuple):
    """Where a log is: its address, the processes that keep it, and their folder."""

    address: str
    pids: list[int]
    folder: Path | None


@contextmanager
def placed(kind: str) -> Iterator[Place]:
    """Run what a kind of log needs."""
    if kind == "sqlite":
        yield Place("", [], None)
        return
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        servers = postgres_server if kind == "postgres" else nats_cluster
        own = folder / "servers"
        own.mkdir()
        with servers(folder=own) as server:
            yield Place(server.url, pids_of(server), own)


def pids_of(server: PostgresServer | NatsCluster) -> list[int]:
    """Return the processes of a server."""
    if isinstance(server, NatsCluster):
        return [server.pid(number) for number in range(3)]
    return [server.pid]


def measured(kind: str, place: Place, course: Course) -> dict[str, float]:
    """Crawl once; return what a page has cost."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        command = lycosa_command("lycosa", course, folder)[1:]
        command += ["--set", SAME_PARTITIONS]
        if place.address:
            command += ["--log", place.address]
        told = folder / "commits.json"
        before, disk = sum(map(cpu_seconds, place.pids)), _size(place.folder)
        began = time.monotonic()
        child = [sys.executable, "-m", "benchmarks.shared_logs", "--child", str(told), *command]
        process = subprocess.Popen(child, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        assert status == 0, f"{kind}: the crawl failed"
        pages, times, given = json.loads(told.read_bytes())
        on_disk = _size(place.folder) - disk if place.folder else _size(_log_in(folder))
        copies = 3 if kind == "jetstream" else 1
    times.sort()
    return {
        "pages": pages,
        "cpu_us": 1e6 * (usage.ru_utime + usage.ru_stime) / pages,
        "server_us": 1e6 * (sum(map(cpu_seconds, place.pids)) - before) / pages,
        "pages_per_second": pages / wall,
        "commits": len(times),
        "commit_p50_ms": 1e3 * times[len(times) // 2],
        "commit_p99_ms": 1e3 * times[min(len(times) - 1, len(times) * 99 // 100)],
        "given_bytes": given / pages,
        "disk_bytes": on_disk / copies / pages,
    }


def _log_in(folder: Path) -> Path:
    return next(path for path in folder.rglob("log") if path.is_dir())


def _size(folder: Path | None) -> int:
    if folder is None:
        return 0
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


def child(told: Path, command: Sequence[str]) -> int:
    """Run a crawl in this process, and write down what its commits have cost."""
    from lycosa.storage.jetstream.log import JetStreamLog
    from lycosa.storage.log.sqlite import SqliteLog
    from lycosa.storage.postgres.log import PostgresLog

    times: list[float] = []
    given = 0

    def watch(kind: Any) -> None:
        real = kind.commit

        def commit(self: object, writes: Sequence[Write]) -> list[int | None]:
            nonlocal given
            began = time.perf_counter()
            results: list[int | None] = real(self, writes)
            times.append(time.perf_counter() - began)
            for write in writes:
                given += len(write.events) + sum(len(messages) for _, messages in write.posts)
            return results

        kind.commit = commit

    for kind in (SqliteLog, PostgresLog, JetStreamLog):
        watch(kind)
    from lycosa.cli.main import main as lycosa

    summary = io.StringIO()
    with redirect_stdout(summary):
        code = lycosa(list(command))
    pages = json.loads(summary.getvalue())["pages"]
    told.write_text(json.dumps([pages, times, given]))
    return code


def main() -> None:
    """Measure and print."""
    if sys.argv[1:2] == ["--child"]:
        sys.exit(child(Path(sys.argv[2]), sys.argv[3:]))
    arguments = _arguments()
    kinds = arguments.only.split(",")
    tree = trees.prepare(trees.TREES[arguments.tree])
    nginx = trees.program("nginx", "nginx")
    figures: dict[str, list[dict[str, float]]] = {kind: [] for kind in kinds}
    with web_server.serving(nginx, tree) as port:
        for _ in range(arguments.runs):
            for kind in kinds:
                with placed(kind) as place:
                    figures[kind].append(measured(kind, place, Course(tree, port)))
    medians = {
        kind: {name: statistics.median(run[name] for run in runs) for name in runs[0]}
        for kind, runs in figures.items()
    }
    if arguments.json:
        print(json.dumps(medians, indent=2))
        return
    print(_table(medians, arguments.runs))


def _table(medians: dict[str, dict[str, float]], runs: int) -> str:
    lines = [
        f"medians of {runs} runs",
        "| log | µs a page | × SQLite | servers, µs a page | pages/s | commits | p50, p99 ms"
        " | bytes given, on disk |",
        "|---|---|---|---|---|---|---|---|",
    ]
    first = next(iter(medians.values()))["cpu_us"]
    for kind, one in medians.items():
        lines.append(
            f"| {kind} | {one['cpu_us']:.0f} | {one['cpu_us'] / first:.2f}"
            f" | {one['server_us']:.0f} | {one['pages_per_second']:.0f} | {one['commits']:.0f}"
            f" | {one['commit_p50_ms']:.1f}, {one['commit_p99_ms']:.1f}"
            f" | {one['given_bytes']:.0f}, {one['disk_bytes']:.0f} |"
        )
    return "\n".join(lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--tree", default="B")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
