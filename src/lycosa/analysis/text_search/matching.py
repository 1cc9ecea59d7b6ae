"""Turns a question into a query of tantivy.

A word is looked for in the fields of `schema.WEIGHTS`, and the words of the index that share its
stem count a little less. All words must be there; `some` makes the query that is used when too few
pages have all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tantivy import FieldType, Occur, Query, Searcher

from lycosa.analysis.text_index.schema import WEIGHTS, schema
from lycosa.analysis.text_index.words import is_spread, words_of
from lycosa.analysis.text_search.question import Filter, Question, Word
from lycosa.analysis.text_search.spelling import variants

VARIANT_WEIGHT = 0.3
"""Weight of a word with the same stem; the word itself has 1."""
_ALL_WORDS_FIRST = 10.0
_FIELD_OF = {"site": "site", "lang": "language", "type": "type", "topic": "topic"}
_EARLIEST, _LATEST = -(1 << 62), 1 << 62

PagesAbout = Callable[[str], Sequence[int]]
"""Returns the ids of the pages about things of a type."""


class Matched(NamedTuple):
    """A question as queries."""

    every: Query
    """Pages with all words."""
    some: Query | None
    """Pages with any of the words; None if that is the same."""
    marked: frozenset[str]
    """The words, in the form of the index, that a passage shows."""
    prefixes: tuple[str, ...]
    plain: tuple[str, ...]
    """The words that may be misspelt."""


def match(
    question: Question, searcher: Searcher, languages: Sequence[str], about: PagesAbout
) -> Matched:
    """Return the queries of a question."""
    wanted: list[Query] = []
    others: list[tuple[Occur, Query]] = []
    marked: set[str] = set()
    prefixes: list[str] = []
    plain: list[str] = []
    for word in question.words:
        query, shown = _word(word, searcher, languages)
        if query is None:
            continue
        if word.is_excluded:
            others.append((Occur.MustNot, query))
            continue
        wanted.append(query)
        marked |= shown
        if word.is_prefix:
            prefixes += words_of(word.text)[:1]
        elif not word.is_phrase and len(shown) > 0:
            plain += [one for one in words_of(word.text) if not is_spread(one)]
    for one in question.filters:
        occur = Occur.MustNot if one.is_excluded else Occur.Must
        others.append((occur, Query.const_score_query(_filter(one, about), 0.0)))
    if question.after is not None or question.before is not None:
        others.append((Occur.Must, Query.const_score_query(_period(question), 0.0)))
    every = [(Occur.Must, query) for query in wanted]
    some = None
    # with a single word, pages with some of the words are those with all of them
    if len(wanted) > 1:
        either = Query.boolean_query([(Occur.Should, query) for query in wanted])
        all_of_them = Query.boost_query(Query.boolean_query(every), _ALL_WORDS_FIRST)
        some = Query.boolean_query([(Occur.Must, either), (Occur.Should, all_of_them), *others])
    # tantivy finds nothing by exclusions alone: they need a set to exclude from
    if not any(occur is not Occur.MustNot for occur, _ in (*every, *others)):
        every = [(Occur.Must, Query.all_query())]
    return Matched(
        Query.boolean_query([*every, *others]),
        some,
        frozenset(marked),
        tuple(prefixes),
        tuple(plain),
    )


def _word(
    word: Word, searcher: Searcher, languages: Sequence[str]
) -> tuple[Query | None, frozenset[str]]:
    """Return the query of a word, and the words that show it in a passage."""
    parts = words_of(word.text)
    if not parts:
        return None, frozenset()
    if len(parts) > 1:
        return _phrase(parts), frozenset(parts)
    (part,) = parts
    if word.is_prefix or (is_spread(part) and len(part) == 1):
        begins = Query.regex_query(schema(), "all", f"{part}.*")
        return begins, frozenset({part})
    exact = [
        (Occur.Should, Query.boost_query(_term(field, part), weight))
        for field, weight in WEIGHTS.items()
    ]
    if word.is_phrase or word.is_excluded:
        return Query.boolean_query(exact), frozenset(parts)
    kin = variants(part, searcher, languages)
    like = [
        (
            Occur.Should,
            Query.boost_query(Query.term_query(schema(), "all", one, "freq"), VARIANT_WEIGHT),
        )
        for one in kin
    ]
    return Query.boolean_query([*exact, *like]), frozenset((*parts, *kin))


def _term(field: str, word: str) -> Query:
    return Query.term_query(schema(), field, word, "basic" if field == "rest" else "freq")


def _phrase(parts: list[str]) -> Query:
    found = [(Occur.Should, Query.phrase_query(schema(), "all", [*parts]))]
    title = Query.phrase_query(schema(), "title", [*parts])
    found.append((Occur.Should, Query.boost_query(title, WEIGHTS["title"])))
    return Query.boolean_query(found)


def _filter(one: Filter, about: PagesAbout) -> Query:
    if one.name == "a":
        ids = about(one.value)
        return Query.term_set_query(schema(), "url_id", ids) if ids else Query.empty_query()
    return Query.term_query(schema(), _FIELD_OF[one.name], one.value, "basic")


def _period(question: Question) -> Query:
    after = _EARLIEST if question.after is None else question.after
    before = _LATEST if question.before is None else question.before
    return Query.range_query(
        schema(), "moment", FieldType.Integer, after, before, include_upper=False
    )
