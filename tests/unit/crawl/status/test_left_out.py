"""Three words for the end, and the time that is left until a limit."""

from __future__ import annotations

import pytest

from lycosa.crawl.status.left_out import (
    AT_LEAST,
    COMPLETE,
    ENDED,
    WITHIN_LIMITS,
    amount_text,
    end_of,
    told,
)
from lycosa.crawl.status.progress import Spent, within_limits
from lycosa.frontier.facts.limits import MOST_TOO_DEEP, AppliedLimits
from lycosa.frontier.urltable import CompactUrlTable
from lycosa.model.job import Job
from lycosa.model.records import Counted


@pytest.mark.parametrize(
    ("reason", "left_out", "word"),
    [
        ("exhausted", {}, COMPLETE),
        ("exhausted", {"depth_static": 3}, WITHIN_LIMITS),
        ("unreachable", {"patience_seconds": 1}, WITHIN_LIMITS),
        ("pages", {}, ENDED),
        ("stopped", {"host_pages": 2}, ENDED),
        ("no seed", {}, ENDED),
    ],
)
def test_the_end_has_one_of_three_words(reason: str, left_out: dict[str, int], word: str) -> None:
    assert end_of(reason, left_out) == word
    assert end_of(reason, left_out, put_off=1) == (word if reason == "unreachable" else ENDED)


def test_each_limit_is_told_with_its_number_and_a_command() -> None:
    job = Job.of(limits={"depth_static": 2, "depth_dynamic": 2, "host_pages": 5})
    left_out = {"depth_static": 1, "depth_dynamic": 2, "host_pages": 1, "largest_body_bytes": 2}
    entries = told({**left_out, "patience_seconds": 4}, job)
    assert [(amount_text(one), one.command, one.rest) for one in entries] == [
        ("3 URLs farther than 2 links from a seed", "resume", ("--depth", "3")),
        ("1 URL of hosts that gave 5 pages", "resume", ("--set", "limits.host_pages=10")),
        (
            "2 pages cut off after 10,000,000 bytes",
            "sql",
            ("select url from pages where truncated",),
        ),
        ("4 URLs of origins that could not be reached", "retry", ()),
    ]


def test_limits_of_depth_that_differ_are_told_apart() -> None:
    entries = told({"depth_static": AT_LEAST, "depth_dynamic": 1}, Job())
    limits = Job().limits
    assert [(amount_text(one), one.rest[-1]) for one in entries] == [
        (
            f"at least 2,000 URLs without a query farther than {limits.depth_static} links from"
            " a seed",
            f"limits.depth_static={limits.depth_static + 1}",
        ),
        (
            f"1 URL with a query farther than {limits.depth_dynamic} links from a seed",
            f"limits.depth_dynamic={limits.depth_dynamic + 1}",
        ),
    ]


def test_a_url_that_became_known_is_not_left_out() -> None:
    limits, table = AppliedLimits(), CompactUrlTable()
    limits.apply_counted(Counted({}, too_deep=["org.a:/1", "org.a:/2?x"]), table)
    assert limits.count_too_deep(table) == (1, 1)
    table.add_many(["org.a:/1"])
    assert limits.count_too_deep(table) == (0, 1)
    assert limits.to_note(["org.a:/1", "org.a:/2?x", "org.a:/3"], table) == (["org.a:/3"], False)


def test_no_more_urls_are_remembered_than_there_is_room_for() -> None:
    limits, table = AppliedLimits(), CompactUrlTable()
    names = [f"org.a:/{n}" for n in range(MOST_TOO_DEEP + 10)]
    noted, has_more = limits.to_note(names, table)
    assert (len(noted), has_more) == (MOST_TOO_DEEP, True)
    limits.apply_counted(Counted({}, too_deep=noted, has_more_too_deep=has_more), table)
    assert limits.to_note(["org.b:/"], table) == ([], True)
    assert limits.count_too_deep(table) == (MOST_TOO_DEEP, 0) == (AT_LEAST, 0)
    table.add_many(noted[:5])  # those that are known make room
    noted, has_more = limits.to_note(["org.b:/"], table)
    limits.apply_counted(Counted({}, too_deep=noted), table)
    assert (noted, has_more) == (["org.b:/"], False)
    assert len(limits.too_deep) == MOST_TOO_DEEP - 5 + 1
    again = AppliedLimits()
    again.unpack(limits.pack())
    assert again.pack() == limits.pack()


SPENT = Spent(pages=90, bytes=9_000, hosts=2, seconds=50.0)


@pytest.mark.parametrize(
    ("limits", "left", "by"),
    [
        ({}, 506.0, ""),
        ({"pages": 100}, (10 / 2 - 1) * 4.0, "pages"),
        ({"pages": 90}, 0.0, "pages"),
        ({"pages": 5_000}, 506.0, ""),
        ({"bytes": 9_600}, (6 / 2 - 1) * 4.0, "bytes"),
        ({"seconds": 60.0}, 10.0, "seconds"),
        ({"seconds": 60.0, "pages": 94}, (4 / 2 - 1) * 4.0, "pages"),
    ],
)
def test_the_time_left_is_the_smaller_of_what_queue_and_limits_allow(
    limits: dict[str, float], left: float, by: str
) -> None:
    politeness = {"delay_seconds": 15.0, "large_site_delay_seconds": 4.0}
    job = Job.of(limits=limits, politeness=politeness)
    assert within_limits(506.0, SPENT, job) == (left, by)
