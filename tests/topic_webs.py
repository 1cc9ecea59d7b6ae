"""A web with topics, a model that knows them, and jobs that seek them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from lycosa.extract.topics.training import Example, train
from lycosa.frontier.facts.topics import NO_TOPIC
from lycosa.model.job import Job
from lycosa.model.records import Request
from lycosa.model.url import url_of
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.graph import GraphWeb

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
