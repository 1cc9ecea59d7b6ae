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

from lycosa.graph.links import Graph, Matrix
from lycosa.graph.numbering import Numbers

PARTS = ("scc", "in", "out", "tube", "tendril", "island")
SCC, IN, OUT, TUBE, TENDRIL, ISLAND = range(len(PARTS))

Parts = NDArray[np.int8]
Mask = NDArray[np.bool_]


def strong_components(graph: Graph) -> Numbers:
    """Return for every node the number of its strong component."""
    return _components(graph.out, "strong")


def weak_components(graph: Graph) -> Numbers:
    """Return for every node the number of what is connected with it in any direction."""
    return _components(graph.out, "weak")


def bow_tie(graph: Graph, strong: Numbers | None = None) -> Parts:
    """Return for every node which of the `PARTS` it is in."""
    if not graph.size:
        return np.zeros(0, np.int8)
    strong = strong_components(graph) if strong is None else strong
    weak = weak_components(graph)
    core = _core(strong)
    is_core = strong == strong[core]
    # The core's nodes all reach each other, so one of them stands for all.
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


def _reached(matrix: Matrix, starts: NDArray[np.intp]) -> Mask:
    """Return the nodes that can be reached from any of these, themselves included."""
    size = matrix.shape[0]
    is_reached = np.zeros(size + 1, np.bool_)
    if len(starts) == 1:
        found = breadth_first_order(matrix, int(starts[0]), return_predecessors=False)
    elif len(starts):
        found = breadth_first_order(_with_gate(matrix, starts), size, return_predecessors=False)
    else:
        return is_reached[:size]
    is_reached[found] = True
    return is_reached[:size]


def _with_gate(matrix: Matrix, starts: NDArray[np.intp]) -> Matrix:
    """Return the graph with one more node that links to these."""
    size, links = matrix.shape[0], matrix.nnz + len(starts)
    indices = np.concatenate([matrix.indices, starts.astype(matrix.indices.dtype)])
    ends = np.append(matrix.indptr, np.array(links, matrix.indptr.dtype))
    ones = np.broadcast_to(1.0, links)  # takes no memory: only where links lead is looked at
    return sparse.csr_array((ones, indices, ends), shape=(size + 1, size + 1))
