"""Facts with which the links of a page are compared: the known pages, and how near the links
come."""

from __future__ import annotations

from array import array

from lycosa._support.tuples import NamedTuple


class Known(NamedTuple):
    """The pages that a partition knows, as far as a link can change them."""

    partition: int
    distances: array[int]
    """Of each page, 16 bits each."""
    hops: array[int]
    """By how few redirects in a row each page was reached, a byte each."""
    requisites: set[int]
    """The pages that are known to be needed by another one to be shown."""


class Reach(NamedTuple):
    """How near a page's links bring what they lead to."""

    real: int
    """The distance by links that cost depth."""
    free: int
    """The distance by links that cost none."""
    redirects: int
    """The number of redirects in a row."""
