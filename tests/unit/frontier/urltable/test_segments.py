"""The tree that keys form."""

import pytest

from lycosa.frontier.urltable.segments import is_node, segment_end


@pytest.mark.parametrize(
    "steps",
    [
        ["org.", "example.", "www:", "s/", "video/", "clips/", "x.html?", "page=3/4?5.6:7"],
        ["org.", "example:", "/"],
        ["org.", "example:", "s8443/", "a.b:c"],
        ["[::1]:", "81/", "x"],
        ["127.", "0.", "0.", "1:", "8080/", "a/", "?", "q"],
        ["localhost:", "/", "x/", "/", "y"],
    ],
)
def test_a_key_is_cut_after_labels_site_folders_and_the_question_mark(steps: list[str]) -> None:
    key, cuts, start = "".join(steps), [], 0
    while start < len(key):
        end = segment_end(key, start)
        cuts.append(key[start:end])
        start = end
    assert cuts == steps


def test_folders_and_empty_queries_are_nodes_and_pages_are_not() -> None:
    assert is_node("org.example:/")
    assert is_node("org.example:/a/")
    assert is_node("org.example:/a?")
    assert not is_node("org.example:/a")
    assert not is_node("org.example:/a?b/")
    assert not is_node("org.example:/a?b?")
