"""Topics in the fold: what is counted, and when it counts no longer."""

from __future__ import annotations

from lycosa.frontier.facts.topics import NO_TOPIC, Topics
from lycosa.model.records import Classified


def test_a_page_counts_for_its_newest_version() -> None:
    topics = Topics()
    topics.apply_classified(Classified(3, [1], [200]))
    topics.apply_classified(Classified(3, [], [], is_again=True))
    assert topics.found == {NO_TOPIC: 1}
    topics.apply_classified(Classified(3, [2, 1], [180, 90], is_again=True))
    assert topics.found == {2: 1}
    topics.lost(3)
    assert topics.found == {}


def test_a_page_that_was_kept_before_there_was_a_model_is_not_taken_back() -> None:
    topics = Topics()
    topics.apply_classified(Classified(5, [1], [200], is_again=True))
    topics.lost(2)
    assert topics.found == {1: 1}
