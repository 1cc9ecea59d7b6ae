"""The servers of the tests: real, shared by a run, and gone when it is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import psycopg
import pytest

from servers.fixtures import SharedNats, SharedPostgres
from servers.nats import nats_cluster

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[2]
USER = """
import sys, time
from servers.keeper import attach
told = attach("nats")
print(told["urls"][0], flush=True)
time.sleep(100)
"""


@pytest.mark.needs("postgresql")
def test_postgresql_syncs_and_speaks_tls(
    postgres: SharedPostgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(postgres.url) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    monkeypatch.setenv("PGPASSWORD", "spider")
    with psycopg.connect(postgres.tls_url) as connection:
        question = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        assert connection.execute(question).fetchone() == (True,)


def test_three_nats_servers_serve_the_whole_run(nats_servers: SharedNats) -> None:
    assert len(nats_servers.urls) == 3
    assert nats_servers.url.count("nats://") == 1


def test_a_killed_nats_server_comes_back() -> None:
    with nats_cluster(1, in_memory=True) as cluster:
        before = cluster.pid(0)
        cluster.kill(0)
        cluster.start_all()
        assert cluster.pid(0) != before


def test_servers_end_with_their_last_user_even_if_it_is_killed() -> None:
    environment = os.environ | {"PYTHONPATH": str(TESTS), "PYTEST_XDIST_TESTRUNUID": "alone"}
    environment["PYTEST_XDIST_TESTRUNUID"] += str(os.getpid())
    users = [
        subprocess.Popen([sys.executable, "-c", USER], env=environment, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    told = []
    for user in users:
        assert user.stdout is not None
        told.append(user.stdout.readline())
    assert told[0] == told[1] != b"", "both use the same servers"
    address = told[0].decode().strip().removeprefix("nats://").split(":")[0]
    assert _servers(address)
    users[0].send_signal(signal.SIGKILL)
    users[0].communicate()
    assert _servers(address), "one user is left"
    users[1].send_signal(signal.SIGKILL)
    users[1].communicate()
    end = time.monotonic() + 30
    while _servers(address):
        assert time.monotonic() < end, "the servers outlived the run"
        time.sleep(0.05)


def _servers(address: str) -> list[int]:
    return [
        connection.pid
        for connection in psutil.net_connections("tcp")
        if connection.status == "LISTEN" and connection.laddr.ip == address and connection.pid
    ]
