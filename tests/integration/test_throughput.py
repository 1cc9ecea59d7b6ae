"""Politeness is not bought with idleness.

A thousand hosts on fifty addresses, with mixed pauses, Crawl-delays, refusals and robots
failures, for half a virtual day (in `make soak` for a week). The referee must be silent; and no
address may stand idle while one of its hosts could have been asked: what is lost that way, added
up over all addresses, must stay below half a per cent of the time.

The pauses are those of a patient archive, hours long, so that a week is some forty
thousand requests. It has every kind of pause many times over: hosts become large after ten
pages, within three days, and robots files are fetched again every day.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.simulation.conditions import Conditions
from lycosa.simulation.referee_rules import referee_rules
from lycosa.simulation.simulation import Simulation
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.robots_kinds import ROBOTS_KINDS
from lycosa_testweb.generated.weather import Overload, Pace, RetryAfter
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.ledger import Exchange
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.robots import Group, Robots
from lycosa_testweb.sections import Thicket
from lycosa_testweb.windows import Windows

pytestmark = pytest.mark.quick

HOUR = 3600.0
WEEK = 7 * 24 * HOUR
HOSTS, ADDRESSES = 1000, 50

JOB = Job.of(
    limits={"depth_static": 50, "depth_dynamic": 50},
    politeness={
        "delay_seconds": 6 * HOUR,
        "large_site_pages": 10,
        "large_site_delay_seconds": 3 * HOUR,
        "ip_delay_seconds": 600.0,
    },
    fetch={"connections": 1000},
)


def patient_web() -> GeneratedWeb:
    """Crawl-delays of two to nine hours, windows of refusal, robots files that fail at times."""
    delays = [Robots((Group("*", (), hours * HOUR),)) for hours in (2, 5, 9)]
    failing = Windows(period_seconds=24 * HOUR, window_seconds=HOUR, share=0.5)
    overload = Windows(period_seconds=12 * HOUR, window_seconds=HOUR, share=0.5)
    return GeneratedWeb(
        7,
        Mixture(
            HOSTS,
            ADDRESSES,
            sections=(((Thicket(100_000, branching=4),), 1.0),),
            robots=(
                (ROBOTS_KINDS["none"], 40.0),
                (ROBOTS_KINDS["some"], 30.0),
                *((robots, 6.0) for robots in delays),
                (Robots(failing_status=500, failing=failing), 6.0),
                (ROBOTS_KINDS["moved"], 3.0),
                (ROBOTS_KINDS["moved abroad"], 3.0),
            ),
            overloads=(
                (None, 80.0),
                (Overload(overload), 10.0),
                (Overload(overload, 503, RetryAfter.DATE), 5.0),
                (Overload(overload, retry_after=RetryAfter.UNSAID), 5.0),
            ),
            paces=((Pace(), 80.0), (Pace(median_seconds=20.0), 20.0)),
        ),
    )


def idle_share(
    history: Iterable[Exchange], web: GeneratedWeb, began: float, seconds: float
) -> float:
    """Return the share of time in which addresses were idle though a host could be asked.

    Computed from what the servers saw alone. After an ordinary answer a host may be asked
    again when the longest of its pauses is over. After a refusal or a failure the crawler
    backs off longer than anybody demands; that is its own choice and not counted here. So is that
    the page which makes a site a large one is still followed by the pause of a small one. Where a
    robots file has moved, the pages wait until it has come from its new place, often from another
    host with hours of pauses of its own. Counted as idle that was 2.4 to 4.8 % of the time,
    depending on how the web's seed spreads such hosts over the addresses, and hid all the rest.
    """
    by_address: dict[str, list[Exchange]] = defaultdict(list)
    by_host: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in history:
        by_address[exchange.address].append(exchange)
        by_host[exchange.host].append(exchange)
    rules = referee_rules(JOB)
    due: dict[tuple[str, float], float] = {}
    for host, exchanges in by_host.items():
        pages = 0
        exchanges.sort(key=lambda exchange: exchange.began)
        for exchange, following in zip(exchanges, [*exchanges[1:], None], strict=True):
            is_robots = "robots" in exchange.url
            has_moved = is_robots and 300 <= exchange.status < 400
            pause = max(rules.pause_of(host, pages), web.crawl_delay(host, "lycosa"))
            pages += exchange.status == 200 and not is_robots
            moment = exchange.ended + max(pause, exchange.ended - exchange.began)
            if exchange.status == 0 or exchange.status >= 429 or has_moved:
                moment = following.began if following is not None else began + seconds
            due[host, exchange.ended] = moment
    idle = 0.0
    for exchanges in by_address.values():
        exchanges.sort(key=lambda exchange: exchange.began)
        hosts = {exchange.host: began for exchange in exchanges}
        free_at = began
        for exchange in exchanges:
            permitted = max(free_at, min(hosts.values()))
            idle += max(0.0, exchange.began - permitted)
            hosts[exchange.host] = due[exchange.host, exchange.ended]
            free_at = exchange.ended + JOB.politeness.ip_delay_seconds
    return idle / (seconds * len(by_address))


@pytest.mark.parametrize(
    ("seconds", "least_requests"),
    [(WEEK / 14, 1_000), pytest.param(WEEK, 25_000, marks=pytest.mark.soak)],
    ids=["half a day", "a week"],
)
def test_a_thousand_hosts_are_asked_as_often_as_their_pauses_permit(
    tmp_path: Path, seconds: float, least_requests: int
) -> None:
    web = patient_web()
    job = Job.of(
        seeds=[web.home(number) for number in range(HOSTS)],
        **{
            name: vars(getattr(JOB, name)) for name in ("limits", "politeness", "fetch", "frontier")
        },
    )
    referee = Referee(referee_rules(job), web, keep_history=True)
    simulation = Simulation(web, job, tmp_path, conditions=Conditions(referee=referee))
    began = simulation.clock.now()
    result = simulation.run(virtual_seconds=seconds)
    assert [str(breach) for breach in result.breaches] == []
    assert result.requests > least_requests
    idle = idle_share(referee.history, web, began, seconds)
    print(f"{result.requests} requests, {result.kept_pages} pages, {idle:.3%} of the time idle")
    assert idle < 0.005
