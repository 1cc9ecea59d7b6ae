"""How much of a text has changed is what a plain count of its words says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.analysis.comparison.run import change_of, difference

words = st.lists(st.sampled_from(["ant", "bee", "cat", "Ant", "ö", "7"]), max_size=12)


def twin(before: list[str], after: list[str]) -> tuple[int, int]:
    """Strike out the words of one text in the other; what is left was added or removed."""
    added = list(after)
    removed = []
    for word in before:
        if word in added:
            added.remove(word)
        else:
            removed.append(word)
    return len(added), len(removed)


@given(words, words)
def test_words_are_counted_whatever_their_order(before: list[str], after: list[str]) -> None:
    change = change_of(" ".join(before), "\n".join(after))
    assert (change.words_before, change.words_after) == (len(before), len(after))
    assert (change.added, change.removed) == twin(before, after)
    assert 0.0 <= change.share <= 1.0
    assert (change.share == 0.0) == (sorted(before) == sorted(after))
    assert change_of(" ".join(after), " ".join(before)).share == change.share


def test_no_word_in_common_is_a_whole_change() -> None:
    assert change_of("ant bee", "cat").share == 1.0
    assert change_of("", "").share == 0.0


@given(words, words)
def test_the_difference_makes_one_text_of_the_other(before: list[str], after: list[str]) -> None:
    lines = difference("\n".join(before), "\n".join(after), ("a", "b"))
    assert bool(lines) == (before != after)
    shown = [line[1:] for line in lines if line[:1] == "+" and not line.startswith("+++")]
    kept = [line[1:] for line in lines if line[:1] == "-" and not line.startswith("---")]
    assert len(after) - len(before) == len(shown) - len(kept)
