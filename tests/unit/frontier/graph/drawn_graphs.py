"""Small random graphs, as arrays and as networkx knows them."""

from __future__ import annotations

from typing import Any, NamedTuple

import networkx
import numpy as np
from hypothesis import strategies as st

from lycosa.frontier.graph.links import Graph, graph_of


class Drawn(NamedTuple):
    """A graph twice."""

    ours: Graph
    theirs: Any


def made(size: int, links: list[tuple[int, int]]) -> Drawn:
    sources, targets = np.array(links, np.int32).reshape(-1, 2).T
    theirs = networkx.DiGraph()
    theirs.add_nodes_from(range(size))
    theirs.add_edges_from((source, target) for source, target in links if source != target)
    return Drawn(graph_of(sources, targets, size), theirs)


@st.composite
def graphs(draw: st.DrawFn, most_nodes: int = 12, most_links: int = 30) -> Drawn:
    size = draw(st.integers(1, most_nodes))
    node = st.integers(0, size - 1)
    return made(size, draw(st.lists(st.tuples(node, node), max_size=most_links)))
