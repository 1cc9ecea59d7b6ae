"""Searching: what is found, in which order, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.analysis.text_index.text_store import TextStore
from lycosa.analysis.text_index.words import spread, stem, words_of
from lycosa.analysis.text_search.results import Ask
from lycosa.analysis.text_search.search import TextSearch
from lycosa.analysis.text_search.search_pool import SearchPool, search_once
from lycosa.analysis.triples.index import Index
from lycosa.errors import QueryError
from lycosa.storage.tables.quads import Block, quads_of
from seeds import examples
from unit.analysis.text_index.tables import Fetch, indexed, seal, search, urls
from unit.analysis.text_search.question_pieces import PIECES
from unit.analysis.triples import segments

FETCHES = [
    Fetch("a.test/1", 100, "Ada wrote notes on the analytical engine.", "Ada Lovelace"),
    Fetch("a.test/2", 200, "The engine was never built. Ada.", "Engines"),
    Fetch("a.test/3", 300, "An analytical mind builds an engine of brass.", "Mind"),
    Fetch("www.b.test/1", 400, "Der Motor läuft. Häuser und Müller.", "Motor", language="de"),
    Fetch("b.test/pdf", 500, "A paper on looms.", "Looms", content_type="application/pdf"),
    Fetch("c.test/jp", 600, "東京都に行きました。", "東京", language="ja"),
    Fetch("c.test/x", 700, "the same bytes", "Copy"),
    Fetch("c.test/y", 700, "the same bytes", "Copy"),
    *(Fetch(f"d.test/{n}", 800, f"gear number{n} " + "gear " * n, "Gear") for n in range(8)),
    Fetch("e.test/1", 800, "gear of another site", "Gear"),
]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")
    seal(folder, 1, *FETCHES)
    indexed(folder)
    return folder


@pytest.fixture(scope="module")
def searcher(crawl: Path) -> Iterator[TextSearch]:
    with TextStore(crawl).reading() as (index, manifest):
        yield TextSearch(index, manifest, lambda name: [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("analytical notes", {"a.test/1", "a.test/3"}),
        ('"analytical engine"', {"a.test/1"}),
        ("engine -brass -notes", {"a.test/2"}),
        ("analy*", {"a.test/1", "a.test/3"}),
        ("engines site:a.test", {"a.test/1", "a.test/2", "a.test/3"}),
        ("site:b.test", {"www.b.test/1", "b.test/pdf"}),
        ("-site:www.b.test site:b.test", {"b.test/pdf"}),
        ("muller", {"www.b.test/1"}),
        ("lang:de", {"www.b.test/1"}),
        ("type:pdf", {"b.test/pdf"}),
        ("京都", {"c.test/jp"}),
        ("東京都", {"c.test/jp"}),
        ("京", {"c.test/jp"}),
        ("engine after:2025-06-15 before:2025-06-16", {"a.test/1", "a.test/2", "a.test/3"}),
        ("engine before:2025", set()),
        ("building", {"a.test/3"}),
    ],
)
def test_a_question_finds(text: str, found: set[str], searcher: TextSearch) -> None:
    results = searcher.run(Ask(text, 20))
    assert set(urls(results)) == found
    assert results.outcome == ("found" if found else "nothing-found")


def test_pages_with_some_words_are_shown_where_few_have_all(searcher: TextSearch) -> None:
    results = searcher.run(Ask("brass motor"))
    assert results.is_partial
    assert set(urls(results)) == {"a.test/3", "www.b.test/1"}
    every = urls(searcher.run(Ask("analytical engine")))
    assert set(every[:2]) == {"a.test/1", "a.test/3"}, "those with all words come first"
    assert every[2:] == ["a.test/2"]


def test_nonsense_has_an_outcome_of_its_own(searcher: TextSearch) -> None:
    assert searcher.run(Ask("?!")).outcome == "nothing-asked"


def test_equal_bytes_are_shown_once(searcher: TextSearch) -> None:
    (hit,) = searcher.run(Ask("same bytes")).hits
    assert {hit.url, *hit.copies} == {"http://c.test/x", "http://c.test/y"}


def test_two_results_of_a_site_come_first_and_nothing_is_left_out(searcher: TextSearch) -> None:
    results = searcher.run(Ask("gear", 20))
    hosts = [hit.host for hit in results.hits]
    assert hosts[:3].count("d.test") == 2 and "e.test" in hosts[:3]
    assert (len(hosts), results.total) == (9, 9)
    assert [hit.more_of_site for hit in results.hits if hit.host == "d.test"][:3] == [0, 6, 0]


def test_pages_of_results_are_one_order(searcher: TextSearch) -> None:
    whole = urls(searcher.run(Ask("gear", 20)))
    pieces = [url for page in (1, 2, 3) for url in urls(searcher.run(Ask("gear", 4, page)))]
    assert pieces == whole


def test_facets_count_all_that_match(searcher: TextSearch) -> None:
    facets = searcher.run(Ask("gear", 1)).facets
    assert facets["site"] == [("d.test", 8), ("e.test", 1)]
    assert facets["type"] == [("html", 9)]


def test_a_passage_shows_and_marks_the_words(searcher: TextSearch) -> None:
    snippet = searcher.run(Ask("analytical engines site:a.test")).hits[0].snippet
    marked = {snippet.text[begin:end].lower() for begin, end in snippet.marks}
    assert marked == {"analytical", "engine"}


def test_a_misspelt_word_is_guessed(searcher: TextSearch) -> None:
    results = searcher.run(Ask("analitycal engine -steam"))
    assert results.did_you_mean == "analytical engine -steam"
    assert searcher.run(Ask("analytical")).did_you_mean == ""


def test_words_are_folded_and_stems_are_of_a_language() -> None:
    assert words_of("Müller's C++ foo_bar 3.11") == ["muller", "s", "c", "foo", "bar", "3", "11"]
    assert (stem("engines", "en"), stem("engines", "xx")) == ("engin", "engines")
    assert spread("x東京都y").split() == ["x", "東京", "京都", "y"]


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=8).map(" ".join)))
def test_every_question_has_an_outcome(text: str, searcher: TextSearch) -> None:
    results = searcher.run(Ask(text))
    assert results.outcome in ("found", "nothing-found", "nothing-asked")
    for hit in results.hits:
        for begin, end in hit.snippet.marks:
            assert 0 <= begin < end <= len(hit.snippet.text)


# -- context ---------------------------------------------------------------------------------


def about(page: str, kind: str) -> Block:
    triples = f"<http://{page}#it> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{kind}> .\n"
    return Block(f"http://{page}", 1, 1, quads_of(triples.encode(), f"http://{page}"))


def test_a_word_in_the_context_of_a_type(tmp_path: Path) -> None:
    fetches = [Fetch(f"a.test/{n}", 1, f"ada {n}") for n in range(4)]
    seal(tmp_path, 1, *fetches)
    indexed(tmp_path)
    with pytest.raises(QueryError, match="--only triples"):
        search(tmp_path, "a:Person ada")
    person, foaf = "http://schema.org/Person", "http://xmlns.com/foaf/0.1/Person"
    language = "http://schema.org/ComputerLanguage"
    kinds = {"a.test/0": person, "a.test/1": foaf, "a.test/2": language}
    segments.seal(tmp_path, 1, *(about(page, kind) for page, kind in kinds.items()))
    Index(tmp_path).update()
    assert set(urls(search(tmp_path, "a:person ada"))) == {"a.test/0", "a.test/1"}
    assert set(urls(search(tmp_path, f'a:"{foaf}"'))) == {"a.test/1"}
    assert set(urls(search(tmp_path, "ada -a:Person"))) == {"a.test/2", "a.test/3"}
    assert search(tmp_path, "ada a:Book").outcome == "nothing-found"


# -- processes -------------------------------------------------------------------------------


def test_a_process_answers_and_sees_the_next_generation(tmp_path: Path) -> None:
    seal(tmp_path, 1, Fetch("a.test/1", 1, "engine"))
    indexed(tmp_path)
    pool = SearchPool(tmp_path, 1)
    try:
        assert pool.search(Ask("engine"), 20).total == 1
        seal(tmp_path, 2, Fetch("a.test/2", 1, "engine"))
        indexed(tmp_path)
        assert pool.search(Ask("engine"), 20).total == 2
    finally:
        pool.close()


def test_a_search_that_takes_too_long_is_ended(crawl: Path) -> None:
    with pytest.raises(QueryError, match="takes longer than 1e-06 s"):
        search_once(crawl, Ask("engine"), 1e-6)


def test_without_an_index_a_process_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="build it: lycosa index"):
        search_once(tmp_path, Ask("engine"))
