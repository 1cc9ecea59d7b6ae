"""Measures the logs beside each other, and lets writers contend for one sequence.

    python -m benchmarks.logs [--only sqlite,postgres,jetstream] [--commits 100] [--contest 100000]
                              [--folder DIR] [--json]

The servers are started on this machine, with fsync as in production, in a folder on the disk: one
PostgreSQL, three NATS servers with three copies and `sync_interval: always`.

    append     one partition's 8 kB and 8 posts of 2 kB, one commit at a time; p50, p99
    commit     64 partitions' appends of 8 kB and 64 posts of 2 kB, one commit at a time; p50, p99
    workers    four connections, each 16 appends of 8 kB and 64 posts of 2 kB; commits a second
    replay     batches of 8 kB read back, a second
    bytes      what the log takes on one server's disk, for each byte that was given to it
    contest    four connections write with one expectation, again and again, until so many
               conditional writes were made; a sequence has one winner, and the log holds its bytes
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

from lycosa.model.records import Counted, Taken
from lycosa.storage.log.format import encode
from lycosa.storage.log.opening import open_log
from lycosa.storage.log.protocol import Log, Take, Write

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from servers import fresh_name, nats_cluster, postgres_server

PARTITIONS = 64
WRITERS = 4
KINDS = ("sqlite", "postgres", "jetstream")
Figures = dict[str, Any]
Connect = Callable[[], Log]


@contextmanager
def opened(kind: str, folder: Path) -> Iterator[Callable[[int], Connect]]:
    """Run what a kind of log needs; yields what makes new crawls."""
    if kind == "sqlite":

        def new(partitions: int) -> Connect:
            place = Path(tempfile.mkdtemp(dir=folder))
            return lambda: open_log(place, partitions, durability="power")

        yield new
        return
    servers = postgres_server if kind == "postgres" else nats_cluster
    own = Path(tempfile.mkdtemp(dir=folder))
    with servers(folder=own) as server:
        url = server.url if kind == "postgres" else f"{server.url}?monitoring=8222"

        def new_in_server(partitions: int) -> Connect:
            crawl = fresh_name()
            return lambda: open_log(url, partitions, crawl=crawl, durability="power")

        yield new_in_server


def filling(size: int, chance: Random) -> bytes:
    """Return a batch of about a size whose bytes hardly repeat, as events do once encoded."""
    return encode([Counted({chance.randbytes(size // 2).hex(): 1})])


def taken(log: Log, partitions: int) -> list[int]:
    takes = [Take(n, 0, encode([Taken(1.0, "bench")])) for n in range(partitions)]
    assert log.take("bench", takes) == [1] * partitions
    return [1] * partitions


def percentiles(seconds: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return {"p50 ms": round(1000 * cuts[49], 1), "p99 ms": round(1000 * cuts[98], 1)}


def timed_commits(
    log: Log, commits: int, partitions: int, posts: int, chance: Random
) -> list[float]:
    """Commit one after the other; `posts` are spread over the writes."""
    heads = taken(log, partitions)
    seconds: list[float] = []
    for _ in range(commits):
        each = posts // partitions
        writes = [
            Write(
                n,
                heads[n],
                filling(8000, chance),
                [((n + k + 1) % PARTITIONS, filling(2000, chance)) for k in range(each)],
                0,
            )
            for n in range(partitions)
        ]
        began = time.perf_counter()
        assert log.commit(writes) == [head + 1 for head in heads]
        seconds.append(time.perf_counter() - began)
        heads = [head + 1 for head in heads]
    return seconds


def measure(new: Callable[[int], Connect], commits: int) -> Figures:
    chance = Random(1)
    figures: Figures = {}
    log = new(PARTITIONS)()
    figures["append"] = percentiles(timed_commits(log, commits, 1, 8, chance))
    log.close()
    log = new(PARTITIONS)()
    figures["commit"] = percentiles(timed_commits(log, commits, 64, 64, chance))
    began, count = time.perf_counter(), 0
    for partition in range(PARTITIONS):
        count += sum(1 for _ in log.read(partition, 0))
    figures["replay batches/s"] = round(count / (time.perf_counter() - began))
    log.close()
    figures["workers commits/s"] = workers(new, commits // 4, chance)
    return figures


def workers(new: Callable[[int], Connect], commits: int, chance: Random) -> float:
    """Let four connections commit at once, each to sixteen partitions of its own."""
    connect = new(PARTITIONS)
    logs = [connect() for _ in range(WRITERS)]
    taken(logs[0], PARTITIONS)
    batches = [filling(8000, chance) for _ in range(16)]
    message = filling(2000, chance)

    def work(number: int) -> None:
        own = range(16 * number, 16 * number + 16)
        for n in range(commits):
            posts = [((16 * number + 17 + k) % PARTITIONS, message) for k in range(4)]
            writes = [Write(p, n + 1, batches[p % 16], posts, 0) for p in own]
            assert logs[number].commit(writes) == [n + 2] * 16

    threads = [threading.Thread(target=work, args=(number,)) for number in range(WRITERS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    for log in logs:
        log.close()
    return round(WRITERS * commits / seconds, 1)


def contest(connect: Connect, wanted: int) -> Figures:
    """Let four connections contend for every sequence of one log; count the winners of each."""
    logs = [connect() for _ in range(WRITERS)]
    taken(logs[0], 1)
    winners: Counter[int] = Counter()
    kept: dict[int, bytes] = {}
    attempts = [0] * WRITERS
    lock = threading.Lock()

    def contend(number: int) -> None:
        log, known, share = logs[number], 1, -(-wanted // WRITERS)
        while attempts[number] < share:
            events = encode([Counted({f"{number} {attempts[number]}": 1})])
            (sequence,) = log.commit([Write(0, known, events, (), 0)])
            attempts[number] += 1
            if sequence is None:
                known = log.head(0).log
                continue
            with lock:
                winners[sequence] += 1
                kept[sequence] = events
            known = sequence

    threads = [threading.Thread(target=contend, args=(number,)) for number in range(WRITERS)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    stored = dict(logs[0].read(0, 1))
    for log in logs:
        log.close()
    return {
        "conditional writes": sum(attempts),
        "accepted": len(winners),
        "refused": sum(attempts) - len(winners),
        "sequences with two winners": sum(count > 1 for count in winners.values()),
        "accepted and not in the log": sum(stored.get(s) != batch for s, batch in kept.items()),
        "in the log and not accepted": len(stored.keys() - kept.keys()),
        "a second": round(sum(attempts) / seconds),
    }


def bytes_of(folder: Path) -> int:
    """Return what the largest server's files take on the disk."""
    servers = [path for path in folder.iterdir() if path.is_dir() and path.name in "012"]
    return max((_disk(path) for path in servers), default=_disk(folder))


