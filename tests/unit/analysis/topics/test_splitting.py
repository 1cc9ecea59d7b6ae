"""A topic that has parts is split; one that has none is refused, with its figures."""

from __future__ import annotations

import pytest
from benchmarks.topic_splits import Collection, Limits, chosen, proposals, truth_of

from lycosa.analysis.topics.splitting import names_of, propose
from lycosa.errors import LycosaError
from made_topics import VOCABULARIES, made_texts, topic_of


def test_parts_that_are_there_are_found_and_pass() -> None:
    texts = made_texts(60)
    found = propose(texts)
    assert found.faults == [] and found.parts == 3
    assert found.agreement > 0.9 and found.margin > 0.5
    groups: dict[int, set[str]] = {}
    for text, group in zip(texts, found.groups, strict=True):
        groups.setdefault(group, set()).add(topic_of(text.address))
    assert sorted(map(sorted, groups.values())) == [["biology"], ["music"], ["sport"]]
    names = names_of("life", found)
    words = {word for each in VOCABULARIES.values() for word in each.split()}
    assert len(set(names)) == 3 and {name.partition(".")[2] for name in names} <= words


@pytest.mark.parametrize("parts", [0, 2, 4])
def test_texts_of_one_kind_are_not_split(parts: int) -> None:
    found = propose(made_texts(200, ["biology"]), parts)
    assert found.faults, (found.agreement, found.margin)
    assert "is below" in found.faults[0]


def test_more_parts_than_there_are_fail() -> None:
    assert propose(made_texts(120), 6).faults


def test_a_topic_with_few_texts_is_not_tested() -> None:
    with pytest.raises(LycosaError, match="79 texts are too few for 2 parts: each needs 40"):
        propose(made_texts(79, ["music"]), 2)


def test_the_same_texts_give_the_same_split() -> None:
    assert propose(made_texts(60), 3) == propose(made_texts(60), 3)


def test_a_split_is_true_if_it_keeps_parts_together() -> None:
    parts = [0] * 10 + [1] * 10 + [2] * 10
    assert truth_of(parts, parts, 3) == "true"
    assert truth_of(parts, [0] * 20 + [1] * 10, 2) == "true"
    assert truth_of(parts, [0] * 15 + [1] * 15, 2) == "true"  # five of thirty went astray
    assert truth_of(parts, [n % 3 for n in range(30)], 3) == "false"
    assert truth_of(parts, [0] * 5 + [3] * 5 + [1] * 10 + [2] * 10, 4) == "finer"
    assert truth_of([0] * 30, [0] * 15 + [1] * 15, 2) == "false"


def test_limits_are_chosen_that_part_true_splits_from_false_ones() -> None:
    some = [
        Collection(
            "first", "merged", "two", [made_texts(60, ["music"]), made_texts(60, ["sport"])]
        ),
        Collection("first", "single", "one", [made_texts(160, ["biology"])]),
    ]
    found = [split for one in some for split in proposals(one)]
    limits = chosen(found)
    assert {one.truth for one in found} >= {"true", "false"}
    assert all(limits.accept(one) == (one.truth == "true") for one in found if one.truth != "finer")
    assert limits > Limits(0.3, 0.1)
