from __future__ import annotations

from collections.abc import Callable

from lycosa.extract.forms import Field, Form
from lycosa.frontier.distance import STEP
from lycosa.frontier.patterns.miner import Guess, Known, Standing
from lycosa.frontier.patterns.queries import (
    MOST_FORMS,
    TRIAL,
    QueryLimits,
    Site,
    Source,
    continues,
    guess_queries,
    nearest_forms,
)
from lycosa.frontier.patterns.query_words import WINDOW, Page, Vocabulary
from lycosa.model.records import MiningRule
from lycosa.model.url.key import key_of, site_of

SITE = site_of(key_of("http://a.test/"))
TEXT = Field("q", "", is_free=True)
LIST = Field("kind", "", ("big", "small"))
USUAL = QueryLimits(6, 100, 200, 0.2)


def site(known: list[Known], found_on: dict[int, int] | None = None) -> Site:
    return Site(SITE, known, (found_on or {}).get)


def asked(
    *fields: Field,
    known: list[Known] | None = None,
    words: tuple[str, ...] = ("ants", "bees"),
    most: QueryLimits = USUAL,
    may_ask: Callable[[Guess], bool] = lambda guess: True,
    vocabulary: Vocabulary | None = Vocabulary(),  # noqa: B008
) -> list[str]:
    source = Source(7, 3, [Form("http://a.test/find", fields)], words)
    forms = nearest_forms([source], most)
    guesses = guess_queries(site(known or []), forms, vocabulary, most, may_ask)
    return [guess.path for guess in guesses]


def tried(path: str, standing: Standing, page: int = 1) -> Known:
    return Known(path, page, standing, 4 * STEP, MiningRule.FORM)


def linked(path: str, page: int, standing: Standing = Standing.PAGE) -> Known:
    return Known(path, page, standing, 5 * STEP)


def test_one_field_varies_while_the_others_keep_their_defaults() -> None:
    assert asked(TEXT, LIST, Field("v", "1", is_hidden=True)) == [
        "/find?q=ants&kind=&v=1",
        "/find?q=&kind=big&v=1",
        "/find?q=&kind=small&v=1",
    ]


def test_one_word_is_asked_at_a_time_and_none_while_the_site_is_busy() -> None:
    assert asked(TEXT) == ["/find?q=ants"]
    assert asked(TEXT, LIST, vocabulary=None) == ["/find?q=&kind=big", "/find?q=&kind=small"]


def test_what_is_known_is_not_asked_again() -> None:
    known = [tried("/find?q=ants", Standing.PAGE), Known("/find?q=bees", 2, Standing.OPEN, 4)]
    assert asked(TEXT, known=known, words=("ants", "bees", "wasps")) == ["/find?q=wasps"]


def test_a_word_that_may_not_be_asked_gives_way_to_the_next() -> None:
    assert asked(TEXT, may_ask=lambda guess: "ants" not in guess.path) == ["/find?q=bees"]


def test_hints_of_a_field_come_before_the_words_of_its_page() -> None:
    assert asked(TEXT._replace(hints=("e.g. wasps",))) == ["/find?q=wasps"]


def test_words_of_the_form_itself_are_not_asked() -> None:
    form = Form("http://a.test/find", (Field("word", "", is_free=True), LIST), ("Look up",))
    forms = nearest_forms([Source(7, 3, [form], ("small", "look", "word", "wasps"))], USUAL)
    first, *_ = guess_queries(site([]), forms, Vocabulary(), USUAL, lambda guess: True)
    assert first.path == "/find?word=wasps&kind="


def test_a_list_whose_queries_are_in_vain_is_given_up() -> None:
    values = tuple(f"value{letter}" for letter in "abcdefghij")
    field = Field("kind", "", values)
    vain = [tried(f"/find?kind={value}", Standing.NOTHING, at) for at, value in enumerate(values)]
    assert asked(field, known=vain[:TRIAL]) == []
    paid = [vain[0]._replace(standing=Standing.PAGE), *vain[1:TRIAL]]
    assert asked(field, known=paid)[0] == "/find?kind=valueg"


