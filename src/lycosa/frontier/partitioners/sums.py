"""The hashes that Tarantula and KSpider spread their URLs by: sums of character codes.

They are here so that the papers' crawls can be repeated, and compared with a modern hash. A sum
ignores the order of the characters, and the sums of names of common length lie close together: with
more partitions than different sums, many partitions stay empty.

Characters are counted from 1, as people do: the first one is odd.
"""

from __future__ import annotations


def character_sum(text: str) -> int:
    """Return the sum of all characters' codes (KSpider, figures 2 and 4)."""
    return sum(text.encode("utf-8", "surrogatepass"))


def even_sum(host: str) -> int:
    """Return the sum over the second, fourth, … character (Tarantula, equation 1)."""
    return character_sum(host[1::2])


def odd_sum(host: str) -> int:
    """Return the sum over the first, third, … character (Tarantula, equation 2)."""
    return character_sum(host[::2])
