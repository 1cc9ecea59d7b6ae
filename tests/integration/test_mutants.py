"""The proofs can fail: what they guard is broken on purpose, and each must notice.

Every mutant is one line of the kernel made wrong in the way a tired programmer would. A
small crawl that is killed on the way must then break: a referee that complains, a page
lost or kept twice, a limit passed, an end that comes too early or not at all. The same
crawl passes with the code as it is.

A mutant of Python code patches an attribute; one of compiled code is an edit of its source, which a
process of its own loads in place of the real one (`broken_builds`).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from broken_builds import Edit, run_with
from compiled_mutants import (
    READINESS,
    address_pause_forgotten,
    nearer_urls_stay_far,
    no_address_pause_after_a_resume,
    no_pause_after_a_resume,
    robots_rules_not_asked,
    sites_stay_awake_while_asked,
)
from lycosa._support.failpoints import NAMES, reach
from lycosa.crawl import ending
from lycosa.crawl.ending import Ending, Finding
from lycosa.crawl.links.router import Router
from lycosa.crawl.worker import worker
from lycosa.crawl.worker.commits import Batch, Committer
from lycosa.crawl.worker.worker import Worker
from lycosa.errors import LycosaError
from lycosa.features import soft_404
from lycosa.features.soft_404 import probe_name
from lycosa.frontier.facts.probes import Probes
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.schedulers.breadth_first import BreadthFirst
from lycosa.frontier.schedulers.queues import Queues
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.model.url import site_of
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.kills import KillRandomly
from lycosa.simulation.simulation import Simulation
from lycosa.storage.log.memory import MemoryLog
from lycosa.storage.log.protocol import Head, Write
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.webs.graph import GraphWeb
from seeds import few_of, seeds
from small_crawl import mined_pages

Patch = pytest.MonkeyPatch
SEEDS = range(8)
DURING_COMMITS = {name for name in NAMES if name.startswith(("commit.", "log.", "answer."))}
DEADLINE_SECONDS = 30 * 24 * 3600.0


class Caught(Exception):
    """A property did not hold."""


def demand(holds: bool, what: str) -> None:
    if not holds:
        raise Caught(what)


def crawl_small_web(folder: Path, seed: int) -> None:
    web = GeneratedWeb.small(seed)
    seeds = [web.home(number) for number in range(13)]
    job = Job.of(
        seeds=seeds,
        limits={"depth_static": 3, "depth_dynamic": 3},
        politeness={"delay_seconds": 2.0, "large_site_delay_seconds": 1.0},
        fetch={"retries": 8},
        frontier={"partitions": 8},
        robots={"sitemaps": False},
        log={"snapshot_batches": 6},
    )
    simulation = Simulation(web, job, folder, seed=seed)
    plan = KillRandomly(seed, 12, 0.02) if seed % 2 else KillRandomly(seed, 12, 0.1, DURING_COMMITS)
    result = simulation.run(plan, virtual_seconds=DEADLINE_SECONDS)
    demand(result.reason == "exhausted", "the end is found")
    demand(not result.breaches, "the referee is silent")
    kept = Counter(url for url in simulation.kept_urls() if "/shop/" not in url)
    demand(max(kept.values()) == 1, "every page is kept once")
    wanted, most = (
        {url for url in web.pages_within([*seeds, *begins], 3) if "/shop/" not in url}
        for begins in ((), sorted(mined_pages(result)))
    )
    demand(wanted <= set(kept) <= most, "no page is lost")
    demand(not any(state.pending for state in result.states.values()), "no URL is left")


def crawl_a_crowded_address(folder: Path, seed: int) -> None:
    """Many names on one address, whose own pause is longer than theirs."""
    urls = [f"http://www.h{n}.test/" for n in range(12)]
    web = GraphWeb(
        {url: [] for url in urls}, addresses={f"www.h{n}.test": "10.0.0.1" for n in range(12)}
    )
    job = Job.of(
        seeds=urls,
        politeness={
            "delay_seconds": 0.1,
            "large_site_delay_seconds": 0.1,
            "ip_delay_seconds": 5.0,
        },
        frontier={"partitions": 8},
    )
    simulation = Simulation(web, job, folder, seed=seed)
    result = simulation.run(KillRandomly(seed, 8, 0.05))
    demand(not result.breaches, "the referee is silent")
    demand(sorted(simulation.kept_urls()) == sorted(urls), "every page is kept once")


def crawl_with_a_limit(folder: Path, seed: int) -> None:
    web = GeneratedWeb.small(seed)
    job = Job.of(
        seeds=[web.home(number) for number in range(13)],
        limits={"pages": 23},
        politeness={"delay_seconds": 2.0, "large_site_delay_seconds": 1.0},
        frontier={"partitions": 8},
    )
    result = Simulation(web, job, folder, seed=seed).run(KillRandomly(seed, 6, 0.02))
    demand(result.reason == "pages" and result.kept_pages == 23, "the limit is exact")


def crawl_a_chain(folder: Path, seed: int) -> None:
    """One page a partition, in a row; workers see each other's posts late."""
    chance = random.Random(seed)
    order = chance.sample(range(10), 10)
    urls = [f"http://h{n}.d{n}.test/" for n in order]
    web = GraphWeb(
        {here: [there] for here, there in pairwise(urls)},
        latency=lambda url: chance.uniform(0.0, 6.0),
    )
    job = Job.of(
        seeds=urls[:1],
        politeness={"delay_seconds": 0.5, "large_site_delay_seconds": 0.5},
        frontier={"partitions": 16},
    )
    takes = chance.uniform(0.0, 3.0)
    simulation = Simulation(
        web, job, folder, workers=3, conditions=Conditions(commit_takes_seconds=takes)
    )
    result = simulation.run(virtual_seconds=DEADLINE_SECONDS)
    demand(result.reason == "exhausted", "the end is found")
    demand(sorted(simulation.kept_urls()) == sorted(urls), "the end is not found too early")


