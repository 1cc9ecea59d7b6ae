"""Counts the durations of requests in a histogram, with one bisection a request."""

from __future__ import annotations

from bisect import bisect_left

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the buckets, in seconds; one more bucket counts all longer ones."""


class Durations:
    """Histogram of the durations of this run's requests."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0
        """Sum of all durations."""

    def note(self, seconds: float) -> None:
        """Count a request."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.seconds += seconds
