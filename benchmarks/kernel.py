"""What does one URL cost on its way through the kernel, when fetching costs nothing?

    python -m benchmarks.kernel [--pages 20000] [--one-host-pages 20000] [--repeats 3]
                                [--profile] [--json]

The real worker, frontier, log and journal crawl a made-up web in virtual time: no pauses,
and a transport that hands over prepared bodies. Two kinds of page, each on one host and on
200: *small* ones (10 links in 2 kB) and pages *like tree A* of the rivals' measurement (120
links, 35 of them different, in 30 kB); on both one or two links are new, and with many
hosts one link leads to another host. 700 pages are answered between two commits.

The total is CPU time of a run without instruments, the best of several. How it divides is
measured in a run of its own with a stopwatch around public calls, whose own cost is taken
out:

    choose      Partition.next_task, Readiness.take, Log.owner
    scan        scan: the body's links
    resolve     Router.resolve: canonical keys, scope
    store       Store.append
    finish      Partition.finish: the `Fetched` event
    admit       Router.route, Router.admit: distance, partition, Partition.admit
    give back   Readiness.give_back
    decide      the rest of Gatherer.page_answered
    pump        the rest of Worker.pump: turns, reservation, the request
    commit      cutting and encoding batches; Log.commit; Store.flush
    harness     the transport and the virtual clock: not Lycosa's
    rest        everything else: callbacks, the inboxes, the clock's loop

Then the parts alone, outside a crawl, and with `--profile` the profile of one crawl.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import json
import pstats
import random
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchmarks.partitions import waiting_partition

from lycosa.clock import VirtualClock
from lycosa.cluster.partitioners import make_partitioner
from lycosa.config import Job
from lycosa.crawl import committing, gathering
from lycosa.crawl.budget import Budget
from lycosa.crawl.ending import Ending
from lycosa.crawl.parts import Parts
from lycosa.crawl.routing import Router
from lycosa.crawl.scoping import JobScope
from lycosa.crawl.seeding import plant
from lycosa.crawl.worker import Worker
from lycosa.extract.links import scan
from lycosa.frontier.columns import Pages
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness import Readiness
from lycosa.frontier.schedulers.breadth_first import BreadthFirst
from lycosa.frontier.state import PartitionState
from lycosa.log.format import decode_events, encode
from lycosa.log.memory import MemoryLog
from lycosa.log.protocol import Log, Write
from lycosa.log.snapshot import MemorySnapshots
from lycosa.log.sqlite import SqliteLog
from lycosa.records import (
    Admitted,
    Answer,
    AnyEvent,
    Capture,
    Fetched,
    KeyedLink,
    LinkKind,
    Outcome,
    Place,
    Request,
    Resolved,
)
from lycosa.store.ends import LinkEnds
from lycosa.store.journal import Journal, Kept
from lycosa.url import Scope, canonical_keys

SEED = 1
PAGES_BETWEEN_COMMITS = 700
COMMIT_SECONDS = 0.5
CONNECTIONS = 64
PARTITIONS = 64
HTML = (("content-type", "text/html; charset=utf-8"), ("server", "bench"))
WORDS = ("the", "spider", "waits", "until", "a", "thread", "of", "its", "web", "moves", "and")


class Shape(NamedTuple):
    """A kind of page."""

    name: str
    different: int
    links: int
    size_bytes: int


SMALL = Shape("small", 10, 10, 2_000)
TREE_A = Shape("like tree A", 35, 120, 30_000)


# -- a web without end ------------------------------------------------------------------------


def host_name(number: int) -> str:
    return f"www.site{number:05d}.example"


def path_of(page: int) -> str:
    return f"/docs/api/package-{page % 97:02d}/class-{page:07d}.html"


def first_child(page: int) -> int:
    """Pages have one new link or two, in turn."""
    return page + page // 2 + 1


def text(size_bytes: int) -> str:
    chance = random.Random(SEED)
    words: list[str] = []
    length = 0
    while length < size_bytes:
        words.append(chance.choice(WORDS))
        length += len(words[-1]) + 1
    return " ".join(words)


def hrefs_of(page: int, shape: Shape, hosts: int) -> list[str]:
    """The links of a page: its own children, one abroad, and pages that are known by then."""
    chance = random.Random(f"{SEED} {page}")
    targets = dict.fromkeys(range(first_child(page), first_child(page + 1)))
    known = range(first_child(page))
    wanted = min(shape.different - (hosts > 1), len(targets) + len(known))
    while len(targets) < wanted:
        targets[chance.choice(known)] = None
    hrefs = [f"../package-{target % 97:02d}/class-{target:07d}.html" for target in targets]
    if hosts > 1:
        hrefs.append(f"http://{host_name(chance.randrange(hosts))}{path_of(page)}")
    return [hrefs[number % len(hrefs)] for number in range(shape.links)]


class MadeUpWeb:
    """The bodies of all pages, prepared: each host has the same pages."""

    def __init__(self, shape: Shape, hosts: int, pages: int) -> None:
        self.hosts = hosts
        self.bodies: dict[str, bytes] = {}
        head = "<!doctype html><html><head><title>A page</title></head><body>\n"
        for page in range(pages // hosts * 2 + 100):
            hrefs = hrefs_of(page, shape, hosts)
            links = "\n".join(f'<li><a href="{h}" class="link">class</a></li>' for h in hrefs)
            self.bodies[path_of(page)] = f"{head}<h1>{page}</h1><ul>\n{links}\n</ul>".encode()
        longest = max(map(len, self.bodies.values()))
        self.rest = f"<p>{text(max(0, shape.size_bytes - longest))}</p></body></html>".encode()


class Prepared(Protocol):
    """What a transport hands over: the beginnings of pages by path, and how all of them end."""

    hosts: int
    bodies: dict[str, bytes]
    rest: bytes


class InstantTransport:
    """Answers after a fixed virtual time with what was prepared."""

    def __init__(self, web: Prepared, clock: VirtualClock) -> None:
        self._web = web
        self._clock = clock
        in_flight = min(web.hosts, CONNECTIONS)
        self._seconds = COMMIT_SECONDS * in_flight / PAGES_BETWEEN_COMMITS

    def send(self, request: Request, on_answer: Callable[[Answer], None]) -> None:
        now = self._clock.now()
        ended = now + self._seconds
        links = self._web.bodies.get(request.url[len("http://") + len(request.host) :])
        if links is None:
            answer = Answer(404, HTML, b"", now, ended)
        else:
            answer = Answer(200, HTML, links + self._web.rest, now, ended)
        self._clock.call_at(ended, on_answer, answer)

    def resolve(self, host: str, on_resolved: Callable[[Resolved], None]) -> None:
        number = int(host[len("www.site") : len("www.site") + 5])
        address = f"10.0.{number >> 8}.{number & 255}"
        self._clock.call_at(self._clock.now(), on_resolved, Resolved(address, 1e9))


class NoStore:
    """Keeps nothing: what is left is the kernel alone."""

    def append(self, record: Capture) -> Place:
        return Place(0, 8, len(record.answer.body))

    def flush(self) -> None:
        pass

    def links(self, place: Place) -> list[KeyedLink]:
        return []

    def validators(self, place: Place) -> None:
        return None

    def link_ends(self) -> LinkEnds:
        return LinkEnds(array("q"), array("q"))


class Crawl:
    """One crawl, ready to be run once."""

    def __init__(self, web: MadeUpWeb, log: Log, pages: int, folder: Path | None) -> None:
        seeds = [f"http://{host_name(number)}{path_of(0)}" for number in range(web.hosts)]
        self.job = Job.of(
            seeds,
            politeness={
                "delay_seconds": 0.0,
                "large_site_delay_seconds": 0.0,
                "ip_delay_seconds": 0.0,
                "answer_time_factor": 0.0,
            },
            limits={"pages": pages, "host_pages": 0, "depth_static": 3000},
            fetch={"connections": CONNECTIONS},
            frontier={"partitions": PARTITIONS},
            discovery={"mining": "off"},
            log={"commit_seconds": COMMIT_SECONDS},
        )
        self.clock = VirtualClock()
        self.budget = Budget(self.job)
        self.reasons: list[str] = []
        self.store = Journal(folder / "segments") if folder else NoStore()
        parts = Parts(
            job=self.job,
            scope=JobScope(self.job, log, stays_on_seeds=False),
            clock=self.clock,
            log=log,
            snapshots=MemorySnapshots(),
            store=self.store,
            transport=InstantTransport(web, self.clock),
            partitioner=make_partitioner("domain", PARTITIONS),
            budget=self.budget,
            ending=Ending(PARTITIONS),
            owner="bench",
            random=random.Random(SEED),
            poll_seconds=float("inf"),
        )
        plant(self.job.seeds, parts.scope, parts.partitioner, log, self.clock.now())
        self.worker = Worker(parts, self.reasons.append)
        self.worker.open(range(PARTITIONS))

    def run(self) -> int:
        """Crawl to the limit; returns how many pages were kept."""
        self.worker.begin()
        self.clock.run(stop=lambda: bool(self.reasons))
        if self.reasons != ["pages"]:
            raise SystemExit(f"the crawl ended with {self.reasons}, not with its limit")
        return self.budget.kept_pages


# -- where the time goes ----------------------------------------------------------------------


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

        def timed(*arguments: Any) -> Any:
            now = clock()
            spent[stack[-1]] += now - self._since
            begun[stack[-1]] += 1
            stack.append(stage)
            calls[stage] += 1
            self._since = now
            try:
                return function(*arguments)
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
    watch.watch(gathering, "read_page", "scan")
    watch.watch(Router, "resolve", "resolve")
    watch.watch(type(store), "append", "store")
    watch.watch(Partition, "finish", "finish")
    watch.watch(Router, "route", "admit")
    watch.watch(Router, "admit", "admit")
    watch.watch(Readiness, "give_back", "give back")
    watch.watch(gathering.Gatherer, "page_answered", "decide")
    watch.watch(Worker, "pump", "pump")
    watch.watch(committing, "encode", "commit: cut")
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


# -- the parts alone --------------------------------------------------------------------------


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


class Alone(NamedTuple):
    """A part outside a crawl: prepared anew for each run, measured over so many items."""

    name: str
    item: str
    items: int
    prepare: Callable[[], Callable[[], object]]


def key_of_page(page: int, host: int = 0) -> str:
    return f"example.site{host:05d}.www:{path_of(page)}"


def pages_of_keys(count: int, width: int) -> list[list[str]]:
    return [
        [key_of_page(first + n, first // width % 200) for n in range(width)]
        for first in range(0, count, width)
    ]


def admit_all(partition: Partition, pages: Iterable[Sequence[str]], width: int) -> None:
    distances = [21] * width
    for keys in pages:
        partition.admit(1.7e9, "example.site00000.www:/docs/index.html", keys, distances)


def prepare_admit(count: int, is_known: bool) -> Callable[[], object]:
    pages = pages_of_keys(count, 35)
    partition = waiting_partition()
    if is_known:
        admit_all(partition, pages, 35)
    return lambda: admit_all(partition, pages, 35)


def prepare_scheduler(count: int, sites: int) -> Callable[[], object]:
    columns = Pages()
    for page in range(count):
        columns.add(page % sites, 21 * (page % 5))
    scheduler = BreadthFirst(columns)

    def work() -> None:
        for page in range(count):
            scheduler.offer(page, page % sites)
        for site in range(sites):
            scheduler.wake(site)
        for _ in range(count):
            site = (scheduler.choose() or 0) % sites
            # As in a crawl: the host is taken, and wakes again when its answer is in.
            scheduler.rest(site)
            scheduler.wake(site)

    return work


def fetched(page: int) -> Fetched:
    place = Place(3, page * 9_000, 9_000)
    return Fetched(1.7e9 + page / 1e3, page, Outcome.KEPT, 200, 30_000, 0.0, 1.7e9 + page, place)


def filled_state(count: int) -> PartitionState:
    state = PartitionState()
    for keys in pages_of_keys(count, 35):
        state.apply(Admitted(1.7e9, "example:/", keys, [21] * len(keys)))
    return state


def prepare_fetched(count: int) -> Callable[[], object]:
    state = filled_state(count)
    events = [fetched(page) for page in range(count)]

    def work() -> None:
        for event in events:
            state.apply(event)

    return work


def prepare_admitted(count: int) -> Callable[[], object]:
    events = [Admitted(1.7e9, "example:/", keys, [21] * 35) for keys in pages_of_keys(count, 35)]
    state = PartitionState()

    def work() -> None:
        for event in events:
            state.apply(event)

    return work


def page_events(count: int) -> list[AnyEvent]:
    """What a page leaves in the log: one `Fetched`, and an `Admitted` of one or two URLs."""
    events: list[AnyEvent] = []
    for page in range(count):
        keys = [key_of_page(child) for child in range(first_child(page), first_child(page + 1))]
        events.append(fetched(page))
        events.append(Admitted(1.7e9, key_of_page(page), keys, [21] * len(keys)))
    return events


def prepare_commit(count: int, partitions: int) -> Callable[[], object]:
    folder = tempfile.TemporaryDirectory(prefix="lycosa-bench-")
    log = SqliteLog(Path(folder.name), partitions)
    events = page_events(count)
    each = 2 * PAGES_BETWEEN_COMMITS // partitions

    def work() -> None:
        batches = [events[first : first + each] for first in range(0, len(events), each)]
        for expect, first in enumerate(range(0, len(batches), partitions)):
            log.commit(
                [
                    Write(number, expect, encode(batch), (), 0)
                    for number, batch in enumerate(batches[first : first + partitions])
                ]
            )
        log.close()
        folder.cleanup()

    return work


def prepare_encode(count: int) -> Callable[[], object]:
    events = page_events(count)
    each = 2 * PAGES_BETWEEN_COMMITS // PARTITIONS
    return lambda: [encode(events[n : n + each]) for n in range(0, len(events), each)]


def prepare_decode(count: int) -> Callable[[], object]:
    events = page_events(count)
    batches = [encode(events[first : first + 22]) for first in range(0, len(events), 22)]
    return lambda: [decode_events(batch) for batch in batches]


def prepare_journal(count: int, shape: Shape) -> Callable[[], object]:
    web = MadeUpWeb(shape, 1, count // 2)
    folder = tempfile.TemporaryDirectory(prefix="lycosa-bench-")
    journal = Journal(Path(folder.name))
    records = []
    for page in range(count):
        hrefs = dict.fromkeys(hrefs_of(page, shape, 1))
        keys = canonical_keys(list(hrefs), f"http://{host_name(0)}{path_of(page)}")
        links = [KeyedLink(key, LinkKind.ANCHOR) for key in keys if key]
        body = web.bodies[path_of(page)] + web.rest
        records.append(Kept(key_of_page(page), 1.7e9, 200, HTML, body, links))

    def work() -> None:
        for number, record in enumerate(records):
            journal.append(record)
            if number % PAGES_BETWEEN_COMMITS == 0:
                journal.flush()
        journal.abandon()
        folder.cleanup()

    return work


def prepare_scan(count: int, shape: Shape) -> Callable[[], object]:
    web = MadeUpWeb(shape, 1, count // 2)
    bodies = [web.bodies[path_of(page)] + web.rest for page in range(count)]
    return lambda: [scan(body, "text/html; charset=utf-8") for body in bodies]


def prepare_resolve(count: int, shape: Shape) -> Callable[[], object]:
    pages = [list(dict.fromkeys(hrefs_of(page, shape, 1))) for page in range(count)]
    scope = Scope(())

    def work() -> None:
        for page, hrefs in enumerate(pages):
            for key in canonical_keys(hrefs, f"http://{host_name(0)}{path_of(page)}"):
                if key is not None:
                    scope.judge(key)

    return work


def prepare_pack(count: int) -> Callable[[], object]:
    state = filled_state(count)
    return lambda: state.pack(1)


def prepare_unpack(count: int) -> Callable[[], object]:
    packed = filled_state(count).pack(1)
    return lambda: PartitionState.unpack(packed)


def parts_alone(pages: int, one_host: int) -> list[Alone]:
    urls = pages * 5 // 35 * 35
    return [
        Alone(
            "Partition.admit, 35 new keys a page", "URL", urls, lambda: prepare_admit(urls, False)
        ),
        Alone(
            "Partition.admit, 35 known keys a page", "URL", urls, lambda: prepare_admit(urls, True)
        ),
        Alone(
            "scheduler offer + choose, 1 site, a tenth of the URLs",
            "URL",
            one_host // 10,
            lambda: prepare_scheduler(one_host // 10, 1),
        ),
        Alone(
            "scheduler offer + choose, 1 site",
            "URL",
            one_host,
            lambda: prepare_scheduler(one_host, 1),
        ),
        Alone(
            "scheduler offer + choose, 200 sites",
            "URL",
            pages,
            lambda: prepare_scheduler(pages, 200),
        ),
        Alone(
            "PartitionState.apply(Admitted), 35 keys", "URL", urls, lambda: prepare_admitted(urls)
        ),
        Alone("PartitionState.apply(Fetched)", "page", urls, lambda: prepare_fetched(urls)),
        Alone("encode the events of a page", "page", pages, lambda: prepare_encode(pages)),
        Alone("decode the events of a page", "page", pages, lambda: prepare_decode(pages)),
        Alone(
            "encode + SqliteLog.commit, 700 pages in 1 partition",
            "page",
            pages,
            lambda: prepare_commit(pages, 1),
        ),
        Alone(
            "encode + SqliteLog.commit, 700 pages in 64 partitions",
            "page",
            pages,
            lambda: prepare_commit(pages, PARTITIONS),
        ),
        Alone("Journal.append, small page", "page", 4_000, lambda: prepare_journal(4_000, SMALL)),
        Alone("Journal.append, like tree A", "page", 2_000, lambda: prepare_journal(2_000, TREE_A)),
        Alone("scan, small page", "page", 4_000, lambda: prepare_scan(4_000, SMALL)),
        Alone("scan, like tree A", "page", 2_000, lambda: prepare_scan(2_000, TREE_A)),
        Alone(
            "canonical_keys + scope, 10 hrefs", "page", 4_000, lambda: prepare_resolve(4_000, SMALL)
        ),
        Alone(
            "canonical_keys + scope, 35 hrefs",
            "page",
            2_000,
            lambda: prepare_resolve(2_000, TREE_A),
        ),
        Alone("PartitionState.pack (snapshot)", "URL", urls, lambda: prepare_pack(urls)),
        Alone("PartitionState.unpack", "URL", urls, lambda: prepare_unpack(urls)),
    ]


def microseconds(alone: Alone, repeats: int) -> float:
    return min(cpu(alone.prepare()) for _ in range(repeats)) / alone.items * 1e6


# -- telling ----------------------------------------------------------------------------------


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def print_crawls(crawls: list[Figures]) -> None:
    titles = [f"{c.shape}, {c.hosts} host{'s' * (c.hosts > 1)}" for c in crawls]
    written = [f"{c.log}, {'journal' if c.store == 'journal' else 'no store'}" for c in crawls]
    rows = [["", *written], ["**all**", *(f"**{crawl.total:.0f}**" for crawl in crawls)]]
    rows += [[stage, *(f"{crawl.stages[stage]:.1f}" for crawl in crawls)] for stage in STAGES]
    print(table(["µs of CPU a page", *titles], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--one-host-pages", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    one_host = options.one_host_pages
    crawls = [
        measure_crawl(case, options.pages if case.hosts > 1 else one_host, options.repeats)
        for case in CASES
    ]
    alone = {
        part.name: (microseconds(part, options.repeats), part.item)
        for part in parts_alone(options.pages, one_host)
    }
    if options.json:
        print(json.dumps({"crawls": [crawl._asdict() for crawl in crawls], "alone": alone}))
        return
    print_crawls(crawls)
    print()
    rows = [[name, f"{taken:.2f}", item] for name, (taken, item) in alone.items()]
    print(table(["part alone", "µs of CPU", "a"], rows))
    if options.profile:
        print(f"\n```\n{profile(options.pages)}\n```")


if __name__ == "__main__":
    main()
