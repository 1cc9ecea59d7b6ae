"""Finds the places where a text changes its topic.

A text is cut into pieces of some lines each, a long line between sentences, and the model reads
every piece by itself. Each piece then gets a topic, so that the pieces are as likely as possible,
less a *price* for every change from one topic to the next (Viterbi's algorithm over a hidden Markov
chain). A text with two topics pays the price once and wins it back with every piece of the second
half; one piece that sounds like something else does not. The price grows with the root of the
number of pieces, as what chance adds up to does.

The price is chosen when a model is trained: of texts with one topic that the model has not seen,
one in twenty may change. It is part of the model's file (`Header.price_of_change`); files of
before have none, and their models use `USUAL_PRICE`.

Cost: linear in the bytes of the text, and in pieces times topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

FEWEST_WORDS = 60
"""A piece with fewer words is too short to say what it is about."""
FLOOR = 0.02
"""The least probability of a topic in a piece: a few strong words must not decide alone."""
USUAL_PRICE = 0.8
"""The price for older models without a chosen one: about the mean of later models."""
FALSE_ALARMS = 0.05
"""Share of texts with one topic that may change it."""
_SENTENCE_ENDS = (b".", b"!", b"?", "。".encode(), "।".encode())
_PRICES = [step / 20 for step in range(4, 81)]


def pieces_of(text: bytes, fewest_words: int = FEWEST_WORDS) -> list[bytes]:
    """Return the lines of a text together in pieces; a short rest belongs to the last piece."""
    pieces: list[bytes] = []
    lines: list[bytes] = []
    words = 0
    for line, count in _lines(text, fewest_words):
        lines.append(line)
        words += count
        if words >= fewest_words:
            pieces.append(b"\n".join(lines))
            lines, words = [], 0
    if lines:
        rest = b"\n".join(lines)
        pieces[-1:] = [pieces[-1] + b"\n" + rest] if pieces else [rest]
    return pieces


def _lines(text: bytes, fewest_words: int) -> Iterator[tuple[bytes, int]]:
    """Yield the lines of a text with their numbers of words, long ones cut between sentences."""
    for line in text.splitlines():
        words = line.split()
        start = 0
        while len(words) - start >= 2 * fewest_words:
            ends = range(start + fewest_words, start + 2 * fewest_words)
            end = next((at for at in ends if words[at - 1].endswith(_SENTENCE_ENDS)), ends[0])
            yield b" ".join(words[start:end]), end - start
            start = end
        yield (b" ".join(words[start:]) if start else line), len(words) - start


def likeliest_path(found: Sequence[Sequence[float]], price: float) -> list[int]:
    """Return the topic of every piece; `found` has the probabilities of all topics for each."""
    if not found:
        return []
    price *= math.sqrt(len(found))
    best = _logarithms(found[0])
    came_from: list[list[int]] = []
    for probabilities in found[1:]:
        top = max(range(len(best)), key=best.__getitem__)
        changed = best[top] - price
        came_from.append([at if kept >= changed else top for at, kept in enumerate(best)])
        best = [
            max(kept, changed) + gain
            for kept, gain in zip(best, _logarithms(probabilities), strict=True)
        ]
    path = [max(range(len(best)), key=best.__getitem__)]
    for back in reversed(came_from):
        path.append(back[path[-1]])
    return path[::-1]


def is_mixed(path: Sequence[int], other: int) -> bool:
    """Return whether pieces have two topics or more; `other` is the number of none."""
    return len({topic for topic in path if topic != other}) > 1


def best_price(texts: Iterable[Sequence[Sequence[float]]], other: int) -> float:
    """Return the lowest price at which few of these texts, each with one topic, are mixed."""
    left = list(texts)
    allowed = FALSE_ALARMS * len(left)
    for price in _PRICES:
        left = [found for found in left if is_mixed(likeliest_path(found, price), other)]
        if len(left) <= allowed:
            return price
    return _PRICES[-1]


def _logarithms(probabilities: Sequence[float]) -> list[float]:
    return [math.log(max(probability, FLOOR)) for probability in probabilities]
