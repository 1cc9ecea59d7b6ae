"""Links to other pages of the list that a page is part of are known by the page's own links."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import plain_pagination
from lycosa.model.links import Links, Target
from lycosa.model.links._pagination import kinds_with_pagination_of
from lycosa.model.records import LinkKind
from lycosa.model.url import key_of
from seeds import examples

ANCHOR, ALTERNATE = int(LinkKind.ANCHOR), int(LinkKind.ALTERNATE)
PAGINATION = int(LinkKind.PAGINATION)


class One:
    """A table that has one key, and counts how often it was asked."""

    def __init__(self, key: str) -> None:
        self.wanted, self.asked = key, 0

    def key(self, page: int) -> str:
        self.asked += 1
        return self.wanted


def found(own: str, *links: tuple[str, str] | tuple[str, str, str]) -> list[str]:
    """Return the references that are pagination, of links with their texts and relations."""
    columns = [(*link, "")[:3] for link in links]
    targets = {href: Target(key_of(absolute(href))) for href, _, _ in columns}
    raw = Links(
        [],
        [ANCHOR] * len(columns),
        [text for _, text, _ in columns],
        [rel for _, _, rel in columns],
    )
    kinds = kinds_with_pagination_of(
        [targets[href] for href, _, _ in columns], raw, One(key_of(absolute(own))), 0
    )
    hrefs = [href for href, _, _ in columns]
    return [href for href, kind in zip(hrefs, kinds or [], strict=False) if kind == PAGINATION]


def absolute(href: str) -> str:
    return href if "://" in href else f"http://shop.test{href}"


def numbers(form: str, *values: int) -> list[tuple[str, str]]:
    """Return links whose texts are numbers."""
    return [(form.format(value), str(value)) for value in values]


WITHOUT_TEXTS = [
    ("/shop", "/shop?page=2"),
    ("/shop/", "/shop?page=2"),
    ("/shop", "/shop/?page=2"),
    ("/shop?page=2", "/shop?page=3"),
    ("/shop?page=3", "/shop?page=2"),
    ("/shop?page=9", "/shop?page=10"),
    ("/shop?page=10", "/shop?page=11"),
    ("/shop?page=110", "/shop?page=111"),
    ("/shop?sort=x&page=99", "/shop?sort=x&page=100"),
    ("/shop?page=2&sort=x", "/shop?page=3&sort=x"),
    ("/shop?sort=x", "/shop?page=2&sort=x"),
    ("/shop?sort=x", "/shop?sort=x&page=2"),
    ("/shop?x=1", "/shop?x=1&page=1"),
    ("/list", "/list?page%5Bnumber%5D=2"),
    ("/list", "/list?PAGEN_1=2"),
    ("/", "/page/2/"),
    ("/blog", "/blog/page/2/"),
    ("/blog/page/2/", "/blog/page/3/"),
    ("/2024/05/", "/2024/05/page/2/"),
    ("/x/", "/x/page-2.html"),
    ("/x/index.html", "/x/page-2.html"),
    ("/x/page-2.html", "/x/page-3.html"),
    ("/threads/title.123/", "/threads/title.123/page-2"),
    ("/news", "/news?p=2"),
    ("/q/p/2", "/q/p/3"),
    ("/api?limit=20", "/api?limit=20&offset=20"),
    ("/api?offset=20&limit=20", "/api?offset=40&limit=20"),
    ("/forum?f=3&start=25", "/forum?f=3&start=50"),
    ("/jobs?start=11", "/jobs?start=21"),
    ("/angebote", "/angebote?seite=2"),
]


@pytest.mark.parametrize(("own", "href"), WITHOUT_TEXTS)
def test_a_number_behind_a_word_for_pages_needs_no_text(own: str, href: str) -> None:
    assert found(own, (href, "more")) == [href]


NO_PAGINATION = [
    ("/shop", "/product?page=2"),
    ("/shop", "/shop?page=40"),
    ("/shop?page=2", "/shop?page=40"),
    ("/shop?colour=red", "/shop?colour=blue&page=2"),
    ("/shop?page=2", "/shop?page=3&colour=red"),
    ("/shop", "/shop?page=x"),
    ("/shop", "/shop?per_page=2"),
    ("/shop", "/shop?page_id=2"),
    ("/shop", "/shop?pagesize=2"),
    ("/?p=12", "/?p=57"),
    ("/p16", "/p17"),
    ("/product/16", "/product/17"),
    ("/api?offset=15", "/api?offset=1234"),
    ("/cal?month=5", "/cal?month=6"),
    ("/cal/2024/05", "/cal/2024/06"),
    ("/cal/2024-05", "/cal/2024-06"),
    ("/shop", "/shop/my-page-2-of-life"),
    ("/shop", "/shop?page=12345678"),
    ("/a", "/abc2"),
]


@pytest.mark.parametrize(("own", "href"), NO_PAGINATION)
def test_other_numbers_are_no_pagination(own: str, href: str) -> None:
    assert found(own, (href, "next")) == []


def test_a_link_to_the_last_page_counts_if_its_text_is_its_number() -> None:
    assert found("/shop", ("/shop?page=40", "40")) == ["/shop?page=40"]
    assert found("/shop", ("/shop?page=39", "[40]")) == ["/shop?page=39"]
    assert found("/api?offset=20", ("/api?offset=180", "10")) == ["/api?offset=180"]


def test_a_relation_says_it_on_the_own_site_alone() -> None:
    assert found("/a", ("/b", "", "next")) == ["/b"]
    assert found("/a", ("/b", "", "nofollow prev"), ("/c", "", "previous")) == ["/b", "/c"]
    assert found("/a", ("/b", "", "nextish"), ("http://else.test/b", "", "next")) == []
    assert found("/a", ("/a", "", "next"), ("https://shop.test/b", "", "next")) == []


def test_any_number_of_a_path_counts_if_the_texts_are_the_numbers_around_the_own() -> None:
    assert len(found("/list", *numbers("/list/{}", 2, 3, 4, 20))) == 4
    assert len(found("/list/7", *numbers("/list/{}", 5, 6, 8, 9))) == 4
    assert len(found("/thread-12-1-1.html", *numbers("/thread-12-{}-1.html", 2, 3))) == 2
    assert found("/list/7", *numbers("/list/{}", 2, 3, 20)) == [], "none is next to the own"
    assert found("/list", ("/list/2", "two"), ("/list/3", "three")) == []


def test_a_query_without_a_word_counts_as_a_multiple_alone() -> None:
    steps = [("/x?topic=12.20", "2"), ("/x?topic=12.40", "3")]
    assert len(found("/x?topic=12.0", *steps)) == 2
    assert len(found("/x", ("/x?st=20", "2"), ("/x?st=40", "3"))) == 2
    assert found("/x", ("/x?st=20", "2")) == []
    assert found("/x", *numbers("/x?rating={}", 1, 2, 3, 4, 5)) == []
    assert found("/x", *numbers("/x?per_page={}", 10, 20, 50)) == []


def test_days_months_and_years_are_no_pages_of_a_list() -> None:
    days = range(1, 32)
    assert found("/cal/2024/05", *numbers("/cal/2024/05/{}", *days)) == []
    assert found("/cal/2024/05/07", *numbers("/cal/2024/05/{:02d}", *days)) == []
    assert found("/events/5-2024", *numbers("/events/5-2024/{}", *days)) == []
    assert (
        found("/cal.php?month=5&year=2024", *numbers("/cal.php?month=5&year=2024&day={}", *days))
        == []
    )
    assert found("/archive", *numbers("/archive/{}", 2022, 2023, 2024)) == []
    assert found("/archive/2023", *numbers("/archive/{}", 2022, 2024)) == []
    assert found("/plan", *numbers("/plan/week/{}", 1, 2, 3)) == []
    assert found("/2024/05/a-long-post/", *numbers("/2024/05/a-long-post/{}/", 2, 3)) != []


def test_all_links_to_a_url_have_one_kind_and_others_keep_theirs() -> None:
    target, other = Target("test.shop:/a?page=2"), Target("test.shop:/b")
    raw = Links(
        [],
        [ANCHOR, ALTERNATE, int(LinkKind.CANONICAL), ANCHOR],
        ["newer", "", "", "b"],
        ["", "next", "", ""],
    )
    table = One("test.shop:/a")
    kinds = kinds_with_pagination_of([target, target, target, other], raw, table, 0)
    assert kinds == [PAGINATION, PAGINATION, int(LinkKind.CANONICAL), ANCHOR]
    assert raw.kinds[0] == ANCHOR, "the page's facts stay as they are"


def test_a_target_of_a_list_is_none_of_a_page_outside_of_it() -> None:
    targets = [Target("test.shop:/a?page=2"), Target("test.shop:/b?page=2")]
    raw = Links([], [ANCHOR] * 2, ["more"] * 2, [""] * 2)
    by_page = [
        kinds_with_pagination_of(targets, raw, One(f"test.shop:/{name}"), 0) for name in "abc"
    ]
    assert by_page == [[PAGINATION, ANCHOR], [ANCHOR, PAGINATION], None]


def every_word() -> list[str]:
    twin = plain_pagination
    return sorted({*twin.PAGE_WORDS, *twin.PLACE_WORDS, *twin.TIME_WORDS})


def test_every_word_means_what_it_does_to_the_twin() -> None:
    forms = ["/a?{}=2", "/a/{}/2", "/a/{}-2", "/a?x{}=2", "/a?{}x=2", "/{}2", "/a?{}s=2"]
    keys = [f"test.shop:{form.format(word)}" for form in forms for word in every_word()]
    wrong = []
    for key in keys:
        target = Target(key)
        for text in ("more", "2"):
            raw = Links([], [ANCHOR], [text], [""])
            for own in ("test.shop:/a", "test.shop:/"):
                kinds = kinds_with_pagination_of([target], raw, One(own), 0)
                twin = plain_pagination.kinds_with_pagination([target], [ANCHOR], [text], [""], own)
                if kinds != twin:
                    wrong.append((key, text, own))
    assert wrong == []


def test_a_page_without_a_number_in_question_is_not_asked_for_its_key() -> None:
    table = One("test.shop:/a")
    targets = [Target(f"test.shop:/article/{number}-of-many") for number in range(9)]
    raw = Links([], [ANCHOR] * 9, ["Article 7 of many"] * 9, ["nofollow noopener"] * 9)
    assert kinds_with_pagination_of(targets, raw, table, 0) is None
    assert table.asked == 0


PIECES = st.sampled_from(
    [
        "page",
        "Page",
        "p",
        "seite",
        "offset",
        "start",
        "st",
        "list",
        "cat",
        "day",
        "topic",
        "index",
        "index.html",
        "/",
        "/",
        "/",
        "?",
        "&",
        "=",
        "-",
        "_",
        ".",
        ".html",
        "%5B",
        "%5",
        "1",
        "2",
        "3",
        "10",
        "11",
        "20",
        "40",
        "2024",
        "05",
        "12345678",
        "a",
        "ab",
    ]
)
PATHS = st.lists(PIECES, max_size=7).map(lambda parts: "/" + "".join(parts))


@st.composite
def pages(draw: st.DrawFn) -> tuple[str, list[tuple[str, int, str, str]]]:
    """A page's own key and its links, most of which differ from it in little."""
    site = draw(st.sampled_from(["test.shop:", "test.shop2:8080"]))
    own = draw(PATHS)
    links = []
    for _ in range(draw(st.integers(1, 5))):
        path = draw(PATHS)
        if draw(st.integers(0, 4)):
            start = draw(st.integers(1, len(own)))
            end = draw(st.integers(start, len(own)))
            path = own[:start] + "".join(draw(st.lists(PIECES, max_size=4))) + own[end:]
        kind = draw(st.sampled_from([ANCHOR, ANCHOR, ANCHOR, ALTERNATE, int(LinkKind.REFRESH)]))
        text = draw(
            st.sampled_from(
                ["", "a", "1", "2", "3", "[4]", "(2)", "2.", "20", "2 3", "123456", "é"]
            )
        )
        rel = draw(st.sampled_from(["", "", "", "next", "up prev", "nofollow", "é next"]))
        links.append((path, kind, text, rel))
    return site + own, [(site + path, *rest) for path, *rest in links]  # type: ignore[misc]


