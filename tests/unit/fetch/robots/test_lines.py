"""The reader that keeps the lines decides as the one that forgets them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lycosa.fetch.robots.lines import ExplainedRobots, explain_robots
from lycosa.fetch.robots.rules import compile_robots

KEYS = st.sampled_from(
    ["User-agent", "useragent", "Allow", "Disallow", "disalow", "Sitemap", "Crawl-delay", "Host"]
)
PATTERNS = st.text(alphabet="/ab*$?=%2fx.ind", max_size=8) | st.just("/index.html")
VALUES = st.one_of(
    st.sampled_from(["*", "lycosa", "Lycosa/2.0", "other", "lycosa-x", "", "7", "* # all"]),
    PATTERNS,
)
LINES = st.builds("{}{}{}".format, KEYS, st.sampled_from([": ", ":", " ", " : "]), VALUES)
FILES = st.builds(
    lambda lines, end: end.join(lines).encode(),
    st.lists(LINES | st.sampled_from(["", "# note", "\ufeff", "nonsense"]), max_size=14),
    st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
)
PATHS = st.builds("/{}".format, st.text(alphabet="/ab*$?=%2fx.ind", max_size=8)) | st.sampled_from(
    ["/robots.txt", "/", "/index.html", ""]
)


def explained(*lines: str) -> ExplainedRobots:
    return explain_robots("\n".join(lines).encode(), "lycosa")


def said_of(*lines: str) -> dict[int, str]:
    return {remark.line.number: remark.why for remark in explained(*lines).remarks}


@settings(deadline=None)
@given(FILES | st.binary(max_size=80), st.sampled_from(["lycosa", "other", ""]), PATHS)
@example(b"User-agent: *\nAllow: /a/index.html\nDisallow: /", "lycosa", "/a/")
def test_both_readers_decide_alike(body: bytes, agent: str, path: str) -> None:
    rules, found = compile_robots(body, agent), explain_robots(body, agent)
    decision = found.decide(path)
    assert decision.is_allowed == rules.is_allowed(path)
    assert (found.rules, found.rules.sitemaps) == (rules, rules.sitemaps)
    assert decision.is_allowed or decision.line is not None


@settings(deadline=None)
@given(FILES, PATHS)
def test_the_deciding_line_alone_decides_the_same(body: bytes, path: str) -> None:
    decision = explain_robots(body, "lycosa").decide(path)
    if decision.line is not None:
        alone = b"User-agent: *\n" + decision.line.raw
        assert compile_robots(alone, "lycosa").is_allowed(path) == decision.is_allowed


@settings(deadline=None)
@given(FILES)
def test_lines_are_numbered_as_an_editor_numbers_them(body: bytes) -> None:
    text = body.removeprefix(b"\xef\xbb\xbf")
    lines = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    found = explain_robots(body, "lycosa")
    for line in (*found.group, *(remark.line for remark in found.remarks)):
        assert lines[line.number - 1].strip() == line.raw


def test_the_longest_pattern_is_named_with_its_line() -> None:
    found = explained("User-agent: *", "", "Disallow: /a", "Allow: /a/b # but this")
    decision = found.decide("/a/b/c")
    assert decision.line is not None
    assert (decision.is_allowed, decision.line) == (True, (4, b"Allow: /a/b # but this"))
    assert found.decide("/x") == (True, None, "no line of the group matches")


def test_the_groups_that_name_us_are_told_from_those_for_everybody() -> None:
    lines = ["User-agent: *", "Disallow: /", "User-agent: lycosa", "Disallow: /x"]
    assert [line.number for line in explained(*lines).group] == [3]
    assert explained(*lines).is_named
    assert [line.number for line in explained(*lines[:2]).group] == [1]
    assert not explained(*lines[:2]).is_named
    nobody = explained("User-agent: other", "Disallow: /")
    assert nobody.decide("/") == (True, None, "no group is for lycosa")


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("Noindex: /x", "not a key of RFC 9309"),
        ("Disalloww: /x", "did you mean `disallow`?"),
        ("Flavour: sweet", "there is no key `flavour`"),
        ("<!doctype html>", "it is HTML"),
        ("a few words", "has no colon"),
        ("Allow: x", "begins with `/` or `*`"),
        ("Allow:", "it is empty and allows nothing"),
        ("Crawl-delay: soon", "not a number of seconds"),
        ("User-agent: 007", "it names no robot"),
    ],
)
def test_a_line_that_is_ignored_is_told_with_the_reason(line: str, part: str) -> None:
    (remark,) = explained("User-agent: *", line).remarks
    assert remark.is_ignored
    assert remark.line == (2, line.encode())
    assert part in remark.why


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("Dissallow: /x", "read as `Disallow`"),
        ("Disallow /x", "its colon is missing"),
        ("Disallow:", "it is empty and forbids nothing"),
        ("User-agent: Lycosa/2.0", "read as `Lycosa`"),
        ("Sitemap: /map.xml", "needs a full URL"),
        ("Disallow: /" + "x" * 20_000, "only its first 16,664 bytes"),
    ],
)
def test_a_line_that_is_read_all_the_same_gets_a_note(line: str, part: str) -> None:
    (remark,) = explained("User-agent: *", line).remarks
    assert not remark.is_ignored
    assert part in remark.why


def test_what_stands_before_any_agent_or_twice_is_told() -> None:
    said = said_of("Disallow: /a", "User-agent: *", "Disallow: /b", "Disallow: /b")
    assert said == {
        1: "it stands before the first User-agent line, so it has no effect",
        4: "it repeats line 3",
    }


@pytest.mark.parametrize("between", ["Crawl-delay: 5", "", "Sitemap: http://a.test/s", "Host: x"])
def test_groups_that_are_joined_against_their_looks_are_told(between: str) -> None:
    said = said_of("User-agent: *", between, "User-agent: other", "Disallow: /")
    assert said[3] == (
        "it joins the group of line 1, whose list of robots only Allow and Disallow end: the rules"
        " below are for all of them"
    )
    assert 3 not in said_of("User-agent: *", "# both", "User-agent: other", "Disallow: /")
    assert 4 not in said_of("User-agent: *", "Allow: /", between, "User-agent: other", "Allow: /x")


def test_comments_blank_lines_and_good_lines_get_no_remark() -> None:
    assert said_of("# hello", "", "User-agent: *", "Crawl-delay: 2", "Disallow: /x # y") == {}


def test_a_file_that_is_too_large_is_told_where_reading_ends() -> None:
    body = b"User-agent: *\nDisallow: /a\nDisallow: /b\n"
    found = explain_robots(body, "lycosa", 30)
    assert [(remark.line.number, remark.why) for remark in found.remarks] == [
        (3, "the file is longer than 30 bytes; the rest is not read")
    ]
    assert found.decide("/b").is_allowed
