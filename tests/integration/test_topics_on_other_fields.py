"""Crawls by topic hold what they promise on fields that nothing was tuned on.

The webs are generated: their words are made up from a seed, so other names and another seed are
other fields. Every host is a site of its own, so a small web has most of 64 partitions in use. One
web is crawled in every run of the tests, the others with `make soak`.
"""

from __future__ import annotations

import dataclasses
import statistics
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

from lycosa.crawl.takeover import read_partition
from lycosa.extract.page import scan
from lycosa.extract.topics.training import Example, train
from lycosa.features.topics.classifier import Classifier
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.model.job import Job
from lycosa.model.url import url_of
from lycosa.simulation.kills import KillPlan, KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa.storage.log.snapshot import MemorySnapshots
from lycosa_testweb import request_for
from lycosa_testweb.topics.web import OTHER, Shape, TopicWeb
from seeds import few_of

pytestmark = pytest.mark.quick

PAGES = 150
TRAINED = 400
LIMIT = 80
KILLS = 25


class Field(NamedTuple):
    """A web of fields of knowledge, and a model of them."""

    web: TopicWeb
    model: Path
    topics: tuple[str, ...]
    """Of the model, in its order."""

    @property
    def wanted(self) -> str:
        return self.web.shape.names[0]

    def job(self, topics: dict[str, object], pages: int = 0) -> Job:
        return Job.of(
            seeds=self.web.seeds(),
            limits={"pages": pages},
            politeness={"delay_seconds": 1.0, "large_site_delay_seconds": 1.0},
            frontier={"partitions": 64, "scheduler": "topics"},
            topics={"model": str(self.model), **topics},
            discovery={"mining": "off"},
            traps={"mirrors": "follow"},
            log={"snapshot_batches": 3},
        )

    def policy(self, name: str) -> dict[str, object]:
        policies: dict[str, dict[str, object]] = {
            "each": {"policy": "each"},
            "weighted": {"policy": "weighted", "weights": [f"{self.wanted}=3"]},
            "focused": {"policy": "focused", "wanted": [self.wanted]},
        }
        return policies[name]


BEES = (("beekeeping", "geology", "theatre"), 11)
POTS = (("pottery", "volcanoes", "banking", "grammar"), 12)
LAW = (("law", "football", "optics", "tea", "dance"), 13)
WEBS = [
    pytest.param(*BEES, id="bees"),
    pytest.param(*POTS, id="pots", marks=pytest.mark.soak),
    pytest.param(*LAW, id="law", marks=pytest.mark.soak),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def field_of(names: tuple[str, ...], seed: int, pages: int, folder: Path) -> Field:
    """Make a web with three pages a host, and a model from labelled pages that it does not have.

    A larger web of the same seed has the same words, and more pages.
    """
    shape = Shape(names, pages=pages, pages_per_host=3, tunnels=0.0)
    web, larger = TopicWeb(shape, seed), TopicWeb(shape._replace(pages=pages + TRAINED), seed)
    examples = []
    for name, size in zip(web.names, web.plan.sizes, strict=True):
        for url in islice(larger.pages(name), size, None):
            facts = scan(larger.answer(request_for(larger, url), 0.0).body, "text/html")
            examples.append(Example(facts.title, facts.content, larger.topics_of(url)))
    path = folder / f"{names[0]}-{pages}.model"
    model = train(examples)
    model.write(path)
    return Field(web, path, tuple(model.names))


def crawl(
    field: Field, job: Job, folder: Path, workers: int, kills: KillPlan = no_kills, seed: int = 4
) -> Simulation:
    """Crawl to the end, politely."""
    folder.mkdir()
    simulation = Simulation(field.web, job, folder, seed=seed, log="sqlite", workers=workers)
    result = simulation.run(kills)
    assert (result.reason, result.breaches) == ("pages" if job.limits.pages else "exhausted", [])
    assert len(result.kills) == (KILLS if kills is not no_kills else 0)
    return simulation


def found_topics(field: Field, simulation: Simulation) -> dict[str, str]:
    """Return what every kept page is about, as the log says."""
    return {
        url_of(state.table.key(page)): field.topics[topic] if topic != NO_TOPIC else ""
        for state in simulation.read_states().values()
        for page, topic in enumerate(state.topics.topic)
        if state.place_of(page) is not None and state.outcome_of(page) == 1
    }


def harvest(field: Field, simulation: Simulation) -> float:
    kept = simulation.kept_urls()
    return sum(field.web.topic_of(url) == field.wanted for url in kept) / len(kept)


def require_equal_replay(simulation: Simulation) -> None:
    """Fold each partition from its first event and from its newest snapshot: the same bytes."""
    log, snapshots = simulation.open_log()
    nothing = MemorySnapshots()
    try:
        shortened = 0
        for number in range(simulation.job.frontier.partitions):
            short = read_partition(log, snapshots, number)
            whole = read_partition(log, nothing, number)
            shortened += short.snapshot_sequence > 0
            sequence = whole.state.sequence
            assert short.state.pack(sequence) == whole.state.pack(sequence), number
        assert shortened > 5
    finally:
        log.close()


@pytest.mark.parametrize("workers", few_of([3, 1], 1))
@pytest.mark.parametrize("policy", few_of(["each", "weighted", "focused"], 1))
@pytest.mark.parametrize(("names", "seed"), WEBS)
def test_kills_change_neither_pages_nor_topics_and_a_replay_is_equal(
    names: tuple[str, ...], seed: int, policy: str, workers: int, folder: Path, tmp_path: Path
) -> None:
    field = field_of(names, seed, PAGES, folder)
    job = field.job(field.policy(policy))
    quiet = crawl(field, job, tmp_path / "quiet", workers)
    killed = crawl(field, job, tmp_path / "killed", workers, KillRandomly(5, KILLS, 0.02))
    topics = found_topics(field, quiet)
    assert topics == found_topics(field, killed)
    assert set(topics) == set(field.web.all_pages())
    states = killed.read_states()
    assert sum(state.kept_pages > 0 for state in states.values()) > 25  # partitions in use
    for worker in range(workers):
        assert any(states[n].kept_pages for n in range(worker, 64, workers))
    require_equal_replay(killed)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("names", "seed", "workers"),
    [
        pytest.param(*BEES, 1, id="bees-1"),
        pytest.param(*BEES, 3, id="bees-3"),
        pytest.param(*POTS, 1, id="pots-1"),
        pytest.param(*POTS, 3, id="pots-3"),
        pytest.param(*LAW, 1, id="law-1"),
        pytest.param(*LAW, 3, id="law-3"),
    ],
)
def test_a_limit_is_met_exactly_and_kills_keep_the_harvest_within_its_spread(
    names: tuple[str, ...], seed: int, workers: int, folder: Path, tmp_path: Path
) -> None:
    field = field_of(names, seed, 4 * PAGES, folder)
    job = field.job(field.policy("focused"), LIMIT)
    quiet: list[float] = []
    killed: list[float] = []
    for draw in range(5):
        plan = KillRandomly(draw, KILLS, 0.02)
        for found, kills in ((quiet, no_kills), (killed, plan)):
            where = tmp_path / f"{draw}-{len(found)}-{kills is no_kills}"
            simulation = crawl(field, job, where, workers, kills, seed=draw)
            assert len(simulation.kept_urls()) == LIMIT
            found.append(harvest(field, simulation))
    spread = max(statistics.stdev(quiet), 1 / LIMIT)
    if workers == 1:
        assert abs(statistics.mean(killed) - statistics.mean(quiet)) < 3 * spread, (quiet, killed)
    else:  # a kill in every three pages costs three workers up to .05 of the harvest
        assert statistics.mean(killed) > 0.8 * statistics.mean(quiet), (quiet, killed)


