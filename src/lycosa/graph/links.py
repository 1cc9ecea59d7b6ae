"""A link graph as compressed sparse rows, in both directions.

Always true of a `Graph`:
  * each link is there once, however often it was given;
  * no node links to itself: a page's link to itself is no recommendation;
  * `into` is the transpose of `out`.

Cost: 16 bytes per link (its two ends in both directions, and a one that both share), 8 bytes per
node; 8 bytes more per link for its weight. While the graph is made the given arrays are there, too:
28 bytes in all if they are let go of between `weighted_rows` and `both_ways`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lycosa.graph.numbering import Numbers

Floats = NDArray[np.float64]

Matrix = Any
"""A `scipy.sparse.csr_array`; scipy has no types."""


class Graph(NamedTuple):
    """Nodes and the links between them."""

    size: int
    out: Matrix
    """Row i has a one for every node that i links to."""
    into: Matrix
    """Row i has a one for every node that links to i."""

    @property
    def links(self) -> int:
        """How many links there are."""
        return int(self.out.nnz)

    @property
    def out_degrees(self) -> Numbers:
        """How many others each node links to."""
        return _degrees(self.out)

    @property
    def in_degrees(self) -> Numbers:
        """How many others link to each node."""
        return _degrees(self.into)


def _degrees(matrix: Matrix) -> Numbers:
    degrees: Numbers = np.diff(matrix.indptr).astype(np.int32)
    return degrees


class Weights(NamedTuple):
    """The weights of the links of a graph."""

    into: Matrix
    """Row i has the weight of every link to i, by its source."""
    totals: Floats
    """The weight of all links from each node."""


def graph_of(sources: Numbers, targets: Numbers, size: int) -> Graph:
    """Make a graph of the links from `sources[i]` to `targets[i]`."""
    # How often a link is given does not matter, nor that a byte may overflow with it.
    rows = weighted_rows(sources, targets, np.ones(len(sources), np.int8), size)
    into = rows.T.tocsr()
    ones = np.ones(rows.nnz)
    out, into = (
        sparse.csr_array((ones, matrix.indices, matrix.indptr), shape=(size, size))
        for matrix in (rows, into)
    )
    return Graph(size, out, into)


def weighted_graph_of(
    sources: Numbers, targets: Numbers, weights: Floats, size: int
) -> tuple[Graph, Weights]:
    """Make a graph of links that have weights; those of a pair of nodes add up."""
    return both_ways(weighted_rows(sources, targets, weights, size))


def weighted_rows(
    sources: Numbers, targets: Numbers, weights: Floats | NDArray[np.int8], size: int
) -> Matrix:
    """Return the matrix of the weights of links; row i has those of the links from i."""
    is_loop = sources == targets
    if is_loop.any():
        sources, targets, weights = sources[~is_loop], targets[~is_loop], weights[~is_loop]
    rows = sparse.coo_array((weights, (sources, targets)), shape=(size, size)).tocsr()
    rows.sum_duplicates()
    return rows


def both_ways(rows: Matrix) -> tuple[Graph, Weights]:
    """Make a graph of the weights of links; the matrix becomes part of it."""
    into = rows.T.tocsr()
    found = Weights(into, np.asarray(rows.sum(axis=1), np.float64).ravel())
    rows.data.fill(1.0)
    plain = sparse.csr_array((rows.data, into.indices, into.indptr), shape=into.shape)
    return Graph(rows.shape[0], rows, plain), found


def counted(
    sources: Numbers, targets: Numbers, size: int, kind: type[np.number[Any]] = np.float64
) -> Matrix:
    """Return the matrix that has for each pair of nodes how often the link was given."""
    ones = np.ones(len(sources), kind)
    matrix = sparse.coo_array((ones, (sources, targets)), shape=(size, size)).tocsr()
    matrix.sum_duplicates()
    return matrix