def test_a_text_that_brings_too_little_is_given_up() -> None:
    words = tuple(f"word{letter}" for letter in "abcdefghijklmnopq")
    vain = [tried(f"/find?q={word}", Standing.NOTHING, at) for at, word in enumerate(words)]
    assert asked(TEXT, known=vain[: WINDOW - 1], words=words) != []
    assert asked(TEXT, known=vain[:WINDOW], words=words) == []
    patient = USUAL._replace(least_new=0.0)
    assert asked(TEXT, known=vain[:WINDOW], words=words, most=patient) != []


def test_the_text_that_brought_more_is_asked_next() -> None:
    title, author = (Field(name, "", is_free=True) for name in ("t", "a"))
    vain = tried("/find?t=ants&a=", Standing.NOTHING, 1)
    paid = tried("/find?t=&a=ants", Standing.PAGE, 2)
    assert asked(title, author, known=[vain, paid]) == ["/find?t=&a=bees"]


def test_budgets_bound_a_form_and_a_site() -> None:
    values = tuple(f"value{letter}" for letter in "abcdefghij")
    field = Field("kind", "", values)
    assert len(asked(field, most=USUAL._replace(form_requests=3))) == 3
    assert len(asked(field, most=USUAL._replace(site_requests=4))) == 4
    assert asked(TEXT, LIST, most=USUAL._replace(most_fields=1)) == []
    done = [tried("/find?kind=valuea", Standing.PAGE)]
    assert len(asked(field, known=done, most=USUAL._replace(form_requests=3))) == 2
    words = [tried("/find?q=ants", Standing.PAGE)]
    assert asked(TEXT, known=words, most=USUAL._replace(form_requests=1)) == []


def test_forms_of_other_sites_are_not_asked() -> None:
    forms = nearest_forms([Source(1, 0, [Form("http://b.test/find", (TEXT,))], ["ants"])], USUAL)
    assert guess_queries(site([]), forms, Vocabulary(), USUAL, lambda guess: True) == []


def test_the_nearest_forms_of_a_site_are_tried() -> None:
    one, other = (Form(f"http://a.test/{name}", (TEXT,)) for name in ("x", "y"))
    sources = [Source(9, 2, [one]), Source(3, 1, [one, other]), Source(1, 1, [other])]
    assert {form: source.page for form, source in nearest_forms(sources, USUAL).items()} == {
        one: 3,
        other: 1,
    }
    many = [Form(f"http://a.test/{n}", (TEXT,)) for n in range(MOST_FORMS + 5)]
    assert len(nearest_forms([Source(1, 1, many)], USUAL)) == MOST_FORMS


def test_further_pages_of_results_repeat_the_query() -> None:
    assert continues("/find?q=ants&kind=", "/find?q=ants&from=10")
    assert not continues("/find?q=ants", "/find?q=bees&from=10")
    assert not continues("/find?q=ants", "/item?q=ants")
    assert not continues("/index?p=find&q=ants", "/index?p=item&id=7")


def test_a_query_gains_what_was_found_through_it_first() -> None:
    query, more = tried("/find?q=ants", Standing.PAGE, 1), linked("/find?q=ants&from=10", 2)
    records = [linked(f"/{page}", page) for page in (3, 4, 5)]
    dead = linked("/6", 6, Standing.NOTHING)
    apart = linked("/7", 7)
    found_on = {2: 1, 3: 1, 4: 2, 5: 4, 6: 1, 7: 0}
    of_site = site([query, more, *records, dead, apart], found_on)
    assert of_site.gains() == {1: 3}
    assert [of_site.is_result(url) for url in (query, more, records[0])] == [True, True, False]
    assert of_site.root_of(records[2]) == query
    assert of_site.root_of(apart) is None


def test_a_query_that_is_redirected_to_its_only_record_gains_it() -> None:
    queries = [tried("/find?q=ants", Standing.NOTHING, 1), tried("/find?q=x", Standing.NOTHING, 5)]
    record = Known("/record", 2, Standing.PAGE, 4 * STEP + 1, MiningRule.FORM)
    assert site([*queries, record]).gains() == {1: 1, 5: 0}


def test_words_of_pages_are_asked_by_weight() -> None:
    pages = [Page(frozenset({"oak", "elm"}), frozenset(), True) for _ in range(2)]
    pages += [Page(frozenset({word}), frozenset(), True) for word in ("ash", "fir", "yew")]
    known = [tried("/find?q=oak", Standing.PAGE)]
    assert asked(TEXT, known=known, words=(), vocabulary=Vocabulary(pages)) == ["/find?q=elm"]
