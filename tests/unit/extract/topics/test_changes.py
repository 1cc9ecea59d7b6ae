"""Where a text changes its topic: pieces, the likeliest path through them, and its price."""

from __future__ import annotations

import math
import random
from itertools import pairwise

import msgspec
import pytest

from lycosa.extract.topics.changes import (
    FALSE_ALARMS,
    FEWEST_WORDS,
    USUAL_PRICE,
    best_price,
    is_mixed,
    likeliest_path,
    pieces_of,
)
from lycosa.extract.topics.model import TopicModel
from lycosa.extract.topics.training import Example, train
from made_topics import examples, made_texts

ONE, TWO = [0.9, 0.05, 0.05], [0.05, 0.9, 0.05]
OTHER = 2


@pytest.mark.parametrize(
    ("found", "path"),
    [
        ([], []),
        ([ONE], [0]),
        ([ONE, ONE, TWO, TWO], [0, 0, 1, 1]),
        ([ONE, ONE, [0.3, 0.7, 0.0], ONE, ONE], [0, 0, 0, 0, 0]),
    ],
)
def test_a_change_of_topic_must_win_its_price_back(
    found: list[list[float]], path: list[int]
) -> None:
    assert likeliest_path(found, 0.8) == path
    assert len(set(likeliest_path(found, 100.0))) <= 1


def test_the_path_is_the_best_of_all() -> None:
    chance = random.Random(1)
    for _ in range(50):
        found = [[chance.random() for _ in range(3)] for _ in range(5)]
        price = chance.random()
        best = max(_all_paths(5), key=lambda path: _value(path, found, price))
        assert _value(likeliest_path(found, price), found, price) == pytest.approx(
            _value(best, found, price)
        )


def _all_paths(length: int) -> list[list[int]]:
    paths: list[list[int]] = [[]]
    for _ in range(length):
        paths = [[*path, topic] for path in paths for topic in range(3)]
    return paths


def _value(path: list[int], found: list[list[float]], price: float) -> float:
    changes = sum(one != two for one, two in pairwise(path))
    likely = sum(math.log(max(found[at][topic], 0.02)) for at, topic in enumerate(path))
    return likely - price * math.sqrt(len(path)) * changes


def test_a_change_to_other_does_not_mix() -> None:
    assert not is_mixed([0, 0, OTHER, 0], OTHER) and is_mixed([0, OTHER, 1], OTHER)


def test_few_texts_of_one_topic_are_mixed_at_the_price() -> None:
    chance = random.Random(2)
    texts = [
        [[p, 1 - p, 0.0] for p in (chance.uniform(0.2, 1.0) for _ in range(8))] for _ in range(300)
    ]
    price = best_price(texts, OTHER)
    at, below = (
        sum(is_mixed(likeliest_path(text, one), OTHER) for text in texts)
        for one in (price, price - 0.05)
    )
    assert at <= FALSE_ALARMS * len(texts) < below


def test_pieces_have_enough_words_and_lose_none() -> None:
    long = " ".join(f"w{number}." if number % 50 == 0 else f"w{number}" for number in range(400))
    text = f"Title\n{long}\nshort line\nlast".encode()
    pieces = pieces_of(text)
    assert b" ".join(pieces).split() == text.split()
    assert all(FEWEST_WORDS <= len(piece.split()) <= 2 * FEWEST_WORDS + 5 for piece in pieces)
    assert all(piece.endswith(b".") for piece in pieces[:-1])
    assert pieces_of(b"few words") == [b"few words"] and pieces_of(b"") == []


def test_a_model_of_a_file_without_a_price_is_what_it_was() -> None:
    """Files of before prices were chosen have none: same bytes, digest and probabilities."""
    model = train(examples(made_texts(40)))
    assert model.header.price_of_change != USUAL_PRICE
    before = msgspec.json.decode(msgspec.json.encode(model.header))
    del before["price_of_change"]
    old = msgspec.json.encode(before) + b"\n" + model.to_bytes().partition(b"\n")[2]
    read = TopicModel.from_bytes(old)
    assert read.to_bytes() == old and read.header.price_of_change == USUAL_PRICE
    text = made_texts(1)[0]
    assert read.found(text.title, text.content) == model.found(text.title, text.content)


def test_a_doubtful_example_teaches_its_doubts() -> None:
    text = b"cell species"
    doubtful = [Example("", text, ("a",), {"a": 0.7, "b": 0.3})] * 60
    clear = [Example("", b"song guitar", ("b",))] * 60
    model = train([*doubtful, *clear])
    found = dict(zip(model.names, model.probabilities("", text), strict=True))
    assert found["a"] == pytest.approx(0.7, abs=0.1) and found["b"] == pytest.approx(0.3, abs=0.1)
