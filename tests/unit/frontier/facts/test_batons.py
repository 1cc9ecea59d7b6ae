"""Batons in the fold: who holds them, who is in line, and what comes with them."""

from __future__ import annotations

from lycosa.frontier.fold.reports import report_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import (
    Admitted,
    BatonPassed,
    BatonQueued,
    BatonStep,
    BatonTaken,
    CycleBegun,
    Fetched,
    HostChanged,
    HostReport,
    Outcome,
    RobotsLearned,
    RobotsState,
    SiteChanged,
    SiteReport,
)

NOW = 1000.0
HOST = "org.example"
SITE = "org.example:s"


def state_of(*events: object) -> PartitionState:
    state = PartitionState()
    for event in events:
        state.apply(event)  # type: ignore[arg-type]
    return state


def with_page() -> PartitionState:
    return state_of(Admitted(NOW, "", [f"{SITE}/", f"{SITE}/a"], [0, 1]))


def known(state: RobotsState, **facts: object) -> SiteReport:
    return SiteReport(SITE, state, **facts)  # type: ignore[arg-type]


def test_a_baton_begins_at_its_home() -> None:
    batons = PartitionState().batons
    assert batons.holds(3, is_home=True)
    assert not batons.holds(3, is_home=False)


def test_a_baton_is_held_from_its_coming_to_its_passing() -> None:
    state = state_of(BatonQueued(3, 7, BatonStep.ASKED))
    assert state.batons.asked == {3}
    state.apply(BatonTaken(NOW, 3, []))
    assert state.batons.holds(3, is_home=False)
    assert not state.batons.asked
    state.apply(BatonQueued(3, 9, BatonStep.NEXT))
    state.apply(BatonQueued(3, 4, BatonStep.NEXT))
    state.apply(BatonPassed(NOW, 3, 9))
    assert not state.batons.holds(3, is_home=True)
    assert state.batons.next == {3: [4]}


def test_the_home_knows_the_end_of_the_line() -> None:
    state = state_of(BatonQueued(3, 9, BatonStep.LAST), BatonQueued(3, 4, BatonStep.LAST))
    assert state.batons.last == {3: 4}


def test_a_snapshot_holds_the_batons() -> None:
    state = with_page()
    for step in BatonStep:
        state.apply(BatonQueued(5, 2, step))
    state.apply(BatonTaken(NOW, 3, []))
    state.apply(BatonTaken(NOW, 3, [HostReport(HOST, sites=[known(RobotsState.ELSEWHERE)])]))
    again = PartitionState.unpack(state.pack(1))
    assert again.batons.__dict__ == state.batons.__dict__
    assert again.pack(1) == state.pack(1)


def test_what_a_holder_knows_is_what_the_next_one_knows() -> None:
    giver = with_page()
    giver.apply(RobotsLearned(NOW, 0, RobotsState.KNOWN, b"-/x", 4.0, NOW + 86400, NOW + 4))
    giver.apply(Fetched(NOW, 0, Outcome.KEPT, 200, 10, 0.0, NOW + 5))
    giver.apply(HostChanged(NOW, 0, NOW + 60, 2, is_announced=True))
    giver.apply(SiteChanged(NOW, 0, NOW + 70, 3))
    report = report_of(giver, 0, 60.0)
    assert report is not None
    taker = PartitionState()
    taker.apply(BatonTaken(5000.0, 3, [report]))
    assert taker.site_number(SITE) is None, "a site is numbered with its first URL"
    assert report_of(taker, 0, 60.0) == report, "it is passed on all the same"
    again = PartitionState.unpack(taker.pack(1))
    assert report_of(again, 0, 60.0) == report
    taker.apply(Admitted(5000.0, "", [f"{SITE}/b"], [0]))
    host, site = taker.host_number(HOST), taker.site_number(SITE)
    assert host is not None and site is not None
    hosts, sites = taker.hosts, taker.sites
    assert (hosts.due[host], hosts.strikes[host], hosts.kept[host]) == (5060.0, 2, 1)
    assert hosts.announced[host] == 1
    assert (sites.robots[site], taker.rules[site]) == (RobotsState.KNOWN, b"-/x")
    assert (sites.crawl_delay[site], sites.robots_expires[site]) == (4.0, NOW + 86400)
    assert (sites.strikes[site], sites.due[site]) == (3, NOW + 70)
    assert report_of(taker, host, 60.0) == report


