"""Fingerprints of text in pure Python: what the compiled `fingerprint` must return."""

from __future__ import annotations

from itertools import pairwise

_A, _B, _C = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F
_ALL = (1 << 64) - 1


def plain_fingerprint(text: bytes) -> int:
    """Return the fingerprint of a text in UTF-8."""
    data = text.translate(bytes.maketrans(b"\t\n\r\f", b"    "))
    words = [_hash_word(word) for word in data.split(b" ") if word]
    shingles = _shingles(words)
    counts = (sum(shingle >> bit & 1 for shingle in shingles) for bit in range(64))
    return sum(1 << bit for bit, count in enumerate(counts) if 2 * count > len(shingles))


def _shingles(words: list[int]) -> list[int]:
    if not words:
        return []
    if len(words) < 3:
        words = words + [0] * (3 - len(words))
    return [_hash_shingle(x, y, z) for (x, y), (_, z) in pairwise(pairwise(words))]


def _hash_word(word: bytes) -> int:
    h = len(word) * _A & _ALL
    for start in range(0, len(word), 8):
        h ^= int.from_bytes(word[start : start + 8], "little")
        h = _rotate(h * _B & _ALL, 29) * _C & _ALL
    return _finish(h)


def _hash_shingle(x: int, y: int, z: int) -> int:
    return _finish((x * _A + _rotate(y, 21) * _B + _rotate(z, 42) * _C) & _ALL)


def _rotate(h: int, bits: int) -> int:
    return (h << bits | h >> (64 - bits)) & _ALL


def _finish(h: int) -> int:
    h = (h ^ h >> 32) * _B & _ALL
    h = (h ^ h >> 29) * _C & _ALL
    return h ^ h >> 32
