"""Quality: by links and depth, and by PageRank where it can be had."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import networkx
import pytest

from lycosa.errors import ConfigError
from lycosa.frontier.freshness import quality
from lycosa.frontier.freshness.quality import measure
from lycosa.storage.tables.link_ends import LinkEnds
from lycosa.storage.tables.rows import signed, url_id

KEYS = [f"test.a:/{n}" for n in range(6)]
LINKS = [(0, 1), (0, 2), (1, 2), (2, 0), (3, 2), (3, 3), (4, 2), (2, 5)]


def ends(links: Sequence[tuple[int, int]]) -> LinkEnds:
    sources, targets = (
        array("q", [signed(url_id(KEYS[link[side]])) for link in links]) for side in (0, 1)
    )
    return LinkEnds(sources, targets)


def test_by_links_what_many_link_to_and_what_is_near_is_worth_more() -> None:
    found = measure(ends(LINKS), "links")
    values = [found.of(key, 1) for key in KEYS]
    assert max(values) == values[2] and all(0.0 < value <= 1.0 for value in values)
    assert values[3] == values[4] == 0.25, "nobody links to these but themselves"
    assert found.of(KEYS[2], 0) == 1.0 > found.of(KEYS[2], 1) > found.of(KEYS[2], 5)


def test_by_pagerank_it_is_the_share_of_the_greatest() -> None:
    graph = networkx.DiGraph([link for link in LINKS if link[0] != link[1]])
    ranks = networkx.pagerank(graph, alpha=0.85, tol=1e-12)
    found = measure(ends(LINKS), "pagerank")
    for number, key in enumerate(KEYS):
        assert found.of(key, 3) == pytest.approx(ranks[number] / max(ranks.values()), rel=1e-6)
    assert found.of("test.b:/", 0) == pytest.approx(min(ranks.values()) / max(ranks.values()))


def test_without_its_packages_there_are_links_and_pagerank_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quality, "find_spec", lambda name: None)
    assert measure(ends(LINKS), "auto") == measure(ends(LINKS), "links")
    with pytest.raises(ConfigError, match=r"'\.\[study\]'"):
        measure(ends(LINKS), "pagerank")


@pytest.mark.parametrize("kind", ["links", "pagerank"])
def test_where_there_are_no_links_depth_decides(kind: str) -> None:
    found = measure(ends([]), kind)
    assert found.of(KEYS[0], 0) > found.of(KEYS[0], 1) > 0.0
