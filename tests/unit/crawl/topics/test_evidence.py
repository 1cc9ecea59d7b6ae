"""What links say of URLs: the compiled evidence against its plain twins."""

from __future__ import annotations

from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.crawl.topics.evidence import (
    HINT_BYTES,
    WEIGHTS,
    FocusedEvidence,
    PlainFocusedEvidence,
    PlainTopicEvidence,
    TopicEvidence,
)

PAGES = st.lists(st.integers(0, 20), max_size=6)
BYTES = st.integers(0, 255)
GRADES = st.lists(BYTES, max_size=12).map(lambda grades: array("B", grades))


@settings(max_examples=200)
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


@settings(max_examples=300)
@given(st.lists(st.tuples(PAGES, st.binary(max_size=6), st.binary(min_size=24))), GRADES)
def test_votes_equal_their_twin(
    heard: list[tuple[list[int], bytes, bytes]], grades: array[int]
) -> None:
    compiled, plain = TopicEvidence(), PlainTopicEvidence()
    queues = array("B", [grade % 5 for grade in grades])
    for pages, parent, hints in heard:
        said = (pages, parent, hints[: HINT_BYTES * len(pages)], queues, grades)
        assert compiled.hear(*said) == plain.hear(*said)


def test_what_is_heard_brings_a_url_forward() -> None:
    evidence = FocusedEvidence(WEIGHTS)
    ((_, first),) = evidence.hear([3], 60, 60, bytes([40]), array("B"))
    ((_, second),) = evidence.hear([3], 240, 240, bytes([200]), array("B"))
    assert second < first < 255
    assert evidence.hear([], 1, 1, b"", array("B")) == []


def test_many_links_from_pages_of_a_topic_outvote_a_few() -> None:
    evidence = TopicEvidence()
    nothing, before = bytes(HINT_BYTES), (array("B"), array("B"))
    ((_, queue, unsure),) = evidence.hear(
        [0], bytes([7, 120, 2, 100]), nothing, array("B"), array("B")
    )
    assert queue == 7
    for _ in range(5):
        told = evidence.hear([0], bytes([2, 230]), nothing, *before)
    assert told == [] or told[0][1] == 2
    ((_, queue, sure),) = evidence.hear(
        [0], bytes([2, 255]), bytes([2, 255, 0, 0]), array("B"), array("B")
    )
    assert queue == 2
    assert sure < unsure
