"""Which word a text field of a form is asked next (Barbosa and Freire 2004; Ntoulas et al. 2005).

A word is of the first of these kinds that it fits, and has the weight of its kind:

    common      on most of the pages read: the template's word, or one that finds every record
    own         shown by the page with the form: its hints, headings, text, then texts of links;
                they come first, as long as no other page is known
    title       in the title of a page read
    text        on a page read
    letter      the letters that words begin with, for lists that are searched by beginnings

Every page read adds to the weight of its words: more if a query led to it, less the more of its
words were asked already, because what is near such a page has been found. A kind whose last words
brought much weighs more (its *luck*), and one whose words were in vain gives way to the others.

A field is *spent* when its last queries brought fewer new pages each than the threshold.

Words that every page of results shows belong to the template, and are not asked; nor are the small
words of some languages and those that search forms use of themselves.

Always true:
  * the same words, pages and gains give the same next word, whatever the order of the pages;
  * no word is asked twice.
Cost: linear in the words of the pages read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import pairwise
from math import log2
from string import ascii_lowercase
from typing import NamedTuple

WINDOW = 12
"""Number of a field's last queries from which the new results per query are computed."""
RECENT = 6
"""Number of last queries with a kind of words from which the luck of the kind is computed."""
OWN, COMMON, LETTER = 0.5, 0.4, 0.12
"""Weights of words of the form's own page, of common words and of letters."""
LINKED, QUERIED = 0.25, 1.0
"""Weight that a page adds to its words, by whether links or a query led to it."""
TITLE, SINGLE = 1.5, 0.5
"""Factors: of words in a title; of words on one page alone, which may find no other."""
COMMON_SHARE = 0.6
"""Words on more than this share of the pages are common."""
FEW_PAGES = 3
"""Of fewer pages nothing is said to be common."""

_WORD = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]+"  # kana and Chinese characters: no spaces between words
    r"|(?<![^\W_])(?:\d{4}|[\uac00-\ud7a3]{2,24}|[^\W\d_]{3,24})(?![^\W_])"
)
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_SMALL_WORDS = (
    # English
    "the and for are but not you all any can had her was one our out has him his how its may "
    "new now old see two who did get let put too use that with have this will your from they "
    "know want been good much some time very when come here just like long make many more only "
    "over such take than them well were what which while their there these would about other "
    "into also most each every could should where whose those after before between through "
    "under upon until because "
    # German
    "der die das und ist von den dem des ein eine einer eines einem einen mit auf für nicht "
    "sich auch als aus bei nach wie über oder nur sind wird werden zum zur vom durch unter sie "
    "wir ihr ihre haben hat war alle dass "
    # French
    "les une est dans que qui par pour sur pas plus avec sont aux ses son leur cette ces mais "
    "ont tout nous vous elle ils être "
    # Spanish, Portuguese, Italian
    "los las una del con por para como más pero sus este esta entre todo também não uma dos com "
    "seu sua pelo pela gli della delle dei che non per sono alla nel dal anche più "
    # Dutch
    "het een van voor met zijn niet aan ook door maar naar deze "
    # search forms
    "search find enter type query keyword keywords submit reset button click please home menu "
    "suche suchen recherche rechercher chercher buscar búsqueda pesquisa cerca ricerca zoeken "
)
_SMALL = frozenset(_SMALL_WORDS.split())


class Page(NamedTuple):
    """The words of a page that is neither the form's own nor one of results."""

    words: frozenset[str]
    title: frozenset[str]
    is_queried: bool
    """A query led to it."""


class Vocabulary(NamedTuple):
    """The words of a site."""

    pages: Sequence[Page] = ()
    template: frozenset[str] = frozenset()
    """The words that all pages of results show."""


class Choice(NamedTuple):
    """The best word for a field, and how many new pages it promises."""

    word: str
    promise: float


def words_in(text: str) -> list[str]:
    """Return the words of a text that a query could have, in order, as often as they occur.

    In scripts without spaces every two characters that follow each other are a word.
    """
    found: list[str] = []
    for run in _WORD.findall(text.lower()):
        if _DENSE.match(run):
            found += [one + two for one, two in pairwise(run)]
        elif run not in _SMALL:
            found.append(run)
    return found


