"""Orders to real processes that share a crawl over real servers; one is killed after each order."""

from __future__ import annotations

import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from integration.applied_orders import applied_events, orders_for, run_again
from integration.cluster_servers import Machine, Servers, SharedCrawl, servers
from lycosa.model.records import Outcome
from lycosa.model.url import url_of
from lycosa.operate.inspect.audit import audit
from lycosa.runtime.cluster.status import ClusterReader
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders import orders
from lycosa.runtime.orders.desk import Given, give
from lycosa.runtime.orders.live import read_frame
from lycosa.runtime.shared_log.orders import Orders
from socket_crawls import DEPTH, web_of
from worker_crawls import eventually

__all__ = ["servers"]

pytestmark = pytest.mark.soak
HEARD_SECONDS = 4.0
"""Members read notes twice a second: after this time all know of a pause."""
LOOK_SECONDS = 1.0


def has_applied(machine: Machine, number: int) -> bool:
    directory = CrawlDirectory(machine.path)
    frame, holder = read_frame(machine.path), directory.holder()
    return bool(frame and holder and frame.pid == holder.pid and frame.order >= number)


def all_have_applied(crawl: SharedCrawl, number: int) -> bool:
    return all(has_applied(machine, number) for machine in crawl.machines)


def has_ended(crawl: SharedCrawl, reader: ClusterReader) -> bool:
    """Whether all members have ended; meanwhile do what an operator does after so many deaths.

    A partition that four owners in a row have had for less than 15 s is cordoned.
    """
    time.sleep(LOOK_SECONDS)
    if cordoned := reader.look().cordoned:
        Orders(reader).lift(list(cordoned))
    return not crawl.is_running


def test_every_order_reaches_every_partition_once_whoever_is_killed_after_it(
    servers: Servers, tmp_path: Path
) -> None:
    web = web_of(16, 8)
    *some, _, resume = orders_for(web, "all")
    excluded = web.home(1) + "tree/"
    with SharedCrawl(web, servers.url, tmp_path, 3, 2.0) as crawl:
        crawl.start_all()
        crawl.wait_for_requests(20)
        directory = crawl.directory
        asked = 0
        for number, order in enumerate([*some, resume], 1):
            assert give(directory, order, str(number))[:2] == (number, True)
            victim = crawl.machines[number % 3]
            crawl.kill(victim)
            victim.process = run_again(CrawlDirectory(victim.path))
            assert give(directory, order, str(number)) == Given(number, is_new=False)
            eventually(partial(all_have_applied, crawl, number), 120.0)
            if number == 1:
                time.sleep(HEARD_SECONDS)
                asked = crawl.sockets.requests
            if number < len(some):
                assert crawl.sockets.requests == asked, order
        crawl.wait_for_requests(5)
        with closing(ClusterReader(directory)) as reader:
            eventually(partial(has_ended, crawl, reader), 400.0)
        crawl.finish()
        wanted = list(range(1, len(some) + 2))
        assert set(map(tuple, applied_events(directory).values())) == {tuple(wanted)}
        kept: set[str] = set()
        for state in directory.each_state(crawl.job):
            assert state.pending == 0 and state.outcomes[Outcome.EXCLUDED] == 0
            pages = [n for n in range(len(state.table)) if state.outcome_of(n) is Outcome.KEPT]
            kept |= {url_of(state.table.key(page)) for page in pages}
        missed = web.pages_within(list(crawl.job.seeds), DEPTH) - kept
        assert all(url.startswith(excluded) for url in missed)
        assert [str(breach) for breach in crawl.referee.breaches] == []
        assert audit(directory).breaches == []


def test_a_stop_ends_the_run_for_all_and_no_later_run(servers: Servers, tmp_path: Path) -> None:
    with SharedCrawl(web_of(8, 4), servers.url, tmp_path, 2, 1.0) as crawl:
        crawl.start_all()
        crawl.wait_for_requests(10)
        crawl.kill(crawl.machines[1])
        assert give(crawl.directory, orders.Stop(), "stop") == Given(1, is_new=True)
        eventually(lambda: not crawl.is_running, 60.0)
        assert give(crawl.directory, orders.Stop(), "stop") == Given(1, is_new=False)
        for machine in crawl.machines:
            machine.start()
        crawl.finish(240)
        assert set(map(tuple, applied_events(crawl.directory).values())) == {(1,)}
        crawl.check()
