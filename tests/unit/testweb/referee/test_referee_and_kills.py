"""What a client that was killed is forgiven, and what not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lycosa.model.records import Purpose
from lycosa_testweb import BreachKind, Reply, Robots
from unit.testweb.referee.court import STRICT, A, Court

WAIT = Reply(429, (("Retry-After", "60"),))


@pytest.fixture
def court() -> Court:
    court = Court()
    court.robots()
    return court


def kill(court: Court, at: float) -> None:
    court.referee.killed(1000.0 + at)


def test_requests_under_way_end_at_the_kill_and_may_be_repeated(court: Court) -> None:
    court.begin(A, 2.0)
    kill(court, 3.0)
    court.ask(A, 4.0)
    assert court.breaches == []
    assert court.referee.in_flight == 0


def test_the_pause_runs_from_the_kill(court: Court) -> None:
    court.begin(A, 2.0)
    kill(court, 3.0)
    court.ask(A, 3.5)
    assert court.breaches == [BreachKind.HOST_PAUSE]


def test_what_ended_shortly_before_may_be_repeated_once(court: Court) -> None:
    court.ask(A, 2.0)
    kill(court, 2.5)
    court.ask(A, 5.0)
    assert court.breaches == []
    assert court.referee.forgiven == {BreachKind.ASKED_TWICE: 1}
    court.ask(A, 7.0)
    assert court.breaches == [BreachKind.ASKED_TWICE]


def test_a_kill_costs_a_host_with_a_pause_its_last_request_and_no_other(court: Court) -> None:
    court.ask(A, 2.0)
    court.ask(f"{A}x", 3.2)
    court.referee.rules = replace(court.referee.rules, forget_window_seconds=60.0)
    kill(court, 3.5)
    court.ask(f"{A}x", 5.0)
    assert court.breaches == []
    court.ask(A, 7.0)
    assert court.breaches == [BreachKind.ASKED_TWICE]


def test_a_kill_may_cost_a_host_without_a_pause_several_requests(court: Court) -> None:
    court.referee.rules = replace(
        court.referee.rules, forget_window_seconds=60.0, one_lost_pause_seconds=2.0
    )
    court.ask(A, 2.0)
    court.ask(f"{A}x", 3.2)
    kill(court, 3.5)
    court.ask(f"{A}x", 5.0)
    court.ask(A, 7.0)
    assert court.breaches == []


def test_what_ended_long_before_may_not_be_repeated(court: Court) -> None:
    court.ask(A, 2.0)
    kill(court, 3.2)
    court.ask(A, 5.0)
    assert court.breaches == [BreachKind.ASKED_TWICE]


def test_nothing_is_forgiven_that_was_not_made_use_of(court: Court) -> None:
    court.ask(A, 2.0)
    kill(court, 2.5)
    court.ask(f"{A}x", 5.0)
    assert not court.referee.forgiven


def test_a_retry_after_told_last_may_be_forgotten_once(court: Court) -> None:
    court.ask(A, 2.0, WAIT)
    kill(court, 2.5)
    court.ask(A, 5.0, WAIT)
    assert court.breaches == []
    assert court.referee.forgiven[BreachKind.RETRY_AFTER] == 1
    court.ask(A, 8.0)
    assert court.breaches == [BreachKind.RETRY_AFTER]


def test_a_retry_after_told_long_before_binds(court: Court) -> None:
    court.ask(A, 2.0, WAIT)
    kill(court, 4.0)
    court.ask(A, 6.0)
    assert court.breaches == [BreachKind.RETRY_AFTER]


def test_a_retry_after_told_by_an_earlier_request_binds(court: Court) -> None:
    court.ask(A, 2.0, WAIT)
    court.ask(f"{A}x", 2.3)
    kill(court, 2.5)
    before = len(court.breaches)
    court.ask(A, 6.0)
    assert court.breaches[before:] == [BreachKind.RETRY_AFTER]


def test_pauses_and_overlaps_are_judged_all_the_same(court: Court) -> None:
    court.ask(A, 2.0)
    kill(court, 2.2)
    court.ask(A, 2.9)
    assert court.breaches == [BreachKind.HOST_PAUSE]


def test_a_robots_file_told_last_may_be_asked_again_without_its_crawl_delay() -> None:
    court = Court({"a.test": STRICT})
    court.robots()
    kill(court, 0.5)
    court.robots(at=2.0)
    assert court.breaches == []
    assert court.referee.forgiven == {BreachKind.CRAWL_DELAY: 1, BreachKind.ROBOTS_ASKED_TWICE: 1}
    court.ask(A, 4.0)
    assert court.breaches == [BreachKind.CRAWL_DELAY]


def test_a_client_that_asks_for_a_page_remembers_the_crawl_delay() -> None:
    court = Court({"a.test": STRICT})
    court.robots()
    kill(court, 0.5)
    court.ask(A, 2.0)
    assert court.breaches == [BreachKind.CRAWL_DELAY]


def test_a_failing_robots_file_may_be_forgotten_if_an_older_one_is_still_good() -> None:
    for forgets in (True, False):
        court = Court()
        court.robots()
        court.robots(at=86_400.5, reply=Reply(500))
        kill(court, 86_401.0 if forgets else 86_403.0)
        court.ask(A, 86_404.0)
        assert court.breaches == ([] if forgets else [BreachKind.ROBOTS_UNREACHABLE])


def test_a_kill_amid_robots_redirects_begins_them_again() -> None:
    court = Court({"a.test": Robots(hops=2)})
    court.robots()
    court.begin(f"{A}robots-of/a.test/1.txt", 2.0, Purpose.ROBOTS)
    kill(court, 5.0)
    court.robots(at=7.0)
    assert court.breaches == []


def test_the_death_of_one_client_forgives_what_it_asked_and_nothing_else(court: Court) -> None:
    court.ask(A, 2.0, client="10.77.2.1")
    court.referee.partly_killed(1002.5, "10.77.2.2")
    court.ask(A, 5.0, client="10.77.2.2")
    assert court.breaches == [BreachKind.ASKED_TWICE]
    court.referee.partly_killed(1005.5, "10.77.2.2")
    court.ask(A, 7.0, client="10.77.2.1")
    assert court.breaches == [BreachKind.ASKED_TWICE]
