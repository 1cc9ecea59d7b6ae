"""Pages half about one topic and half about another are split, pages of one topic are not."""

from __future__ import annotations

import random
from itertools import permutations
from pathlib import Path

import pytest

from lycosa.analysis.study.sql import asked
from lycosa.analysis.topics.page_topics import classify
from lycosa.analysis.topics.page_units import split_pages
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import train
from lycosa.model.url import key_of
from made_topics import VOCABULARIES, examples, made_texts, sentence
from unit.analysis.study.drawn_crawl import Fetch, write

PAIRS = [*permutations(VOCABULARIES, 2)] * 2


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return train(examples(made_texts(40)))


def about(topic: str, chance: random.Random, paragraphs: int, heading: str) -> str:
    """Return paragraphs of 40 words with a heading that says nothing, or without any."""
    lines = [f"<p>{sentence(VOCABULARIES[topic], chance)}</p>" for _ in range(paragraphs)]
    return heading + "".join(lines)


def split(folder: Path, bodies: list[str], model: TopicModel) -> dict[str, list[str]]:
    """Return the topics of the units by URL."""
    fetches = [
        Fetch(key_of(f"http://p{number}.test/"), body=f"<title>A page</title>{body}", depth=1)
        for number, body in enumerate(bodies)
    ]
    write(folder, fetches)
    split_pages(folder, model, classify(folder, model).mixed)
    query = "select url, list(topic order by number) from page_units group by all order by 1"
    with asked(folder, query) as answer:
        return dict(answer.fetchall())


@pytest.mark.parametrize("heading", ["<h2>On</h2>", "<hr>", ""], ids=["h2", "hr", "plain"])
@pytest.mark.parametrize("paragraphs", [2, 4, 30])
def test_a_page_half_about_one_topic_and_half_about_another_is_split(
    heading: str, paragraphs: int, model: TopicModel, tmp_path: Path
) -> None:
    chance = random.Random(5)
    bodies = [
        about(one, chance, paragraphs, heading) + about(two, chance, paragraphs, heading)
        for one, two in PAIRS
    ]
    found = split(tmp_path / "crawl", bodies, model)
    right = sum(
        found.get(f"http://p{number}.test/") == [one, two]
        for number, (one, two) in enumerate(PAIRS)
    )
    assert right >= 11, found


@pytest.mark.parametrize("heading", ["<h2>On</h2>", ""], ids=["h2", "plain"])
def test_a_page_of_one_topic_stays_whole(heading: str, model: TopicModel, tmp_path: Path) -> None:
    chance = random.Random(6)
    bodies = [
        about(topic, chance, 2, heading) + about(topic, chance, 6, heading)
        for topic in [*VOCABULARIES] * 7
    ]
    assert len(split(tmp_path / "crawl", bodies, model)) <= 1


def test_a_remark_about_something_else_does_not_split_a_page(
    model: TopicModel, tmp_path: Path
) -> None:
    chance = random.Random(7)
    remark = f"<p>{sentence(VOCABULARIES['sport'], chance, 8)}</p>"
    body = about("music", chance, 5, "") + remark + about("music", chance, 5, "")
    assert not split(tmp_path / "crawl", [body], model)
