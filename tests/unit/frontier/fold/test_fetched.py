"""What a page that was fetched changes: compiled, and in plain Python."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.frontier.facts.columns import NONE, WAITING
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import (
    TRANSIENT,
    UNCOUNTED,
    Admitted,
    AnyEvent,
    Fetched,
    HostChanged,
    Outcome,
    Place,
)
from made_columns import add_fetch
from seeds import examples

KEPT, SITEMAP = Outcome.KEPT, Outcome.SITEMAP
ANSWERED = frozenset({Outcome.NOT_MODIFIED, SITEMAP, Outcome.WRONG_LANGUAGE})
STILL_HELD = TRANSIENT | {Outcome.NOT_MODIFIED}


def apply_fetched(self: PartitionState, event: Fetched) -> None:
    """Change the state as the event says, field by field."""
    pages, page = self.pages, event.page
    site = pages.site[page]
    host = self.sites.host[site]
    fetch = pages.fetch[page]
    if fetch == NONE:
        fetch = pages.fetch[page] = add_fetch(self.fetches)
    self._account_for(event.place)
    is_held = pages.outcome[page] == KEPT and event.outcome in STILL_HELD
    if event.place is not None and not is_held:
        self.fetches.segment[fetch] = event.place.segment
        self.fetches.offset[fetch] = event.place.offset
        self.fetches.length[fetch] = event.place.length
    self.fetches.due[fetch] = event.due
    self.last_moment = event.moment
    self.hosts.due[host] = max(self.hosts.due[host], event.host_due)
    if not is_held:
        if event.outcome is KEPT and pages.outcome[page] != KEPT:
            self.sites.mined_out[site] = 0
        # A sitemap is held as a page is, and counts for nothing.
        pages.outcome[page] = KEPT if event.outcome is SITEMAP else event.outcome
    self.outcomes[event.outcome] += 1
    self.guesses.asked += 1
    if event.outcome is KEPT:
        self.kept_pages += 1
        self.kept_bytes += event.size_bytes
        self.hosts.kept[host] += 1
        pages.tries[page] = 0
    elif event.outcome in ANSWERED:
        pages.tries[page] = 0
    elif event.outcome not in UNCOUNTED:
        pages.tries[page] = min(pages.tries[page] + 1, 255)
    if event.due:
        pages.status[page] = WAITING
    else:
        self._finish(page, site)


KEYS = [f"test.h{n % 3}:{'s' * (n % 2)}/{n}" for n in range(6)]
PLACES = st.none() | st.builds(
    Place, st.integers(0, 2), st.integers(0, 1 << 40), st.integers(0, 1 << 20)
)
FETCHED = st.builds(
    Fetched,
    st.floats(0, 1e9),
    st.integers(0, len(KEYS) - 1),
    st.sampled_from([KEPT, SITEMAP, *Outcome]),
    st.integers(0, 599),
    st.integers(0, 1 << 33),
    st.sampled_from([0.0, 0.0, 50.0]),
    st.floats(0, 1e9),
    PLACES,
)
CLOSED = st.builds(
    HostChanged,
    st.just(1.0),
    st.integers(0, 2),
    st.floats(0, 1e9),
    st.just(1),
    st.sampled_from([None, Outcome.HOST_GIVEN_UP]),
)
PUT_OFF = st.builds(
    lambda key, place: Admitted(2.0, "", [f"test.h0:/more{key}"], [1], put_off=[0] * place),
    st.integers(0, 1 << 40),
    st.integers(0, 1),
)


@settings(max_examples=examples(200))
@given(st.lists(FETCHED | FETCHED | CLOSED | PUT_OFF, max_size=30))
def test_a_page_that_was_fetched_changes_the_state_as_the_plain_fold_says(
    events: list[AnyEvent],
) -> None:
    compiled, plain = PartitionState(), PartitionState()
    for state in (compiled, plain):
        state.apply(Admitted(0.0, "", KEYS, [0] * len(KEYS), put_off=[5]))
    for event in events:
        if isinstance(event, Admitted) and compiled.table.find(event.keys[0]) is not None:
            continue
        if not isinstance(event, Fetched):
            compiled.apply(event)
            plain.apply(event)
            continue
        try:
            apply_fetched(plain, event)
        except OverflowError:  # a URL is done twice: no crawl writes such a log
            with pytest.raises(OverflowError):
                compiled.apply(event)
            return
        compiled.apply(event)
        assert compiled.pack(0) == plain.pack(0)
        assert compiled.outcomes == plain.outcomes and compiled.pending == plain.pending


def test_a_page_that_is_not_there_is_an_error() -> None:
    for page in (3, -1):
        with pytest.raises(IndexError):
            PartitionState().apply(Fetched(0.0, page, KEPT, 200, 1, 0.0, 0.0))