def crawl_a_chain_through_kills(folder: Path, seed: int) -> None:
    """One page a partition, in a row: a link lost between two of them loses all that follow."""
    urls = [f"http://h{n}.d{n}.test/" for n in range(10)]
    web = GraphWeb({here: [there] for here, there in pairwise(urls)})
    job = Job.of(seeds=urls[:1], frontier={"partitions": 16})
    simulation = Simulation(web, job, folder, seed=seed)
    simulation.run(KillRandomly(seed, 12, 0.2, DURING_COMMITS))
    demand(sorted(simulation.kept_urls()) == sorted(urls), "no page is lost")


def crawl_a_late_short_cut(folder: Path, seed: int) -> None:
    """A slow page makes everything behind another one nearer, after it was fetched."""
    urls = [f"http://www.h.test/{n}" for n in range(5)]
    late = "http://www.late.test/"
    edges = {here: [there] for here, there in pairwise(urls)}
    web = GraphWeb(
        {**edges, urls[0]: [urls[1], late], late: [urls[3]]},
        latency=lambda url: 5000.0 if url == late else 0.05,
    )
    job = Job.of(
        seeds=urls[:1],
        limits={"depth_static": 3},
        politeness={"delay_seconds": 1.0, "large_site_delay_seconds": 1.0},
        frontier={"partitions": 4},
    )
    simulation = Simulation(web, job, folder, seed=seed)
    simulation.run(KillRandomly(seed, 3, 0.02))
    demand(set(simulation.kept_urls()) == web.pages_within(urls[:1], 3), "depth is exact")


def crawl_forgetful_web(folder: Path, seed: int) -> None:
    """Sites with soft 404s, sites without, and sites on which everything looks like one."""
    web = GeneratedWeb.forgetful(seed)
    seeds = [web.home(number) for number in range(7)]
    job = Job.of(
        seeds=seeds,
        limits={"depth_static": 9},
        politeness={"delay_seconds": 2.0, "large_site_delay_seconds": 1.0},
        frontier={"partitions": 8},
        log={"snapshot_batches": 6},
    )
    simulation = Simulation(web, job, folder, seed=seed)
    result = simulation.run(KillRandomly(seed, 12, 0.005))
    demand(not result.breaches, "the referee is silent")
    demand(web.pages_within(seeds, 9) <= set(simulation.kept_urls()), "no page is lost")
    outcomes: Counter[int] = Counter()
    for state in result.states.values():
        outcomes.update(state.outcomes)
        probes = {
            page: site_of(key)
            for page, key in enumerate(state.table)
            if key.endswith(f"/{probe_name(site_of(key))}")
        }
        demand(len(set(probes.values())) == len(probes), "a site is probed once")
        demand(not any(state.pages.outcome[p] == Outcome.KEPT for p in probes), "and not kept")
    demand(outcomes[Outcome.PROBE_SOFT] == 3, "three sites have soft 404s")
    demand(outcomes[Outcome.SOFT_404] >= 20, "and they are named")


