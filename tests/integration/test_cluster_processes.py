"""Real processes share a crawl over real servers, and are killed and stopped.

Every page is in the log once, no host is bothered, and the crawl ends. Each process has a crawl
directory of its own, as a machine would have.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from integration.cluster_servers import Servers, SharedCrawl, servers
from lycosa.runtime.coordination.keys import MEMBERS
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.membership.record import Standing, unpack
from servers.nats import NatsCluster
from servers.postgres import postgres_server
from socket_crawls import web_of

__all__ = ["servers"]


def test_a_machine_that_dies_is_replaced_by_the_others(servers: Servers, tmp_path: Path) -> None:
    with SharedCrawl(web_of(12, 8), servers.url, tmp_path, 3, 1.5) as crawl:
        crawl.start_all()
        crawl.wait_for_requests(10)
        crawl.kill(crawl.machines[1])
        crawl.finish()
    crawl.check()
    print(crawl.takeovers())


@pytest.mark.needs("postgresql")
def test_a_machine_that_is_started_again_ends_its_own_dead_lives(tmp_path: Path) -> None:
    """Nobody else is there to find it silent, and it need not wait for that."""
    with (
        postgres_server(in_memory=True) as server,
        SharedCrawl(web_of(6, 4), server.url, tmp_path, 1, 0.5) as crawl,
    ):
        crawl.start_all()
        crawl.wait_for_requests(5)
        (machine,) = crawl.machines
        crawl.kill(machine)
        machine.start()
        crawl.finish()
        board = open_board(server.url, crawl.job.log.name)
        members = [unpack(entry.value) for entry in (board.list(MEMBERS) or {}).values()]
        board.close()
        crawl.check()
    assert [(one.standing, one.ended_by) for one in members] == [
        (Standing.DEAD, 2),
        (Standing.LEFT, 0),
    ]


@pytest.mark.soak
def test_six_machines_and_their_servers_are_killed_and_stopped(
    servers: Servers, tmp_path: Path
) -> None:
    with SharedCrawl(web_of(150, 40), servers.url, tmp_path, 6, 1.0) as crawl:
        crawl.start_all()
        for _ in range(2):
            crawl.wait_for_requests(120)
            victim = crawl.chance.choice(crawl.machines)
            crawl.kill(victim)
            crawl.wait_for_requests(40)
            victim.start()
        crawl.wait_for_requests(60)
        with crawl.stopped(crawl.machines[2]):
            time.sleep(40)
        crawl.wait_for_requests(60)
        if isinstance(servers, NatsCluster):
            leader = servers.leader(f"LYCOSA_{crawl.job.log.name}")
            servers.kill(leader)
            crawl.wait_for_requests(40)
            servers.start(leader)
            crawl.wait_for_requests(40)
            for number in range(3):
                servers.kill(number)
            crawl.wait_until_tenure_ends()
            servers.start_all()
        else:
            servers.kill()
            crawl.wait_until_tenure_ends()
            servers.start()
        crawl.finish(400)
    crawl.check()
    print(crawl.takeovers())
