"""Texts for pages, in a few languages and on a few topics.

Each language brings its small words, so that a language detector has something to recognise; each
topic brings its nouns. The texts mean nothing. A page takes slices of one long
shuffled stream per language and topic, which costs a few microseconds and gives pages that
share words but hardly any run of five.
"""

from __future__ import annotations

from functools import lru_cache

from lycosa_testweb.mixing import below, digest, mix

_SMALL_WORDS = {
    "en": "the of and to in that is was for it with as his on be at by this had not are but from",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch",
    "fr": "le de la et les des en un du une que est pour qui dans par plus pas au sur ne se avec",
    "es": "el de que y la en un ser se no haber por con su para como estar tener le lo pero más",
    "it": "il di che e la in un a per è una sono non si da come con le dei più anche nel della",
}
_NOUNS = {
    "gardens": "rose hedge soil spade seed tulip compost orchard lawn pruning trellis fern bulb",
    "astronomy": "star comet orbit galaxy lens eclipse planet nebula meteor crater quasar dust",
    "cooking": "pepper oven butter recipe onion simmer flour stock pastry garlic ladle skillet",
    "railways": "signal track engine platform sleeper gauge shunting carriage timetable tunnel",
    "spiders": "silk web thread prey burrow tarantula venom leg orb moult wolf hunter dusk",
}
LANGUAGES = tuple(_SMALL_WORDS)
TOPICS = tuple(_NOUNS)
_STREAM_WORDS = 4096
_RUN_WORDS = 12


@lru_cache(maxsize=64)
def _sentences(language: str, topic: str) -> tuple[str, ...]:
    """Return overlapping runs of one long stream of words."""
    small, nouns = _SMALL_WORDS[language].split(), _NOUNS[topic].split()
    key = digest(f"{language} {topic}")
    stream = [
        nouns[below(len(nouns), key, n, 1)]
        if mix(key, n) % 5 < 2
        else small[below(len(small), key, n, 2)]
        for n in range(_STREAM_WORDS)
    ]
    return tuple(
        " ".join(stream[start : start + _RUN_WORDS]).capitalize() + "."
        for start in range(0, _STREAM_WORDS - _RUN_WORDS, 2)
    )


def prose(language: str, topic: str, words: int, key: int) -> str:
    """Return about this number of words, in sentences; the key decides which."""
    sentences = _sentences(language, topic)
    chosen = []
    for _ in range(max(1, words // _RUN_WORDS)):
        # A linear congruential step (Knuth's constants): its upper bits are good enough here.
        key = key * 6364136223846793005 + 1442695040888963407 & 0xFFFF_FFFF_FFFF_FFFF
        chosen.append(sentences[(key >> 33) % len(sentences)])
    return " ".join(chosen)
