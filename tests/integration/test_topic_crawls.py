"""Crawls by topic in virtual time: what is found, in which order, and through kills."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import pytest

from lycosa.crawl.status.figures import put_off_of
from lycosa.extract.topics.model import TopicModel
from lycosa.operate.inspect.explain import explain
from lycosa.simulation.kills import KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from seeds import few_of
from topic_webs import TopicWeb, found_topics, job_of
from topic_webs import model as model

pytestmark = pytest.mark.quick


POLICIES: list[dict[str, object]] = [
    {"policy": "focused", "wanted": ["chess"]},
    {"policy": "each"},
    {"policy": "weighted", "weights": ["chess=3", "cooking=0"]},
]


@pytest.mark.parametrize("workers", few_of([3, 1], 1))
@pytest.mark.parametrize("policy", few_of(POLICIES, 1), ids=lambda policy: policy["policy"])
def test_kills_change_neither_pages_nor_topics(
    policy: dict[str, object], workers: int, model: Path, tmp_path: Path
) -> None:
    web = TopicWeb(150, 3)
    names, results = TopicModel.read(model).names, []
    for kills in (0, 25):
        folder = tmp_path / str(kills)
        folder.mkdir()
        job = job_of(web, model, policy)
        simulation = Simulation(web, job, folder, seed=4, log="sqlite", workers=workers)
        result = simulation.run(KillRandomly(5, kills, 0.02) if kills else no_kills)
        assert (result.reason, result.breaches, len(result.kills)) == ("exhausted", [], kills)
        results.append(found_topics(simulation, names))
        states = simulation.read_states()
        taken = sum(sum(state.topics.taken.values()) for state in states.values())
        found = sum(sum(state.topics.found.values()) for state in states.values())
        assert taken == found == len(results[-1])
    assert results[0] == results[1]
    assert set(results[0]) == set(web.topics)
    right = sum(web.topics[url] == topic for url, topic in results[0].items())
    assert right >= 0.95 * len(web.topics)


def test_a_focused_crawl_harvests_more_than_breadth_first(model: Path, tmp_path: Path) -> None:
    harvest: Counter[str] = Counter()
    for seed in range(3):
        web = TopicWeb(400, seed)
        job = job_of(web, model, {"policy": "focused", "wanted": ["chess"]}, 60)
        plain = dataclasses.replace(
            job, frontier=dataclasses.replace(job.frontier, scheduler="breadth-first")
        )
        for name, one in (("focused", job), ("breadth-first", plain)):
            folder = tmp_path / f"{name}-{seed}"
            folder.mkdir()
            simulation = Simulation(web, one, folder, seed=seed)
            result = simulation.run()
            assert (result.reason, result.breaches) == ("pages", [])
            kept = simulation.kept_urls()
            assert len(kept) == 60
            harvest[name] += sum(web.topics[url] == "chess" for url in kept)
    assert harvest["focused"] >= 1.5 * harvest["breadth-first"]


def test_a_weight_gives_a_topic_more_turns(model: Path, tmp_path: Path) -> None:
    web = TopicWeb(600, 2)
    shares = {}
    for weight in (1, 4):
        folder = tmp_path / str(weight)
        folder.mkdir()
        policy = {"policy": "weighted", "weights": [f"chess={weight}"]}
        job = job_of(web, model, policy, 120)
        simulation = Simulation(web, job, folder, seed=1)
        simulation.run()
        shares[weight] = sum(web.topics[url] == "chess" for url in simulation.kept_urls())
    assert shares[4] > 1.3 * shares[1]


def test_a_hard_focus_puts_off_what_promises_nothing_and_a_soft_one_brings_it_back(
    model: Path, tmp_path: Path
) -> None:
    web = TopicWeb(300, 6)
    hard = job_of(web, model, {"policy": "focused", "wanted": ["chess"], "focus": "hard"})
    simulation = Simulation(web, hard, tmp_path, seed=2, log="sqlite")
    result = simulation.run(KillRandomly(3, 6, 0.01))
    assert (result.reason, result.breaches) == ("exhausted", [])
    kept = simulation.kept_urls()
    off = sum(put_off_of([state]) for state in simulation.read_states().values())
    assert off > 20
    assert 0.8 * len(web.topics) < len(kept) + off <= len(web.topics)  # others were never seen
    chess = [url for url, topic in web.topics.items() if topic == "chess"]
    assert sum(url in kept for url in chess) >= 0.8 * len(chess)
    simulation.job = dataclasses.replace(
        hard, topics=dataclasses.replace(hard.topics, focus="soft")
    )
    result = simulation.run()
    assert (result.reason, result.breaches) == ("exhausted", [])
    assert sorted(simulation.kept_urls()) == sorted(web.topics)


def test_an_explanation_tells_queues_and_topics(model: Path, tmp_path: Path) -> None:
    web = TopicWeb(120, 1)
    job = job_of(web, model, {"policy": "each"}, 80)
    simulation = Simulation(web, job, tmp_path, seed=1, log="sqlite")
    simulation.run()
    log, _ = simulation.open_log()
    states = simulation.read_states()
    kept = set(simulation.kept_urls())
    told = {url: explain(url, job, log, states, simulation.partitioner) for url in list(web.topics)}
    log.close()
    right = sum(told[url].topic.startswith(f"about {web.topics[url]} ") for url in kept)
    assert right >= 0.9 * len(kept)
    some = told[web.seeds[0]]
    assert any("given as a seed; in the queue of" in step.what for step in some.history)
    assert any("taken from the queue of" in step.what for step in some.history)
    waiting = [one for url, one in told.items() if url not in kept and one.is_known]
    assert waiting
    assert all(one.topic.startswith("in the queue of ") for one in waiting)
