"""Simulates a cluster of many machines in virtual time, and counts what the model predicts.

    python -m benchmarks.scale_simulation                        64 machines, 100,000 hosts
    python -m benchmarks.scale_simulation --machines 8 --hosts 12500 --partitions 128
    python -m benchmarks.scale_simulation --predict              what the model says, at once
    python -m benchmarks.scale_simulation --until 140            the first 140 virtual seconds alone
    python -m benchmarks.scale_simulation --json sim.json        keeps the figures
    python -m benchmarks.scale_simulation --from sim.json        prints them again

Worker, frontier, member, ledger and membership are the real ones, each machine with its own; log
and board are the memory ones, and a commit or a fetch of the inbox takes 10 ms on the average.
Nothing fails. What a machine computes takes no virtual time: the simulation says what machines ask
of the network, the log and the board, not how fast a processor is.
"""

from __future__ import annotations

import argparse
import gc
import json
import pickle
import resource
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.scale_prediction import SEED_SHARE, Plan, picture, predict, table
from benchmarks.scale_web import ScaleWeb

from lycosa.crawl.pauses.due import due_pause
from lycosa.crawl.takeover import read_partition
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.model.job import Job
from lycosa.model.records import Purpose, Request
from lycosa.runtime.coordination.memory import MemoryBoard
from lycosa.runtime.coordination.protocol import Answer
from lycosa.simulation.cluster.cluster import Cluster
from lycosa.simulation.cluster.loose_log import LooseLog
from lycosa.simulation.cluster.world import BEGINS_AT, CALM
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Write
from lycosa.storage.log.snapshot import MemorySnapshots
from lycosa_testweb.web import Reply

SAMPLE_SECONDS = 10.0
_START = 1_700_000_000.0
_FOREVER = 100_000.0


class _CountedWeb(ScaleWeb):
    """Counts requests by the second in which they begin, by the true clock."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan.hosts, plan.far_links, seed=plan.seed)
        self.pages: Counter[int] = Counter()
        self.others: Counter[int] = Counter()

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer and count."""
        reply = super().answer(request, moment)
        is_page = request.purpose is Purpose.PAGE and reply.status == 200
        (self.pages if is_page else self.others)[int(moment - BEGINS_AT)] += 1
        return reply


