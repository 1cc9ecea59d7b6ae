"""PageRank of the graphs that LDBC Graphalytics publishes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from lycosa.frontier.graph.links import Graph, graph_of
from lycosa.frontier.graph.pagerank import pagerank

pytestmark = pytest.mark.conformance

DATA = Path(os.environ.get("LYCOSA_DATA", "../shared/data")) / "pagerank"


def published(name: str) -> Graph:
    links = [
        (int(source) - 1, int(target) - 1)
        for source, *targets in map(str.split, (DATA / name).read_text().splitlines())
        for target in targets
    ]
    sources, targets = np.array(links, np.int32).T
    return graph_of(sources, targets, len((DATA / name).read_text().splitlines()))


def values(name: str) -> list[float]:
    return [float(line.split()[1]) for line in (DATA / name).read_text().splitlines()]


def test_fifty_published_nodes_have_their_published_pagerank() -> None:
    found = pagerank(published("pr-dir-input"), tolerance=1e-13).values
    assert np.abs(found - values("pr-dir-output")).max() < 1e-9


def test_ten_published_nodes_after_exactly_two_steps() -> None:
    found = pagerank(published("example-directed-input"), tolerance=0.0, most_steps=2).values
    assert np.abs(found - values("example-directed-PR")).max() < 1e-9
