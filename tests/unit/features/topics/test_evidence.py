"""What links say of URLs: the compiled evidence against its plain twins."""

from __future__ import annotations

from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.features.topics._evidence import gathered, waiting_links
from lycosa.features.topics.evidence import (
    HINT_BYTES,
    WEIGHTS,
    FocusedEvidence,
    PlainTopicEvidence,
    TopicEvidence,
)
from plain_evidence import PlainFocusedEvidence
from seeds import examples

PAGES = st.lists(st.integers(0, 20), max_size=6)
BYTES = st.integers(0, 255)
GRADES = st.lists(BYTES, max_size=12).map(lambda grades: array("B", grades))


@settings(max_examples=examples(200))
@given(st.lists(st.tuples(PAGES, BYTES, BYTES, st.binary(min_size=6, max_size=6))), GRADES)
def test_focused_evidence_equals_its_twin(
    heard: list[tuple[list[int], int, int, bytes]], grades: array[int]
) -> None:
    compiled, plain = FocusedEvidence(WEIGHTS), PlainFocusedEvidence()
    for pages, probability, promise, texts in heard:
        said = (pages, probability, promise, texts[: len(pages)], grades)
        compiled.hear(*said)
        plain.hear(*said)
    for page in range(25):
        assert abs(compiled.position(page) - plain.position(page)) <= 1
        assert compiled.promise(page) == plain.promise(page)


@settings(max_examples=examples(300))
@given(st.lists(st.tuples(PAGES, st.binary(min_size=36))), GRADES)
def test_votes_equal_their_twin(heard: list[tuple[list[int], bytes]], grades: array[int]) -> None:
    compiled, plain = TopicEvidence(), PlainTopicEvidence()
    queues = array("B", [grade % 5 for grade in grades])
    for pages, hints in heard:
        said = (pages, hints[: HINT_BYTES * len(pages)], queues, grades)
        assert compiled.hear(*said) == plain.hear(*said)


@given(BYTES, BYTES, st.binary(max_size=9), st.binary(max_size=36))
def test_new_urls_are_placed_as_their_twins(
    probability: int, promise: int, texts: bytes, hints: bytes
) -> None:
    focused, plain = FocusedEvidence(WEIGHTS), PlainFocusedEvidence()
    found = focused.place(5, probability, promise, texts)
    wanted = plain.place(5, probability, promise, texts)
    assert all(abs(one - two) <= 1 for one, two in zip(found, wanted, strict=True))
    hints = hints[: len(hints) // HINT_BYTES * HINT_BYTES]
    assert TopicEvidence().place(3, hints) == PlainTopicEvidence().place(3, hints)


def test_hints_are_gathered_by_key_and_those_of_waiting_urls_kept() -> None:
    places = {"a": 0, "b": 1, "c": 2}
    assert gathered(b"aabbcc", 2, places, ["c", "x", "a"]) == b"cc\0\0aa"
    statuses = array("B", [0, 2, 3])
    assert waiting_links([2, -1, 1, 0], statuses, b"wxyz", 1, 3) == ([2, 0], b"wz")


def test_what_is_heard_brings_a_url_forward() -> None:
    evidence = FocusedEvidence(WEIGHTS)
    ((_, first),) = evidence.hear([3], 60, 60, bytes([40]), array("B"))
    ((_, second),) = evidence.hear([3], 240, 240, bytes([200]), array("B"))
    assert second < first < 255
    assert evidence.hear([], 1, 1, b"", array("B")) == []


def test_many_links_from_pages_of_a_topic_outvote_a_few() -> None:
    evidence, before = TopicEvidence(), (array("B"), array("B"))
    ((_, queue, unsure),) = evidence.hear([0], bytes([7, 120, 2, 100, 0, 30]), *before)
    assert queue == 7
    for _ in range(5):
        told = evidence.hear([0], bytes([2, 230, 7, 20, 0, 0]), *before)
    assert told == [] or told[0][1] == 2
    ((_, queue, sure),) = evidence.hear([0], bytes([2, 255, 0, 0, 0, 0]), *before)
    assert queue == 2
    assert sure < unsure
