"""Models from keywords, their judgement, the words that speak for a topic."""

from __future__ import annotations

import pytest

from lycosa.analysis.topics.evaluation import cross_validate, evaluate
from lycosa.analysis.topics.keywords import match, train_by_keywords
from lycosa.analysis.topics.names import at_level, fault_of, is_within, parent_of
from lycosa.analysis.topics.pools import Pool
from lycosa.analysis.topics.telling_words import parts_of, telling_words
from lycosa.analysis.topics.texts import Text
from lycosa.errors import LycosaError
from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.extract.topics.training import Example, train
from made_topics import ELSEWHERE, VOCABULARIES, examples, made_texts, topic_of

POOLS = [
    Pool("biology", ("cell", "species")),
    Pool("music", ("song", "Guitar")),
    Pool("sport", ("match", "team")),
]


@pytest.fixture(scope="module")
def model() -> TopicModel:
    return train(examples(made_texts(40)))


def share_right(model: TopicModel, texts: list[Text]) -> float:
    found = evaluate(model, examples(texts))
    return found.accuracy


def test_keywords_alone_make_a_model() -> None:
    model = train_by_keywords(made_texts(60), POOLS)
    assert model.names == ("biology", "music", "sport", OTHER)
    assert share_right(model, made_texts(40, seed=2)) > 0.95
    assert model.header.keywords["music"] == ("song", "Guitar")


def test_texts_without_any_keyword_are_other_if_they_are_many() -> None:
    texts = made_texts(60, [*VOCABULARIES, OTHER])
    model = train_by_keywords(texts, POOLS)
    assert share_right(model, made_texts(40, [OTHER], seed=2)) > 0.9
    few = train_by_keywords([*made_texts(60), *made_texts(2, [OTHER])], POOLS)
    assert few.header.trained_on.get(OTHER, 0) == 0


def test_texts_that_the_keywords_of_their_topic_miss_are_not_sent_to_other() -> None:
    texts = made_texts(100, words=14)  # a quarter of them has no keyword, most of the others one
    model = train_by_keywords(texts, POOLS)
    found = evaluate(model, examples(made_texts(100, seed=2, words=14)))
    to_other = sum(one.guessed for one in found.topics if one.topic == OTHER)
    assert to_other <= 3 and found.accuracy > 0.9, (to_other, found.accuracy)


def test_a_model_from_keywords_is_about_as_often_right_as_it_says() -> None:
    model = train_by_keywords(made_texts(200, words=4), POOLS)
    found = evaluate(model, examples(made_texts(200, seed=2, words=4)))
    assert 0.6 < found.accuracy < 0.95  # two words a text: there is much to be unsure of
    assert found.calibration_error <= 0.1, found.calibration_error


def test_one_keyword_a_topic_says_nothing_of_other_if_most_texts_lack_it() -> None:
    pools = [Pool("biology", ("cell",)), Pool("music", ("song",)), Pool("sport", ("match",))]
    model = train_by_keywords(made_texts(100, words=14), pools)
    found = evaluate(model, examples(made_texts(100, seed=2, words=14)))
    assert not any(one.guessed for one in found.topics if one.topic == OTHER)
    assert found.accuracy > 0.8, found.accuracy


def test_a_pool_of_other_makes_an_other() -> None:
    texts = [*made_texts(60), *made_texts(30, [OTHER])]
    model = train_by_keywords(texts, [*POOLS, Pool(OTHER, ("recipe", "flour"))])
    assert share_right(model, made_texts(40, [*VOCABULARIES, OTHER], seed=2)) > 0.9


def test_pages_that_are_known_stay_examples_of_their_topic() -> None:
    texts = made_texts(60)
    strange = next(text for text in texts if topic_of(text.address) == "sport")
    given = {strange.address: Example(strange.title, strange.content, ("music",))}
    sizes = train_by_keywords(texts, POOLS, given).header.trained_on
    assert sizes["music"] > 20 and set(sizes) == set(VOCABULARIES)


def test_a_topic_without_any_example_is_refused_by_name() -> None:
    with pytest.raises(LycosaError, match="`chess` has no example: no page matches its keywords"):
        train_by_keywords(made_texts(30), [*POOLS, Pool("chess", ("gambit",))])


def test_a_rare_keyword_and_one_of_the_title_count_more() -> None:
    texts = [
        Text("a", "", b"cell of the world"),
        Text("b", "", b"common of the world"),
        Text("c", "cell", b"word of the world"),
        Text("d", "", b"common of the world"),
    ]
    a, b, c, _ = match(texts, {"x": ["cell", "common"], "y": ["nothing"]})
    assert c["x"] > a["x"] and list(b) == ["x"]
    rare, frequent = match([*texts, texts[1]], {"x": ["cell"], "y": ["common"]})[:2]
    assert rare["x"] > frequent["y"]


def test_a_judgement_counts_what_is_right(model: TopicModel) -> None:
    texts = made_texts(20, seed=3)
    wrong = [Example(one.title, one.content, ("sport", "music")) for one in texts[20:30]]
    found = evaluate(model, [*examples([*texts[:20], *texts[30:]]), *wrong])
    assert (found.pages, found.accuracy) == (60, 50 / 60)
    assert found.accuracy_any == 1.0
    assert [one.topic for one in found.topics] == ["biology", "music", "sport"]
    assert found.confusion == [[20, 0, 0], [0, 10, 0], [0, 10, 20]]
    sport = found.topics[2]
    assert (sport.precision, sport.recall) == (1.0, 20 / 30)
    assert found.macro_f1 == pytest.approx((1 + 2 / 3 + 0.8) / 3)
    assert sum(group.pages for group in found.calibration) == 60


def test_cross_validation_judges_every_page_once() -> None:
    found = cross_validate(list(examples(made_texts(20))), 4)
    assert found.pages == 60 and found.accuracy > 0.9
    with pytest.raises(LycosaError, match="too few"):
        cross_validate(list(examples(made_texts(1))), 5)


def test_a_topic_that_the_model_does_not_have_is_wrong(model: TopicModel) -> None:
    found = evaluate(model, [Example("", ELSEWHERE.encode(), ("cooking",))])
    assert found.accuracy == 0 and "cooking" in [one.topic for one in found.topics]


def test_the_words_of_a_topic_are_those_of_its_texts(model: TopicModel) -> None:
    words = telling_words(model, made_texts(30, seed=4), 6)
    for topic, vocabulary in VOCABULARIES.items():
        assert set(words[topic]) <= set(vocabulary.split()) and len(words[topic]) == 6


def test_the_parts_of_words_say_what_decided(model: TopicModel) -> None:
    text = Text("a", "", b"guitar melody and the cell")
    parts = {one.word: one.part for one in parts_of(model, text, model.names.index("music"))}
    assert parts["guitar"] > 0 > parts["cell"]
    assert set(parts) == {"guitar", "melody", "and", "the", "cell"}


def test_names_have_parents_and_levels() -> None:
    assert parent_of("a.b.c") == "a.b" and parent_of("a") == ""
    assert at_level(["a.b", "a.c", "d"], 1) == ("a", "d")
    assert at_level(["a.b", "a.b"], 0) == ("a.b",)
    assert is_within("a.b", "a") and not is_within("ab", "a")
    assert fault_of("a.b-c_1") == "" and "write, for example: a.b" in fault_of("a..b")
