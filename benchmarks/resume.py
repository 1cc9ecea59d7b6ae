"""Measures the time of a resume, the disk space of the log, and the memory of the state.

    python benchmarks/resume.py [--urls 1000000] [--fetches 100000] [--hosts 20000]
                                [--repeats 3] [--no-memory] [--json]

A made-up crawl is written to a SQLite log as its workers would have written it: for every
page a `Fetched` and an `Admitted` with its new URLs, for every host the seed and its robots
rules, in the batches of half a second at 1,000 pages a second, spread over 64 partitions
by the partitioner. From that log two crawls are made: one with snapshots taken when nine
tenths were written, what they cover trimmed to the archive; and one without, where the
log is all there is. Each is resumed in a process of its own: `take_partition` for all
partitions (read, fold, become the owner), then `Partition.resume` for all (queues, clocks).

Memory is measured in such processes too, by difference: a base crawl, and three that have
more URLs, more hosts, more fetches and are the same otherwise. Once by the resident set
after the resume, once by tracemalloc, which counts what Python and its arrays allocated.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lycosa.crawl.pauses.due import due_pause
from lycosa.crawl.takeover import take_partition
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.partitioners import make_partitioner
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.model.job import Job
from lycosa.model.records import (
    Admitted,
    AnyEvent,
    Configured,
    Fetched,
    Outcome,
    Place,
    RobotsLearned,
    RobotsState,
    Taken,
)
from lycosa.storage.log.fold import replay
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Take, Write
from lycosa.storage.log.snapshot import SnapshotFolder
from lycosa.storage.log.sqlite import SqliteLog

SEED = 1
PARTITIONS = 64
PAGES_A_BATCH = 8
"""Of one partition, in half a second, when 1,000 pages a second are kept."""
START = 1_700_000_000.0
JOB = Job.of(["http://www.site0.example/"])
SYLLABLES = [a + b for a in "bdfgklmnprst" for b in "aeiou"]
WORDS = ["".join(random.Random(n).choices(SYLLABLES, k=4)) for n in range(2000)]
RULES = b"\x01" + b"/private/*?session=" * 4
"""Of the size that one site in three has; the state does not look into them."""


class Size(NamedTuple):
    """How large a crawl is."""

    urls: int
    hosts: int
    fetches: int


# -- writing a crawl --------------------------------------------------------------------------


def host_key(host: int) -> str:
    return f"example.site{host:06d}.www:"


def url_key(host: int, number: int) -> str:
    """A URL of some 60 bytes, whose words repeat as those of a site's URLs do."""
    mixed = (number * 2654435761 + host * 40503) & 0xFFFFFFFF
    first, second = WORDS[mixed % 211], WORDS[(mixed >> 9) % len(WORDS)]
    return f"{host_key(host)}/{first}/{second}-{mixed >> 12 & 0xFFFF}/{number}.html"


def hosts_of_partitions(hosts: int) -> list[list[int]]:
    partitioner = make_partitioner("domain", PARTITIONS)
    found: list[list[int]] = [[] for _ in range(PARTITIONS)]
    for host in range(hosts):
        found[partitioner.partition_of(url_key(host, 0))].append(host)
    return found


