from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.frontier.patterns.query_words import (
    WINDOW,
    Page,
    Vocabulary,
    is_spent,
    next_word,
    own_words,
    words_in,
)
from seeds import examples

NOTHING = Vocabulary()
WORDS = st.sampled_from(["ants", "bees", "carp", "deer", "eels", "frog", "gnat", "hare"])
PAGES = st.lists(
    st.builds(Page, st.frozensets(WORDS), st.frozensets(WORDS, max_size=2), st.booleans())
)
ASKED = st.dictionaries(WORDS, st.integers(0, 20), max_size=6)


def page(text: str, title: str = "", *, is_queried: bool = True) -> Page:
    words, of_title = frozenset(words_in(f"{title} {text}")), frozenset(words_in(title))
    return Page(words, of_title, is_queried)


def anything(word: str) -> bool:
    return True


def asked_next(
    own: list[str], vocabulary: Vocabulary = NOTHING, asked: dict[str, int] | None = None
) -> str:
    choice = next_word(own, vocabulary, asked or {}, anything)
    assert choice is not None
    return choice.word


def test_words_of_a_text_are_those_that_a_query_could_have() -> None:
    text = "The Herons, of 1897: a heron's winter-flight 42 9lives x_y"
    assert words_in(text) == ["herons", "1897", "heron", "winter", "flight"]
    assert words_in("古池や蛙") == ["古池", "池や", "や蛙"]
    assert words_in("서울 강") == ["서울"]


def test_a_page_with_a_form_gives_headings_then_text_then_links() -> None:
    text = "Menu Shop\nFine wool, and wool from sheep. Weaving"
    found = own_words("Weaving", text, ["Menu", "Shop"])
    assert found == ["weaving", "wool", "fine", "sheep", "shop"]


def test_own_words_come_first_in_their_order() -> None:
    linked = Vocabulary([page("zebra yak", is_queried=False)])
    assert asked_next(["wool", "yarn"], linked) == "wool"
    assert asked_next(["wool", "yarn"], linked, {"wool": 3}) == "yarn"


def test_words_of_found_pages_overtake_own_words_in_vain() -> None:
    found = Vocabulary([page("rare oak"), page("oak elm"), page("ash"), page("fir")])
    asked = {"wool": 0, "yarn": 0}
    assert asked_next(["wool", "yarn", "silk"], found, asked) == "oak"


def test_what_is_near_pages_that_were_asked_for_weighs_less() -> None:
    pages = [
        page("wool lamb ram"),
        page("wool lamb ram"),
        page("silk moth"),
        page("silk worm moth"),
    ]
    asked = {"wool": 2, "lamb": 1, "silk": 2}
    assert asked_next([], Vocabulary(pages), asked) == "moth"


def test_words_of_the_template_of_results_are_not_asked() -> None:
    pages = [page("matches oak"), page("matches elm")]
    assert asked_next(["matches"], Vocabulary(pages)) == "matches"
    assert asked_next(["matches"], Vocabulary(pages, frozenset({"matches"}))) == "elm"


def test_a_kind_of_words_in_vain_gives_way() -> None:
    pages = [page(f"body{one} other{one}", f"name{one}") for one in "abcd"]
    asked = {"namea": 0, "nameb": 0}
    assert asked_next([], Vocabulary(pages), asked).startswith(("body", "other"))


def test_where_nothing_else_helps_letters_are_tried() -> None:
    own = ["stone", "sand", "silt", "mud"]
    assert asked_next(own, asked=dict.fromkeys(own, 0)) == "s"
    assert asked_next([], asked={"s": 9}) == "a"


def test_a_field_is_spent_when_its_last_queries_brought_too_little() -> None:
    assert not is_spent([0] * (WINDOW - 1), 0.2)
    assert is_spent([0] * WINDOW, 0.2)
    assert is_spent([50, *[0] * WINDOW], 0.2)
    assert not is_spent([0] * (WINDOW - 1) + [3], 0.2)
    assert not is_spent([0] * WINDOW, 0.0)


@settings(max_examples=examples(200))
@given(st.lists(WORDS), PAGES, ASKED, st.frozensets(WORDS), st.frozensets(WORDS))
def test_no_word_is_asked_twice_nor_one_that_may_not_be(
    own: list[str],
    pages: list[Page],
    asked: dict[str, int],
    template: frozenset[str],
    refused: frozenset[str],
) -> None:
    choice = next_word(own, Vocabulary(pages, template), asked, lambda word: word not in refused)
    assert choice is not None, "there are letters"
    assert choice.word not in {*asked, *template, *refused}
    every = {*own, *(word for one in pages for word in one.words | one.title)}
    assert choice.word in every or len(choice.word) == 1


@settings(max_examples=examples(200))
@given(st.lists(WORDS), PAGES, ASKED, st.randoms(use_true_random=False))
def test_the_order_of_the_pages_decides_nothing(
    own: list[str], pages: list[Page], asked: dict[str, int], chance: Random
) -> None:
    before = next_word(own, Vocabulary(pages), asked, anything)
    chance.shuffle(pages)
    assert next_word(own, Vocabulary(pages), asked, anything) == before
