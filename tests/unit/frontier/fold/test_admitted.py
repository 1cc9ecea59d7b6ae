"""Admitting new URLs: what it counts, and that its cost grows with their number alone."""

from __future__ import annotations

from growth import is_linear
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Admitted


def admitted(keys: list[str]) -> PartitionState:
    """Return a partition that has admitted these URLs at once."""
    state = PartitionState()
    state.apply(Admitted(1.0, "", keys, [1] * len(keys)))
    return state


def test_urls_are_counted_for_their_sites() -> None:
    state = admitted(["org.a:/1", "org.b:/1", "org.a:/2", "org.a:s/1", "org.a:/3"])
    assert state.site_names == ["org.a:", "org.b:", "org.a:s"]
    assert list(state.pages.site) == [0, 1, 0, 2, 0]
    assert (list(state.sites.pending), state.pending) == ([3, 1, 1], 5)


def test_a_page_that_links_to_many_sites_costs_no_more_a_link() -> None:
    assert is_linear(lambda count: admitted([f"org.h{n}:/" for n in range(count)]), 24_000)
