"""What URLs that are admitted change: compiled, and in plain Python."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import (
    Admitted,
    AnyEvent,
    Fetched,
    HostChanged,
    Mined,
    Outcome,
    SitemapTried,
)
from lycosa.model.url.key import site_of
from made_columns import add_pages, add_source
from seeds import examples


def apply_admitted(self: PartitionState, event: Admitted) -> None:
    """Change the state as the event says, part by part."""
    pages, sites = self.pages, self.sites
    first, count = len(pages.site), len(event.keys)
    if event.keys:
        source = self.table.find(event.source) if event.source else None
        add_source(self.sources, first, event.source, source)
    self.table.add_many(event.keys)
    add_pages(pages, found := [self.site_for(site_of(key)) for key in event.keys], event.distances)
    for site, new in Counter(found).items():
        sites.pending[site], sites.mined_out[site] = sites.pending[site] + new, 0
        self.pending += 0 if sites.closed[site] else new
    if event.queues:
        self.topics.queued(first, event.queues, event.positions)
    if event.hops:
        for page in range(first, len(pages.site)):
            pages.hops[page] = event.hops
    for page in event.fewer:
        pages.hops[page] = event.hops
    if self.history.cycle or event.put_off:
        self._sort_in(first, count, event.put_off)
    for page, distance in zip(event.nearer, event.nearer_distances, strict=True):
        pages.distance[page] = distance
    self.requisites.update(event.requisites)
    self._unguess(event.linked)


HOSTS = ["test.h0:", "test.h0:s", "test.h1:", "test.h1:8080", "[::1]:", "test.h0:/also"]
KEYS = [f"{host}/{n}" for host in HOSTS[:5] for n in range(5)]
SOURCES = ["", "", *KEYS[:3], "test.elsewhere:/"]


@st.composite
def admitted(draw: st.DrawFn) -> Admitted:
    """Draw an event; URLs that are known by then are left out before it is applied."""
    keys = draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=12))
    distances = draw(st.lists(st.integers(0, 65535), min_size=len(keys), max_size=len(keys)))
    places = st.lists(st.integers(0, 3), unique=True, max_size=3)
    nearer = draw(places)
    has_topics = draw(st.booleans())
    return Admitted(
        1.0,
        draw(st.sampled_from(SOURCES)),
        keys,
        distances,
        nearer,
        [draw(st.integers(0, 65535)) for _ in nearer],
        draw(places),
        draw(places),
        draw(st.lists(st.integers(0, max(0, len(keys) - 1)), unique=True, max_size=3)),
        draw(st.sampled_from([0, 0, 1, 20])),
        draw(places),
        bytes(len(keys)) if has_topics else b"",
        bytes(range(len(keys))) if has_topics else b"",
    )


def _new(state: PartitionState, event: Admitted) -> Admitted:
    """Return the event without what is known, and without URLs that are not there."""
    kept = [place for place, key in enumerate(event.keys) if state.table.find(key) is None]
    count = len(kept)
    return Admitted(
        event.moment,
        event.source,
        [event.keys[place] for place in kept],
        [event.distances[place] for place in kept],
        event.nearer,
        event.nearer_distances,
        event.requisites,
        event.linked,
        [place for place in event.put_off if place < count],
        event.hops,
        event.fewer,
        event.queues[:count],
        event.positions[:count],
    )


SITE_URL = st.integers(0, 1 << 40)
OTHERS = (
    st.builds(
        Fetched,
        st.just(2.0),
        st.integers(0, 3),
        st.sampled_from([Outcome.KEPT, Outcome.NOT_FOUND]),
        st.just(200),
        st.just(1),
        st.just(50.0),
        st.just(0.0),
    )
    | st.builds(
        HostChanged,
        st.just(1.0),
        st.integers(0, 1),
        st.just(0.0),
        st.just(1),
        st.just(Outcome.HOST_GIVEN_UP),
    )
    | SITE_URL.map(lambda n: Mined(1.0, 0, [f"test.h0:/m{n}"], [21], [n % 3 + 1], [n % 3]))
    | SITE_URL.map(lambda n: SitemapTried(1.0, 0, f"test.h0:/s{n}.xml", 21, KEYS[0]))
)


@settings(max_examples=examples(200))
@given(st.lists(admitted() | admitted() | OTHERS, max_size=12))
def test_urls_that_are_admitted_change_the_state_as_the_plain_fold_says(
    events: list[AnyEvent],
) -> None:
    compiled, plain = PartitionState(), PartitionState()
    first = Admitted(0.0, "", ["test.h0:/a", "test.h1:/b", "test.h0:s/c", "test.h0:/d"], [0] * 4)
    compiled.apply(first)
    apply_admitted(plain, first)
    for event in events:
        if isinstance(event, Admitted):
            new = _new(compiled, event)
            compiled.apply(new)
            apply_admitted(plain, new)
        else:
            compiled.apply(event)
            plain.apply(event)
        assert compiled.pack(0) == plain.pack(0)
        assert compiled.pending == plain.pending
        assert compiled.site_names == plain.site_names


def test_an_event_that_no_crawl_writes_is_an_error() -> None:
    for event, error in (
        (Admitted(0.0, "", ["test.h0:/a"], []), ValueError),
        (Admitted(0.0, "", ["test.h0:/a"], [65536]), OverflowError),
        (Admitted(0.0, "", [], [], [7], [1]), IndexError),
        (Admitted(0.0, "", [], [], [7], []), ValueError),
        (Admitted(0.0, "", [], [], fewer=[7]), IndexError),
        (Admitted(0.0, "", [], [], hops=256), OverflowError),
    ):
        with pytest.raises(error):
            PartitionState().apply(event)
