"""Chooses the passage of a page that a result shows: where most of the words stand together."""

from __future__ import annotations

import bisect
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from lycosa.analysis.text_index.words import is_spread
from lycosa.analysis.text_search.results import Snippet

LENGTH = 200
"""Characters of a passage, about."""
_MOST_MATCHES = 500
_SPACE = re.compile(r"\s+")
_ACCENTED = re.compile("[\u00c0-\u024f]")
_ACCENTS = {
    code: base
    for code in range(0xC0, 0x250)
    if (base := ord(unicodedata.normalize("NFD", chr(code))[0])) != code
}


def snippet_of(text: str, words: frozenset[str], prefixes: Sequence[str]) -> Snippet:
    """Return the passage with most different words; the beginning if the text has none."""
    places = _places(text, words, prefixes)
    begin, end = _window(text, places)
    return _cleaned(text, begin, end, [place for place in places if begin <= place[0] < end])


def _places(
    text: str, words: frozenset[str], prefixes: Sequence[str]
) -> list[tuple[int, int, str]]:
    """Return begin, end and word of every occurrence."""
    folded = _folded(text)
    found: list[tuple[int, int, str]] = []
    for at in _pattern(words, tuple(prefixes)).finditer(folded):
        found.append((at.start(), at.end(), at[0]))
        if len(found) >= _MOST_MATCHES:
            break
    for word in words:
        if is_spread(word):
            found += [(at.start(), at.end(), word) for at in re.finditer(word, text)]
    return sorted(found)


@lru_cache(32)
def _pattern(words: frozenset[str], prefixes: tuple[str, ...]) -> re.Pattern[str]:
    """Return the expression for all words, which are letters and digits alone."""
    forms = [word for word in sorted(words) if not is_spread(word) and word not in prefixes]
    forms += [f"{prefix}[^\\W_]*" for prefix in prefixes]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(forms) or '(?!)'})(?![^\W_])")


def _folded(text: str) -> str:
    """Return a text of the same length in small letters, without accents on Latin letters."""
    small = text.lower()
    if len(small) != len(text):  # some capitals become two letters
        small = text
    if small.isascii() or not _ACCENTED.search(small):
        return small
    return small.translate(_ACCENTS)


def _window(text: str, places: Sequence[tuple[int, int, str]]) -> tuple[int, int]:
    """Return begin and end of the passage."""
    if not places:
        return 0, _at_space(text, LENGTH)
    begins = [place[0] for place in places]
    best, most = 0, (0, 0)
    for first, (start, _, _) in enumerate(places):
        last = bisect.bisect_right(begins, start + LENGTH - 40)
        inside = places[first:last]
        count = (len({word for _, _, word in inside}), len(inside))
        if count > most:
            best, most = start, count
    begin = max(0, best - 40)
    if begin:
        space = text.find(" ", begin, best)
        begin = space + 1 if space >= 0 else begin
    return begin, _at_space(text, begin + LENGTH)


def _at_space(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", end - 20, end)
    return space if space > 0 else end


def _cleaned(text: str, begin: int, end: int, places: Sequence[tuple[int, int, str]]) -> Snippet:
    """Return the passage in one line, with the places of the words in it."""
    pieces: list[str] = []
    marks: list[tuple[int, int]] = []
    length, at = 0, begin

    def add(piece: str) -> None:
        nonlocal length
        line = _SPACE.sub(" ", piece)
        if (not pieces or pieces[-1].endswith(" ")) and line.startswith(" "):
            line = line[1:]
        if line:
            pieces.append(line)
            length += len(line)

    for start, stop, _ in places:
        if start < at:  # bigrams overlap
            if marks and stop > at:
                add(text[at:stop])
                marks[-1] = (marks[-1][0], length)
                at = stop
            continue
        add(text[at:start])
        mark = length
        add(text[start:stop])
        marks.append((mark, length))
        at = stop
    add(text[at:end])
    return Snippet("".join(pieces), marks)
