"""Cuts a text into words, as the compiled module `_softmax` does that turns them into numbers.

    word        letters and digits of ASCII, and all that is not ASCII, in small letters; at least
                two bytes, of which 32 count. In scripts without spaces (lead bytes E3 to ED of
                UTF-8: kana, Chinese characters, Hangul) every two characters that follow each
                other are a word, and one that stands alone is a word.
    number      FNV-1a of its bytes over 32 bits, mixed (Murmur3's finish), its lowest bits
    weight      1 + ln(times), a word of the title counting twice; then the vector gets length 1

At most 2,048 different words of a text count: the first ones. Bytes that are not UTF-8 are parts of
words as they stand.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise

LONGEST_WORD = 32
SHORTEST_WORD = 2

_RUN = re.compile(rb"[0-9a-z\x80-\xff]+")
_LETTER = re.compile(
    rb"[A-Z]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1\xe2\xee\xef][\x80-\xbf]{2}"
)
"""A character that may be a capital letter: none of four bytes, none of a script without spaces."""
_DENSE = re.compile(rb"[\xe3-\xed][\x80-\xbf]{2}")


def small_letters(text: bytes) -> bytes:
    """Return a text in small letters, each character by itself."""
    return _LETTER.sub(_small_letter, text)


def _small_letter(match: re.Match[bytes]) -> bytes:
    small = match[0].decode().lower()[0]
    return match[0] if 0x3000 <= ord(small) < 0xE000 else small.encode()


def words_of(text: bytes) -> Iterator[bytes]:
    """Yield the words of a text."""
    for match in _RUN.finditer(small_letters(text)):
        yield from _parts(match[0])


def _parts(run: bytes) -> Iterator[bytes]:
    """Cut a run of letters where a script without spaces begins and ends."""
    start = place = 0
    while place < len(run):
        if not _is_dense(run, place):
            place += 1
            continue
        yield from _spelled(run[start:place])
        first = place
        while _is_dense(run, place):
            place += 3
        characters = [run[i : i + 3] for i in range(first, place, 3)]
        if len(characters) == 1:
            yield characters[0]
        for one, two in pairwise(characters):
            yield one + two
        start = place
    yield from _spelled(run[start:])


def _spelled(word: bytes) -> Iterator[bytes]:
    if len(word) >= SHORTEST_WORD:
        yield word[:LONGEST_WORD]


def _is_dense(run: bytes, place: int) -> bool:
    """Return whether a whole character of a script without spaces stands here."""
    return _DENSE.match(run, place) is not None


def softmax(scores: list[float], temperature: float = 1.0) -> list[float]:
    """Return probabilities for scores."""
    highest = max(scores)
    powers = [math.exp((score - highest) / temperature) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]
