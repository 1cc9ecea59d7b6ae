"""Which pages are weighed, compiled and in plain Python."""

from __future__ import annotations

from typing import Any, cast

import pytest
from benchmarks.partitions import waiting_partition
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.extract.facts import Facts
from lycosa.extract.text.fingerprint import without_digits
from lycosa.features.novelty._seen import (
    MOST_AHEAD,
    MOST_DIGITS,
    SHORTEST_TEXT,
    SLOTS,
    TrapLook,
    counts,
    may_be_odd,
)
from lycosa.features.novelty.copies import SeenTexts, content_number
from lycosa.features.novelty.traps import TrapWatch
from lycosa.frontier.patterns.shapes import may_be_endless, may_count
from lycosa.model.job import Traps
from lycosa.model.records import Answer, Outcome, Purpose, Request
from seeds import examples

SITE = "test.a:"
PATHS = st.one_of(
    st.text("/a1.?&(;=-٣Z", max_size=12).map(lambda text: f"/{text}"),
    st.lists(
        st.sampled_from(
            ["17", "cal", "2024-01", "a" * 16 + "1", "p7.html", "é", "4f6a09c1d2e3b857"]
        ),
        max_size=5,
    ).map(lambda names: "/" + "/".join(names)),
    st.lists(st.sampled_from(["", "a", "b", "ab", "ba", "cé", "p.html"]), max_size=20).map(
        lambda names: "/" + "/".join(names)
    ),
    st.text(max_size=50),
)


@settings(max_examples=examples(500))
@given(PATHS, st.integers(0, 60))
def test_a_path_is_looked_at_as_the_expressions_say(path: str, before: int) -> None:
    key = "s" * before + path
    assert counts(key, before) == may_count(path)
    assert may_be_odd(key, before) or not may_be_endless(path)


@pytest.mark.parametrize("name", ["x.html", ""])
@pytest.mark.parametrize("folders", ["", "a/", "a/b/c/", "a/b/c/d/a/e/", "a/b/c/d/e/f/g/h/"])
def test_folders_of_different_names_are_not_odd(folders: str, name: str) -> None:
    assert may_be_odd(f"test.a:/{folders}{name}", 7) == may_be_endless(f"/{folders}{name}")


class PlainTexts:
    """Remembers texts by their hashes, in dictionaries."""

    def __init__(self) -> None:
        self.slots: dict[int, int] = {}
        self.times: dict[int, int] = {}

    def note_number(self, number: int) -> bool:
        was_there = self.slots.get(number % SLOTS, 0) == number
        self.slots[number % SLOTS] = number
        return was_there

    def learned(self, answered: PageAnswer) -> None:
        if answered.outcome is not Outcome.KEPT:
            return
        content = answered.text
        if len(content) < SHORTEST_TEXT:
            content = answered.answer.body
        number = content_number(answered.site_name, content)
        slot = number % SLOTS
        if self.slots.get(slot, 0) != number:
            self.slots[slot], self.times[slot] = number, 0
            return
        answered.times_shown = times = self.times.get(slot, 0) + 1
        if times < 255:
            self.times[slot] = times


class PlainLook:
    """Says of a page with what it is weighed; None if it is let go."""

    def __init__(self) -> None:
        self.texts = PlainTexts()

    def learned(self, answered: PageAnswer) -> object:
        if not answered.is_first:
            return None
        if answered.facts.is_list:
            return "list"
        state, path = answered.state, answered.path
        purses = state.traps.hosts.get(answered.host)
        led_to = len(state.table) - answered.known_urls
        is_guess = state.pages.guess[answered.page] != 0
        template, was_shown = 0, False
        may_be_counter = 0 < led_to <= MOST_AHEAD or is_guess
        if not answered.times_shown and may_be_counter and may_count(path):
            template = self.template(answered.text, is_suspect=purses is not None)
            was_shown = template != 0 and self.texts.note_number(template)
        if purses is None and not (answered.times_shown or was_shown or may_be_endless(path)):
            return None
        return template, was_shown

    def template(self, text: bytes, *, is_suspect: bool) -> int:
        length = content_number(f"length: {SITE}", b"%d" % len(text))
        if not self.texts.note_number(length) and not is_suspect:
            return 0
        bare = without_digits(text)
        if (len(text) - len(bare)) * MOST_DIGITS > len(text):
            return 0
        return content_number(f"without digits: {SITE}", bare)


