"""URLs that software makes without end have one shape, and their neighbours have another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.frontier.facts.traps import first_folder
from lycosa.frontier.patterns.shapes import Compared, may_be_endless, shape_of
from lycosa.model.records import Outcome

CALENDAR, SESSION = Outcome.TRAP_CALENDAR, Outcome.TRAP_SESSION
REPETITION, NOTHING = Outcome.TRAP_PATH_REPETITION, Outcome.TRAP_NOTHING_NEW


@pytest.mark.parametrize(
    ("path", "text", "trap"),
    [
        ("/", "/", NOTHING),
        ("/about.html", "/*.html", NOTHING),
        ("/calendar/2024-01", "/calendar/<date>", CALENDAR),
        ("/calendar/0017-12", "/calendar/<date>", CALENDAR),
        ("/news/2024/03/31.html", "/news/<date>.html", CALENDAR),
        ("/news/2024/3/", "/news/<date>/", CALENDAR),
        ("/20240331/x.html", "/<date>/*.html", CALENDAR),
        ("/events?month=3&year=2024", "/*?month&year", CALENDAR),
        ("/events?from=2024-03-01", "/*?from", CALENDAR),
        ("/shop/17?sid=6f0c", "/shop/0?sid", SESSION),
        ("/shop/17?SID=6f0c", "/shop/0?sid", SESSION),
        ("/list.jsp;jsessionid=0A1", "/*.jsp", SESSION),
        ("/(S(lit3py55t21z5v55vlm25s55))/orders/", "/0/*/", SESSION),
        ("/item?token=5f2b8c9d0e1f2a3b4c5d", "/*?token", SESSION),
        ("/a/b/a/b/a/b/", "/a/b", REPETITION),
        ("/b/a/a/b/a/", "/a/b", REPETITION),
        ("/1/2/1/2/1/2/", "/0/0/", NOTHING),
        ("/blog/my-first-post/", "/blog/*/", NOTHING),
        ("/item/lamp-7.html", "/item/0.html", NOTHING),
        ("/list?page=3", "/*?page", NOTHING),
        ("/list?b=3&a=1", "/*?a&b", NOTHING),
        ("/v1.2/manual/index.html", "/0/manual/*.html", NOTHING),
    ],
)
def test_the_shape_of_a_path(path: str, text: str, trap: Outcome) -> None:
    shape = shape_of(path)
    assert (shape.text, shape.trap) == (text, trap)


def test_only_what_looks_made_by_a_machine_is_compared_loosely() -> None:
    assert shape_of("/item/7.html").compared is Compared.EXACTLY
    assert shape_of("/item?id=7&page=2").compared is Compared.EXACTLY
    assert shape_of("/2024/01/").compared is Compared.WITHOUT_DIGITS
    for path in ("/x?sid=1", "/a/a/a/", "/list?colour=red&size=7&sort=up"):
        assert shape_of(path).compared is Compared.NEARLY


PIECES = ["a", "b", "1", "-", "/", "/", "?", "=", "&", ";", ".", "2024", "sid", "month", "(s("]


@given(st.lists(st.sampled_from([*PIECES, "0123456789abcdef"]), max_size=30).map("".join))
def test_every_path_has_a_shape_and_what_is_loose_is_seen_at_once(rest: str) -> None:
    path = f"/{rest}"
    shape = shape_of(path)
    assert shape.text.startswith("/")
    if shape.compared is not Compared.EXACTLY:
        assert may_be_endless(path)


def test_a_folder_is_the_first_one_of_a_path() -> None:
    assert first_folder("/rooms/a/b/") == "/rooms/**"
    assert first_folder("/rooms/") == "/rooms/**"
    assert first_folder("/rooms?x=/a/") == ""
    assert first_folder("/") == ""