def _disk(folder: Path) -> int:
    return sum(512 * path.stat().st_blocks for path in folder.rglob("*") if path.is_file())


def log_bytes(new: Callable[[int], Connect], folder: Path, chance: Random) -> float:
    """Return the bytes on one server's disk for each byte of 40 commits of 64 batches."""
    before = _measured(folder)
    log = new(PARTITIONS)()
    timed_commits(log, 40, 64, 64, chance)
    log.close()
    given = 40 * 64 * (8000 + 2000)
    return round((_measured(folder) - before) / given, 2)


def _measured(folder: Path) -> int:
    return sum(bytes_of(path) for path in folder.iterdir() if path.is_dir())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--contest", type=int, default=100_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results: dict[str, Figures] = {}
    for kind in options.only.split(","):
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            folder = Path(name)
            folder.chmod(0o755)
            with opened(kind, folder) as new:
                results[kind] = measure(new, options.commits) if options.commits else {}
                if options.commits:
                    results[kind]["disk bytes a byte"] = log_bytes(new, folder, Random(2))
                if options.contest and kind != "sqlite":
                    results[kind]["contest"] = contest(new(1), options.contest)
        if not options.json:
            print(kind)
            for name, figure in results[kind].items():
                print(f"    {name:22} {figure}", flush=True)
    if options.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
