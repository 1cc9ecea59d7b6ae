"""Crawls by topic in virtual time: what is found, in which order, and through kills."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from lycosa.config import Job
from lycosa.crawl.inspect.explain import explain
from lycosa.crawl.simulation.kills import KillRandomly, no_kills
from lycosa.crawl.simulation.simulation import Simulation
from lycosa.crawl.status.progress import put_off_of
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import Example, train
from lycosa.frontier.fold.facts.topics import NO_TOPIC
from lycosa.records import Request
from lycosa.testweb.web import Reply
from lycosa.testweb.webs.graph import GraphWeb
from lycosa.url import url_of
from seeds import few_of

FIELDS = {
    "chess": "queen rook pawn bishop check mate opening endgame board clock",
    "cooking": "oven butter flour recipe pan sugar bake salt dough kitchen",
    "sailing": "boat wind harbour sail mast anchor knot tide deck crew",
}
NAMES = sorted(FIELDS)
HOSTS = 12


def text_of(topic: str, chance: Random) -> str:
    everything = " ".join(FIELDS.values()).split()
    return " ".join(chance.choices(FIELDS[topic].split(), k=14) + chance.choices(everything, k=5))


class TopicWeb(GraphWeb):
    """Pages of three fields on a dozen hosts; two links in three stay within the field."""

    def __init__(self, pages: int, seed: int) -> None:
        chance = Random(seed)
        self.topics = {
            f"http://h{n % HOSTS}.test/{n}": NAMES[chance.choice([0, 1, 1, 2, 2, 2])]
            for n in range(pages)
        }
        urls = list(self.topics)
        by_topic = {name: [u for u in urls if self.topics[u] == name] for name in NAMES}
        edges = {
            url: [
                chance.choice(by_topic[topic] if chance.random() < 0.67 else urls) for _ in range(6)
            ]
            for url, topic in self.topics.items()
        }
        self._texts = {url: text_of(topic, chance) for url, topic in self.topics.items()}
        super().__init__(edges)
        self.seeds = [by_topic[name][0] for name in NAMES]

    def answer(self, request: Request, moment: float) -> Reply:
        reply = super().answer(request, moment)
        text = self._texts.get(request.url)
        if text is None or reply.status != 200:
            return reply
        return reply._replace(body=reply.body.replace(b"</body>", f"<p>{text}".encode()))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    chance = Random(7)
    examples = [
        Example("", text_of(name, chance).encode(), (name,)) for name in NAMES for _ in range(40)
    ]
    examples += [Example("", b"about the contact imprint and privacy", ("other",))] * 20
    path = tmp_path_factory.mktemp("model") / "topics.model"
    train(examples).write(path)
    return path


def job_of(web: TopicWeb, model: Path, topics: Mapping[str, object], pages: int = 0) -> Job:
    return Job.of(
        seeds=web.seeds,
        limits={"pages": pages},
        politeness={"delay_seconds": 1.0, "large_site_delay_seconds": 1.0},
        frontier={"partitions": 64, "scheduler": "topics"},
        topics={"model": str(model), **topics},
        discovery={"mining": "off"},
        traps={"mirrors": "follow"},
    )


def found_topics(simulation: Simulation, names: tuple[str, ...]) -> dict[str, str]:
    """Return what every kept page is about, as the log says."""
    return {
        url_of(state.table.key(page)): names[topic] if topic != NO_TOPIC else ""
        for state in simulation.read_states().values()
        for page, topic in enumerate(state.topics.topic)
        if state.place_of(page) is not None and state.outcome_of(page) == 1
    }


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
