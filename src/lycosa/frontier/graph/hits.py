"""HITS: a good hub links to good authorities, and a good authority is linked from good hubs.

Kleinberg (1999): the authorities are the first right singular vector of the link matrix, the
hubs the first left one. Power iteration from equal values finds both. Each adds up to 1, and
no value is negative.

Where the largest singular value is not simple (two communities of equal strength) there are many
such vectors, and the iteration returns the one nearest to equal values. `residual` is the error of
an answer: |AᵀA a - σ² a| / σ², which is 0 for a singular vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lycosa.frontier.graph.links import Floats, Graph

TOLERANCE = 1e-9
MOST_STEPS = 300


class Hits(NamedTuple):
    """Hubs and authorities, with the steps taken and the residual."""

    hubs: Floats
    authorities: Floats
    steps: int
    residual: float


def hits(
    graph: Graph,
    tolerance: float = TOLERANCE,
    most_steps: int = MOST_STEPS,
    on_step: Callable[[int, float], None] = lambda step, residual: None,
) -> Hits:
    """Return hubs and authorities; without any link all values are alike."""
    size = graph.size
    if not graph.links:
        alike = np.full(size, 1.0 / size) if size else np.zeros(0)
        return Hits(alike, alike.copy(), 0, 0.0)
    authorities = np.full(size, size**-0.5)
    step, residual = 0, float("inf")
    while True:
        hubs = graph.out @ authorities
        after = graph.into @ hubs
        strength = float(np.linalg.norm(after))
        if step:
            residual = float(np.linalg.norm(after - authorities * (hubs @ hubs))) / strength
            on_step(step, residual)
        if residual <= tolerance or step >= most_steps:
            break
        authorities = after / strength
        step += 1
    return Hits(hubs / hubs.sum(), authorities / authorities.sum(), step, residual)
