"""KSpider's phases: is any host asked by two partitions within its pause, and who serves what when?

A web of hosts that all lie in all partitions (`url-sum`, as in the paper) is crawled in virtual
time by several workers. The referee counts the requests to each host, those that another partition
had asked before, and those of them that came before the host's pause was over: there must be none.
From the logs of a small crawl with five partitions and six phases, as in the paper, the figures 3
and 5 to 7 are drawn: theirs on the left, ours on the right.

    python -m benchmarks.figures phases                        the figures
    python -m benchmarks.phases --requests 1000000 --kills 40  the count
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.cells import Cell, draw_cells, draw_turns
from benchmarks.figures.run import Made, Run
from benchmarks.race.table import markdown

from lycosa.frontier.partitioners.urls import UrlPartitioner
from lycosa.model.job import Job
from lycosa.model.records import BatonPassed, BatonTaken, Fetched, Request, Resolved
from lycosa.model.url.key import reversed_host_of
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillRandomly
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.simulation import Result, Simulation
from lycosa.storage.log.format import decode_events
from lycosa_testweb.parts import take_apart
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.web import HTML, Reply, Truth

NODES, PHASES = 5, 6
"""Of KSpider's figures 3 and 5 to 7."""
BEGINS_AT = 1_700_000_000.0


