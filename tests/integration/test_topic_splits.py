"""A topic is split while a crawl is under way: its waiting URLs go to the queues of its parts."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from lycosa.analysis.topics.refining import with_parts
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import Example, train
from lycosa.features.topics.of_job import NEXT_MODEL, read_model
from lycosa.frontier.facts.columns import DONE
from lycosa.model.url import url_of
from lycosa.simulation.kills import KillRandomly
from lycosa.simulation.simulation import Simulation
from seeds import few_of
from topic_webs import NAMES, TopicWeb, job_of, text_of
from topic_webs import model as model

pytestmark = pytest.mark.quick

PARTS = ("game.chess", "game.sailing")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A model that takes chess and sailing for one field, and the same with its parts."""
    chance, folder = Random(7), tmp_path_factory.mktemp("models")
    texts = {name: [text_of(name, chance).encode() for _ in range(60)] for name in NAMES}
    whole = {"chess": "game", "sailing": "game", "cooking": "cooking"}
    train([Example("", t, (whole[name],)) for name in NAMES for t in texts[name]]).write(
        folder / "whole.model"
    )
    parts = {"chess": PARTS[0], "sailing": PARTS[1]}  # of cooking it sees nothing more
    examples = [Example("", t, (parts[name],)) for name in parts for t in texts[name]]
    split = with_parts(TopicModel.read(folder / "whole.model"), "game", PARTS, examples)
    split.write(folder / "split.model")
    return folder / "whole.model", folder / "split.model"


def test_a_split_keeps_numbers_and_what_is_known_of_other_topics(
    models: tuple[Path, Path],
) -> None:
    whole, split = (TopicModel.read(path) for path in models)
    assert split.names == (*whole.names, *PARTS)
    assert split.header.split == {"game": PARTS}
    chance = Random(99)
    found: Counter[tuple[str, str]] = Counter()
    for _ in range(100):
        for name in NAMES:
            likely = split.probabilities("", text_of(name, chance).encode())
            found[name, split.names[likely.index(max(likely))]] += 1
    assert found["chess", PARTS[0]] > 90 and found["sailing", PARTS[1]] > 90
    assert found["cooking", "cooking"] > 70  # which no example has shown again


@pytest.mark.parametrize("workers", few_of([3, 1], 1))
def test_a_crawl_goes_on_by_the_parts(
    workers: int, models: tuple[Path, Path], tmp_path: Path
) -> None:
    web = TopicWeb(150, 3)
    before, after = models
    job = job_of(web, before, {"policy": "each"}, 60)
    simulation = Simulation(web, job, tmp_path, seed=4, log="sqlite", workers=workers)
    assert simulation.run().reason == "pages"
    names = TopicModel.read(after).names
    whole = names.index("game")
    waiting = sum(
        topic == whole and status != DONE
        for state in simulation.read_states().values()
        for topic, status in zip(state.topics.topic, state.pages.status, strict=False)
    )
    assert waiting > 5
    kept = set(simulation.kept_urls())
    simulation.job = dataclasses.replace(
        job_of(web, after, {"policy": "each"}), limits=dataclasses.replace(job.limits, pages=0)
    )
    result = simulation.run(KillRandomly(2, 12, 0.03))
    assert (result.reason, result.breaches) == ("exhausted", [])
    assert sorted(simulation.kept_urls()) == sorted(web.topics)
    states = simulation.read_states()
    taken = sum((state.topics.taken for state in states.values()), Counter[int]())
    assert taken[names.index(PARTS[0])] > 5 and taken[names.index(PARTS[1])] > 5
    right = total = 0
    for state in states.values():
        for page, topic in enumerate(state.topics.topic):
            if state.outcome_of(page) != 1:
                continue
            url = url_of(state.table.key(page))
            if url in kept:
                assert names[topic] not in PARTS  # what was decided stays decided
            elif web.topics[url] != "cooking":
                total += 1
                right += names[topic] == f"game.{web.topics[url]}"
    assert right > 0.9 * total > 0


def test_a_model_that_was_being_given_when_somebody_was_killed_is_taken(
    models: tuple[Path, Path], tmp_path: Path
) -> None:
    before, after = models
    own = tmp_path / "topics.model"
    own.write_bytes(before.read_bytes())
    (tmp_path / NEXT_MODEL).write_bytes(after.read_bytes())
    topics = job_of(TopicWeb(10, 1), own, {}).topics
    digest = TopicModel.read(after).digest
    found = read_model(dataclasses.replace(topics, digest=digest))
    assert found.digest == digest
    assert TopicModel.read(own).digest == digest
    assert not (tmp_path / NEXT_MODEL).exists()
    assert json.loads(own.read_bytes().split(b"\n")[0])["split"] == {"game": list(PARTS)}
