"""Sums, means, ranks and links of groups of nodes, such as the pages of a site.

`groups[i]` is the number of the group of node i.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lycosa.graph.links import Floats, Matrix, counted
from lycosa.graph.numbering import Numbers


class GroupLinks(NamedTuple):
    """The links between groups, each pair once, and how many links of nodes it stands for."""

    sources: Numbers
    targets: Numbers
    times: Numbers


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


def links_of_groups(links: Matrix, groups: Numbers, count: int) -> GroupLinks:
    """Return the links between groups, those within one among them."""
    sources = np.repeat(groups, np.diff(links.indptr))
    pairs = counted(sources, groups[links.indices], count, np.int32).tocoo()
    return GroupLinks(pairs.row.astype(np.int32), pairs.col.astype(np.int32), pairs.data)
