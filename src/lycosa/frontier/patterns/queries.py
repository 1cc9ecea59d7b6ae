"""Which queries of a site's forms are tried next (Tarantula 8; Madhavan et al. 2008).

Each list and each free text of a form is a *dimension*: one of them varies while the others keep
their defaults. A list gives its values, one after the other, until its queries have been in vain
more often than not. A free text gives one word at a time, when everything that the words before it
led to is known (`lycosa.frontier.patterns.query_words`); of all texts of a site the one that
promises most.

A query *gains* the pages that were found through it first, also over further pages of its results.
Such a page of results repeats the query, with a number beside it, and is not a gain itself.

Always true: the same forms, words and known URLs give the same queries in the same order.

Not here: reading forms and words (`features.mining.form_pages`), robots, scope, budgets and
judging (`features.mining.mining`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode

from lycosa.extract.forms import Field, Form
from lycosa.frontier.distance import STEP
from lycosa.frontier.patterns.miner import Guess, Known, Standing
from lycosa.frontier.patterns.query_words import Vocabulary, is_spent, next_word, words_in
from lycosa.model.records import MiningRule
from lycosa.model.url import canonicalize
from lycosa.model.url.key import key_of

TRIAL = 6
"""A list ends when queries in vain outnumber those with success by this."""
MOST_FORMS = 10
"""Most forms of a site that are tried: those of some sites have another token on each page."""


class Source(NamedTuple):
    """A page with forms."""

    page: int
    distance: int
    forms: Sequence[Form]
    words: Sequence[str] = ()
    """Words that it shows, the most promising first."""


class QueryLimits(NamedTuple):
    """How much a form and a site may be asked."""

    most_fields: int
    form_requests: int
    site_requests: int
    least_new: float


class _Tried(NamedTuple):
    """A query that was asked."""

    standing: Standing
    pairs: Sequence[tuple[str, str]]
    """The fields with their values."""
    gain: int


def continues(query: str, path: str) -> bool:
    """Tell whether a URL is a further page of a query's results: it repeats the whole query."""
    place, _, asked = query.partition("?")
    other, _, given = path.partition("?")
    return place == other and set(parse_qsl(asked)) <= set(parse_qsl(given))


class Site:
    """The URLs of a site, those that queries led to with the query."""

    def __init__(
        self, name: str, known: Iterable[Known], source_of: Callable[[int], int | None]
    ) -> None:
        self.name = name
        self.known = sorted(known, key=lambda url: url.page)
        self.queries = [url for url in self.known if _is_query(url)]
        self.paths = {url.path for url in self.known}
        self._roots: dict[int, Known] = {}
        by_page = {query.page: query for query in self.queries}
        for url in self.known:  # a URL has a greater number than the page that it was found on
            source = source_of(url.page)
            root = None if source is None else by_page.get(source) or self._roots.get(source)
            if root is not None:
                self._roots[url.page] = root

    def root_of(self, url: Known) -> Known | None:
        """Return the query that led to a URL, None if none did."""
        return self._roots.get(url.page)

    def is_result(self, url: Known) -> bool:
        """Tell whether a URL is a page of results: a query, or a further page of its results."""
        root = None if _is_query(url) else self.root_of(url)
        return _is_query(url) or (root is not None and continues(root.path, url.path))

    def gains(self) -> dict[int, int]:
        """Return the pages that each query has gained, by the number of its URL."""
        gains: Counter[int] = Counter()
        have_more = set()
        for url in self.known:
            root = self.root_of(url)
            if url.rule == MiningRule.FORM and not _is_query(url):
                # A query was redirected here, to its only record: the last one asked before.
                root = next((one for one in reversed(self.queries) if one.page < url.page), None)
            if root is not None and continues(root.path, url.path):
                have_more.add(root.page)
            elif root is not None:
                gains[root.page] += url.is_page
        # A query may have paid by pages in another partition, unless further results explain it.
        paid = {one.page for one in self.queries if one.is_page} - have_more
        return {one.page: max(gains[one.page], one.page in paid) for one in self.queries}

    def path_of(self, url: str) -> str | None:
        """Return the path of a URL of the site, as the URL table has it."""
        canonical = canonicalize(url)
        key = key_of(canonical) if canonical is not None else ""
        return key[len(self.name) :] if key.startswith(f"{self.name}/") else None


def _is_query(url: Known) -> bool:
    """Tell whether a URL is a query of a form, and not what a query was redirected to."""
    return url.rule == MiningRule.FORM and not url.distance % STEP


