from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetch.retry_after import retry_after_seconds

NOV_6_1994 = 784_111_777.0  # 08:49:37, the moment of the examples in RFC 9110


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("-7", 0.0),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60.0),
        ("Sun Nov  6 08:50:37 1994", 60.0),
        ("sun, 6 nov 1994 08:50:37 gmt", 60.0),
        ("Sun, 06 Nov 1994 08:49:60 GMT", 22.0),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0.0),
    ],
)
def test_seconds_and_all_three_forms_of_dates_are_read(value: str, seconds: float) -> None:
    assert retry_after_seconds(value, NOV_6_1994) == seconds


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "soon",
        "1e3",
        "nan",
        "inf",
        "٣",
        "Sun, 31 Feb 1994 08:50:37 GMT",
        "Sun, 06 Nox 1994 08:50:37 GMT",
        "Sun, 06 Nov 1994 25:00:00 GMT",
        "Sun, 06 Nov 0000 08:50:37 GMT",
        "Sun, 06 Nov 1994 08:50:37 PST",
        "9" * 400,
    ],
)
def test_nonsense_counts_as_not_sent(value: str | None) -> None:
    assert retry_after_seconds(value, NOV_6_1994) is None


def test_a_year_of_two_digits_is_never_more_than_fifty_years_ahead() -> None:
    assert retry_after_seconds("Monday, 06-Nov-45 08:49:37 GMT", NOV_6_1994) is None
    ahead = retry_after_seconds("Monday, 06-Nov-44 08:49:37 GMT", NOV_6_1994 + 86_400 * 365 * 30)
    assert ahead is not None and ahead > 0


@given(st.text() | st.from_regex(r"\w+, \d\d \w+ \d{4} \d\d:\d\d:\d\d GMT"))
def test_any_value_gives_seconds_or_nothing(value: str) -> None:
    seconds = retry_after_seconds(value, NOV_6_1994)
    assert seconds is None or seconds >= 0


@pytest.mark.parametrize(
    "value", ["Sun, 06 Nov 1994 08:49:36 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"]
)
def test_a_date_in_the_past_says_nothing(value: str) -> None:
    """One of the two clocks is wrong: the back-off takes the place of the date."""
    assert retry_after_seconds(value, NOV_6_1994) is None
