"""Topics of texts: the compiled model against its plain twin, its file, its training."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plain_softmax
from lycosa.errors import FormatError
from lycosa.extract.topics import words
from lycosa.extract.topics._softmax import Softmax, word_weights
from lycosa.extract.topics.model import OTHER, TopicModel
from lycosa.extract.topics.training import Example, train
from plain_softmax import PlainSoftmax
from seeds import examples

FIELDS = {
    "cooking": "oven butter flour recipe pan sugar bake salt dough kitchen",
    "sailing": "boat wind harbour sail mast anchor knot tide deck crew",
    "chess": "queen rook pawn bishop check mate opening endgame board clock",
}
TEXTS = st.one_of(
    st.text().map(str.encode),
    st.text("aAbB ÄäŁİKΣςǅ中文かな한글ꭰᎠ１Ａ 9-").map(str.encode),
    st.binary(),
    st.lists(st.sampled_from([b"\xe4\xb8", b"\xc3", b"\x84", b"a", b" ", b"\xed\xa0\x80"])).map(
        b"".join
    ),
)


def labelled(count: int, chance: Random) -> list[Example]:
    """Texts of words of their field, with a few of the others between them."""
    everything = " ".join(FIELDS.values()).split()
    found = []
    for number in range(count):
        name = sorted(FIELDS)[number % len(FIELDS)]
        own = chance.choices(FIELDS[name].split(), k=12)
        text = " ".join(own + chance.choices(everything, k=6))
        found.append(Example(own[0].title(), text.encode(), (name,)))
    return found


@settings(max_examples=examples(300))
@given(TEXTS, TEXTS, st.sampled_from([4, 12, 16]))
def test_words_and_weights_equal_their_twin(title: bytes, text: bytes, bits: int) -> None:
    found, wanted = word_weights(title, text, bits), plain_softmax.word_weights(title, text, bits)
    assert found.keys() == wanted.keys()
    assert all(found[number] == pytest.approx(wanted[number], rel=1e-5) for number in wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ants, and the ANT'S 2 legs", ["ants", "and", "the", "ant", "legs"]),
        ("ÄRGER Λόγος", ["ärger", "λόγοσ".replace("σ", "ς")]),
        ("中文字 a 中", ["中文", "文字", "中"]),
        ("x" * 40, ["x" * 32]),
    ],
)
def test_words_of_a_text(text: str, wanted: list[str]) -> None:
    assert [word.decode() for word in words.words_of(text.encode())] == wanted


@given(st.lists(st.tuples(TEXTS, TEXTS, st.integers(0, 2)), min_size=1, max_size=8), TEXTS)
def test_learning_equals_its_twin(given: list[tuple[bytes, bytes, int]], asked: bytes) -> None:
    compiled, plain = Softmax(3, 10), PlainSoftmax(3, 10)
    for title, text, topic in given:
        targets = [float(number == topic) for number in range(3)]
        compiled.learn(title, text, targets, 0.3)
        plain.learn(title, text, targets, 0.3)
    assert compiled.scores(b"", asked) == pytest.approx(plain.scores(b"", asked), abs=2e-3)
    found = compiled.probabilities(b"", asked, 1.5)
    assert found == pytest.approx(words.softmax(plain.scores(b"", asked), 1.5), abs=2e-3)
    assert sum(found) == pytest.approx(1)


@given(
    st.lists(st.tuples(st.text(), st.text().map(str.encode), st.integers(0, 3)), max_size=5),
    st.lists(st.tuples(st.text("aB ä中\ud800"), st.text("ab/", max_size=6)), max_size=4),
    st.sampled_from([b"\1\0\0\0", b"\0\1\1\0"]),
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
)
def test_hints_of_links_equal_their_twin(
    given: list[tuple[str, bytes, int]],
    links: list[tuple[str, str]],
    wanted: bytes,
    page: list[float],
) -> None:
    compiled, plain = Softmax(4, 10), PlainSoftmax(4, 10)
    for title, text, topic in given:
        targets = [float(number == topic) for number in range(4)]
        compiled.learn(title.encode(), text, targets, 0.3)
        plain.learn(title.encode(), text, targets, 0.3)
    texts, keys = [text for text, _ in links], ["org.a:" + path for _, path in links]
    pairs = list(zip(texts, keys, strict=True))
    found = compiled.link_hints(texts, keys, 1.3, wanted)
    assert list(found) == pytest.approx(
        [plain.link_hint(*link, 1.3, wanted) for link in pairs], abs=1
    )
    topics = compiled.link_topics(texts, keys, 1.3, page)
    for number, link in enumerate(pairs):  # which of two equals is first does not matter
        shares = [share for _, share in plain.link_topics(*link, 1.3, page)]
        assert list(topics[6 * number + 1 : 6 * number + 6 : 2]) == pytest.approx(shares, abs=1)


def test_a_model_tells_its_fields_apart_and_others_from_them() -> None:
    chance = Random(1)
    model = train(labelled(150, chance) + [Example("", b"nothing of this", (OTHER,))] * 20)
    asked = labelled(60, chance)
    right = [
        bool(found) and model.names[found[0].number] == one.topics[0]
        for one in asked
        for found in [model.found(one.title, one.content)]
    ]
    assert sum(right) >= 57
    assert model.found("", b"nothing of this") == []
    assert sum(model.probabilities("Rook", b"the pawn")) == pytest.approx(1)


def test_the_same_examples_give_the_same_model_and_its_file_says_the_same(tmp_path: Path) -> None:
    models = [train(labelled(40, Random(2)), keywords={"chess": ["rook"]}) for _ in range(2)]
    assert models[0].to_bytes() == models[1].to_bytes()
    path = tmp_path / "topics.model"
    models[0].write(path)
    again = TopicModel.read(path)
    assert again.header == models[0].header
    assert again.header.keywords == {"chess": ("rook",)}
    assert again.digest == models[0].digest
    asked = ("Tide", b"the harbour")
    assert again.probabilities(*asked) == models[0].probabilities(*asked)


@pytest.mark.parametrize(
    "content", [b"", b"{}\n", b"no model at all", b'{"format":1}\n', b'{"format":9}\nxx']
)
def test_what_is_no_model_is_refused_by_name(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "topics.model"
    path.write_bytes(content)
    with pytest.raises(FormatError, match="lycosa topics train"):
        TopicModel.read(path)


def test_a_cut_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "topics.model"
    path.write_bytes(train(labelled(30, Random(3))).to_bytes()[:-20])
    with pytest.raises(FormatError):
        TopicModel.read(path)
