"""Measures single parts of the kernel outside a crawl."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.kernel.crawl import HTML, PAGES_BETWEEN_COMMITS, PARTITIONS
from benchmarks.kernel.pages import (
    SMALL,
    TREE_A,
    MadeUpWeb,
    Shape,
    first_child,
    host_name,
    hrefs_of,
    path_of,
)
from benchmarks.partitions import waiting_partition

from lycosa.extract.page import scan
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.schedulers.breadth_first import BreadthFirst
from lycosa.model.records import (
    Admitted,
    AnyEvent,
    Fetched,
    KeyedLink,
    LinkKind,
    Outcome,
    Place,
)
from lycosa.model.url import Scope, canonical_keys
from lycosa.storage.archive.journal import Journal, Kept
from lycosa.storage.log.format import decode_events, encode
from lycosa.storage.log.protocol import Write
from lycosa.storage.log.sqlite import SqliteLog


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
    state = PartitionState()
    keys = [key_of_page(page, page % sites) for page in range(count)]
    state.apply(Admitted(1.7e9, "example:/", keys, [21 * (page % 5) for page in range(count)]))
    scheduler = BreadthFirst(state.pages)

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
