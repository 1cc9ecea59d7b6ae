"""Measures choices per second of each scheduler, with a million URLs on 100,000 hosts.

    python benchmarks/schedulers.py [--urls 1000000] [--hosts 100000] [--choices 300000]
                                    [--only NAME ...] [--json]

One partition holds all URLs: 10 a host, in folders, the hosts under a few thousand domains, all
robots rules known, every host ready. Two loops are measured, in CPU time:

    order    the scheduler alone: choose a URL, rest its site, wake it again
    loop     the harvester's loop without network: the agenda wakes what is due, the partition
             gives the next task, the address is claimed, the host is taken, its answer is there
             at once, the host is given back and waits out its pause; virtual time goes on so
             that as many hosts come due as are chosen
    folded   the same, and what became of the page is an event that is applied to the state

What is beside them is the building: offering a URL and waking a site. The rate asked for is
50,000 choices a second through the loop.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
from collections.abc import Callable
from typing import Any

from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partition import Partition
from lycosa.frontier.readiness.addresses import Addresses
from lycosa.frontier.readiness.agenda import Agenda
from lycosa.frontier.readiness.phases import WorkerContext
from lycosa.frontier.schedulers.factory import Order, make_scheduler
from lycosa.model.job import SCHEDULERS, Frontier
from lycosa.model.records import (
    Admitted,
    Fetched,
    HostResolved,
    Outcome,
    Place,
    RobotsLearned,
    RobotsState,
)

START = 1_700_000_000.0
PAUSE_SECONDS = 15.0
WANTED = 50_000
PLACE = Place(1, 0, 9_000)
SYLLABLES = [a + b for a in "bdfgklmnprst" for b in "aeiou"]


def keys(urls: int, hosts: int) -> list[str]:
    """Return the URLs, in the order in which a crawl would have found them: mixed."""
    chance = random.Random(1)
    domains = ["".join(chance.choices(SYLLABLES, k=3)) for _ in range(max(1, hosts // 25))]
    suffixes = ["com", "org", "net", "de", "cl", "uk.co"]
    names = [
        f"{suffixes[n % 6]}.{domains[n % len(domains)]}{n % len(domains)}.h{n // len(domains)}"
        for n in range(hosts)
    ]
    paths = ["/", "/a/", "/a/b/", "/a/b/1.html", "/a/b/2.html", "/a/c.html", "/news/", "/news/x"]
    made = []
    for n in range(urls):
        turn, path = divmod(n // hosts, len(paths))
        secure = "s" if n % hosts % 3 else ""
        made.append(f"{names[n % hosts]}:{secure}{paths[path]}{turn or ''}")
    chance.shuffle(made)
    return made


def filled_state(found: list[str]) -> PartitionState:
    """Return a partition that has found all URLs and asked for none."""
    state = PartitionState()
    chance = random.Random(2)
    for first in range(0, len(found), 35):
        some = found[first : first + 35]
        distances = [21 * chance.randrange(6) for _ in some]
        state.apply(Admitted(START, "", some, distances))
    for site in range(len(state.site_names)):
        expires = START + 86_400.0
        state.apply(RobotsLearned(START, site, RobotsState.KNOWN, b"", 0.0, expires, 0.0))
    for host in range(len(state.host_names)):
        state.apply(HostResolved(START, host, address_of(host), START + 86_400.0))
    return state


def address_of(host: int) -> str:
    """Return the address of a host: every one has its own."""
    return f"10.{host >> 16}.{host >> 8 & 255}.{host & 255}"


class Now:
    """A moment that is moved on by hand."""

    def __init__(self) -> None:
        self.moment = START

    def __call__(self) -> float:
        return self.moment


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds of some work, with the collector out of the way."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()


def measure_order(state: PartitionState, order: Order, choices: int) -> dict[str, float]:
    """Measure a scheduler alone."""
    scheduler = make_scheduler(state, order)
    sites, site_of = range(len(state.site_names)), state.pages.site

    def offer() -> None:
        for page, site in enumerate(site_of):
            scheduler.offer(page, site)

    def wake() -> None:
        for site in sites:
            scheduler.wake(site)

    def choose() -> None:
        for _ in range(choices):
            page = scheduler.choose()
            assert page is not None
            site = site_of[page]
            scheduler.rest(site)
            scheduler.wake(site)

    costs = {"offer": cpu(offer) / len(site_of), "wake": cpu(wake) / len(sites)}
    costs["order"] = cpu(choose) / choices
    for site in sites:
        scheduler.drop(site)
    return costs


def measure_loops(state: PartitionState, order: Order, now: Now, choices: int) -> dict[str, float]:
    """Measure the harvester's loop."""
    agenda = Agenda()
    around = WorkerContext(
        agenda=agenda,
        addresses=Addresses(agenda, 0.0, 0.0),
        resolve=lambda number, host: addresses[host],
        pause_of=lambda state, host: PAUSE_SECONDS,
        resumed_at=None,
        with_work={},
        changed={},
    )
    addresses = [address_of(host) for host in range(len(state.host_names))]
    partition = Partition(0, state, lambda state: make_scheduler(state, order), around)
    step = PAUSE_SECONDS / len(state.host_names)
    readiness = partition.readiness

    def resume() -> None:
        partition.resume(now())

    def harvest(is_folded: bool) -> None:
        left = choices
        while left:
            now.moment += step
            agenda.run(now.moment)
            task = partition.next_task()
            if task is None or not readiness.claim(task.host, now.moment):
                continue
            readiness.take(task.host)
            ended = now.moment
            due = ended + PAUSE_SECONDS
            if is_folded:
                event = Fetched(ended, task.subject, Outcome.KEPT, 200, 9_000, 0.0, due, PLACE)
                partition.finish(event)
            else:
                state.hosts.due[task.host] = due
            readiness.give_back(task.host, ended)
            left -= 1
        partition.uncommitted.clear()

    return {
        "resume": cpu(resume) / len(state.table),
        "loop": cpu(lambda: harvest(False)) / choices,
        "folded": cpu(lambda: harvest(True)) / choices,
    }


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--choices", type=int, default=300_000)
    parser.add_argument("--only", nargs="*", choices=SCHEDULERS, default=SCHEDULERS)
    parser.add_argument("--score", default="default")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = keys(options.urls, options.hosts)
    results: dict[str, Any] = {}
    for name in options.only:
        state, now = filled_state(found), Now()
        order = Order(Frontier(scheduler=name, score=options.score), now)
        costs = measure_order(state, order, options.choices)
        costs |= measure_loops(state, order, now, options.choices)
        results[name] = {what: seconds * 1e6 for what, seconds in costs.items()}
        if not options.json:
            _print_row(name, results[name], is_first=name == options.only[0])
    if options.json:
        print(json.dumps({"urls": options.urls, "hosts": options.hosts, "µs": results}))


def _print_row(name: str, row: dict[str, float], *, is_first: bool) -> None:
    if is_first:
        print("| µs of CPU a piece | offer | wake | order | loop | folded | loops a second |")
        print("|---|---|---|---|---|---|---|")
    rate = 1e6 / row["loop"]
    verdict = "" if rate >= WANTED else f" (wanted {WANTED:,})"
    print(
        f"| {name} | {row['offer']:.2f} | {row['wake']:.2f} | {row['order']:.2f} "
        f"| {row['loop']:.2f} | {row['folded']:.2f} | {rate:,.0f}{verdict} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