def test_sites_have_the_numbers_that_the_url_table_gives_them() -> None:
    state = PartitionState()
    reports = [SiteReport(f"org.example:{port}", RobotsState.KNOWN) for port in range(81, 90)]
    state.apply(BatonTaken(NOW, 3, [HostReport(HOST, sites=reports)]))
    keys = [f"org.example:{port}/" for port in (85, 99, 82)]
    state.apply(Admitted(NOW, "", keys, [0, 0, 0]))
    assert [state.table.site_name(site) for site in range(3)] == state.site_names
    assert list(state.sites.robots) == [RobotsState.KNOWN, RobotsState.UNKNOWN, RobotsState.KNOWN]
    report = report_of(state, 0, 0.0)
    assert report is not None
    assert {known.name for known in report.sites} == {one.name for one in reports}


def test_a_host_of_which_nothing_is_known_is_not_reported() -> None:
    assert report_of(with_page(), 0, 0.0) is None
    assert report_of(with_page(), 0, 1.0) is not None


def test_a_rest_is_never_shortened() -> None:
    state = with_page()
    state.apply(HostChanged(NOW, 0, NOW + 100, 0))
    state.apply(BatonTaken(NOW, 3, [HostReport(HOST, 5.0)]))
    assert state.hosts.due[0] == NOW + 100


def test_what_is_closed_for_one_is_closed_for_all() -> None:
    state = with_page()
    state.apply(BatonTaken(NOW, 3, [HostReport(HOST, closed=Outcome.HOST_LIMIT, kept=9)]))
    assert state.pending == 0
    assert state.outcome_of(1) is Outcome.HOST_LIMIT


def test_what_was_given_up_in_another_cycle_is_open() -> None:
    report = HostReport(HOST, sites=[known(RobotsState.UNREACHABLE, closed=Outcome.UNREACHABLE)])
    state = with_page()
    state.apply(CycleBegun(NOW, 2, [], [], 10))
    state.apply(BatonTaken(NOW, 3, [report], cycle=1))
    assert state.pending == 2
    state.apply(BatonTaken(NOW, 3, [report], cycle=2))
    assert state.pending == 0


def test_the_end_of_a_redirect_outlasts_the_baton_that_comes_later() -> None:
    state = with_page()
    elsewhere = [HostReport(HOST, sites=[known(RobotsState.ELSEWHERE, robots_expires=NOW + 9e4)])]
    state.apply(BatonTaken(NOW, 3, elsewhere, is_held=False))
    state.apply(RobotsLearned(NOW, 0, RobotsState.UNREACHABLE, b"", 0.0, NOW + 60, NOW))
    state.apply(BatonTaken(NOW, 3, elsewhere))
    assert state.sites.robots[0] == RobotsState.UNREACHABLE
    state.apply(BatonTaken(NOW, 3, elsewhere))
    assert state.sites.robots[0] == RobotsState.ELSEWHERE


def test_a_host_is_blocked_in_a_partition_that_does_not_know_it() -> None:
    state = PartitionState()
    blocked = HostReport(HOST, closed=Outcome.BLOCKED)
    state.apply(BatonTaken(NOW, 0, [blocked], is_held=False))
    state.apply(Admitted(NOW, "", [f"{SITE}/"], [0]))
    assert state.pending == 0
    assert state.outcome_of(0) is Outcome.BLOCKED
    assert not state.batons.moved