# -- the mutants --------------------------------------------------------------------------


def events_before_links(patch: Patch) -> None:
    """Append first and post afterwards."""

    def commit(self: MemoryLog, writes: Sequence[Write]) -> list[int | None]:
        results: list[int | None] = []
        for write in writes:
            results.append(self._append(write.partition, write.events))
            reach("log.appended")
        for write in writes:
            for target, messages in write.posts:
                self.post(target, messages)
                reach("log.posted")
        return results

    patch.setattr(MemoryLog, "commit", commit)


def events_before_bytes(patch: Patch) -> None:
    """Append the events and flush the segments afterwards."""

    def make_durable(self: Committer, batch: Batch) -> list[int | None]:
        reach("commit.before-flush")
        results = self._ports.log.commit(batch.writes)
        reach("commit.flushed")
        self._ports.store.flush()
        reach("commit.done")
        return results

    patch.setattr(Committer, "_make_durable", make_durable)


def no_forced_commits(patch: Patch) -> None:
    """Robots answers and refusals wait for the next tick, and their hosts do not."""
    original = Worker._on_answer

    def answered(self: Worker, *arguments: object) -> None:
        patch.setattr(Worker, "_commit", lambda self: None)
        try:
            original(self, *arguments)  # type: ignore[arg-type]
        finally:
            patch.setattr(Worker, "_commit", ORIGINAL_COMMIT)

    patch.setattr(Committer, "after_next", lambda self, release: release())
    patch.setattr(Worker, "_on_answer", answered)
    patch.setattr(worker, "FORGETTABLE_SECONDS", 0.0)


ORIGINAL_COMMIT = Worker._commit


def rest_forgets_to_count(patch: Patch) -> None:
    """A site that goes to rest still counts as ready."""
    patch.setattr(BreadthFirst, "rest", lambda self, site: None)


def wake_counts_one_too_few(patch: Patch) -> None:
    counted = vars(Queues)["ready"]
    one_less = property(lambda self: max(0, counted.__get__(self) - 1))
    patch.setattr(BreadthFirst, "ready", one_less)


def snapshot_one_batch_too_new(patch: Patch) -> None:
    """The snapshot claims to hold a batch that it does not hold."""
    original = PartitionState.pack
    patch.setattr(PartitionState, "pack", lambda self, sequence: original(self, sequence + 1))


def reservations_ignored(patch: Patch) -> None:
    from lycosa.crawl.budget import Budget

    def reserve(self: Budget, now: float) -> int | None:
        if self.reached:
            return None
        self.reserved_pages += 1
        return 10_000_000

    patch.setattr(Budget, "reserve", reserve)


def one_look_is_enough(patch: Patch) -> None:
    def look(self: Ending, read_heads: Callable[[], Sequence[Head]]) -> Finding:
        self.finding = Finding(None not in self._reports)
        return self.finding

    patch.setattr(Ending, "look", look)


def inbox_heads_not_compared(patch: Patch) -> None:
    patch.setattr(ending, "compare", lambda reports, heads: (True, False))


def shorter_ways_not_passed_on(patch: Patch) -> None:
    patch.setattr(Router, "_pass_on", lambda self, partition, moment, nearer: None)


def every_probe_is_believed(patch: Patch) -> None:
    patch.setattr(soft_404, "MOST_ALIKE", 1.0)
    patch.setattr(soft_404, "MOST_SIMILAR", 1.0)


def only_a_majority_is_asked_for(patch: Patch) -> None:
    patch.setattr(soft_404, "MOST_SIMILAR", 1.0)


def addresses_are_compared(patch: Patch) -> None:
    patch.setattr(soft_404, "own_name", lambda path: "")


def snapshots_forget_probes(patch: Patch) -> None:
    patch.setattr(Probes, "pack", lambda self: {})


Crawl = Callable[[Path, int], None]
Mutant = Callable[[Patch], None] | Edit