def nearest_forms(sources: Iterable[Source], most: QueryLimits) -> dict[Form, Source]:
    """Return the forms that are nearest to the seeds, each with the nearest page that has it."""
    nearest: dict[Form, Source] = {}
    for source in sorted(sources, key=lambda one: (one.distance, one.page)):
        for form in source.forms:
            if form.shown <= most.most_fields and len(nearest) < MOST_FORMS:
                nearest.setdefault(form, source)
    return nearest


def guess_queries(
    site: Site,
    forms: Mapping[Form, Source],
    vocabulary: Vocabulary | None,
    most: QueryLimits,
    may_ask: Callable[[Guess], bool],
) -> list[Guess]:
    """Return queries of a site's forms that were not tried, the most promising first.

    Of words there is one at most, and none without a vocabulary.
    """
    gains = site.gains()
    turns: list[list[Guess]] = []
    words: list[tuple[float, int, Guess]] = []
    for form, source in forms.items():
        tried = list(_tried(site, form, gains))
        left = max(0, most.form_requests - len(tried))
        for field in form.fields if left else ():
            dimension = _Dimension(site, form, field, source)
            of_field = [one for one in tried if dimension.has(one.pairs)]
            if field.is_free and vocabulary is not None:
                word = dimension.next_word(vocabulary, of_field, most.least_new, may_ask)
                words += [(word[0], -len(turns), word[1])] if word is not None else []
            turns.append(list(dimension.values(of_field))[:left])
    if words:
        _, turn, guess = max(words)  # of equal promise the first field's
        turns[-turn] = [guess]
    by_turns = (guess for turn in zip_longest(*turns) for guess in turn if guess is not None)
    return list(_once(by_turns))[: max(0, most.site_requests - len(site.queries))]


class _Dimension(NamedTuple):
    """A field of a form that varies."""

    site: Site
    form: Form
    field: Field
    source: Source

    def has(self, pairs: Sequence[tuple[str, str]]) -> bool:
        """Tell whether a query varies this field, or none."""
        return all(
            value == one.default or one.name == self.field.name
            for (_, value), one in zip(pairs, self.form.fields, strict=True)
        )

    def values(self, tried: Sequence[_Tried]) -> Iterator[Guess]:
        """Yield a query for each value of a list, until too many of them were in vain."""
        ends = Counter(one.standing for one in tried)
        is_over = ends[Standing.NOTHING] >= ends[Standing.PAGE] + TRIAL
        for value in self.field.values if len(self.field.values) > 1 and not is_over else ():
            guess = self._guess(value)
            if guess is not None:
                yield guess

    def next_word(
        self,
        vocabulary: Vocabulary,
        tried: Sequence[_Tried],
        least_new: float,
        may_ask: Callable[[Guess], bool],
    ) -> tuple[float, Guess] | None:
        """Return the query with the next word of a text, and what it promises."""
        asked = {dict(one.pairs)[self.field.name]: one.gain for one in tried}
        if is_spent(list(asked.values()), least_new):
            return None
        # The values of lists are tried there; names and buttons are words of the form itself.
        lists = [value for one in self.form.fields for value in one.values]
        names = [one.name for one in self.form.fields]
        barred = {word for text in (*lists, *names, *self.form.captions) for word in words_in(text)}

        def is_possible(word: str) -> bool:
            guess = None if word in barred else self._guess(word)
            return guess is not None and may_ask(guess)

        own = [word for hint in self.field.hints for word in words_in(hint)]
        choice = next_word([*own, *self.source.words], vocabulary, asked, is_possible)
        guess = self._guess(choice.word) if choice is not None else None
        return None if choice is None or guess is None else (choice.promise, guess)

    def _guess(self, value: str) -> Guess | None:
        """Return the query with a value, None if it is known or not of the site."""
        pairs = [
            (one.name, value if one.name == self.field.name else one.default)
            for one in self.form.fields
        ]
        path = self.site.path_of(f"{self.form.action}?{urlencode(pairs)}")
        if path is None or path in self.site.paths:
            return None
        return Guess(path, MiningRule.FORM, self.source.page, self.source.distance)


def _tried(site: Site, form: Form, gains: Mapping[int, int]) -> Iterator[_Tried]:
    """Yield the queries of a form, the oldest first."""
    place, names = site.path_of(form.action), [field.name for field in form.fields]
    for url in site.queries:
        path, _, query = url.path.partition("?")
        pairs = parse_qsl(query, keep_blank_values=True)
        if path == place and [name for name, _ in pairs] == names:
            yield _Tried(url.standing, pairs, gains[url.page])


def _once(guesses: Iterable[Guess]) -> Iterator[Guess]:
    seen: set[str] = set()
    for guess in guesses:
        if guess.path not in seen:
            seen.add(guess.path)
            yield guess