def own_words(headings: str, text: str, links: Iterable[str]) -> list[str]:
    """Return the words that a page with a form shows, the most promising first.

    Words that only its links have come last: these are its menu.
    """
    shown = Counter(words_in(text))
    in_links = Counter(word for link in links for word in words_in(link))
    often = [word for word, _ in shown.most_common()]
    ordered = dict.fromkeys([*words_in(headings), *often])
    return sorted(ordered, key=lambda word: 0 < shown[word] <= in_links[word])


def is_spent(gains: Sequence[int], least_new: float) -> bool:
    """Tell whether the last queries of a field brought too little; the newest gain is last."""
    last = gains[-WINDOW:]
    return len(last) == WINDOW and sum(last) < least_new * WINDOW


def next_word(
    own: Sequence[str],
    vocabulary: Vocabulary,
    asked: Mapping[str, int],
    may_ask: Callable[[str], bool],
) -> Choice | None:
    """Return the word to ask next, None if there is none.

    `asked` has the words that were asked, the oldest first, with the new pages that each brought.
    """
    no_queries = vocabulary.template.union(asked)
    weighed = _weigh(own, vocabulary.pages, asked)
    luck = _luck(weighed, asked)
    # The order of the pages decides the last bits of a sum, and a kill may change that order.
    promises = {word: round(one.weight * luck[one.kind], 6) for word, one in weighed.items()}
    for word in sorted(promises, key=lambda word: (-promises[word], weighed[word].place, word)):
        if word not in no_queries and may_ask(word):
            return Choice(word, promises[word])
    return None


class _Kind(Enum):
    OWN, TITLE, TEXT, COMMON, LETTER = range(5)


class _Weighed(NamedTuple):
    weight: float
    kind: _Kind
    place: int
    """Among the words of the form's own page."""


def _luck(weighed: Mapping[str, _Weighed], asked: Mapping[str, int]) -> dict[_Kind, float]:
    """Return for each kind of words how often the last of them brought something new."""
    ends: dict[_Kind, list[float]] = {kind: [] for kind in _Kind}
    for word, gain in asked.items():
        ends[weighed[word].kind if word in weighed else _Kind.TEXT].append(log2(1 + gain))
    return {
        kind: (sum(some[-RECENT:]) + 1) / (len(some[-RECENT:]) + 1) for kind, some in ends.items()
    }


def _weigh(
    own: Sequence[str], pages: Sequence[Page], asked: Collection[str]
) -> dict[str, _Weighed]:
    weights: dict[str, float] = {}
    counts: Counter[str] = Counter()
    for page in pages:
        # A page with words that were asked before is found already, so its words are worth less.
        covered = sum(word in page.words for word in asked)
        worth = (QUERIED if page.is_queried else LINKED) / (1 + covered)
        counts.update(page.words)
        for word in page.words:
            weights[word] = weights.get(word, 0.0) + worth
    titles = {word for page in pages for word in page.title}
    most = COMMON_SHARE * len(pages) if len(pages) >= FEW_PAGES else len(pages)
    places = {word: place for place, word in reversed(list(enumerate(own)))}
    weighed = {}
    for word in {**places, **weights}:
        weight, kind = weights.get(word, 0.0), _Kind.TEXT
        if counts[word] > most:
            weight, kind = COMMON, _Kind.COMMON
        elif word in places:
            weight, kind = weight + OWN, _Kind.OWN
        elif word in titles:
            weight, kind = weight * TITLE, _Kind.TITLE
        if counts[word] == 1 and word not in places:
            weight *= SINGLE
        weighed[word] = _Weighed(weight, kind, places.get(word, len(own)))
    letters = {letter: _Weighed(LETTER, _Kind.LETTER, at) for at, letter in _letters(weighed)}
    return {**weighed, **letters}


def _letters(words: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the letters that words begin with, the most frequent first, then those of English."""
    counts = Counter(word[0] for word in words if word[0].isalpha() and not _DENSE.match(word))
    seen = sorted(counts, key=lambda letter: (-counts[letter], letter))
    return enumerate(dict.fromkeys([*seen, *ascii_lowercase]))
