"""PageRank: the share of time that a reader who follows random links spends at each node.

With probability `damping` the reader follows one of the node's links, each with equal chance;
otherwise, and at a node without links, the reader jumps to any node (Brin and Page 1998; the value
of nodes without links is spread evenly). Values add up to 1.

`weighted_pagerank` lets the reader prefer some links of a page to others, in proportion to their
weights (Baeza-Yates and Davis 2004, which WIRE ranks its search results by).

Found by power iteration. The error after a step is at most damping / (1 - damping) times
the change in that step, so `tolerance` bounds the error of the sum of all values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lycosa.frontier.graph.links import Floats, Graph, Rows, Weights

DAMPING = 0.85
TOLERANCE = 1e-10
MOST_STEPS = 300


class Ranked(NamedTuple):
    """Values, with the steps taken and a bound of the error."""

    values: Floats
    steps: int
    error: float
    """An upper bound of the error of all values together."""


class Bounds(NamedTuple):
    """Parameters of a PageRank: damping, and the error at which to stop."""

    damping: float = DAMPING
    tolerance: float = TOLERANCE
    most_steps: int = MOST_STEPS


def pagerank(
    graph: Graph,
    damping: float = DAMPING,
    tolerance: float = TOLERANCE,
    most_steps: int = MOST_STEPS,
    on_step: Callable[[int, float], None] = lambda step, error: None,
) -> Ranked:
    """Return the PageRank of every node; `on_step` gets the remaining error."""
    degrees = graph.out_degrees.astype(np.float64)
    return _iterated(graph.into, degrees, Bounds(damping, tolerance, most_steps), on_step)


def weighted_pagerank(weights: Weights, bounds: Bounds = Bounds()) -> Ranked:  # noqa: B008  frozen
    """Return the PageRank of every node, links taken in proportion to their weights above 0."""
    return _iterated(weights.into, weights.totals, bounds)


def _iterated(
    into: Rows,
    degrees: Floats,
    bounds: Bounds,
    on_step: Callable[[int, float], None] = lambda step, error: None,
) -> Ranked:
    damping, tolerance, most_steps = bounds
    size = into.size
    if not size:
        return Ranked(np.zeros(0), 0, 0.0)
    is_dangling = degrees == 0
    shares = damping / np.where(is_dangling, 1.0, degrees)
    values = np.full(size, 1.0 / size)
    step, error = 0, float("inf")
    while step < most_steps and error > tolerance:
        step += 1
        spread = (1.0 - damping + damping * values[is_dangling].sum()) / size
        after = into @ (values * shares)
        after += spread
        after /= after.sum()  # rounding must not add up
        error = float(np.abs(after - values).sum()) * damping / (1.0 - damping)
        values = after
        on_step(step, error)
    return Ranked(values, step, error)
