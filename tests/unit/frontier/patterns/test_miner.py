"""Guesses from known URLs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.patterns.miner import Guess, Known, Standing, guess_folders, guess_siblings
from lycosa.model.records import MiningRule

PAGE, OPEN, NOTHING = Standing.PAGE, Standing.OPEN, Standing.NOTHING
EVERY_RULE = frozenset(MiningRule)
Given = str | tuple[str, Standing] | tuple[str, Standing, MiningRule]


def known(*urls: Given) -> list[Known]:
    """Return URLs, pages unless they say otherwise, in key order, each one link farther."""
    given_urls = [(url, PAGE) if isinstance(url, str) else url for url in urls]
    return [
        Known(url[0], page, url[1], 21 * (page + 1), *url[2:])
        for page, url in enumerate(sorted(given_urls))
    ]


def paths(guesses: list[Guess]) -> list[str]:
    return [guess.path for guess in guesses]


def siblings(*urls: Given) -> list[str]:
    return paths(every_sibling(known(*urls)))


def every_sibling(urls: list[Known], patient: frozenset[MiningRule] = frozenset()) -> list[Guess]:
    inside, beyond = guess_siblings(urls, patient)
    return [*inside, *beyond]


# -- folders ---------------------------------------------------------------------------------


def test_the_folders_above_a_page_are_guessed() -> None:
    guesses = guess_folders(known("/video/clips/x.html"))
    assert sorted(paths(guesses)) == ["/", "/video/", "/video/clips/"]
    assert {(guess.rule, guess.source, guess.distance) for guess in guesses} == {
        (MiningRule.FOLDER, 0, 21)
    }


def test_a_folder_is_guessed_from_its_nearest_page() -> None:
    urls = [Known("/a/far.html", 1, PAGE, 63), Known("/a/near.html", 2, PAGE, 21)]
    assert {(guess.source, guess.distance) for guess in guess_folders(urls)} == {(2, 21)}


def test_what_is_known_is_not_guessed() -> None:
    assert guess_folders(known("/", ("/a/", NOTHING), "/a/b.html")) == []
    assert guess_folders(known("/", ("/a/", OPEN), "/a/b.html")) == []


def test_a_page_that_is_not_there_has_no_folders() -> None:
    assert guess_folders(known(("/a/b.html", NOTHING), ("/c/d.html", OPEN))) == []


def test_the_query_has_no_folders() -> None:
    assert paths(guess_folders(known("/", "/a?b=/c/d"))) == []


def test_of_a_family_of_folders_one_is_tried_at_a_time() -> None:
    pages = ["/", "/g/1/a.html", "/g/2/a.html", "/g/3/a.html"]
    assert paths(guess_folders(known(*pages))) == ["/g/", "/g/1/"]
    in_vain = ("/g/1/", NOTHING, MiningRule.FOLDER)
    assert paths(guess_folders(known(*pages, in_vain))) == ["/g/"]
    assert paths(guess_folders(known(*pages, "/g/1/"))) == ["/g/", "/g/2/", "/g/3/"]


# -- runs ------------------------------------------------------------------------------------


def test_nothing_is_counted_up_from_a_single_page() -> None:
    assert siblings("/page1.html", "/other7.html") == []


def test_gaps_come_before_ends() -> None:
    urls = ["/page1.html", "/page2.html", "/page5.html"]
    found = (("/page3.html", PAGE, MiningRule.NUMBER), ("/page6.html", PAGE, MiningRule.NUMBER))
    assert siblings(*urls) == ["/page3.html"]
    assert siblings(*urls, *found) == ["/page4.html", "/page7.html"]


def test_a_run_grows_by_what_was_found_in_a_row() -> None:
    found = [(f"/page{n}.html", PAGE, MiningRule.NUMBER) for n in range(3, 9)]
    urls: list[Given] = ["/page1.html", "/page2.html", *found]
    assert siblings(*urls) == ["/page10.html", "/page11.html", "/page9.html"]


def test_an_open_neighbour_is_waited_for() -> None:
    assert siblings("/page1.html", "/page2.html", ("/page3.html", OPEN)) == []


def test_what_is_nothing_ends_a_run() -> None:
    assert siblings("/page1.html", "/page2.html", ("/page3.html", NOTHING)) == []


def test_patience_steps_over_one_url_that_is_nothing() -> None:
    found = ("/page3.html", PAGE, MiningRule.NUMBER)
    urls = known("/page1.html", "/page2.html", found, ("/page4.html", NOTHING))
    assert every_sibling(urls) == []
    assert paths(every_sibling(urls, EVERY_RULE)) == ["/page5.html"]


def test_a_run_is_not_continued_below_one() -> None:
    assert "/page0.html" not in siblings("/page1.html", "/page2.html")
    found = ("/page4.html", PAGE, MiningRule.NUMBER)
    assert siblings("/page3.html", found, "/page5.html") == ["/page2.html", "/page6.html"]


def test_numbers_far_apart_are_names() -> None:
    assert siblings("/article1000.html", "/article9000.html") == []


def test_padded_numbers_stay_padded() -> None:
    found = ("/scan/008.html", PAGE, MiningRule.PADDED)
    urls: list[Given] = ["/scan/007.html", found, "/scan/009.html", "/scan/010.html"]
    assert siblings(*urls) == ["/scan/006.html", "/scan/011.html"]


def test_hexadecimal_goes_on_after_nine() -> None:
    found = ("/x/0b.html", PAGE, MiningRule.HEXADECIMAL)
    urls: list[Given] = ["/x/08.html", "/x/0a.html", found, "/x/10.html"]
    guesses = siblings(*urls)
    assert "/x/09.html" in guesses
    assert "/x/0c.html" in guesses
    assert "/x/0f.html" in guesses
    assert all(len(path) == len("/x/00.html") for path in guesses)


def test_hexadecimal_keeps_its_capitals() -> None:
    assert siblings("/x/09.html", "/x/0B.html") == ["/x/0A.html"]


def test_dates_know_the_calendar() -> None:
    found = ("/2024/02/28.html", PAGE, MiningRule.DATE)
    assert siblings(found, "/2024/03/01.html", "/2024/02/27.html") == [
        "/2024/02/29.html",
        "/2024/02/26.html",
        "/2024/03/02.html",
    ]


def test_weekly_dates_go_on_weekly() -> None:
    urls = [f"/2024-01-{day:02d}.html" for day in (1, 8, 15, 29)]
    assert siblings(*urls) == ["/2024-01-22.html"]


def test_paging_learns_its_step() -> None:
    found = ("/list?start=40", PAGE, MiningRule.PAGING)
    assert siblings("/list?start=20", found, "/list?start=80") == [
        "/list?start=60",
        "/list?start=0",
        "/list?start=100",
    ]


def test_of_an_unknown_folder_one_page_is_guessed() -> None:
    urls = [f"/pics{n}/page{m}.html" for n in (1, 3) for m in (1, 2)]
    guesses = every_sibling(known(*urls))
    inside = [guess for guess in guesses if guess.path.startswith("/pics2/")]
    assert [(guess.path, guess.rule) for guess in inside] == [
        ("/pics2/page1.html", MiningRule.NUMBERED_FOLDER)
    ]


def test_a_folder_that_exists_is_filled() -> None:
    urls = [f"/pics{n}/page{m}.html" for n in (1, 3) for m in (1, 2)]
    found = ("/pics2/page1.html", PAGE, MiningRule.NUMBERED_FOLDER)
    assert "/pics2/page2.html" in siblings(*urls, found)
    in_vain = ("/pics2/page1.html", NOTHING, MiningRule.NUMBERED_FOLDER)
    assert not [path for path in siblings(*urls, in_vain) if path.startswith("/pics2/")]


def test_the_end_of_one_run_says_something_of_its_family() -> None:
    urls = [f"/album{n}/{m}.html" for n in (1, 5) for m in (1, 2)]
    in_vain = ("/album1/3.html", NOTHING, MiningRule.NUMBER)
    assert "/album1/3.html" in siblings(*urls)
    assert "/album5/3.html" not in siblings(*urls, in_vain)


PIECES = st.sampled_from(["/", "a", "1", "2", "3", "07", "0b", "2021", "-", "01", "?p=", "4"])
SITES = st.lists(
    st.tuples(
        st.lists(PIECES, max_size=7).map(lambda pieces: "/" + "".join(pieces)),
        st.sampled_from(Standing),
        st.sampled_from([0, *MiningRule]),
    ),
    max_size=25,
    unique_by=lambda url: url[0],
)


@given(SITES)
def test_guesses_are_new_and_come_from_pages(urls: list[tuple[str, Standing, int]]) -> None:
    site = [Known(url, page, state, 21, rule) for page, (url, state, rule) in enumerate(urls)]
    guesses = [*guess_folders(site), *every_sibling(site, EVERY_RULE)]
    assert not {guess.path for guess in guesses} & {url.path for url in site}
    assert all(site[guess.source].standing is PAGE for guess in guesses)
    runs = paths(every_sibling(site, EVERY_RULE))
    assert len(set(runs)) == len(runs)
    assert guesses == [*guess_folders(site), *every_sibling(site, EVERY_RULE)]


# -- single examples -------------------------------------------------------------------------


def of_single(*urls: Given) -> list[str]:
    inside, beyond = guess_siblings(known(*urls), frozenset(), also_of_single=True)
    return paths([*inside, *beyond])


def test_the_example_of_the_paper_gives_its_two_neighbours_when_that_is_wanted() -> None:
    assert siblings("/pics1/Page1.html") == []
    assert of_single("/pics1/Page1.html") == ["/pics1/Page2.html", "/pics2/Page1.html"]


def test_the_neighbour_below_a_single_page_is_guessed_first() -> None:
    assert of_single("/part3.html") == ["/part2.html"]
    assert of_single("/list?page=7") == ["/list?page=6"]
    assert of_single("/007.html") == ["/006.html"]


def test_a_great_number_or_a_date_that_stands_alone_is_a_name() -> None:
    assert of_single("/item48213.html", "/2021/03/31.html") == []


def test_a_neighbour_that_is_known_or_was_guessed_in_vain_ends_it() -> None:
    single = MiningRule.SINGLE
    assert of_single("/part1.html", ("/part2.html", NOTHING, single)) == []
    assert of_single("/part1.html", ("/part2.html", OPEN, single)) == []
    assert of_single("/a1/x.html", ("/a2/x.html", NOTHING, single), "/a1/y.html") == []


def test_a_neighbour_that_exists_begins_a_run() -> None:
    guesses = of_single("/part1.html", ("/part2.html", PAGE, MiningRule.SINGLE))
    assert guesses == ["/part3.html"]


def test_runs_come_before_single_pages() -> None:
    guesses = of_single("/a1.html", "/a2.html", "/a4.html", "/z/b1.html")
    assert guesses == ["/a3.html", "/z/b2.html"]
