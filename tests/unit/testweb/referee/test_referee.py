"""Each rule of the referee, broken and kept; what a killed client is forgiven, and what not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lycosa.records import Outcome, Purpose, Request
from lycosa.testweb import BreachKind, GraphWeb, Group, Referee, RefereeRules, Reply, Robots
from lycosa.testweb.robots import folder
from lycosa.testweb.web import HTML

A, B = "http://a.test/", "http://b.test/"
SHARED = {"a.test": "10.0.0.9", "b.test": "10.0.0.9"}
OK = Reply(200, HTML)
STRICT = Robots((Group("*", (folder("/closed/"),), crawl_delay_seconds=5),))


class Court:
    """A referee and a few hosts; every request takes a tenth of a second."""

    def __init__(
        self,
        robots: dict[str, Robots] | None = None,
        addresses: dict[str, str] | None = None,
        rules: RefereeRules | None = None,
    ) -> None:
        self.web = GraphWeb({A: [B]}, robots=robots, addresses=addresses)
        self.referee = Referee(rules or RefereeRules(demand_window_seconds=1.0), self.web)

    def begin(self, url: str, at: float, purpose: Purpose = Purpose.PAGE) -> int:
        host = url.split("/")[2].partition(":")[0]
        address = self.web.resolve(host, at).address or ""
        request = Request(url, host, address, purpose, "lycosa", 10**6)
        return self.referee.began(request, 1000.0 + at)

    def ask(self, url: str, at: float, reply: Reply = OK) -> None:
        ticket = self.begin(url, at)
        self.referee.ended(ticket, 1000.0 + at + 0.1, reply)

    def robots(self, base: str = A, at: float = 0.0, reply: Reply | None = None) -> None:
        url = f"{base}robots.txt"
        ticket = self.begin(url, at, Purpose.ROBOTS)
        answer = reply or self.web._robots_reply(url, 1000.0 + at)
        self.referee.ended(ticket, 1000.0 + at + 0.1, answer)

    @property
    def breaches(self) -> list[BreachKind]:
        return [breach.kind for breach in self.referee.breaches]


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


# -- kills ----------------------------------------------------------------------------

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
