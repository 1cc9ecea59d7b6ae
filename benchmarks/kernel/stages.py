"""Measures the CPU time of a crawl as a whole, and of its stages with a stopwatch."""

from __future__ import annotations

import cProfile
import io
import pstats
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.kernel.crawl import PARTITIONS, Crawl, InstantTransport
from benchmarks.kernel.pages import SMALL, TREE_A, MadeUpWeb, Shape

from lycosa.clock import VirtualClock
from lycosa.crawl.answers import stages as answer_stages
from lycosa.crawl.answers.links import Router
from lycosa.crawl.worker import commits
from lycosa.crawl.worker.worker import Worker
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.hosts import Readiness
from lycosa.log.memory import MemoryLog
from lycosa.log.protocol import Log
from lycosa.log.sqlite import SqliteLog


class Stopwatch:
    """Adds up the time inside calls, without that inside other watched calls within them."""

    def __init__(self) -> None:
        self._stack = ["rest"]
        self._since = time.process_time_ns()
        self.spent: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.begun: Counter[str] = Counter()
        """How many watched calls were made from within each stage."""
        self._undo: list[tuple[object, str, object]] = []

    def watch(self, owner: Any, name: str, stage: str) -> None:
        """Replace a method or function by one that is timed."""
        self._undo.append((owner, name, vars(owner)[name]))
        setattr(owner, name, self.timed(stage, getattr(owner, name)))

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        stack, spent, clock = self._stack, self.spent, time.process_time_ns
        calls, begun = self.calls, self.begun

        def timed(*arguments: Any, **named: Any) -> Any:
            now = clock()
            spent[stack[-1]] += now - self._since
            begun[stack[-1]] += 1
            stack.append(stage)
            calls[stage] += 1
            self._since = now
            try:
                return function(*arguments, **named)
            finally:
                now = clock()
                spent[stack.pop()] += now - self._since
                self._since = now

        return timed

    def stop(self) -> None:
        self.spent["rest"] += time.process_time_ns() - self._since
        for owner, name, original in reversed(self._undo):
            setattr(owner, name, original)


def own_cost() -> tuple[float, float]:
    """What one watched call costs: counted inside it, and in all, in ns."""
    watch = Stopwatch()
    nothing = watch.timed("nothing", lambda: None)
    count = 100_000
    start = time.process_time_ns()
    for _ in range(count):
        nothing()
    whole = (time.process_time_ns() - start) / count
    return watch.spent["nothing"] / count, whole


STAGES = (
    "harness",
    "choose",
    "scan",
    "resolve",
    "store",
    "finish",
    "admit",
    "give back",
    "decide",
    "pump",
    "commit: cut",
    "commit: log",
    "commit: flush",
    "rest",
)


def watch_everything(watch: Stopwatch, log: Log, store: object) -> None:
    watch.watch(InstantTransport, "send", "harness")
    watch.watch(VirtualClock, "call_at", "harness")
    watch.watch(Partition, "next_task", "choose")
    watch.watch(Readiness, "take", "choose")
    watch.watch(type(log), "owner", "choose")
    watch.watch(answer_stages, "scan", "scan")
    watch.watch(Router, "resolve", "resolve")
    watch.watch(type(store), "append", "store")
    watch.watch(Partition, "finish", "finish")
    watch.watch(Router, "route", "admit")
    watch.watch(Router, "admit", "admit")
    watch.watch(Readiness, "give_back", "give back")
    watch.watch(answer_stages.PageAnswers, "decide", "decide")
    watch.watch(Worker, "pump", "pump")
    watch.watch(commits, "encode", "commit: cut")
    watch.watch(Partition, "cut", "commit: cut")
    watch.watch(type(log), "commit", "commit: log")
    watch.watch(type(store), "flush", "commit: flush")


class Figures(NamedTuple):
    """One crawl, in µs a page."""

    shape: str
    hosts: int
    log: str
    store: str
    total: float
    stages: dict[str, float]


class Case(NamedTuple):
    """What is crawled, and what it is written to."""

    shape: Shape
    hosts: int
    log: str
    store: str


CASES = (
    Case(SMALL, 1, "memory", "none"),
    Case(SMALL, 1, "sqlite", "none"),
    Case(SMALL, 200, "memory", "none"),
    Case(SMALL, 200, "sqlite", "none"),
    Case(TREE_A, 1, "sqlite", "none"),
    Case(TREE_A, 200, "sqlite", "none"),
    Case(TREE_A, 200, "sqlite", "journal"),
)


def run_once(
    case: Case, web: MadeUpWeb, pages: int, around: Callable[[Crawl, Log], Any]
) -> tuple[float, int]:
    """Make a crawl, let `around` run it; returns CPU seconds and pages."""
    with tempfile.TemporaryDirectory(prefix="lycosa-bench-") as name:
        folder = Path(name)
        log: Log = SqliteLog(folder, PARTITIONS) if case.log == "sqlite" else MemoryLog(PARTITIONS)
        crawl = Crawl(web, log, pages, folder if case.store == "journal" else None)
        start = time.process_time()
        around(crawl, log)
        seconds = time.process_time() - start
        log.close()
    return seconds, crawl.budget.kept_pages


def measure_crawl(case: Case, pages: int, repeats: int) -> Figures:
    web = MadeUpWeb(case.shape, case.hosts, pages)
    best = float("inf")
    for _ in range(repeats):
        seconds, kept = run_once(case, web, pages, lambda crawl, log: crawl.run())
        best = min(best, seconds / kept)
    inside, whole = own_cost()
    stages: dict[str, float] = {}
    for _ in range(repeats):
        watch = Stopwatch()

        def watched(crawl: Crawl, log: Log, watch: Stopwatch = watch) -> None:
            watch_everything(watch, log, crawl.store)
            try:
                crawl.run()
            finally:
                watch.stop()

        _, kept = run_once(case, web, pages, watched)
        taken = {
            stage: watch.spent[stage]
            - watch.calls[stage] * inside
            - watch.begun[stage] * (whole - inside)
            for stage in STAGES
        }
        if not stages or sum(taken.values()) < sum(stages.values()):
            stages = taken
    scale = 1e6 * best / sum(stages.values())
    shares = {stage: spent * scale for stage, spent in stages.items()}
    return Figures(case.shape.name, case.hosts, case.log, case.store, best * 1e6, shares)


def profile(pages: int, entries: int = 25) -> str:
    """Profile one crawl: small pages, 200 hosts, SQLite."""
    web = MadeUpWeb(SMALL, 200, pages)
    profiler = cProfile.Profile()

    def profiled(crawl: Crawl, log: Log) -> None:
        profiler.enable()
        crawl.run()
        profiler.disable()

    run_once(Case(SMALL, 200, "sqlite", "none"), web, pages, profiled)
    out = io.StringIO()
    stats = pstats.Stats(profiler, stream=out).strip_dirs()
    stats.sort_stats("tottime").print_stats(entries)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "\n".join(line for line in lines if line and "Random listing" not in line).strip()