class Look(TrapWatch):
    """Says the same of the compiled part."""

    found: object = None

    def _weigh_list(self, answered: PageAnswer) -> None:
        self.found = "list"

    def _weigh(self, answered: PageAnswer, template: int, was_shown: bool) -> None:
        self.found = template, was_shown


REQUEST = Request("http://a.test/", "a.test", "127.0.0.1", Purpose.PAGE, "test", 1000)
TEXTS = [b"", b"page 1 says nothing", b"page 2 says nothing", b"12345 6789", b"word " * 30]
PAGES = st.builds(
    lambda path, text, body, outcome, is_first, is_list, led_to, guess, purses: (
        *(path, text, body, outcome, is_first, is_list, led_to, guess, purses),
    ),
    st.sampled_from(
        ["/", "/7", "/cal/2024-01", "/a/a/a/a/a", "/x.html", "/p7?n=3", "/s/" + "a1" * 9]
    ),
    st.sampled_from(TEXTS),
    st.sampled_from([b"", b"body", b"other"]),
    st.sampled_from([Outcome.KEPT, Outcome.KEPT, Outcome.KEPT, Outcome.NOT_FOUND]),
    st.sampled_from([True, True, False]),
    st.sampled_from([False, False, False, True]),
    st.integers(0, 10),
    st.sampled_from([0, 0, 3]),
    st.sampled_from([{}, {}, {1: object()}]),
)


def answered(page: tuple[Any, ...]) -> PageAnswer:
    path, text, body, outcome, is_first, is_list, led_to, guess, purses = page
    partition = waiting_partition()
    state = partition.state
    keys = [SITE + path, *(f"{SITE}/u{number}" for number in range(led_to + 4))]
    partition.admit(0.0, "", keys, [0] * len(keys))
    state.traps.hosts.update(purses)
    state.pages.guess[0] = guess
    return PageAnswer(
        partition,
        *(0, REQUEST, Answer(200, (), body, 0.0, 1.0)),
        key=SITE + path,
        host=1,
        outcome=outcome,
        text=text,
        is_first=is_first,
        known_urls=5,
        facts=Facts(is_list=is_list),
    )


@settings(max_examples=examples(300))
@given(st.lists(PAGES, max_size=12))
def test_the_same_pages_are_weighed(pages: list[Any]) -> None:
    texts = SeenTexts()
    look, plain = Look(Traps(), texts), PlainLook()
    for page in pages:
        told = answered(page), answered(page)
        texts.learned(told[0])
        plain.texts.learned(told[1])
        assert told[0].times_shown == told[1].times_shown
        look.found = None
        look.learned(told[0])
        assert look.found == plain.learned(told[1])


@pytest.mark.parametrize(
    ("led_to", "is_weighed"), [(0, False), (1, True), (MOST_AHEAD, True), (MOST_AHEAD + 1, False)]
)
def test_a_page_that_counts_leads_to_a_few_new_ones(led_to: int, is_weighed: bool) -> None:
    look = Look(Traps(), SeenTexts())
    # The first page tells the length of such texts, the second the text without its digits.
    for number in range(3):
        text, body = b"page %d says nothing" % number, b"body %d" % number
        look.learned(answered((f"/{number}", text, body, Outcome.KEPT, True, False, led_to, 0, {})))
    assert (look.found is not None) == is_weighed


def test_a_text_is_counted_up_to_what_a_byte_holds() -> None:
    texts = SeenTexts()
    partition = waiting_partition()
    partition.admit(0.0, "", [f"{SITE}/"], [0])
    page = PageAnswer(partition, 0, REQUEST, Answer(200, (), b"x", 0.0, 1.0))
    page.outcome = Outcome.KEPT
    shown = []
    for _ in range(300):
        texts.learned(page)
        shown.append(page.times_shown)
    assert shown == [min(number, 255) for number in range(300)]


def test_only_the_record_of_a_page_is_read() -> None:
    look = TrapLook(SeenTexts())
    for learn in (look.learned, SeenTexts().learned):
        with pytest.raises(TypeError, match="the answer of a page is expected, not int"):
            learn(cast("PageAnswer", 1))
