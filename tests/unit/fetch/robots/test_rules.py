from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import is_linear
from lycosa.errors import FormatError
from lycosa.fetch.robots.patterns import Pattern, spell, spell_path
from lycosa.fetch.robots.rules import Rules, compile_robots


def rules_of(text: str, agent: str = "lycosa") -> Rules:
    return compile_robots(text.encode(), agent)


def is_allowed(lines: str, path: str) -> bool:
    return rules_of("User-agent: *\n" + lines).is_allowed(path)


def test_an_empty_file_allows_everything() -> None:
    assert compile_robots(b"", "lycosa").is_allowed("/")


def test_the_longest_pattern_wins_and_allow_wins_ties() -> None:
    assert is_allowed("Disallow: /\nAllow: /a", "/a/b")
    assert not is_allowed("Allow: /a\nDisallow: /a/b", "/a/b")
    assert is_allowed("Disallow: /a\nAllow: /a", "/a")


def test_the_group_that_names_us_replaces_the_group_for_everybody() -> None:
    text = "User-agent: *\nDisallow: /\nCrawl-delay: 9\nUser-agent: LYCOSA/2.0\nDisallow: /x"
    assert rules_of(text).is_allowed("/y")
    assert not rules_of(text).is_allowed("/x")
    assert rules_of(text).crawl_delay_seconds == 0
    assert not rules_of(text, "other").is_allowed("/y")


def test_an_empty_group_that_names_us_allows_everything() -> None:
    text = "User-agent: lycosa\nDisallow:\n\nUser-agent: *\nDisallow: /"
    assert rules_of(text).is_allowed("/")


def test_groups_that_name_us_are_merged() -> None:
    text = (
        "User-agent: lycosa\nDisallow: /a\nCrawl-delay: 2\n"
        "User-agent: other\nDisallow: /b\n"
        "User-agent: lycosa\nDisallow: /c\nCrawl-delay: 7.5\n"
    )
    rules = rules_of(text)
    assert [rules.is_allowed(path) for path in ("/a", "/b", "/c")] == [False, True, False]
    assert rules.crawl_delay_seconds == 7.5


def test_a_name_that_only_begins_like_ours_is_not_ours() -> None:
    text = "User-agent: lycosa-images\nDisallow: /"
    assert rules_of(text).is_allowed("/")
    assert rules_of("User-agent: lyco\nDisallow: /").is_allowed("/")


def test_rules_before_any_agent_bind_nobody() -> None:
    assert rules_of("Disallow: /\nUser-agent: *\nDisallow: /x").is_allowed("/")


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\n\n\r\r"])
def test_all_line_ends_and_a_byte_order_mark_are_understood(end: str) -> None:
    body = "\ufeff" + end.join(["User-agent: *", "# note", "Disallow: /a # why", "Disallow: /b"])
    rules = rules_of(body)
    assert [rules.is_allowed(path) for path in ("/a", "/b", "/c")] == [False, False, True]


@pytest.mark.parametrize(
    "line",
    [
        "disallow: /a",
        "DISALLOW : /a",
        "Disallow /a",
        "dissallow: /a",
        "dissalow:/a",
        "disalow: /a",
        "diasllow: /a",
        "disallaw: /a",
    ],
)
def test_common_misspellings_still_forbid(line: str) -> None:
    assert not is_allowed(line, "/a")


@pytest.mark.parametrize(
    "line", ["useragent: *", "user agent: *", "User-Agent *", "User-agent: * x"]
)
def test_common_misspellings_of_the_agent_line_are_understood(line: str) -> None:
    assert not rules_of(line + "\nDisallow: /a").is_allowed("/a")


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("5", 5.0),
        ("0.5", 0.5),
        (".5 # half", 0.5),
        ("-1", 0.0),
        ("nan", 0.0),
        ("inf", 0.0),
        ("1e3", 0.0),
        ("5 s", 0.0),
        ("", 0.0),
        ("9" * 400, 0.0),
    ],
)
def test_a_crawl_delay_is_a_plain_number_of_seconds(value: str, seconds: float) -> None:
    assert rules_of(f"User-agent: *\nCrawl-delay: {value}").crawl_delay_seconds == seconds


def test_a_crawl_delay_does_not_end_the_head_of_a_group() -> None:
    text = "User-agent: lycosa\nCrawl-delay: 5\nUser-agent: other\nDisallow: /"
    assert not rules_of(text).is_allowed("/")
    assert rules_of(text).crawl_delay_seconds == 5


def test_sitemaps_are_for_everybody_and_each_is_named_once() -> None:
    text = (
        "Sitemap: https://a/1.xml\nUser-agent: other\nsite-map: https://a/2\nSitemap: https://a/2"
    )
    assert rules_of(text).sitemaps == ("https://a/1.xml", "https://a/2")


def test_the_robots_file_itself_is_always_allowed() -> None:
    assert is_allowed("Disallow: /", "/robots.txt")
    assert not is_allowed("Disallow: /", "/robots.txt.bak")
    assert not is_allowed("Disallow: /", "")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/~joe/", "/%7ejoe/"),
        ("/a b", "/a%20b"),
        ("/star-%2A.html", "/star-*.html"),
        ("/dollar-%24", "/dollar-$"),
        ("/$price", "/$price/1"),
    ],
)
def test_both_spellings_of_one_path_are_one_path(pattern: str, path: str) -> None:
    assert not is_allowed(f"Disallow: {pattern}", path)


