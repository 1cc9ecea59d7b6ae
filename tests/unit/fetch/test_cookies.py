from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetch.cookies import LONGEST_COOKIE, MOST_COOKIES, Cookies

NOW = 1_700_000_000.0


def after(*values: str, target: str = "/shop/cart?x", site: str = "http://a.test") -> Cookies:
    cookies = Cookies()
    cookies.learn(site, target, [("Set-Cookie", value) for value in values], NOW)
    return cookies


def sent(cookies: Cookies, target: str = "/shop/", scheme: str = "http", later: float = 0) -> str:
    return cookies.header(f"{scheme}://a.test", target, NOW + later)


def test_a_cookie_goes_back_to_its_host_alone() -> None:
    cookies = after("a=1; Domain=test; Path=/")
    assert sent(cookies) == "a=1"
    assert cookies.header("http://b.test", "/", NOW) == ""


def test_a_cookie_belongs_to_its_path() -> None:
    cookies = after("a=1", "b=2; Path=/", "c=3; Path=/shop/cart")
    assert sent(cookies, "/shop/list") == "a=1; b=2"
    assert sent(cookies, "/shopping") == "b=2"
    assert sent(cookies, "/shop/cart?y") == "c=3; a=1; b=2"


def test_a_secure_cookie_goes_over_tls_alone() -> None:
    assert sent(after("a=1; Secure; Path=/")) == ""
    cookies = after("a=1; Secure; Path=/", site="https://a.test")
    assert sent(cookies, scheme="https") == "a=1"


def test_a_cookie_ends_when_it_says() -> None:
    cookies = after("a=1; Max-Age=10", "b=2; Expires=Tue, 14 Nov 2023 22:13:30 GMT", "c=3")
    assert sent(cookies, later=9) == "a=1; b=2; c=3"
    assert sent(cookies, later=11) == "c=3"


@pytest.mark.parametrize("zone", ["", " -0000"])
def test_a_date_without_a_zone_is_in_utc_wherever_we_are(
    monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setenv("TZ", "America/Santiago")
    time.tzset()
    try:
        cookies = after(f"a=1; Expires=Tue, 14 Nov 2023 22:13:30{zone}")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert sent(cookies, later=9) == "a=1"
    assert sent(cookies, later=11) == ""


def test_a_cookie_can_be_changed_and_taken_back() -> None:
    assert sent(after("a=1", "a=2")) == "a=2"
    assert sent(after("a=1", "a=; Max-Age=0")) == ""
    assert sent(after("a=1; Max-Age=-5")) == ""


@pytest.mark.parametrize(
    "value", ["", "noequals", "=x", "a=b\x01", "ä=1", "a=" + "x" * LONGEST_COOKIE]
)
def test_what_is_no_cookie_is_passed_over(value: str) -> None:
    assert sent(after(value)) == ""


def test_a_host_has_room_for_so_many() -> None:
    cookies = after(*(f"c{number}=1" for number in range(MOST_COOKIES + 5)))
    assert sent(cookies).count("=") == MOST_COOKIES
    assert "c0=" not in sent(cookies)


@given(st.text(max_size=200))
def test_no_text_makes_it_raise(value: str) -> None:
    assert "\n" not in sent(after(value))
