"""Texts with topics, made by chance from word lists: half of a text's words are everybody's."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

from lycosa.analysis.topics.texts import Text
from lycosa.extract.topics.training import Example

VOCABULARIES = {
    "biology": "cell species animal plant gene evolution habitat predator forest insect leaf bird",
    "music": "song melody guitar orchestra concert rhythm chord singer violin album band opera",
    "sport": "match team goal player league coach stadium season ball tournament score champion",
}
COMMON = "the of and to in is was for with on year world people time many first new other between"
ELSEWHERE = "recipe flour butter oven sugar kitchen salt pepper onion garlic bread dinner"


def sentence(words: str, chance: random.Random, length: int = 40) -> str:
    own, all_ = words.split(), COMMON.split()
    return " ".join(chance.choice(own if chance.random() < 0.5 else all_) for _ in range(length))


def made_texts(
    count: int, topics: Iterable[str] = tuple(VOCABULARIES), seed: int = 1, words: int = 40
) -> list[Text]:
    """Return so many texts of each topic; their addresses say which."""
    chance = random.Random(seed)
    return [
        Text(
            f"http://{topic}.test/{number}",
            f"Page {number}",
            sentence(VOCABULARIES.get(topic, ELSEWHERE), chance, words).encode(),
        )
        for topic in topics
        for number in range(count)
    ]


def topic_of(address: str) -> str:
    return address.removeprefix("http://").partition(".")[0]


def examples(texts: Iterable[Text]) -> Iterator[Example]:
    for text in texts:
        yield Example(text.title, text.content, (topic_of(text.address),))


def write_pages(folder: Path, texts: Iterable[Text]) -> None:
    """Write texts as HTML files: `biology/3.html`."""
    for text in texts:
        topic, number = topic_of(text.address), text.address.rpartition("/")[2]
        path = folder / topic / f"{number}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"<!doctype html><title>{text.title}</title><p>{text.content.decode()}</p>",
            encoding="utf-8",
        )