def shares(total: int, weights: Sequence[int]) -> list[int]:
    """Divide a number by weights, to the last unit."""
    whole, result, used = sum(weights), [], 0
    seen = 0
    for weight in weights:
        seen += weight
        result.append(total * seen // whole - used)
        used += result[-1]
    return result


def events_of(hosts: list[int], urls: int, fetches: int, chance: random.Random) -> list[AnyEvent]:
    """The life of one partition: seeds, robots rules, then page after page."""
    events: list[AnyEvent] = []
    for number, host in enumerate(hosts):
        events.append(Admitted(START, "", [url_key(host, 0)], [0]))
        rules = RULES if number % 3 == 0 else b""
        expires = START + 86_400
        events.append(
            RobotsLearned(START, number, RobotsState.KNOWN, rules, 0.0, expires, START + 15)
        )
    links = shares(urls - len(hosts), [1] * fetches)
    owner = list(range(len(hosts)))
    for page in range(fetches):
        moment = START + page * 0.06
        size = int(chance.lognormvariate(9.6, 0.9))
        place = Place(page // 2000, page * 9_000, 9_000)
        events.append(Fetched(moment, page, Outcome.KEPT, 200, size, 0.0, moment + 15, place))
        host = hosts[owner[page]]
        keys = [url_key(host, len(owner) + n) for n in range(links[page])]
        owner += [owner[page]] * len(keys)
        events.append(Admitted(moment, url_key(host, page), keys, [21] * len(keys)))
    return events


def write_crawl(folder: Path, size: Size) -> None:
    """Write the log of a crawl that was killed: no snapshots, nothing trimmed."""
    log = SqliteLog(folder / "log", PARTITIONS)
    hosts = hosts_of_partitions(size.hosts)
    weights = [len(names) for names in hosts]
    urls, fetches = shares(size.urls, weights), shares(size.fetches, weights)
    chance = random.Random(SEED)
    for number in range(PARTITIONS):
        opening: list[AnyEvent] = [Taken(START, "before"), Configured(START, JOB.digest())]
        log.take("before", [Take(number, 0, encode(opening))])
        events = events_of(hosts[number], urls[number], fetches[number], chance)
        step = PAGES_A_BATCH * 2
        for batch, first in enumerate(range(0, len(events), step)):
            log.commit([Write(number, 1 + batch, encode(events[first : first + step]), (), 0)])
    log.close()


def snapshot_crawl(folder: Path) -> None:
    """Give a crawl the snapshots that it would have had when nine tenths were written."""
    log = SqliteLog(folder / "log", PARTITIONS)
    snapshots = SnapshotFolder(folder / "log" / "snapshots")
    for number, head in enumerate(log.heads()):
        through = head.log * 9 // 10
        state = PartitionState()
        replay(state, ((n, batch) for n, batch in log.read(number, 0) if n <= through))
        snapshots.write(number, through, state.pack(through))
        log.trim(number, through)
    log.close()


# -- resuming it ------------------------------------------------------------------------------


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def resume(
    folder: Path,
    agenda: Agenda,
    resolve: Callable[[int, int], str | None] = lambda number, host: None,
) -> list[Partition]:
    log = SqliteLog(folder / "log", PARTITIONS)
    snapshots = SnapshotFolder(folder / "log" / "snapshots")
    now = START + 1e6
    around = WorkerContext(
        agenda=agenda,
        addresses=Addresses(agenda, 0.5, now + 0.5),
        resolve=resolve,
        pause_of=lambda state, host: due_pause(JOB, state, host),
        resumed_at=now,
        with_work={},
        changed={},
    )
    taken, digest = Taken(now, "after"), JOB.digest()
    start = time.process_time()
    states = [
        take_partition(log, snapshots, number, taken, digest).state for number in range(PARTITIONS)
    ]
    TIMES["take"] = time.process_time() - start
    start = time.process_time()
    partitions = [
        Partition(number, state, "breadth-first", around) for number, state in enumerate(states)
    ]
    for partition in partitions:
        partition.resume(now)
    TIMES["order"] = time.process_time() - start
    log.close()
    return partitions


TIMES: dict[str, float] = {}


def resume_here(folder: Path, is_traced: bool) -> dict[str, Any]:
    """Resume in this process and say what it took."""
    gc.collect()
    before = resident_bytes()
    if is_traced:
        tracemalloc.start()
    partitions = resume(folder, Agenda())
    gc.collect()
    traced = tracemalloc.get_traced_memory()[0] if is_traced else 0
    return {
        **TIMES,
        "resident": resident_bytes() - before,
        "traced": traced,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "urls": sum(len(p.state.table) for p in partitions),
        "fetches": sum(len(p.state.fetches.due) for p in partitions),
        "hosts": sum(len(p.state.host_names) for p in partitions),
    }


def resume_elsewhere(folder: Path, is_traced: bool = False) -> dict[str, Any]:
    """Resume in a fresh process."""
    command = [sys.executable, __file__, "--resume", str(folder)]
    if is_traced:
        command.append("--traced")
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found: dict[str, Any] = json.loads(output)
    return found


def best_of(folder: Path, repeats: int) -> dict[str, Any]:
    runs = [resume_elsewhere(folder) for _ in range(repeats)]
    return min(runs, key=lambda run: float(run["take"] + run["order"]))


def size_on_disk(folder: Path) -> dict[str, int]:
    def total(pattern: str) -> int:
        return sum(path.stat().st_size for path in (folder / "log").glob(pattern))

    connection = sqlite3.connect(folder / "log" / "log.sqlite")
    pages, free, page_bytes = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    connection.close()
    return {
        "log": total("log.sqlite*"),
        "used": (pages - free) * page_bytes,
        "snapshots": total("snapshots/*"),
        "archive": total("archive/*"),
    }


# -- the questions ----------------------------------------------------------------------------


def measure_resume(work: Path, size: Size, repeats: int) -> dict[str, Any]:
    bare, shortcut, archived = work / "bare", work / "shortcut", work / "archived"
    write_crawl(bare, size)
    shutil.copytree(bare, shortcut)
    snapshot_crawl(shortcut)
    shutil.copytree(shortcut, archived)
    shutil.rmtree(archived / "log" / "snapshots")
    found: dict[str, Any] = {}
    ways = {
        "snapshots and a tenth of the log": shortcut,
        "the archive and a tenth of the log": archived,
        "the log alone": bare,
    }
    for name, folder in ways.items():
        found[name] = {"disk": size_on_disk(folder), **best_of(folder, repeats)}
    return found


def measure_memory(work: Path, size: Size) -> dict[str, Any]:
    """Bytes by difference; the crawls are a quarter of the size, tracing being slow."""
    base = Size(size.urls // 4, size.hosts // 4, size.fetches // 4)
    kinds = {
        "URL": base._replace(urls=base.urls * 2),
        "host": base._replace(hosts=base.hosts * 3),
        "fetched page": base._replace(fetches=base.fetches * 3),
    }
    runs = {name: memory_of(work / name, kind) for name, kind in {"base": base, **kinds}.items()}
    found: dict[str, Any] = {}
    for name, count in (("URL", "urls"), ("host", "hosts"), ("fetched page", "fetches")):
        more, less = runs[name], runs["base"]
        units = more[count] - less[count]
        found[name] = {
            "resident": (more["resident"] - less["resident"]) / units,
            "traced": (more["traced"] - less["traced"]) / units,
        }
    return found


def memory_of(folder: Path, size: Size) -> dict[str, Any]:
    write_crawl(folder, size)
    snapshot_crawl(folder)
    plain = min((resume_elsewhere(folder) for _ in range(2)), key=lambda r: int(r["resident"]))
    plain["traced"] = resume_elsewhere(folder, is_traced=True)["traced"]
    shutil.rmtree(folder)
    return plain


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def megabytes(size: float) -> str:
    return f"{size / 1e6:.1f}"


def print_resume(found: dict[str, Any]) -> None:
    rows = []
    for name, run in found.items():
        disk = run["disk"]
        rows.append(
            [
                name,
                f"{run['take']:.2f}",
                f"{run['order']:.2f}",
                f"**{run['take'] + run['order']:.2f}**",
                f"{megabytes(disk['log'])} ({megabytes(disk['used'])})",
                megabytes(disk["snapshots"]),
                megabytes(disk["archive"]),
                megabytes(run["resident"]),
                megabytes(run["peak"]),
            ]
        )
    header = ["resumed from", "take, s", "order, s", "all, s"]
    header += [
        "log, MB (in use)",
        "snapshots, MB",
        "archive, MB",
        "state, MB",
        "peak of the process, MB",
    ]
    print(table(header, rows))


DESIGNED = {"URL": "the URL table", "host": "≤ 64", "fetched page": "≤ 24"}


def print_memory(found: dict[str, Any]) -> None:
    rows = [
        [f"one {name} more", f"{run['resident']:.0f}", f"{run['traced']:.0f}", DESIGNED[name]]
        for name, run in found.items()
    ]
    print(table(["bytes of memory", "by resident set", "by tracemalloc", "designed"], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--fetches", type=int, default=100_000)
    parser.add_argument("--hosts", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--no-memory", action="store_true", help="leave the memory out")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--resume", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--traced", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.resume:
        print(json.dumps(resume_here(options.resume, options.traced)))
        return
    size = Size(options.urls, options.hosts, options.fetches)
    with tempfile.TemporaryDirectory(prefix="lycosa-bench-") as name:
        resumed = measure_resume(Path(name), size, options.repeats)
        memory = {} if options.no_memory else measure_memory(Path(name), size)
    if options.json:
        print(json.dumps({"resume": resumed, "memory": memory}))
        return
    print_resume(resumed)
    if memory:
        print()
        print_memory(memory)


if __name__ == "__main__":
    main()
