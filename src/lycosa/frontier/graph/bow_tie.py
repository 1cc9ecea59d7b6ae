"""The bow tie of a graph (Broder et al. 2000): sorts nodes by their paths to and from the core.

    scc       the core: the largest set of nodes that all reach each other
    in        reaches the core, and is not reached from it
    out       is reached from the core, and does not reach it
    tube      on a path from `in` to `out` that avoids the core
    tendril   connected with these parts in some direction, but in none of them
    island    not connected with the core at all

Always true: every node is in exactly one part. If several sets are largest, the core is the one
with the lowest node.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from lycosa.frontier.graph.links import Graph, Matrix, Rows
from lycosa.frontier.graph.numbering import Numbers

PARTS = ("scc", "in", "out", "tube", "tendril", "island")
SCC, IN, OUT, TUBE, TENDRIL, ISLAND = range(len(PARTS))

Parts = NDArray[np.int8]
Mask = NDArray[np.bool_]


def strong_components(graph: Graph) -> Numbers:
    """Return for every node the number of its strong component."""
    return _components(graph.out.matrix(), "strong")


def weak_components(graph: Graph) -> Numbers:
    """Return for every node the number of its weak component.

    Block by block: for the whole graph scipy would make its transpose once more.
    """
    rows = graph.out
    labels = np.arange(rows.size, dtype=np.int32)
    for block in rows.blocks(rows.size):
        ends = labels[rows.sources(block.rows)], labels[rows.targets[block.links]]
        count = int(labels.max()) + 1
        ones = np.ones(len(ends[0]), np.int8)
        links = sparse.coo_array((ones, ends), shape=(count, count)).tocsr()
        labels = _components(links, "weak")[labels]
    return labels


def bow_tie(graph: Graph, strong: Numbers | None = None) -> Parts:
    """Return for every node its part, as an index of `PARTS`."""
    if not graph.size:
        return np.zeros(0, np.int8)
    strong = strong_components(graph) if strong is None else strong
    weak = weak_components(graph)
    core = _core(strong)
    is_core = strong == strong[core]
    # All nodes of the core reach each other, so a search from one of them is enough.
    is_out = _reached(graph.out, np.array([core])) & ~is_core
    is_in = _reached(graph.into, np.array([core])) & ~is_core
    parts = np.where(weak == weak[core], TENDRIL, ISLAND).astype(np.int8)
    behind_in = _reached(graph.out, np.flatnonzero(is_in))
    before_out = _reached(graph.into, np.flatnonzero(is_out))
    parts[behind_in & before_out] = TUBE
    parts[is_in], parts[is_out], parts[is_core] = IN, OUT, SCC
    return parts


def _components(matrix: Matrix, connection: str) -> Numbers:
    if not matrix.shape[0]:
        return np.zeros(0, np.int32)
    labels: Numbers = connected_components(matrix, directed=True, connection=connection)[1]
    return labels


def _core(strong: Numbers) -> int:
    """Return the lowest node of a largest component."""
    sizes = np.bincount(strong)
    return int(np.argmax(sizes[strong] == sizes.max()))


def _reached(rows: Rows, starts: NDArray[np.intp]) -> Mask:
    """Return the nodes that can be reached from any of these, themselves included."""
    size = rows.size
    is_reached = np.zeros(size + 1, np.bool_)
    if len(starts) == 1:
        found = breadth_first_order(rows.matrix(), int(starts[0]), return_predecessors=False)
    elif len(starts):
        matrix = _with_gate(rows, starts).matrix()
        found = breadth_first_order(matrix, size, return_predecessors=False)
    else:
        return is_reached[:size]
    is_reached[found] = True
    return is_reached[:size]


def _with_gate(rows: Rows, starts: NDArray[np.intp]) -> Rows:
    """Return the links with those of one more node that links to these."""
    targets = np.concatenate([rows.targets, starts.astype(np.int32)])
    ends = np.append(rows.starts, np.array(len(targets), rows.starts.dtype))
    return Rows(ends, targets)