@example(("test.shop:/", [("test.shop:/?page=2", ANCHOR, "", "")]))
@example(("test.shop:/", [("test.shop:/page1.p", ANCHOR, "", "")]))
@example(("test.shop:/", [("test.shop:/page1.xhtml", ANCHOR, "", "")]))
@example(("test.shop:/", [("test.shop:/page1.abcdef", ANCHOR, "", "")]))
@settings(max_examples=examples(1500), deadline=None)
@given(pages())
def test_the_choice_equals_its_twin(page: tuple[str, list[tuple[str, int, str, str]]]) -> None:
    own, links = page
    by_key = {key: Target(key) for key, *_ in links}
    targets = [by_key[key] for key, *_ in links]
    kinds, texts, rels = ([link[column] for link in links] for column in (1, 2, 3))
    expected = plain_pagination.kinds_with_pagination(targets, kinds, texts, rels, own)  # type: ignore[arg-type]
    raw = Links([], kinds, texts, rels)  # type: ignore[arg-type]
    assert kinds_with_pagination_of(targets, raw, One(own), 0) == expected
    turned = Links([], kinds[::-1], texts[::-1], rels[::-1])  # type: ignore[arg-type]
    again = kinds_with_pagination_of(targets[::-1], turned, One(own), 0)
    assert (again and again[::-1]) == expected, "the order of links decides nothing"


def test_columns_that_differ_in_length_are_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        kinds_with_pagination_of([Target("a:/")], Links([], [], [], []), One("a:/"), 0)
