"""Measures precision, recall and cost of finding near duplicates by fingerprint.

    python benchmarks/near_duplicates.py                      precision and recall for k = 3 … 10
    python benchmarks/near_duplicates.py --groups 10000000    all groups among 10⁷, as a study wants

The edit model. A site has a frame of 60 words that all its pages share. A page has 80 to 1,500
words of its own (log-uniform), drawn by Zipf's law from 20,000. Of every page there is

    a copy      each word is replaced, dropped or doubled with a probability between 0.1 and 5 %
                (log-uniform, one for the whole page): a near duplicate
    a sequel    half of its paragraphs of 40 words are others: not a duplicate

and a pair is right if and only if it is a page and its copy. All other pairs are wrong, be they
sequels, pages of one site, or strangers.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np
from numpy.typing import NDArray

from lycosa.extract.text.fingerprint import fingerprint
from lycosa.frontier.graph.near_duplicates import near_groups

SITES, PAGES_OF_A_SITE = 400, 5
VOCABULARY, FRAME_WORDS, PARAGRAPH_WORDS = 20_000, 60, 40
COPIES = 100

Words = NDArray[np.int64]


class Writer:
    """Writes pages, copies and sequels."""

    def __init__(self) -> None:
        self.random = np.random.default_rng(7)
        weights = 1.0 / np.arange(1, VOCABULARY + 1)
        self._weights = weights / weights.sum()

    def words(self, count: int) -> Words:
        return self.random.choice(VOCABULARY, count, p=self._weights)

    def page(self) -> Words:
        return self.words(int(80 * (1500 / 80) ** self.random.random()))

    def copy(self, page: Words) -> Words:
        rate = 0.001 * 50 ** self.random.random()
        fate = self.random.random(len(page)) / rate  # below 1 for those words that change
        replaced = np.where(fate < 1 / 3, self.words(len(page)), page)
        times = np.where(fate < 1 / 3, 1, np.where(fate < 2 / 3, 0, np.where(fate < 1, 2, 1)))
        return np.repeat(replaced, times)

    def sequel(self, page: Words) -> Words:
        parts = [page[at : at + PARAGRAPH_WORDS] for at in range(0, len(page), PARAGRAPH_WORDS)]
        changed = self.random.permutation(len(parts)) < len(parts) / 2
        return np.concatenate(
            [self.words(len(p)) if new else p for p, new in zip(parts, changed, strict=True)]
        )


def text_of(words: Words) -> bytes:
    return " ".join(f"w{word}" for word in words.tolist()).encode()


def curve() -> None:
    """Print precision and recall."""
    writer = Writer()
    found: list[int] = []
    seconds, size = 0.0, 0
    for _ in range(SITES):
        frame = writer.words(FRAME_WORDS)
        for _ in range(PAGES_OF_A_SITE):
            page = writer.page()
            for version in (page, writer.copy(page), writer.sequel(page)):
                text = text_of(np.concatenate([frame, version]))
                began = time.process_time()
                found.append(fingerprint(text))
                seconds += time.process_time() - began
                size += len(text)
    prints = np.array(found, np.uint64)
    right = len(prints) // 3
    print(f"{len(prints):,} texts of {size / len(prints):,.0f} bytes on average")
    print(f"fingerprint: {seconds / len(prints) * 1e6:.1f} µs a page")
    print("  k  precision  recall")
    for bits in range(3, 11):
        first, second = near_pairs(prints, bits)
        is_copy = (first % 3 == 0) & (second == first + 1)
        precision = is_copy.mean() if len(is_copy) else 1.0
        print(f" {bits:2}  {precision:9.3f}  {is_copy.sum() / right:6.3f}", flush=True)


def near_pairs(prints: NDArray[np.uint64], bits: int) -> tuple[Words, Words]:
    """Return the places of all that differ in few bits, by comparing each with all behind it."""
    found = [
        at + 1 + np.flatnonzero(np.bitwise_count(prints[at + 1 :] ^ own) <= bits)
        for at, own in enumerate(prints)
    ]
    return np.repeat(np.arange(len(prints)), [len(one) for one in found]), np.concatenate(found)


def drawn(count: int) -> NDArray[np.uint64]:
    """Return fingerprints of strangers."""
    return np.random.default_rng(1).integers(0, 2**64, count, np.uint64, endpoint=False)


def peak_gb() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def group(count: int, bits: int) -> None:
    """Print what it costs to find all groups, where one in ten is one of a hundred copies."""
    prints = drawn(count)
    copies = prints[: count // 10]
    copies[:] = np.repeat(copies[::COPIES], COPIES)[: len(copies)]
    copies ^= np.uint64(1) << (np.arange(len(copies), dtype=np.uint64) % np.uint64(64))
    before, began = peak_gb(), time.process_time()
    groups = near_groups(np.unique(prints), bits)
    took, held = time.process_time() - began, peak_gb() - before
    sizes = np.bincount(groups)
    print(
        f"k = {bits}, {count:,} fingerprints: {took:.1f} s of CPU, {held:.2f} GB,"
        f" {(sizes > 1).sum():,} groups, the largest of {sizes.max():,}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Near duplicates by fingerprint.")
    parser.add_argument("--groups", type=int, metavar="N", help="all groups among so many")
    parser.add_argument("--bits", type=int, default=6)
    chosen = parser.parse_args()
    if chosen.groups:
        group(chosen.groups, chosen.bits)
    else:
        curve()


if __name__ == "__main__":
    main()
