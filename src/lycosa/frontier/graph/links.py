"""A link graph as compressed rows, in both directions.

Always true of a `Graph`:
  * each link is there once, even if it was given several times;
  * no node links to itself, because a page cannot recommend itself;
  * `into` is the transpose of `out`.

Cost: 8 bytes per link (where it leads, in both directions) and 16 per node; 4 bytes more per link
for its weight. Weights of 1 are not stored: a multiplication goes through the graph in blocks,
which share one array of ones. While a graph with weights is made there are 20 bytes per link, 12 of
them the given arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lycosa.frontier.graph.numbering import Numbers

Floats = NDArray[np.float64]
Worths = NDArray[np.float32]
"""The type of weights: seven digits."""

Matrix = Any
"""A `scipy.sparse.csr_array`; scipy has no types."""

BLOCK_LINKS = 1 << 18
"""Fewest links that are processed at a time."""


class Block(NamedTuple):
    """Some rows that follow each other, and their links."""

    rows: slice
    links: slice


class Rows(NamedTuple):
    """The links of each node, one node after the other; sorted by where they lead."""

    starts: NDArray[np.int32 | np.int64]
    """Where the links of each node begin; one more for the end of the last."""
    targets: Numbers
    worths: Any = None
    """An array of the weights of the links; None if all have the same weight."""

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return len(self.starts) - 1

    @property
    def links(self) -> int:
        """How many links there are."""
        return len(self.targets)

    @property
    def degrees(self) -> Numbers:
        """How many links each node has."""
        degrees: Numbers = np.diff(self.starts).astype(np.int32)
        return degrees

    def plain(self) -> Rows:
        """Return the same links, all worth the same."""
        return Rows(self.starts, self.targets)

    def sources(self, rows: slice | None = None) -> Numbers:
        """Return the node that each link is from, of all rows or of some."""
        rows = slice(0, self.size) if rows is None else rows
        nodes = np.arange(rows.start, rows.stop, dtype=np.int32)
        sources: Numbers = np.repeat(nodes, np.diff(self._starts_of(rows)))
        return sources

    def blocks(self, links: int = 0) -> Iterator[Block]:
        """Yield all rows in blocks of about as many links; a row is never divided."""
        links = max(links, BLOCK_LINKS)
        marks = np.arange(links, self.links, links)
        inner = np.unique(np.searchsorted(self.starts, marks, side="right") - 1)
        bounds = np.unique([0, *inner, self.size])
        for low, high in pairwise(bounds):
            yield Block(slice(int(low), int(high)), slice(*self.starts[[low, high]].tolist()))

    def __matmul__(self, values: Floats) -> Floats:
        """Return for each node the sum of the values that its links lead to, times their worths."""
        found = np.zeros(self.size)
        ones = np.ones(0)
        for block in self.blocks():
            count = block.links.stop - block.links.start
            if self.worths is not None:
                worths = self.worths[block.links].astype(np.float64, copy=False)
            else:
                ones = ones if len(ones) >= count else np.ones(count)
                worths = ones[:count]
            starts = self._starts_of(block.rows) - block.links.start
            shape = (len(starts) - 1, self.size)
            matrix = sparse.csr_array((worths, self.targets[block.links], starts), shape=shape)
            found[block.rows] = matrix @ values
        return found

    def transposed(self) -> Rows:
        """Return the links the other way round."""
        worths = np.zeros(self.links, np.int8) if self.worths is None else self.worths
        shape = (self.size, self.size)
        matrix = sparse.csr_array((worths, self.targets, self.starts), shape=shape).T.tocsr()
        return Rows(matrix.indptr, matrix.indices, None if self.worths is None else matrix.data)

    def matrix(self) -> Matrix:
        """Return the matrix for what looks at nothing but where links lead: it takes no memory."""
        ones = np.broadcast_to(1.0, self.links)
        return sparse.csr_array((ones, self.targets, self.starts), shape=(self.size, self.size))

    def _starts_of(self, rows: slice) -> NDArray[np.int32 | np.int64]:
        return self.starts[rows.start : rows.stop + 1]


class Graph(NamedTuple):
    """Nodes and the links between them."""

    out: Rows
    """Where each node links to."""
    into: Rows
    """Which nodes link to each."""

    @property
    def size(self) -> int:
        """How many nodes there are."""
        return self.out.size

    @property
    def links(self) -> int:
        """How many links there are."""
        return self.out.links

    @property
    def out_degrees(self) -> Numbers:
        """How many others each node links to."""
        return self.out.degrees

    @property
    def in_degrees(self) -> Numbers:
        """How many others link to each node."""
        return self.into.degrees


class Weights(NamedTuple):
    """The weights of the links of a graph."""

    into: Rows
    """Which nodes link to each, and what the links are worth."""
    totals: Floats
    """The weight of all links from each node."""


def graph_of(sources: Numbers, targets: Numbers, size: int) -> Graph:
    """Make a graph of the links from `sources[i]` to `targets[i]`."""
    # How often a link is given does not matter, nor that a byte may overflow with it.
    rows = rows_of(sources, targets, np.zeros(len(sources), np.int8), size).plain()
    return Graph(rows, rows.transposed())


def weighted_graph_of(
    sources: Numbers, targets: Numbers, weights: Floats | Worths, size: int
) -> tuple[Graph, Weights]:
    """Make a graph of links that have weights; those of a pair of nodes add up."""
    return both_ways(rows_of(sources, targets, weights.astype(np.float32, copy=False), size))


def rows_of(sources: Numbers, targets: Numbers, worths: NDArray[Any], size: int) -> Rows:
    """Return the links by the nodes they are from; what is given twice is worth the sum of both."""
    is_loop = sources == targets
    if is_loop.any():
        sources, targets, worths = sources[~is_loop], targets[~is_loop], worths[~is_loop]
    matrix = sparse.coo_array((worths, (sources, targets)), shape=(size, size)).tocsr()
    matrix.sum_duplicates()
    return Rows(matrix.indptr, matrix.indices, matrix.data)


def both_ways(rows: Rows) -> tuple[Graph, Weights]:
    """Make a graph of links that have weights."""
    into = rows.transposed()
    totals = rows @ np.ones(rows.size)
    return Graph(rows.plain(), into.plain()), Weights(into, totals)


def targets_only_in(some: Rows, others: Rows) -> Numbers:
    """Return where the links lead that are in `some` and not in `others`, of the same nodes."""
    found = [np.zeros(0, np.int32)]
    for block in others.blocks():
        low, high = some.starts[[block.rows.start, block.rows.stop]]
        here = Block(block.rows, slice(int(low), int(high)))
        if low < high:
            is_new = ~np.isin(_keys(some, here), _keys(others, block), assume_unique=True)
            found.append(some.targets[here.links][is_new])
    return np.concatenate(found)


def _keys(rows: Rows, block: Block) -> NDArray[np.int64]:
    keys: NDArray[np.int64] = rows.sources(block.rows).astype(np.int64) * rows.size
    return keys + rows.targets[block.links]
