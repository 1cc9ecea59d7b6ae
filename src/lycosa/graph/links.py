"""A link graph as compressed sparse rows, in both directions.

Always true of a `Graph`:
  * each link is there once, however often it was given;
  * no node links to itself: a page's link to itself is no recommendation;
  * `into` is the transpose of `out`.

Cost: 12 bytes per link and direction, 8 bytes per node.
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


def graph_of(sources: Numbers, targets: Numbers, size: int) -> Graph:
    """Make a graph of the links from `sources[i]` to `targets[i]`."""
    is_loop = sources == targets
    if is_loop.any():
        sources, targets = sources[~is_loop], targets[~is_loop]
    out = counted(sources, targets, size)
    out.data[:] = 1.0
    return Graph(size, out, out.T.tocsr())


def weights_of(sources: Numbers, targets: Numbers, weights: Floats, size: int) -> Matrix:
    """Return the matrix of link weights, row by row of the source; weights of a pair add up."""
    is_other = sources != targets
    places = (sources[is_other], targets[is_other])
    matrix = sparse.coo_array((weights[is_other], places), shape=(size, size)).tocsr()
    matrix.sum_duplicates()
    return matrix


def counted(
    sources: Numbers, targets: Numbers, size: int, kind: type[np.number[Any]] = np.float64
) -> Matrix:
    """Return the matrix that has for each pair of nodes how often the link was given."""
    ones = np.ones(len(sources), kind)
    matrix = sparse.coo_array((ones, (sources, targets)), shape=(size, size)).tocsr()
    matrix.sum_duplicates()
    return matrix
