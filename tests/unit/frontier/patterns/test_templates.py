"""Numbers and dates in paths."""

from __future__ import annotations

import time

from hypothesis import example, given
from hypothesis import strategies as st

from lycosa.frontier.patterns.templates import MOST_SPOTS, Template, spots_of
from lycosa.model.records import MiningRule

PIECES = st.sampled_from(
    [
        "page",
        "7",
        "007",
        "2021",
        "03",
        "31",
        "-",
        "_",
        ".",
        "/",
        "0a",
        "1F",
        "abc",
        "?",
        "page=",
        "&",
    ]
)
PATHS = st.lists(PIECES, max_size=12).map(lambda pieces: "/" + "".join(pieces))


def found(path: str) -> list[tuple[MiningRule, str, int, str]]:
    return [(s.rule, s.template.before, s.value, s.template.after) for s in spots_of(path)]


def test_a_name_and_a_folder_can_count() -> None:
    assert found("/pics1/page7.html") == [
        (MiningRule.NUMBER, "/pics1/page", 7, ".html"),
        (MiningRule.NUMBERED_FOLDER, "/pics", 1, "/page7.html"),
    ]


def test_leading_zeros_are_a_way_of_their_own() -> None:
    spot = next(spot for spot in spots_of("/scans/007.png") if spot.rule is MiningRule.PADDED)
    assert spot.template.path(8) == "/scans/008.png"
    assert spot.template.holds(999)
    assert not spot.template.holds(1000)


def test_a_day_and_a_month_are_dates_and_no_numbers() -> None:
    (day,) = spots_of("/news/2021/03/31.html")
    assert day.rule is MiningRule.DATE
    assert day.template.path(day.value + 1) == "/news/2021/04/01.html"
    (month,) = spots_of("/news/2021-12/")
    assert month.template.path(month.value + 1) == "/news/2022-01/"
    (written_together,) = spots_of("/log-20240229.txt")
    assert written_together.template.path(written_together.value + 1) == "/log-20240301.txt"


def test_what_is_no_date_is_a_number() -> None:
    assert {spot.rule for spot in spots_of("/a/20211331.html")} == {
        MiningRule.NUMBER,
        MiningRule.HEXADECIMAL,
    }


def test_hexadecimal_stands_in_names_only() -> None:
    (spot,) = spots_of("/1f/2e.html")
    assert (spot.rule, spot.value, spot.is_telling) == (MiningRule.HEXADECIMAL, 0x2E, True)
    assert spot.template.path(0x2F) == "/1f/2f.html"


def test_only_parameters_count_in_a_query() -> None:
    assert found("/list7?sort=up&page=3&size=20") == [
        (MiningRule.PAGING, "/list7?sort=up&page=3&size=", 20, ""),
        (MiningRule.PAGING, "/list7?sort=up&page=", 3, "&size=20"),
    ]


def test_long_numbers_count_nothing() -> None:
    assert spots_of("/item-1700000000.html") == []


@given(PATHS)
@example("/2020/02/30/")
def test_a_template_writes_its_own_value_as_it_was(path: str) -> None:
    spots = spots_of(path)
    assert len(spots) <= MOST_SPOTS
    for spot in spots:
        assert spot.template.path(spot.value) == path
        assert spot.template.holds(spot.value)


def test_a_year_that_is_none_is_not_written() -> None:
    template = Template("/", ".html", "m-", 0)
    assert not template.holds(2100 * 12)
    assert template.path(2021 * 12) == "/2021-01.html"


def test_no_path_takes_long() -> None:
    began = time.process_time()
    assert list(spots_of("/" + "g" * 100_000)) == []
    assert time.process_time() - began < 30
