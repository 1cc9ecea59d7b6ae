from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.cli.amounts import duration_text, parse_seconds, parse_size, size_text


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [
        ("0", 0),
        ("812", 812),
        ("800k", 800_000),
        ("10MB", 10_000_000),
        ("10 mb", 10_000_000),
        ("1.5GiB", 1_610_612_736),
        ("2MB/s", 2_000_000),
        (".5kB", 500),
        ("7 bytes", 7),
        ("0.1GB", 100_000_000),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, size_bytes: int) -> None:
    assert parse_size(text) == size_bytes


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90.0),
        ("30s", 30.0),
        ("2h", 7200.0),
        ("1h30m", 5400.0),
        ("1 h 30 min", 5400.0),
        ("1.5d", 129_600.0),
        ("250ms", 0.25),
        ("1w", 604_800.0),
        ("0.1h", 360.0),
    ],
)
def test_times_are_read_as_people_write_them(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "MB", "-3", "3x", "1,5MB", "5ib", "1e9", "nan", "٣MB"])
def test_what_is_no_size_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="10MB"):
        parse_size(text)


@pytest.mark.parametrize("text", ["", "h", "-3s", "3 x", "1h x", "s30", "inf", "1:30"])
def test_what_is_no_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="1h30m"):
        parse_seconds(text)


@given(
    st.integers(0, 10**6),
    st.sampled_from([("", 1), ("k", 10**3), ("MB", 10**6), ("GiB", 2**30), ("tib", 2**40)]),
)
def test_a_unit_multiplies(number: int, unit: tuple[str, int]) -> None:
    assert parse_size(f"{number}{unit[0]}") == number * unit[1]


@given(st.integers(0, 10**17))
def test_a_written_size_is_read_back_to_its_rounding(size_bytes: int) -> None:
    assert parse_size(size_text(size_bytes)) == pytest.approx(size_bytes, rel=0.051)


@given(st.floats(0, 1e9))
def test_a_written_time_is_read_back_to_its_rounding(seconds: float) -> None:
    assert parse_seconds(duration_text(seconds)) == pytest.approx(seconds, rel=0.051, abs=0.051)


@given(st.integers(0, 500), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_the_pieces_of_a_time_add_up(days: int, hours: int, minutes: int, seconds: int) -> None:
    text = f"{days}d{hours}h{minutes}m{seconds}s"
    assert parse_seconds(text) == ((days * 24 + hours) * 60 + minutes) * 60 + seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.5, "0.5 s"),
        (59.7, "1 min"),
        (250, "4 min 10 s"),
        (11_400, "3 h 10 min"),
        (7199.9, "2 h"),
        (187_200, "2 days 4 h"),
    ],
)
def test_times_are_written_in_at_most_two_units(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