def test_an_escaped_slash_is_not_a_slash() -> None:
    assert is_allowed("Disallow: /a/b", "/a%2Fb")


def test_the_deciding_rule_can_be_shown() -> None:
    rules = rules_of("User-agent: *\nDisallow: /a*c$\nAllow: /a")
    assert rules.deciding_rule("/abc") == (False, "/a*c$")
    assert rules.deciding_rule("/abcd") == (True, "/a")
    assert rules.deciding_rule("/b") is None


def test_a_file_that_is_too_long_is_cut_after_its_last_whole_line() -> None:
    body = b"User-agent: *\nDisallow: /aaa\nDisallow: /bbb"
    rules = compile_robots(body, "lycosa", largest_bytes=body.index(b"bbb"))
    assert not rules.is_allowed("/aaa")
    assert rules.is_allowed("/other")
    assert compile_robots(b"User-agent: *", "lycosa", largest_bytes=5) == Rules()


def test_hostile_patterns_cost_no_more_than_a_walk() -> None:
    def ask(size: int) -> None:
        rules = rules_of("User-agent: *\nDisallow: /" + "a*" * (size // 2) + "b$")
        assert rules.is_allowed("/" + "a" * size)

    assert is_linear(ask, 10_000)


def test_rules_that_say_nothing_take_no_room() -> None:
    assert Rules().to_bytes() == b""
    assert Rules.from_bytes(b"") == Rules()
    assert rules_of("User-agent: *\nDisallow:\n").to_bytes() == b""


def test_many_rules_are_stored_compressed() -> None:
    rules = rules_of("User-agent: *\n" + "".join(f"Disallow: /folder/{n}\n" for n in range(1000)))
    assert len(rules.to_bytes()) < 6000
    assert Rules.from_bytes(rules.to_bytes()) == rules


@pytest.mark.parametrize("stored", [b"?", b"+/a\n", b"=x", b"z123", b"\xff"])
def test_stored_bytes_that_are_no_rules_are_a_format_error(stored: bytes) -> None:
    with pytest.raises(FormatError):
        Rules.from_bytes(stored)


def matches_plainly(pattern: str, path: str) -> bool:
    """The same by a regular expression: short, and slow on bad days."""
    is_anchored = pattern.endswith("$")
    body = pattern[:-1] if is_anchored else pattern
    expression = ".*".join(re.escape(piece) for piece in body.split("*"))
    return re.match(expression + (r"\Z" if is_anchored else ""), path, re.DOTALL) is not None


patterns = st.text("ab*$", min_size=1, max_size=8).map(lambda text: "/" + text)
paths = st.text("ab$*", max_size=8).map(lambda text: "/" + text)


@given(patterns, paths)
def test_a_pattern_matches_what_its_regular_expression_matches(pattern: str, path: str) -> None:
    assert Pattern(pattern).matches(spell_path(path)) == matches_plainly(pattern, path)


@given(st.lists(st.tuples(st.booleans(), patterns), max_size=6), paths)
def test_the_first_of_the_ranked_rules_that_match_decides(
    lines: list[tuple[bool, str]], path: str
) -> None:
    text = "".join(f"{'Allow' if allows else 'Disallow'}: {pattern}\n" for allows, pattern in lines)
    matching = [(len(p), allows) for allows, p in lines if matches_plainly(p, path)]
    rules = rules_of("User-agent: *\n" + text)
    assert rules.is_allowed(path) == max(matching, default=(0, True))[1]
    again = Rules.from_bytes(rules.to_bytes())
    assert again.is_allowed(path) == rules.is_allowed(path)
    assert again == rules


words = (
    b"user-agent: lycosa * allow: disallow: crawl-delay: sitemap: index.html / % %4 # $ 9".split()
)
robots_lines = st.sampled_from([*words, b"\n", b"\r", b" ", b"\x00", b"\xff", b"\xef\xbb\xbf"])


@given(st.binary() | st.lists(robots_lines).map(b"".join), st.text())
def test_any_bytes_are_a_robots_file_and_any_text_is_a_path(body: bytes, path: str) -> None:
    rules = compile_robots(body, "lycosa")
    again = Rules.from_bytes(rules.to_bytes())
    assert again == rules
    assert again.is_allowed(path) == rules.is_allowed(path)
    decided = rules.deciding_rule(path)
    assert rules.is_allowed(path) == (decided is None or decided[0])


@given(st.binary() | st.text("/?%234AaF").map(str.encode))
def test_spelling_twice_changes_nothing_more(octets: bytes) -> None:
    once = spell(octets)
    assert spell(once.encode()) == once


def test_what_forbids_is_compared_by_sense_and_what_allows_by_the_letter() -> None:
    rules = compile_robots(b"User-agent: *\nDisallow: /%7ejoe/\n", "lycosa")
    assert not rules.is_allowed("/~joe/x")
    rules = compile_robots(b"User-agent: *\nDisallow: /\nAllow: /%7ejoe/\n", "lycosa")
    assert not rules.is_allowed("/~joe/x")
    assert rules.is_allowed("/%7Ejoe/x")
