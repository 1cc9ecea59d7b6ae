"""Budgets of topics: exactly so many pages are kept from their queues, through kills."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from lycosa.crawl.status.figures import put_off_of
from lycosa.errors import ConfigError
from lycosa.extract.topics.model import TopicModel
from lycosa.features.topics.budgets import TopicBudgets
from lycosa.features.topics.of_job import require_topics
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.model.job import Job
from lycosa.model.records import Request
from lycosa.model.url import url_of
from lycosa.operate.inspect.explain import explain
from lycosa.simulation.cluster.cluster import Cluster
from lycosa.simulation.kills import KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.web import Reply
from seeds import few_of, seeds
from topic_webs import NAMES, TopicWeb, found_topics, job_of
from topic_webs import model as model

pytestmark = pytest.mark.quick


class BlanksAndErrors(TopicWeb):
    """Every fifth page is blank, every seventh is missing."""

    @staticmethod
    def is_blank(url: str) -> bool:
        return int(url.rsplit("/", 1)[1]) % 5 == 3

    def answer(self, request: Request, moment: float) -> Reply:
        reply = super().answer(request, moment)
        if request.url not in self.topics:
            return reply
        if self.is_blank(request.url):
            return reply._replace(body=b"<!doctype html>")
        if int(request.url.rsplit("/", 1)[1]) % 7 == 5:
            return reply._replace(status=404, body=b"")
        return reply


def taken_by(simulation: Simulation, model: Path) -> Counter[str]:
    """Return how many pages were kept from the queue of each topic."""
    names, taken = TopicModel.read(model).names, Counter[str]()
    for state in simulation.read_states().values():
        for topic, pages in state.topics.taken.items():
            taken[names[topic]] += pages
    return taken


@pytest.mark.parametrize(("kills", "workers"), few_of([(0, 1), (25, 3), (0, 3), (25, 1)], 2))
def test_a_budget_is_met_exactly_and_the_crawl_ends(
    workers: int, kills: int, model: Path, tmp_path: Path
) -> None:
    web = TopicWeb(150, 3)
    job = job_of(web, model, {"policy": "budget", "budgets": ["chess=7", "sailing=31"]})
    simulation = Simulation(web, job, tmp_path, seed=4, log="sqlite", workers=workers)
    result = simulation.run(KillRandomly(5, kills, 0.02) if kills else no_kills)
    assert (result.reason, result.breaches, len(result.kills)) == ("exhausted", [], kills)
    taken = taken_by(simulation, model)
    assert (taken["chess"], taken["sailing"]) == (7, 31)
    kept = found_topics(simulation, TopicModel.read(model).names)
    assert sum(taken.values()) == len(kept)
    states = simulation.read_states()
    waiting = put_off_of(states.values())
    assert waiting > 0
    assert sum(state.pending for state in states.values()) == 0
    keys = (state.table.key(n) for state in states.values() for n in range(len(state.table)))
    known = [url for key in keys if (url := url_of(key)) in web.topics]  # sitemaps are tried, too
    assert len(known) == len(kept) + waiting


@pytest.mark.parametrize("seed", seeds(1, 6))
def test_a_budget_is_met_wherever_the_kills_fall(seed: int, model: Path, tmp_path: Path) -> None:
    web, chance = TopicWeb(100, seed), Random(seed)
    budgets = {name: chance.choice([0, 1, 2, 13]) for name in chance.sample(NAMES, 2)}
    entries = [f"{name}={pages}" for name, pages in budgets.items()]
    job = job_of(web, model, {"policy": "budget", "budgets": entries})
    simulation = Simulation(web, job, tmp_path, seed=seed, log="sqlite", workers=3)
    result = simulation.run(KillRandomly(seed, 12, 0.05))
    assert (result.reason, result.breaches) == ("exhausted", [])
    taken = taken_by(simulation, model)
    assert {name: taken[name] for name in budgets} == budgets
    assert sum(state.pending for state in simulation.read_states().values()) == 0


@pytest.mark.parametrize("seed", seeds(2, 5))
def test_machines_that_come_and_go_meet_a_budget_exactly(
    seed: int, model: Path, tmp_path: Path
) -> None:
    web = TopicWeb(120, seed)
    job = job_of(web, model, {"policy": "budget", "budgets": ["chess=5", "sailing=17"]})
    job = dataclasses.replace(job, frontier=dataclasses.replace(job.frontier, partitions=8))
    cluster = Cluster(web, job, tmp_path, seed=seed, machines=2 + seed)
    result = cluster.run()
    assert (result.reason, [str(breach) for breach in result.breaches]) == ("exhausted", [])
    assert sum(result.faults.values()) > 0
    names, taken = TopicModel.read(model).names, Counter[str]()
    for state in result.states.values():
        taken.update({names[topic]: pages for topic, pages in state.topics.taken.items()})
    assert (taken["chess"], taken["sailing"]) == (5, 17)
    assert len(cluster.kept()) == len({one.key for one in cluster.kept()}) == result.kept_pages


def test_a_larger_budget_goes_on_and_another_policy_fetches_the_rest(
    model: Path, tmp_path: Path
) -> None:
    web = TopicWeb(150, 3)
    simulation: Simulation | None = None
    for pages in (5, 9, 9, 20):
        job = job_of(web, model, {"policy": "budget", "budgets": [f"sailing={pages}", "chess=4"]})
        if simulation is None:
            simulation = Simulation(web, job, tmp_path, seed=4, log="sqlite")
        simulation.job = job
        assert simulation.run().reason == "exhausted"
        taken = taken_by(simulation, model)
        assert (taken["sailing"], taken["chess"]) == (pages, 4)
    assert simulation is not None
    simulation.job = job_of(web, model, {"policy": "each"})
    result = simulation.run()
    assert (result.reason, result.breaches) == ("exhausted", [])
    assert sorted(simulation.kept_urls()) == sorted(web.topics)


def test_pages_without_text_count_and_what_fails_does_not(model: Path, tmp_path: Path) -> None:
    web = BlanksAndErrors(150, 3)
    job = job_of(web, model, {"policy": "budget", "budgets": [f"{name}=12" for name in NAMES]})
    simulation = Simulation(web, job, tmp_path, seed=4, log="sqlite", workers=3)
    result = simulation.run(KillRandomly(1, 5, 0.02))
    assert (result.reason, result.breaches) == ("exhausted", [])
    taken = taken_by(simulation, model)
    assert [taken[name] for name in NAMES] == [12] * len(NAMES)
    kept = simulation.kept_urls()
    assert sum(taken.values()) == len(kept)
    assert any(web.is_blank(url) for url in kept)


def test_an_explanation_says_that_the_budget_is_used_up(model: Path, tmp_path: Path) -> None:
    web = TopicWeb(100, 1)
    job = job_of(web, model, {"policy": "budget", "budgets": ["sailing=3"]})
    simulation = Simulation(web, job, tmp_path, seed=1, log="sqlite")
    simulation.run()
    log, _ = simulation.open_log()
    states = simulation.read_states()
    told = [explain(url, job, log, states, simulation.partitioner) for url in web.topics]
    log.close()
    off = [one for one in told if "the budget of its topic is used up" in one.standing]
    assert len(off) == put_off_of(states.values()) > 0
    assert all("in the queue of sailing" in one.topic for one in off)


def test_a_budget_is_for_a_topic_and_those_below_it_that_have_none() -> None:
    names = ("art", "science", "science.physics", "science.biology", "other")
    job = Job.of(seeds=[], topics={"budgets": ["science=9", "science.biology=2", "other=1"]})
    budgets = TopicBudgets(job, names)
    assert budgets.topics == {1: bytes([1, 2]), 3: bytes([3]), 4: bytes([4, NO_TOPIC])}
    assert budgets.pages == {1: 9, 3: 2, 4: 1}


@pytest.mark.parametrize(
    ("topics", "problem"),
    [
        ({"policy": "budget"}, "needs `budgets`"),
        ({"policy": "budget", "budgets": ["dancing=3"]}, "no topic `dancing`"),
    ],
)
def test_a_budget_needs_topics_of_the_model(
    topics: dict[str, object], problem: str, model: Path
) -> None:
    with pytest.raises(ConfigError, match=problem):
        require_topics(job_of(TopicWeb(10, 1), model, topics))
