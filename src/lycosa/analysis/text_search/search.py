"""Runs a question: ranks pages, folds copies and sites, counts facets, cuts passages.

The score is BM25 over the fields of `schema.WEIGHTS`, times a small factor for the page's rank.
Pages of equal bytes are shown once. In every block of a hundred hits, the third and later hits of a
host count four fifths of their score: so that one site does not fill the page where others answer
about as well, and nothing is left out where only one has an answer.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from tantivy import DocAddress, Index, Query, Searcher

from lycosa.analysis.text_index.manifest import Manifest
from lycosa.analysis.text_index.words import TOKEN, normal
from lycosa.analysis.text_search.matching import Matched, PagesAbout, match
from lycosa.analysis.text_search.question import parse_question
from lycosa.analysis.text_search.results import (
    FOUND,
    NOTHING_ASKED,
    NOTHING_FOUND,
    Ask,
    Hit,
    Results,
)
from lycosa.analysis.text_search.snippets import snippet_of
from lycosa.analysis.text_search.spelling import corrected

MOST_HITS = 1_000
"""The hits that can be looked through, page by page."""
FACETS = {"site": "host", "language": "language", "type": "type", "topic": "topic"}
FACET_VALUES = 8

_BLOCK = 100
_OF_ONE_HOST = 2
_LATER_WEIGHT = 0.8
_MOST_COPIES = 5
_FEW = 10
"""With fewer pages that have all words, pages with some of them are shown, too."""


class _Place(NamedTuple):
    """A hit before its document is read."""

    score: float
    address: DocAddress
    copies: list[DocAddress]
    more_of_site: int


class TextSearch:
    """An open generation of the text index."""

    def __init__(self, index: Index, manifest: Manifest, about: PagesAbout) -> None:
        self._searcher: Searcher = index.searcher()
        self._manifest = manifest
        self._about = about

    def run(self, ask: Ask) -> Results:
        """Answer a question."""
        began = time.perf_counter()
        question = parse_question(ask.text)
        results = Results(NOTHING_ASKED, pages=self._manifest.pages, notes=list(question.notes))
        if not question.is_empty:
            matched = match(question, self._searcher, self._manifest.languages, self._about)
            self._answer(ask, matched, results)
        results.milliseconds = round(1000 * (time.perf_counter() - began), 3)
        return results

    def _answer(self, ask: Ask, matched: Matched, results: Results) -> None:
        first = (max(1, ask.page) - 1) * ask.limit
        size = min(MOST_HITS, _BLOCK * -(-(first + ask.limit) // _BLOCK))
        query = matched.every
        found = self._search(query, size)
        if matched.some is not None and found.count < _FEW:
            wider = self._search(matched.some, size)
            if wider.count > found.count:
                query, found, results.is_partial = matched.some, wider, True
        places = self._folded(found.hits)[first : first + ask.limit]
        results.hits = [self._hit(place, matched) for place in places]
        results.total, results.first = found.count, first + 1
        results.outcome = FOUND if found.count else NOTHING_FOUND
        results.facets = self._facets(query)
        results.did_you_mean = self._better(ask.text, matched)

    def _search(self, query: Query, size: int) -> Any:
        return self._searcher.search(query, size, count=True, weight_by_field="rank")

    def _folded(self, hits: Sequence[tuple[float, DocAddress]]) -> list[_Place]:
        """Return hits in the order in which they are shown, copies folded."""
        addresses = [address for _, address in hits]
        hosts = self._searcher.fast_field_values("host_id", addresses)
        copies = self._searcher.fast_field_values("copy_id", addresses)
        places: list[_Place] = []
        seen: dict[Any, _Place] = {}
        for begin in range(0, len(hits), _BLOCK):
            block: list[tuple[Any, _Place]] = []
            for number in range(begin, min(begin + _BLOCK, len(hits))):
                score, address = hits[number]
                if (same := seen.get(copies[number])) is not None:
                    same.copies.append(address)
                    continue
                place = seen[copies[number]] = _Place(score, address, [], 0)
                block.append((hosts[number], place))
            places += _spread_over_hosts(block)
        return places

    def _hit(self, place: _Place, matched: Matched) -> Hit:
        document = self._searcher.doc(place.address)
        content = (document.get_first("content") or b"").decode()
        copies = [self._searcher.doc(address) for address in place.copies[:_MOST_COPIES]]
        return Hit(
            url=document.get_first("url") or "",
            title=(document.get_first("title") or "").partition("\n")[0],
            host=document.get_first("host") or "",
            language=document.get_first("language") or "",
            type=document.get_first("type") or "",
            topic=document.get_first("topic") or "",
            moment=document.get_first("moment") or 0,
            score=round(float(place.score), 4),
            snippet=snippet_of(content, matched.marked, matched.prefixes),
            url_id=document.get_first("url_id") or 0,
            copies=[copy.get_first("url") or "" for copy in copies],
            more_of_site=place.more_of_site,
        )

    def _facets(self, query: Query) -> dict[str, list[tuple[str, int]]]:
        asked = {
            name: {"terms": {"field": field, "size": FACET_VALUES + 1}}
            for name, field in FACETS.items()
        }
        counted = self._searcher.aggregate(query, asked)
        return {
            name: [(one["key"], one["doc_count"]) for one in counted[name]["buckets"] if one["key"]]
            for name in FACETS
        }

    def _better(self, text: str, matched: Matched) -> str:
        """Return the question with misspelt words corrected; empty where all are known."""
        known = {word: corrected(word, self._searcher) for word in matched.plain}
        better = {word: other for word, other in known.items() if other is not None}
        if not better:
            return ""

        def corrected_token(token: re.Match[str]) -> str:
            return better.get(normal(token[0]), token[0])

        return TOKEN.sub(corrected_token, text)


def _spread_over_hosts(block: Sequence[tuple[Any, _Place]]) -> list[_Place]:
    """Return the hits in their order, later ones of a host further down."""
    counts: Counter[Any] = Counter()
    order: list[tuple[float, Any, _Place]] = []
    for host, place in block:
        counts[host] += 1
        weight = 1.0 if counts[host] <= _OF_ONE_HOST else _LATER_WEIGHT
        order.append((weight * place.score, host, place))
    order.sort(key=lambda one: -one[0])  # of equal ones the first stays first
    if len(counts) == 1:
        return [place for _, _, place in order]
    shown: Counter[Any] = Counter()
    told: list[_Place] = []
    for _, host, place in order:
        shown[host] += 1
        more = counts[host] - _OF_ONE_HOST if shown[host] == _OF_ONE_HOST else 0
        told.append(place._replace(more_of_site=max(0, more)))
    return told
