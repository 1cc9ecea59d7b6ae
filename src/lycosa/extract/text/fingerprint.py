"""A similarity hash of a page's text: texts that say nearly the same differ in few bits.

This is Charikar's similarity hash. The text is cut into words at white space; every three
consecutive words (a shingle) are hashed to 64 bits; bit b of the fingerprint is set if more
than half of the shingles have it set. A repeated shingle counts as often as it occurs, and a text
of one or two words is one shingle. An empty text has fingerprint 0.

Fingerprints of unrelated texts differ in about 30 bits; twelve words changed in a page of a
thousand or more usually change one bit, six at most (measured on 127 pages). Up to 3 bits
of difference are usually taken for "the same" (Manku, Jain, Das Sarma, WWW 2007).

Fingerprints are stored: the hash below must never change. It works on words of 8 bytes,
little end first, the last one filled with zeros:

    h = length * A;  for every w: h = rotate((h ^ w) * B, 29) * C;  then finish(h)
    shingle of x, y, z = finish(x * A + rotate(y, 21) * B + rotate(z, 42) * C)
    finish(h): h ^= h >> 32;  h *= B;  h ^= h >> 29;  h *= C;  h ^= h >> 32

`fingerprint` is compiled; `tests/plain_fingerprint.py` has the same in pure Python.
"""

from __future__ import annotations

from lycosa.extract.text._fingerprint import fingerprint, fingerprints, without_digits

__all__ = ["distance", "fingerprint", "fingerprints", "without_digits"]


def distance(one: int, other: int) -> int:
    """Return in how many bits two fingerprints differ."""
    return (one ^ other).bit_count()
