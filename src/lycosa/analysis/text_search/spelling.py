"""Words of the index that share the stem of a word, and guesses which word was meant."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from tantivy import Query, Searcher

from lycosa.analysis.text_index.schema import schema
from lycosa.analysis.text_index.words import STEMMERS, TOKEN, is_spread, normal, stem

_LEAST_LETTERS = 3
"""Shorter words have no variants, and are not corrected."""
_MOST_TERMS = 300
"""The commonest words with the same beginning that are compared."""
_MOST_VARIANTS = 12
_SAMPLE = 30
"""Documents in which a guess is looked for."""
_SAMPLED_CHARACTERS = 5_000
_LEAST_LIKENESS = 0.7
_LONG_WORD = 8
"""From this length on, two letters may be wrong."""


def variants(word: str, searcher: Searcher, languages: Sequence[str]) -> list[str]:
    """Return other words of the index with the stem of this one, the commonest first."""
    found: dict[str, int] = {}
    if len(word) < _LEAST_LETTERS or word.isdigit() or is_spread(word):
        return []
    for language in languages:
        if language not in STEMMERS:
            continue
        wanted = stem(word, language)
        begin = _common(word, wanted)
        if len(begin) < _LEAST_LETTERS:
            continue
        found |= {
            term: count
            for term, count in searcher.terms_with_prefix("all", begin, limit=_MOST_TERMS)
            if term != word and term.isalpha() and stem(term, language) == wanted
        }
    return sorted(found, key=lambda term: (-found[term], term))[:_MOST_VARIANTS]


def _common(word: str, stem: str) -> str:
    """Return the letters that a word and its stem begin with, as far as other forms keep them."""
    end = 0
    while end < min(len(word), len(stem)) and word[end] == stem[end]:
        end += 1
    return word[:end]


def corrected(word: str, searcher: Searcher) -> str | None:
    """Return the word of the index that was probably meant; None if the index has the word."""
    if len(word) < _LEAST_LETTERS + 1 or not word.isalpha() or searcher.doc_freq("all", word):
        return None
    distance = 2 if len(word) >= _LONG_WORD else 1
    near = Query.fuzzy_term_query(schema(), "all", word, distance)
    candidates: dict[str, int] = {}
    for _, address in searcher.search(near, _SAMPLE, count=False).hits:
        document = searcher.doc(address)
        content = (document.get_first("content") or b"").decode()[:_SAMPLED_CHARACTERS]
        for token in TOKEN.findall(f"{document.get_first('title') or ''} {content}"):
            if abs(len(token) - len(word)) <= distance:
                candidate = normal(token)
                candidates[candidate] = candidates.get(candidate, 0) + 1
    best, most = None, 0.0
    for candidate in candidates:
        likeness = difflib.SequenceMatcher(None, word, candidate, autojunk=False).ratio()
        if likeness >= _LEAST_LIKENESS:
            weight = likeness**8 * searcher.doc_freq("all", candidate)
            if weight > most:
                best, most = candidate, weight
    return best
