"""Sums, means, ranks and links of groups of nodes, such as the pages of a site.

`groups[i]` is the number of the group of node i.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lycosa.frontier.graph.links import Floats, Rows
from lycosa.frontier.graph.numbering import Numbers

SUMMED_LINKS = 1 << 24
"""Links that are processed at a time; their sums are then added to the totals."""


def sums(values: Floats, groups: Numbers, count: int) -> Floats:
    """Return the sum of the values of every group."""
    return np.bincount(groups, values, count).astype(np.float64, copy=False)


def means(values: Floats, groups: Numbers, count: int) -> Floats:
    """Return the mean of the values of every group; 0 of one that is empty."""
    return sums(values, groups, count) / np.maximum(np.bincount(groups, minlength=count), 1)


def ranks(values: Floats) -> Numbers:
    """Return the rank of every value, 1 for the largest; equal values share the better rank."""
    ordered = np.sort(values)
    above = len(values) - np.searchsorted(ordered, values, side="right")
    return (above + 1).astype(np.int32)


def links_of_groups(rows: Rows, groups: Numbers, count: int) -> Rows:
    """Return the links between groups, those within one among them.

    Each pair is there once; it is worth as much as the links of nodes that it stands for.
    """
    found = sparse.csr_array((count, count), dtype=np.int32)
    for block in rows.blocks(SUMMED_LINKS):
        ends = groups[rows.sources(block.rows)], groups[rows.targets[block.links]]
        ones = np.ones(len(ends[0]), np.int32)
        found = found + sparse.coo_array((ones, ends), shape=(count, count)).tocsr()
    return Rows(found.indptr, found.indices, found.data)


def within_and_between(links: Rows) -> tuple[NDArray[np.int64], Rows]:
    """Return the weight of each group's link to itself, and the links between groups."""
    sources = links.sources()
    is_within = sources == links.targets
    within = np.zeros(links.size, np.int64)
    within[sources[is_within]] = links.worths[is_within]
    gone = np.bincount(sources[is_within], minlength=links.size)
    starts = np.append(0, np.cumsum(links.degrees - gone)).astype(links.starts.dtype)
    return within, Rows(starts, links.targets[~is_within], links.worths[~is_within])
