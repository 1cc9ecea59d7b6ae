"""Keys that RFC 9309 does not have: how often and when a site may be asked."""

from __future__ import annotations

import pytest

from lycosa.fetch.robots.lines import explain_robots
from lycosa.fetch.robots.rules import Rules, compile_robots, seconds_until_open

HOUR = 3600.0


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        ("Request-rate: 1/5", 5.0),
        ("Request-rate: 2 / 1m", 30.0),
        ("request-rate: 1/2H", 7200.0),
        ("Request-rate: 1/10m 1300-1659", 600.0),
        ("Request-rate: 30/1m\nCrawl-delay: 9", 9.0),
        ("Request-rate: 1/30\nCrawl-delay: 9", 30.0),
        ("Request-rate: 0/5", 0.0),
        ("Request-rate: often", 0.0),
    ],
)
def test_a_request_rate_is_a_delay_and_the_longest_counts(line: str, seconds: float) -> None:
    rules = compile_robots(f"User-agent: *\n{line}\nDisallow: /x".encode(), "lycosa")
    assert rules.crawl_delay_seconds == seconds
    assert not rules.is_allowed("/x")


@pytest.mark.parametrize(
    ("value", "hours"),
    [
        ("0600-0845", ((360, 525),)),
        ("6:00 - 08:45", ((360, 525),)),
        ("2200-0200", ((1320, 120),)),
        ("0000-2400", ()),
        ("0000-0000", ()),
        ("2500-2600", ()),
        ("0670-0845", ()),
        ("at night", ()),
    ],
)
def test_a_visit_time_is_kept_with_the_rules(
    value: str, hours: tuple[tuple[int, int], ...]
) -> None:
    rules = compile_robots(f"User-agent: *\nVisit-time: {value}".encode(), "lycosa")
    assert rules.visit_hours == hours
    assert Rules.from_bytes(rules.to_bytes()) == rules


def test_times_of_other_robots_and_rules_of_before_say_nothing() -> None:
    body = b"User-agent: other\nVisit-time: 0600-0845\nUser-agent: lycosa\nAllow: /"
    assert compile_robots(body, "lycosa").visit_hours == ()
    assert Rules.from_bytes(b"-/x\n=4.0").visit_hours == ()


def test_a_site_is_open_in_any_of_its_times() -> None:
    hours = ((6 * 60, 8 * 60), (22 * 60, 2 * 60))
    assert seconds_until_open((), 0.0) == 0.0
    for moment, wait in ((0, 0), (1.99, 0), (2, 4), (5, 1), (6, 0), (8, 14), (22, 0), (24 + 3, 3)):
        assert seconds_until_open(hours, moment * HOUR) == pytest.approx(wait * HOUR)


def test_the_explanation_knows_the_keys_and_their_mistakes() -> None:
    body = b"User-agent: *\nRequest-rate: 1/5\nVisit-time: 0600-0845\nVisit-time: noon\n"
    found = explain_robots(body, "lycosa")
    assert [remark.line.number for remark in found.remarks] == [4]
    assert "0600-0845" in found.remarks[0].why
