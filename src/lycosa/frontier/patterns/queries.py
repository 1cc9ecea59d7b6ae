"""Which queries of a site's forms are tried next (Tarantula 8; Madhavan et al. 2008).

Each list and each free text of a form is a *dimension*: one of them varies while the others keep
their defaults. A list gives its values, a free text the words of the site. Words that stand on a
middling number of pages come first: those on nearly all pages are its furniture, those on one find
the page that they are from. A dimension ends when its queries have been in vain more often than
not; new pages bring new words.

Always true: the same forms, words and known URLs give the same queries in the same order.

Not here: reading forms and words (`lycosa.crawl.answers.form_pages`), robots, scope, budgets and
judging (`lycosa.crawl.answers.mining`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple
from urllib.parse import urlencode

from lycosa.extract.forms import Field, Form
from lycosa.frontier.patterns.miner import Guess, Known, Standing
from lycosa.records import MiningRule
from lycosa.url import canonicalize
from lycosa.url.key import key_of

TRIAL = 6
"""So many more queries in vain than with success end a dimension."""
MOST_WORDS = 200
COMMON = 0.6
"""Words on more than this share of the pages are furniture."""
_FEW_PAGES = 4
_WORD = re.compile(r"[^\W\d_]{4,24}")


class Source(NamedTuple):
    """A page with forms."""

    page: int
    distance: int
    forms: Sequence[Form]


class Limits(NamedTuple):
    """How much a form and a site may be asked."""

    most_fields: int
    form_requests: int
    site_requests: int


def words_of(text: str) -> frozenset[str]:
    """Return the words of a page that a query could have."""
    return frozenset(_WORD.findall(text.lower()))


def promising_words(pages: Sequence[frozenset[str]]) -> list[str]:
    """Return the words of some pages, the most promising first."""
    counts = Counter(word for words in pages for word in words)
    most = COMMON * len(pages) if len(pages) > _FEW_PAGES else len(pages)
    useful = [(-count, word) for word, count in counts.items() if count <= most]
    return [word for _, word in sorted(useful)[:MOST_WORDS]]


def guess_queries(
    site: str, sources: Iterable[Source], words: Sequence[str], known: Sequence[Known], most: Limits
) -> list[Guess]:
    """Return queries of a site's forms that were not tried, the most promising first."""
    tried = {url.path: url.standing for url in known if url.rule == MiningRule.FORM}
    taken = {url.path for url in known}
    nearest: dict[Form, Source] = {}
    for source in sources:
        for form in source.forms:
            if form.shown <= most.most_fields:
                best = nearest.get(form)
                if best is None or (source.distance, source.page) < (best.distance, best.page):
                    nearest[form] = source
    dimensions: list[list[Guess]] = []
    for form, source in nearest.items():
        paths = [_paths(site, form, field, words) for field in form.fields]
        asked = len({path for some in paths for path in some if path in tried})
        for some in paths:
            if not some or _is_over(some, tried):
                continue
            left = max(0, most.form_requests - asked)
            fresh = [path for path in some if path not in taken][:left]
            rule = MiningRule.FORM
            dimensions.append([Guess(path, rule, source.page, source.distance) for path in fresh])
    turns = (guess for turn in zip_longest(*dimensions) for guess in turn if guess is not None)
    return list(_once(turns))[: max(0, most.site_requests - len(tried))]


def _once(guesses: Iterable[Guess]) -> Iterator[Guess]:
    seen: set[str] = set()
    for guess in guesses:
        if guess.path not in seen:
            seen.add(guess.path)
            yield guess


def _paths(site: str, form: Form, field: Field, words: Sequence[str]) -> list[str]:
    """Return the queries of one dimension, as paths of the site."""
    listed = {word for one in form.fields for value in one.values for word in words_of(value)}
    values: Sequence[str] = field.values
    if field.is_free:  # the values of lists are tried there
        values = [word for word in words if word not in listed]
    if field.is_hidden or (not field.is_free and len(values) < 2):
        return []
    found = []
    for value in values:
        pairs = [
            (one.name, value if one.name == field.name else one.default) for one in form.fields
        ]
        url = canonicalize(f"{form.action}?{urlencode(pairs)}")
        key = key_of(url) if url is not None else ""
        if key.startswith(f"{site}/"):
            found.append(key[len(site) :])
    return found


def _is_over(paths: Iterable[str], tried: dict[str, Standing]) -> bool:
    ends = Counter(tried[path] for path in paths if path in tried)
    return ends[Standing.NOTHING] >= ends[Standing.PAGE] + TRIAL