class HeapWeb:
    """Hosts of equal size whose pages are a heap: page n links to 2n + 1 and 2n + 2."""

    def __init__(self, hosts: int, pages: int) -> None:
        self.hosts = hosts
        self.pages = pages

    def home(self, host: int) -> str:
        return f"http://www.h{host}.test/0"

    def answer(self, request: Request, moment: float) -> Reply:
        parts = take_apart(request.url)
        name = parts.path[1:]
        if not name.isdecimal() or int(name) >= self.pages:
            return Reply(404, HTML, b"")
        number = int(name)
        below = [n for n in (2 * number + 1, 2 * number + 2) if n < self.pages]
        links = "".join(f'<a href="/{n}">{n}</a>' for n in below)
        return Reply(200, HTML, f"<!doctype html><title>{name}</title>{links}".encode())

    def resolve(self, host: str, moment: float) -> Resolved:
        number = int(host.split(".")[1][1:])
        return Resolved(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", 1e9)

    def is_allowed(self, url: str, agent: str) -> bool:
        return True

    def crawl_delay(self, host: str, agent: str) -> float:
        return 0.0


class TurnReferee(Referee):
    """Counts, beside judging, which partition asks a host after which."""

    def __init__(self, rules: RefereeRules, web: Truth) -> None:
        super().__init__(rules, web)
        self.requests = 0
        self.handed_on = 0
        """Requests to a host that another partition had asked last."""
        self.too_soon = 0
        """Those of them that came before the host's pause was over."""
        self._last: dict[str, int] = {}

    def began(self, request: Request, moment: float, client: str = "") -> int:
        """Count a request, and judge it."""
        line = self._host(request.host)
        before = self._last.get(request.host, request.partition)
        self._last[request.host] = request.partition
        self.requests += 1
        if before != request.partition:
            self.handed_on += 1
            pause = self.rules.pause_of(request.host, line.pages)
            gap = moment - line.last_end + self.rules.tolerance_seconds
            self.too_soon += bool(line.under_way) or gap < pause
        return super().began(request, moment, client)


class Crawl(NamedTuple):
    """A crawl in turns, and what the referee counted."""

    simulation: Simulation
    result: Result
    referee: TurnReferee


def job_for(web: HeapWeb, partitions: int, phases: int, slot_seconds: float, pause: float) -> Job:
    return Job.of(
        seeds=[web.home(host) for host in range(web.hosts)],
        limits={"host_pages": 0, "depth_static": 60},
        politeness={
            "delay_seconds": pause,
            "large_site_delay_seconds": pause,
            "ip_delay_seconds": 0.0,
        },
        frontier={
            "partitions": partitions,
            "partitioner": "url-sum",
            "phases": phases,
            "slot_seconds": slot_seconds,
        },
        discovery={"mining": "off"},
        extract={"soft_404_after": 0},
        traps={"budget": 0},
        robots={"sitemaps": False},
        log={"snapshot_batches": 2000},
    )


def crawl(
    web: HeapWeb,
    job: Job,
    folder: Path,
    *,
    workers: int,
    kills: int = 0,
    virtual_seconds: float = float("inf"),
) -> Crawl:
    """Crawl a web to its end, killed on the way."""
    referee = TurnReferee(referee_rules(job), web)
    simulation = Simulation(
        web,
        job,
        folder,
        seed=1,
        workers=workers,
        conditions=Conditions(begins_at=BEGINS_AT, referee=referee),
    )
    probability = kills / (5.0 * web.hosts * web.pages)  # a request passes five fail points
    result = simulation.run(KillRandomly(1, kills, probability), virtual_seconds)
    return Crawl(simulation, result, referee)


def count(requests: int, kills: int) -> bool:
    """Print the count of a long crawl; return whether it is as it must be."""
    hosts, partitions, phases = 64, 16, 24
    web = HeapWeb(hosts, max(2, requests // hosts))
    job = job_for(web, partitions, phases, slot_seconds=60.0, pause=1.0)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="lycosa-phases-") as folder:
        done = crawl(web, job, Path(folder), workers=4, kills=kills)
        passes = sum(
            isinstance(event, BatonPassed)
            for number in range(partitions)
            for _, batch in done.simulation.open_log()[0].read(number, 0)
            for event in decode_events(batch)
        )
        kept = done.simulation.kept_urls()
    referee, result = done.referee, done.result
    wanted = web.hosts * web.pages
    print(
        f"{referee.requests:,} requests to {hosts} hosts, {partitions} partitions, {phases} phases"
    )
    print(f"{passes:,} batons passed, {len(result.kills)} kills, ended: {result.reason}")
    print(f"{referee.handed_on:,} requests to a host that another partition had asked last")
    print(f"{referee.too_soon:,} of them before the host's pause was over")
    print(f"{wanted - len(set(kept)):,} pages lost, {len(kept) - len(set(kept)):,} kept twice")
    print(f"the referee: {referee.verdict}; forgiven: {dict(referee.forgiven) or 'nothing'}")
    hours = result.virtual_seconds / 3600
    print(f"{hours:.1f} virtual hours in {time.perf_counter() - began:.0f} s")
    is_whole = len(kept) == len(set(kept)) == wanted and result.reason == "exhausted"
    return is_whole and not referee.too_soon and not referee.breaches


# -- figures ------------------------------------------------------------------------------

HEADS = ("URLs", "requests", "turns", "requests too soon", "the referee")


class Turn(NamedTuple):
    """From when to when a partition held the baton of a host set."""

    host_set: int
    partition: int
    began: float
    ended: float


def turns_of(done: Crawl, end: float) -> list[Turn]:
    """Return who held which baton when, from the logs."""
    log, _ = done.simulation.open_log()
    came: list[tuple[float, int, int]] = []
    left: dict[tuple[int, int], list[float]] = {}
    for number in range(NODES):
        for _, batch in log.read(number, 0):
            for event in decode_events(batch):
                if isinstance(event, BatonTaken):
                    came.append((event.moment - BEGINS_AT, number, event.host_set))
                elif isinstance(event, BatonPassed):
                    moments = left.setdefault((number, event.host_set), [])
                    moments.append(event.moment - BEGINS_AT)
    came += [(0.0, host_set % NODES, host_set) for host_set in range(PHASES)]
    turns = []
    for began, number, host_set in sorted(came):
        ends = left.get((number, host_set), [])
        turns.append(Turn(host_set, number, began, ends.pop(0) if ends else end))
    return turns


def urls_of(done: Crawl) -> Counter[tuple[int, int]]:
    """Return how many URLs each partition has of each host set."""
    partitioner = done.simulation.partitioner
    assert isinstance(partitioner, UrlPartitioner)
    found: Counter[tuple[int, int]] = Counter()
    for number, state in done.result.states.items():
        for page in range(len(state.table)):
            key = state.table.key(page)
            found[number, partitioner.set_of(reversed_host_of(key))] += 1
    return found


def answers_of(done: Crawl, first: float, last: float) -> Counter[tuple[int, int]]:
    """Return how many answers each partition had of each host set in some seconds."""
    partitioner = done.simulation.partitioner
    assert isinstance(partitioner, UrlPartitioner)
    log, _ = done.simulation.open_log()
    found: Counter[tuple[int, int]] = Counter()
    for number, state in done.result.states.items():
        for _, batch in log.read(number, 0):
            for event in decode_events(batch):
                if isinstance(event, Fetched) and first <= event.moment - BEGINS_AT < last:
                    key = state.table.key(event.page)
                    found[number, partitioner.set_of(reversed_host_of(key))] += 1
    return found


def figure(run: Run) -> Made:
    """Crawl as the paper's figures have it, and draw them."""
    web = HeapWeb(36, 20 if run.is_small else 120)
    job = job_for(web, NODES, PHASES, slot_seconds=60.0, pause=2.0)
    with tempfile.TemporaryDirectory(prefix="lycosa-phases-") as folder:
        done = crawl(web, job, Path(folder), workers=NODES)
        urls = urls_of(done)
        end = done.result.virtual_seconds
        turns = turns_of(done, end)
        answers = _answers_of_turns_at(done, turns, _moment_of_many(turns, end))
    by_node = Counter[int]()
    for (node, _), many in urls.items():
        by_node[node] += many
    columns = [[Cell(f"S{node}") for node in range(NODES)]]
    own = [[Cell(f"{by_node[node]:,}") for node in range(NODES)]]
    sets = [[Cell(f"S{node},{row}") for node in range(NODES)] for row in range(PHASES)]
    ours = [[Cell(f"{urls[node, row]:,}") for node in range(NODES)] for row in range(PHASES)]
    active = [
        [cell._replace(is_marked=row == node) for node, cell in enumerate(cells)]
        for row, cells in enumerate(sets)
    ]
    asked = [
        [
            Cell(f"{answers[node, row]:,}", True) if (node, row) in answers else Cell("")
            for node in range(NODES)
        ]
        for row in range(PHASES)
    ]
    pictures = {
        f"kspider-figure-{name}": draw_cells(title, theirs, right)
        for name, title, theirs, right in (
            ("3-url-sets", "Every URL is of one node: how many", columns, own),
            ("5-host-sets", "Every node's URLs, by host set: how many", sets, ours),
            ("6-active-sets", "Who serves which host set: answers in that turn", active, asked),
        )
    }
    theirs_turns = [
        (float(slot), float(slot + 1), (node + slot) % PHASES, node)
        for slot in range(PHASES)
        for node in range(NODES)
    ]
    ours_turns = [(one.began, one.ended, one.host_set, one.partition) for one in turns]
    pictures["kspider-figure-7-phases"] = draw_turns(
        "The active sets change with time", PHASES, NODES, theirs_turns, ours_turns
    )
    row = [
        f"{sum(urls.values()):,}",
        f"{done.referee.requests:,}",
        f"{len(turns)}",
        f"{done.referee.too_soon}",
        done.referee.verdict,
    ]
    return Made({"phases": markdown(HEADS, [row])}, pictures)


def _moment_of_many(turns: Sequence[Turn], end: float) -> float:
    """Return a moment in the middle at which the most partitions hold a baton."""

    def holders(moment: float) -> int:
        return len({one.partition for one in turns if one.began <= moment < one.ended})

    return max((end * step / 1000 for step in range(250, 750)), key=holders)


def _answers_of_turns_at(
    done: Crawl, turns: Sequence[Turn], moment: float
) -> dict[tuple[int, int], int]:
    """Return the turns under way at a moment, with the answers that came in each of them."""
    under_way = [one for one in turns if one.began <= moment < one.ended]
    return {
        (one.partition, one.host_set): answers_of(done, one.began, one.ended)[
            one.partition, one.host_set
        ]
        for one in under_way
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.phases", description=__doc__)
    parser.add_argument("--requests", type=int, default=1_000_000, help="size of the crawl")
    parser.add_argument("--kills", type=int, default=0, help="how often it is killed")
    options = parser.parse_args(arguments)
    return 0 if count(options.requests, options.kills) else 1


if __name__ == "__main__":
    raise SystemExit(main())