class _Traffic:
    """Counts what machines write to the log and to the board, by the second."""

    def __init__(self) -> None:
        self.by_second: dict[str, Counter[int]] = {
            name: Counter()
            for name in ("commits", "appends", "posts", "event_bytes", "post_bytes", "puts", "gets")
        }
        self.put_keys: Counter[str] = Counter()
        self.now: Callable[[], float] = lambda: 0.0

    def add(self, name: str, amount: int = 1) -> None:
        """Count something in this second."""
        self.by_second[name][int(self.now() - BEGINS_AT)] += amount

    def total(self, name: str) -> int:
        """Return a count over the whole crawl."""
        return sum(self.by_second[name].values())

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Count what happens within."""
        commit, put, fetch = LooseLog.commit, MemoryBoard.put, LooseLog.inboxes
        traffic = self

        def counted_commit(self: LooseLog, writes: Sequence[Write]) -> list[int | None]:
            traffic.add("commits")
            traffic.add("appends", len(writes))
            for write in writes:
                traffic.add("event_bytes", len(write.events))
                traffic.add("posts", len(write.posts))
                traffic.add("post_bytes", sum(len(messages) for _, messages in write.posts))
            return commit(self, writes)

        def counted_put(self: MemoryBoard, key: str, value: bytes, expect: int) -> Answer:
            traffic.add("puts")
            traffic.put_keys[key.partition("/")[0]] += 1
            return put(self, key, value, expect)

        def counted_fetch(
            self: LooseLog, after: Mapping[int, int]
        ) -> dict[int, list[tuple[int, bytes]]]:
            traffic.add("gets")
            return fetch(self, after)

        LooseLog.commit = counted_commit  # type: ignore[method-assign]
        MemoryBoard.put = counted_put  # type: ignore[method-assign]
        LooseLog.inboxes = counted_fetch  # type: ignore[method-assign]
        try:
            yield
        finally:
            LooseLog.commit = commit  # type: ignore[method-assign]
            MemoryBoard.put = put  # type: ignore[method-assign]
            LooseLog.inboxes = fetch  # type: ignore[method-assign]


def job_of(plan: Plan, web: ScaleWeb) -> Job:
    """Return the job of the simulated crawl."""
    delay = plan.delay_seconds
    return Job.of(
        seeds=[web.home(host) for host in range(0, plan.hosts, SEED_SHARE)],
        politeness={"delay_seconds": delay, "large_site_delay_seconds": delay},
        fetch={"connections": plan.connections},
        frontier={"partitions": plan.partitions},
        robots={"sitemaps": False},
        discovery={"mining": "off"},
    )


def simulate(
    plan: Plan, *, until: float = _FOREVER, measures_memory: bool = True
) -> dict[str, Any]:
    """Crawl the web and return what was counted."""
    traffic = _Traffic()
    web, machines = _CountedWeb(plan), plan.machines
    owners: list[tuple[float, dict[str, int]]] = []
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        job = job_of(plan, web)
        cluster = Cluster(web, job, Path(folder), seed=plan.seed, machines=machines, weather=CALM)
        traffic.now = cluster.clock.now

        def sample() -> None:
            held = Counter(head.owner for head in cluster.server.heads())
            owners.append((cluster.clock.now() - BEGINS_AT, dict(held)))
            cluster.clock.call_at(cluster.clock.now() + SAMPLE_SECONDS, sample)
            pages = sum(web.pages.values())
            print(f"\r{owners[-1][0]:6.0f} s {pages:9,} pages", end="", file=sys.stderr, flush=True)

        cluster.clock.call_at(BEGINS_AT, sample)
        with traffic.watched():
            result = cluster.run(until)
        print(file=sys.stderr)
        cpu_seconds = time.process_time() - began
        memory = _fold_elsewhere(cluster, _largest(cluster)) if measures_memory else {}
    full = next(held for _, held in reversed(owners) if len(held) == machines and "" not in held)
    end = int(result.virtual_seconds) + 1
    return {
        "plan": plan._asdict(),
        "is_part": until < _FOREVER,
        "reason": result.reason,
        "breaches": len(result.breaches),
        "pages": result.kept_pages,
        "requests": result.requests,
        "lives": result.lives,
        "seconds": result.virtual_seconds,
        "cpu_seconds": cpu_seconds,
        "shared_at": next(at for at, held in owners if len(held) == machines and "" not in held),
        "shares": [min(full.values()), max(full.values())],
        "totals": {name: traffic.total(name) for name in traffic.by_second},
        "put_keys": dict(traffic.put_keys),
        "pages_a_second": [web.pages[at] for at in range(end)],
        "requests_a_second": [web.pages[at] + web.others[at] for at in range(end)],
        "by_second": {
            name: [counts[at] for at in range(end)] for name, counts in traffic.by_second.items()
        },
        "memory": memory,
    }


# -- memory of one machine --------------------------------------------------------------------


def _largest(cluster: Cluster) -> list[int]:
    """Return the partitions of the machine that knows most URLs."""
    heads = cluster.server.heads()
    states = cluster.states()
    urls: Counter[str] = Counter()
    for number, head in enumerate(heads):
        urls[head.owner] += len(states[number].table)
    name, _ = urls.most_common(1)[0]
    return [number for number, head in enumerate(heads) if head.owner == name]


def _fold_elsewhere(cluster: Cluster, numbers: list[int]) -> dict[str, Any]:
    """Fold these partitions in a fresh process; return what they take there."""
    batches = {number: [batch for _, batch in cluster.server.read(number, 0)] for number in numbers}
    with tempfile.NamedTemporaryFile() as file:
        pickle.dump(batches, file)
        file.flush()
        found: dict[str, Any] = {}
        for flag in ("--fold", "--fold-traced"):
            command = [sys.executable, "-m", "benchmarks.scale_simulation", flag, file.name]
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found |= json.loads(output)
    return found


def fold_here(path: Path, is_traced: bool) -> dict[str, Any]:
    """Fold partitions in this process."""
    batches: dict[int, list[bytes]] = pickle.loads(path.read_bytes())
    job = job_of(Plan(hosts=1, partitions=1), ScaleWeb(1))
    log, snapshots = MemoryLog(max(batches) + 1), MemorySnapshots()
    for number, some in batches.items():
        log._logs[number] = some
        log._heads[number] = log._heads[number]._replace(log=len(some))
    agenda = Agenda()
    now = _START + 1e6
    around = WorkerContext(
        agenda=agenda,
        addresses=Addresses(agenda, 0.5, now + 0.5),
        resolve=lambda number, host: None,
        pause_of=lambda state, host: due_pause(job, state, host),
        resumed_at=now,
        with_work={},
        changed={},
    )
    gc.collect()
    before = _resident_bytes()
    if is_traced:
        tracemalloc.start()
    began = time.process_time()
    partitions = [
        Partition(number, read_partition(log, snapshots, number).state, "breadth-first", around)
        for number in batches
    ]
    for partition in partitions:
        partition.resume(now)
    seconds = time.process_time() - began
    gc.collect()
    if is_traced:
        return {"traced_bytes": tracemalloc.get_traced_memory()[0]}
    states = [partition.state for partition in partitions]
    return {
        "resident_bytes": _resident_bytes() - before,
        "fold_seconds": seconds,
        "partitions": len(states),
        "urls": sum(len(state.table) for state in states),
        "hosts": sum(len(state.host_names) for state in states),
        "pages": sum(state.kept_pages for state in states),
        "log_bytes": sum(len(batch) for some in batches.values() for batch in some),
    }


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def main() -> None:
    """Predict, simulate, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    for name, default in Plan._field_defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    parser.add_argument("--predict", action="store_true", help="do not simulate")
    parser.add_argument("--until", type=float, default=_FOREVER, help="virtual seconds, at most")
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    parser.add_argument("--from", type=Path, dest="kept", help="print figures that were kept")
    parser.add_argument("--picture", type=Path, help="draw both curves to this SVG file")
    parser.add_argument("--fold", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--fold-traced", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fold or given.fold_traced:
        print(json.dumps(fold_here(given.fold or given.fold_traced, bool(given.fold_traced))))
        return
    plan = Plan(*(getattr(given, name) for name in Plan._fields))
    found = None
    if given.kept:
        found = json.loads(given.kept.read_bytes())
        plan = Plan(**found["plan"])
    elif not given.predict:
        found = simulate(plan, until=given.until)
        if given.json:
            given.json.write_text(json.dumps(found))
    predicted = predict(plan)
    print(plan)
    print(table(predicted, found))
    if found is not None:
        if given.picture:
            given.picture.write_text(picture(predicted, found))
        print(
            f"{found['reason']}, {found['breaches']} breaches, {found['lives']} lives;"
            f" {found['cpu_seconds']:.0f} s of CPU"
        )


if __name__ == "__main__":
    main()
