"""Texts of a web with topics: made-up words, of which each topic has its own.

A topic's first word is its name; of the rest the last quarter are the first words of the next
topic, and the front ones are used more often. Three words in five of a text are small English ones.
The others are of the page's topic and of one foreign topic; the page's own share of them lies
between a half and one, and below a half on as many pages as `blur` says. A classifier is wrong
about most of these: it is right about some .87 of all pages with the usual blur of .14.
"""

from __future__ import annotations

from lycosa_testweb.mixing import below, digest, fraction, mix

_SMALL_WORDS = "the of and to in that is was for it with as on be at by this had not are but from"
_SMALL = _SMALL_WORDS.split()
_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "ar", "el", "in")]
_DULL = ("read more", "see here", "next", "this page", "continue", "a list", "overview", "details")
_SMALL_SHARE = 0.6
_FIRST_WORDS_OFTEN = 1.5
_WIDE = 4
"""Texts of none of the topics have so many times the words of a topic."""


def _own_words(name: str, amount: int, seed: int) -> tuple[str, ...]:
    key = mix(digest(name), seed)
    words = {name.rpartition(".")[2].lower(): None}
    number = 0
    while len(words) < amount:
        number += 1
        length = 2 + below(2, key, number, 1)
        words[
            "".join(_SYLLABLES[below(len(_SYLLABLES), key, number, 2, n)] for n in range(length))
        ] = None
    return tuple(words)


class Texts:
    """Words of all topics; the last one is `other`."""

    def __init__(self, names: tuple[str, ...], words: int, blur: float, seed: int) -> None:
        self._names = names
        self._words = words
        self._lowest = (0.5 - blur) / (1 - blur)
        self._seed = seed
        self._vocabularies = [self._made(topic) for topic in range(len(names))]

    def vocabulary(self, topic: int) -> tuple[str, ...]:
        """Return the words of a topic, the frequent ones first."""
        return self._vocabularies[topic]

    def _made(self, topic: int) -> tuple[str, ...]:
        if topic == len(self._names) - 1:
            return _own_words(self._names[topic], _WIDE * self._words, self._seed)
        shared = self._words // 4
        after = self._names[(topic + 1) % (len(self._names) - 1)]
        own = _own_words(self._names[topic], self._words - shared, self._seed)
        lent = _own_words(after, self._words - shared, self._seed)[1 : 1 + shared]
        return own + lent if after != self._names[topic] else own

    def title(self, topic: int, key: int) -> str:
        """Return a title: three words, as blurred as the text of the same key."""
        return " ".join(self._topical(topic, key, 3, mix(key, 1))).capitalize()

    def prose(self, topic: int, words: int, key: int) -> str:
        """Return about that many words."""
        small = round(words * _SMALL_SHARE)
        mixed = self._topical(topic, key, words - small, mix(key, 2))
        mixed += [_SMALL[int(chance * len(_SMALL))] for chance in _chances(mix(key, 3), small)]
        places = _chances(mix(key, 4), len(mixed))
        return " ".join(word for _, word in sorted(zip(places, mixed, strict=True)))

    def anchor(self, topic: int, telling: float, key: int) -> str:
        """Return the words of a link to a page of a topic."""
        chance, one, two = _chances(key, 3)
        if chance >= telling:
            return _DULL[int(one * len(_DULL))]
        return f"{self._word(topic, one)} {self._word(topic, two)}"

    def _word(self, topic: int, chance: float) -> str:
        words = self.vocabulary(topic)
        return words[int(len(words) * chance**_FIRST_WORDS_OFTEN)]

    def _topical(self, topic: int, key: int, amount: int, start: int) -> list[str]:
        own = self._lowest + (1 - self._lowest) * fraction(key, 5)
        foreign = below(len(self._names) - 1, key, 6)
        foreign += foreign >= topic
        chances = _chances(start, 2 * amount)
        return [
            self._word(topic if whose < own else foreign, which)
            for whose, which in zip(chances[::2], chances[1::2], strict=True)
        ]


def _chances(key: int, amount: int) -> list[float]:
    """Return numbers in [0, 1), by Knuth's linear congruential step, whose upper bits are good."""
    found = []
    for _ in range(amount):
        key = key * 6364136223846793005 + 1442695040888963407 & 0xFFFF_FFFF_FFFF_FFFF
        found.append((key >> 33) * 2.0**-31)
    return found
