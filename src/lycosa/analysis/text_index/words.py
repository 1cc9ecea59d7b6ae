"""Words as the index has them, their stems, and bigrams of Chinese, Japanese and Korean.

Words are runs of letters and digits, in small letters and without accents, whatever the language:
so code and names keep their form. Stems are for queries alone: `spelling.variants` asks the index
which of its words share the stem of a word. Stemming every page instead would cost more than all
the rest of indexing (694 pages a second instead of 1,587) and a fifth of its size.

In Chinese and Japanese no space stands between words. Each run of such letters becomes its pairs
of neighbours (`東京都` is `東京 京都`), in pages and in questions alike.
"""

from __future__ import annotations

import re
from functools import cache

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

LONGEST_WORD_BYTES = 60
"""Longer ones are keys, hashes and code without spaces: they are not indexed."""

STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "nl": "dutch",
    "en": "english",
    "fi": "finnish",
    "fr": "french",
    "de": "german",
    "el": "greek",
    "hu": "hungarian",
    "it": "italian",
    "no": "norwegian",
    "nb": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "es": "spanish",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}

_CJK = re.compile(
    r"[\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f]+"
)
_LEADING_BYTES = bytes([*range(0xE3, 0xEE), 0xEF, 0xF0])
"""The bytes that such letters begin with in UTF-8."""
TOKEN = re.compile(r"[^\W_]+")
"""A word in a text, as tantivy's simple tokenizer finds it."""
_SPACED = bytes(
    code if code > 127 or chr(code).isalnum() else 32  # a space in place of ASCII between words
    for code in range(256)
)


def distinct(text: str) -> set[bytes]:
    """Return the different words of a text as `TOKEN` finds them, in a tenth of the time."""
    found = set(text.encode().translate(_SPACED).split())
    if not text.isascii():
        odd = [part for part in found if not part.isascii()]
        found.difference_update(odd)
        found.update(word.encode() for part in odd for word in TOKEN.findall(part.decode()))
    return found


@cache
def neutral() -> TextAnalyzer:
    """Return the analysis of every text: small letters, no accents."""
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST_WORD_BYTES))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .build()
    )


@cache
def _stemmer(language: str) -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.stemmer(STEMMERS[language])).build()


def words_of(text: str) -> list[str]:
    """Return the words of a text, as they stand in the index."""
    return neutral().analyze(spread(text))


def stem(word: str, language: str) -> str:
    """Return the stem of a word; the word itself in a language without a stemmer."""
    if language not in STEMMERS:
        return word
    return next(iter(_stemmer(language).analyze(word)), word)


def normal(token: str) -> str:
    """Return one word in its form in the index; empty if the text is not a word."""
    if token.isascii():
        return token.lower()
    return next(iter(neutral().analyze(token)), "")


def spread(text: str) -> str:
    """Return a text with spaces between the bigrams of Chinese, Japanese and Korean."""
    if text.isascii():
        return text
    encoded = text.encode()
    if len(encoded) == len(encoded.translate(None, _LEADING_BYTES)):
        return text  # a thirtieth of the time that the expression takes
    return _CJK.sub(_pairs, text)


def _pairs(found: re.Match[str]) -> str:
    run = found[0]
    if len(run) < 2:
        return f" {run} "
    return f" {' '.join(map(str.__add__, run, run[1:]))} "


def is_spread(word: str) -> bool:
    """Return whether a word is of letters that become bigrams."""
    return _CJK.match(word) is not None