@pytest.mark.parametrize(
    ("names", "seed", "workers"),
    [
        pytest.param(*BEES, 1, id="bees-1", marks=pytest.mark.soak),
        pytest.param(*BEES, 3, id="bees-3"),
        pytest.param(*POTS, 1, id="pots-1", marks=pytest.mark.soak),
        pytest.param(*POTS, 3, id="pots-3", marks=pytest.mark.soak),
        pytest.param(*LAW, 1, id="law-1", marks=pytest.mark.soak),
        pytest.param(*LAW, 3, id="law-3", marks=pytest.mark.soak),
    ],
)
def test_a_focused_crawl_harvests_more_than_breadth_first(
    names: tuple[str, ...], seed: int, workers: int, folder: Path, tmp_path: Path
) -> None:
    field = field_of(names, seed, 4 * PAGES, folder)
    focused = field.job(field.policy("focused"), LIMIT)
    plain = dataclasses.replace(
        focused, frontier=dataclasses.replace(focused.frontier, scheduler="breadth-first")
    )
    rates = {
        name: harvest(field, crawl(field, job, tmp_path / name, workers))
        for name, job in (("focused", focused), ("plain", plain))
    }
    assert rates["focused"] >= 1.2 * rates["plain"], rates  # one crawl each: chance is large


@pytest.mark.parametrize(
    ("names", "seed"),
    WEBS,
)
def test_a_crawl_is_as_right_about_its_pages_as_the_likeliest_topic_is(
    names: tuple[str, ...], seed: int, folder: Path
) -> None:
    field = field_of(names, seed, 2 * PAGES, folder)
    classifier = Classifier(field.job(field.policy("each")), 0)
    right: Counter[str] = Counter()
    for url in field.web.all_pages():
        facts = scan(field.web.answer(request_for(field.web, url), 0.0).body, "text/html")
        probabilities, found = classifier.classify(facts)
        topics = field.web.topics_of(url)
        right["likeliest"] += field.topics[probabilities.index(max(probabilities))] in topics
        right["crawl"] += (field.topics[found[0]] if found else OTHER) in topics
    assert right["crawl"] == right["likeliest"] > 0, right
