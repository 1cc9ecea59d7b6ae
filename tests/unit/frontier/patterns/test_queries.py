from __future__ import annotations

from lycosa.extract.forms import Field, Form
from lycosa.frontier.patterns.miner import Known, Standing
from lycosa.frontier.patterns.queries import (
    TRIAL,
    Limits,
    Source,
    guess_queries,
    promising_words,
    words_of,
)
from lycosa.records import MiningRule
from lycosa.url.key import key_of, site_of

SITE = site_of(key_of("http://a.test/"))
TEXT = Field("q", "", is_free=True)
LIST = Field("kind", "", ("big", "small"))
USUAL = Limits(6, 100, 200)


def asked(
    *fields: Field,
    known: list[Known] | None = None,
    words: tuple[str, ...] = ("ants", "bees"),
    most: Limits = USUAL,
) -> list[str]:
    source = Source(7, 3, [Form("http://a.test/find", fields)])
    return [guess.path for guess in guess_queries(SITE, [source], words, known or [], most)]


def tried(path: str, standing: Standing) -> Known:
    return Known(path, 1, standing, 4, MiningRule.FORM)


def test_one_field_varies_while_the_others_keep_their_defaults() -> None:
    assert asked(TEXT, LIST, Field("v", "1", is_hidden=True)) == [
        "/find?q=ants&kind=&v=1",
        "/find?q=&kind=big&v=1",
        "/find?q=bees&kind=&v=1",
        "/find?q=&kind=small&v=1",
    ]


def test_what_is_known_is_not_asked_again() -> None:
    known = [tried("/find?q=ants", Standing.PAGE), Known("/find?q=bees", 2, Standing.OPEN, 4)]
    assert asked(TEXT, known=known, words=("ants", "bees", "wasps")) == ["/find?q=wasps"]


def test_a_field_whose_queries_are_in_vain_is_given_up() -> None:
    words = tuple(f"word{letter}" for letter in "abcdefghij")
    vain = [tried(f"/find?q={word}&kind=", Standing.NOTHING) for word in words[:TRIAL]]
    assert [path for path in asked(TEXT, LIST, known=vain, words=words) if "q=word" in path] == []
    paid = [*vain[1:], tried(f"/find?q={words[0]}&kind=", Standing.PAGE)]
    assert "/find?q=wordg&kind=" in asked(TEXT, LIST, known=paid, words=words)


def test_budgets_bound_a_form_and_a_site() -> None:
    words = tuple(f"word{letter}" for letter in "abcdefghij")
    assert len(asked(TEXT, words=words, most=Limits(6, 3, 200))) == 3
    assert len(asked(TEXT, words=words, most=Limits(6, 100, 4))) == 4
    assert asked(TEXT, LIST, most=Limits(1, 100, 200)) == []
    done = [tried("/find?q=worda", Standing.PAGE)]
    assert len(asked(TEXT, words=words, known=done, most=Limits(6, 3, 200))) == 2


def test_forms_of_other_sites_are_not_asked() -> None:
    source = Source(1, 0, [Form("http://b.test/find", (TEXT,))])
    assert guess_queries(SITE, [source], ["ants"], [], USUAL) == []


def test_words_on_nearly_all_pages_are_no_queries() -> None:
    pages = [words_of(f"Home menu {word} {other}") for word in ("ants", "bees") for other in "xyz"]
    assert promising_words(pages) == ["ants", "bees"]
    assert promising_words([words_of("Home ants a1 42 9lives")]) == ["ants", "home", "lives"]