MUTANTS: list[tuple[Mutant, Crawl]] = [
    (events_before_links, crawl_a_chain_through_kills),
    (events_before_bytes, crawl_small_web),
    (no_pause_after_a_resume, crawl_small_web),
    (no_address_pause_after_a_resume, crawl_a_crowded_address),
    (rest_forgets_to_count, crawl_small_web),
    (wake_counts_one_too_few, crawl_small_web),
    (sites_stay_awake_while_asked, crawl_small_web),
    (address_pause_forgotten, crawl_small_web),
    (snapshot_one_batch_too_new, crawl_small_web),
    (reservations_ignored, crawl_with_a_limit),
    (one_look_is_enough, crawl_a_chain),
    (inbox_heads_not_compared, crawl_a_chain),
    (shorter_ways_not_passed_on, crawl_a_late_short_cut),
    (every_probe_is_believed, crawl_forgetful_web),
    # Several crawls each; in every run those above.
    (no_forced_commits, crawl_small_web),
    (only_a_majority_is_asked_for, crawl_forgetful_web),
    (addresses_are_compared, crawl_forgetful_web),
    (snapshots_forget_probes, crawl_forgetful_web),
    (robots_rules_not_asked, crawl_small_web),
    (nearer_urls_stay_far, crawl_a_late_short_cut),
]


def name_of(mutant: Mutant) -> str:
    return mutant.name if isinstance(mutant, Edit) else mutant.__name__.replace("_", "-")


NAMES_OF_MUTANTS = [name_of(mutant) for mutant, _ in MUTANTS]


def is_caught(crawl: Crawl, folder: Path) -> bool:
    for seed in SEEDS:
        try:
            crawl(folder / str(seed), seed)
        except (Caught, AssertionError, IndexError, KeyError, ValueError, LycosaError):
            return True
    return False


def is_caught_apart(mutant: Edit, crawl: Crawl, folder: Path) -> bool:
    """Crawl with a changed compiled module, in a process of its own."""
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
        "import test_mutants;"
        "crawl = getattr(test_mutants, sys.argv[2]);"
        "print(test_mutants.is_caught(crawl, Path(sys.argv[3])))"
    )
    here = str(Path(__file__).parent)
    done = run_with(mutant, ["-c", script, here, crawl.__name__, str(folder)])
    told = done.stdout.splitlines()
    assert done.returncode == 0 and told, f"{mutant.name} does not run: {done.stderr}"
    return told[-1] == "True"


@pytest.mark.parametrize(("mutant", "crawl"), few_of(MUTANTS, 14), ids=NAMES_OF_MUTANTS)
def test_a_mutant_is_caught(
    mutant: Mutant, crawl: Crawl, tmp_path: Path, monkeypatch: Patch
) -> None:
    if isinstance(mutant, Edit):
        assert is_caught_apart(mutant, crawl, tmp_path), f"nobody noticed: {mutant.name}"
        return
    mutant(monkeypatch)
    assert is_caught(crawl, tmp_path), f"nobody noticed: {mutant.__doc__ or mutant.__name__}"


def test_an_edit_that_changes_nothing_is_loaded_and_not_caught(tmp_path: Path) -> None:
    edit = Edit(
        "says-that-it-is-changed",
        f"{READINESS}.addresses",
        "HANDSHAKE_SECONDS = 5.0\n",
        "HANDSHAKE_SECONDS = 5.0\nIS_CHANGED = True\n",
    )
    look = "from lycosa.frontier.readiness import addresses; print(addresses.IS_CHANGED)"
    assert run_with(edit, ["-c", look]).stdout == "True\n"
    assert not is_caught_apart(edit, crawl_a_crowded_address, tmp_path)


def test_an_edit_has_one_place() -> None:
    for old in ("self._gate_of(address)", "no such text"):
        with pytest.raises(ValueError, match="times in"):
            Edit("is-nowhere", f"{READINESS}.addresses", old, "").changed()


@pytest.mark.parametrize("seed", seeds(1, len(SEEDS)))
@pytest.mark.parametrize("crawl", list(dict.fromkeys(crawl for _, crawl in MUTANTS)))
def test_the_same_crawls_pass_unbroken(crawl: Crawl, seed: int, tmp_path: Path) -> None:
    crawl(tmp_path, seed)
