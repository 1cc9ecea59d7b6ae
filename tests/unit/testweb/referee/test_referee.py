"""Each rule of the referee, broken and kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lycosa.model.records import Outcome, Purpose
from lycosa_testweb import BreachKind, RefereeRules, Reply
from unit.testweb.referee.court import SHARED, STRICT, A, B, Court


def test_an_orderly_crawl_is_clean() -> None:
    court = Court()
    court.robots()
    court.ask(A, 1.1)
    court.ask(f"{A}x", 2.2)
    assert court.breaches == []
    assert court.referee.verdict == "clean"


def test_two_requests_at_once_on_one_host_are_a_breach_whatever_their_ports() -> None:
    court = Court(rules=RefereeRules(delay_seconds=0.0, ip_delay_seconds=0.0))
    court.robots()
    court.robots("http://a.test:8080/", 0.5)
    court.begin(A, 1.1)
    court.begin("http://a.test:8080/", 1.15)
    assert court.breaches == [BreachKind.ADDRESS_OVERLAP, BreachKind.HOST_OVERLAP]


def test_two_hosts_with_their_own_addresses_may_be_asked_at_once() -> None:
    court = Court()
    court.begin(f"{A}robots.txt", 0.0)
    court.begin(f"{B}robots.txt", 0.05)
    assert court.breaches == []


def test_two_names_of_one_address_may_not_be_asked_at_once() -> None:
    court = Court(addresses=SHARED)
    court.begin(f"{A}robots.txt", 0.0)
    court.begin(f"{B}robots.txt", 0.05)
    assert court.breaches == [BreachKind.ADDRESS_OVERLAP]


@pytest.mark.parametrize(("at", "breaches"), [(0.55, [BreachKind.ADDRESS_GAP]), (0.6, [])])
def test_an_address_has_its_own_gap(at: float, breaches: list[BreachKind]) -> None:
    court = Court(addresses=SHARED)
    court.robots(A)
    court.robots(B, at)
    assert court.breaches == breaches


@pytest.mark.parametrize(("at", "breaches"), [(1.05, [BreachKind.HOST_PAUSE]), (1.1, [])])
def test_the_pause_runs_from_the_end_of_the_answer(at: float, breaches: list[BreachKind]) -> None:
    court = Court()
    court.robots()
    court.ask(A, at)
    assert court.breaches == breaches


def test_the_pause_may_depend_on_the_pages_so_far() -> None:
    rules = RefereeRules(delay_seconds=lambda host, pages: 3.0 if pages >= 1 else 1.0)
    court = Court(rules=rules)
    court.robots()
    court.ask(A, 1.1)
    court.ask(f"{A}x", 2.2)
    assert court.breaches == [BreachKind.HOST_PAUSE]


@pytest.mark.parametrize(("at", "breaches"), [(2.0, [BreachKind.CRAWL_DELAY]), (5.1, [])])
def test_a_crawl_delay_binds_once_it_is_told(at: float, breaches: list[BreachKind]) -> None:
    court = Court({"a.test": STRICT})
    court.robots()
    court.ask(A, at)
    assert court.breaches == breaches


@pytest.mark.parametrize("value", ["10", "Thu, 01 Jan 1970 00:16:51 GMT"])
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_binds_the_whole_host(value: str, status: int) -> None:
    for at, breaches in ((10.9, [BreachKind.RETRY_AFTER]), (11.3, [])):
        court = Court()
        court.robots()
        court.ask(A, 1.1, Reply(status, (("Retry-After", value),)))
        court.ask(f"{A}x", at)
        assert court.breaches == breaches


def test_a_refusal_without_retry_after_binds_for_the_usual_pause() -> None:
    court = Court()
    court.robots()
    court.ask(A, 1.1, Reply(429))
    court.ask(A, 2.2)
    assert court.breaches == []


def test_a_page_before_the_robots_file_is_a_breach_for_each_site_of_a_host() -> None:
    court = Court()
    court.robots()
    court.ask("https://a.test/", 2.0)
    assert court.breaches == [BreachKind.ROBOTS_NOT_ASKED]


@pytest.mark.parametrize("reply", [Reply(500), Reply(429), Reply(0, failure=Outcome.TIMEOUT)])
def test_no_page_while_the_robots_file_cannot_be_had(reply: Reply) -> None:
    court = Court()
    court.robots(reply=reply)
    court.ask(A, 2.0)
    assert court.breaches == [BreachKind.ROBOTS_UNREACHABLE]
    court.robots(at=4.0)
    court.ask(f"{A}x", 6.0)
    assert len(court.breaches) == 1


def test_what_robots_forbid_is_a_breach() -> None:
    court = Court({"a.test": STRICT})
    court.robots()
    court.ask(f"{A}closed/x", 10.0)
    court.ask(f"{A}open/x", 20.0)
    assert court.breaches == [BreachKind.DISALLOWED]


def test_robots_files_grow_old() -> None:
    court = Court()
    court.robots()
    court.ask(A, 86_500.0)
    assert court.breaches == [BreachKind.ROBOTS_EXPIRED]
    court.robots(at=86_510.0)
    court.ask(f"{A}x", 86_520.0)
    assert len(court.breaches) == 1


def test_robots_files_are_not_asked_again_before_they_are_old() -> None:
    court = Court()
    court.robots()
    court.robots(at=100.0)
    assert court.breaches == [BreachKind.ROBOTS_ASKED_TWICE]


@pytest.mark.parametrize("status", [200, 204, 301, 404, 410, 999])
def test_a_page_with_a_final_answer_is_not_asked_again(status: int) -> None:
    court = Court()
    court.robots()
    court.ask(A, 2.0, Reply(status))
    court.ask(A, 50.0)
    assert court.breaches == [BreachKind.ASKED_TWICE]


@pytest.mark.parametrize(
    "reply", [Reply(500), Reply(503), Reply(429), Reply(408), Reply(0, failure=Outcome.CUT_SHORT)]
)
def test_a_page_may_be_asked_again_after_a_passing_failure(reply: Reply) -> None:
    court = Court()
    court.robots()
    court.ask(A, 2.0, reply)
    court.ask(A, 50.0)
    assert court.breaches == []


def test_revisits_are_due_after_their_time() -> None:
    rules = RefereeRules(revisit_seconds=100.0)
    court = Court(rules=rules)
    court.robots()
    court.ask(A, 2.0)
    court.ask(A, 102.1)
    assert court.breaches == []
    court.ask(A, 150.0)
    assert court.breaches == [BreachKind.ASKED_TWICE]


def test_redirected_robots_files_count_for_the_site_that_was_asked_first() -> None:
    court = Court({"a.test": replace(STRICT, hops=2)})
    url = f"{A}robots.txt"
    for at in (0.0, 2.0, 4.0):
        ticket = court.begin(url, at, Purpose.ROBOTS)
        reply = court.web._robots_reply(url, 1000.0 + at)
        court.referee.ended(ticket, 1000.0 + at + 0.1, reply)
        url = reply.header("location") or ""
    assert court.breaches == []
    court.ask(A, 6.0)
    assert court.breaches == [BreachKind.CRAWL_DELAY]


def test_a_page_in_the_middle_of_robots_redirects_is_a_breach() -> None:
    court = Court({"a.test": replace(STRICT, hops=2)})
    court.robots()
    court.ask(A, 2.0)
    assert court.breaches == [BreachKind.ROBOTS_NOT_ASKED]


def test_after_more_redirects_than_five_there_is_no_file() -> None:
    court = Court({"a.test": replace(STRICT, hops=6)})
    url = f"{A}robots.txt"
    for step in range(6):
        ticket = court.begin(url, step * 2.0, Purpose.ROBOTS)
        reply = court.web._robots_reply(url, 0.0)
        court.referee.ended(ticket, 1000.1 + step * 2.0, reply)
        url = reply.header("location") or ""
    court.ask(f"{A}closed/x", 12.0)
    assert court.breaches == []


def test_the_robots_file_of_another_site_may_be_asked_for_both() -> None:
    moved = Reply(301, (("Location", f"{B}robots.txt"),))
    court = Court()
    court.robots(A, reply=moved)
    court.robots(B, at=2.0)
    court.robots(B, at=4.0)
    assert court.breaches == []
    court.robots(B, at=6.0)
    assert court.breaches == [BreachKind.ROBOTS_ASKED_TWICE]


def test_the_report_names_what_was_broken_and_counts_the_rest() -> None:
    court = Court()
    court.ask(A, 0.0)
    report = court.referee.report()
    assert "1 x a page before the site's robots file" in report
    assert "1 requests in 0.100 s" in report
    assert court.referee.busy_seconds(["a.test"]) == pytest.approx(0.1)


BURSTS = RefereeRules(burst_urls=3, ip_delay_seconds=0.0)


def test_n_requests_in_a_row_are_followed_by_n_pauses() -> None:
    court = Court(rules=BURSTS)
    court.robots()
    for number, at in enumerate((1.1, 1.2, 1.3, 4.4, 4.5, 6.6)):
        court.ask(f"{A}{number}", at)
    assert court.breaches == []


def test_one_request_too_many_in_a_row_and_one_pause_too_few_are_breaches() -> None:
    court = Court(rules=BURSTS)
    court.robots()
    for number, at in enumerate((1.1, 1.2, 1.3, 1.4)):
        court.ask(f"{A}{number}", at)
    assert court.breaches == [BreachKind.HOST_PAUSE]
    court.ask(f"{A}later", 4.4)
    assert court.breaches == [BreachKind.HOST_PAUSE] * 2
    court.ask(f"{A}at last", 7.5)
    assert len(court.breaches) == 2


def test_the_robots_file_is_one_of_the_requests_that_are_counted() -> None:
    court = Court(rules=BURSTS)
    court.robots()
    for number, at in enumerate((0.2, 0.3, 3.3)):
        court.ask(f"{A}{number}", at)
    assert court.breaches == [BreachKind.HOST_PAUSE]


def test_a_host_with_a_crawl_delay_permits_no_bursts() -> None:
    court = Court({"a.test": STRICT}, rules=BURSTS)
    court.robots()
    court.ask(A, 5.2)
    court.ask(f"{A}x", 5.4)
    assert set(court.breaches) == {BreachKind.HOST_PAUSE, BreachKind.CRAWL_DELAY}


def test_a_burst_is_still_one_request_at_a_time() -> None:
    court = Court(rules=BURSTS)
    court.robots()
    court.begin(A, 1.1)
    court.begin(f"{A}x", 1.15)
    assert set(court.breaches) == {BreachKind.HOST_OVERLAP, BreachKind.ADDRESS_OVERLAP}


PARTS = RefereeRules(burst_parts=3, is_part=lambda url: url.endswith(".js"), ip_delay_seconds=0.0)


def test_parts_may_follow_in_a_row_and_the_pauses_follow_them() -> None:
    court = Court(rules=PARTS)
    court.robots()
    for name, at in (("page", 1.1), ("1.js", 1.2), ("2.js", 1.3), ("3.js", 4.4), ("4.js", 4.5)):
        court.ask(A + name, at)
    assert court.breaches == []
    court.ask(f"{A}5.js", 5.0)
    court.ask(f"{A}6.js", 5.1)
    assert court.breaches == [BreachKind.HOST_PAUSE], "the fourth of a row"


def test_what_is_no_part_may_not_follow_in_a_row() -> None:
    court = Court(rules=PARTS)
    court.robots()
    for name, at in (("1.js", 1.1), ("page", 1.2)):
        court.ask(A + name, at)
    assert court.breaches == [BreachKind.HOST_PAUSE]


def test_a_host_with_a_crawl_delay_permits_no_parts_in_a_row() -> None:
    court = Court({"a.test": STRICT}, rules=PARTS)
    court.robots()
    court.ask(f"{A}1.js", 5.2)
    court.ask(f"{A}2.js", 5.4)
    assert set(court.breaches) == {BreachKind.HOST_PAUSE, BreachKind.CRAWL_DELAY}
