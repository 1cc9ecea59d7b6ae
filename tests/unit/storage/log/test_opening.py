"""An address names a folder or a server; what is missing or wrong is told with its remedy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lycosa.errors import ConfigError
from lycosa.storage.jetstream.log import JetStreamLog
from lycosa.storage.log.opening import is_server, open_log
from lycosa.storage.log.sqlite import SqliteLog
from lycosa.storage.postgres.log import PostgresLog
from servers import fresh_name
from servers.fixtures import SharedNats, SharedPostgres


def test_a_folder_is_sqlite(tmp_path: Path) -> None:
    for place in (tmp_path / "a", str(tmp_path / "b")):
        log = open_log(place, 2)
        assert isinstance(log, SqliteLog)
        assert not is_server(place)
        log.close()


@pytest.mark.needs("postgresql")
def test_postgresql_is_postgresql(postgres: SharedPostgres) -> None:
    log = open_log(postgres.url, 2, crawl=fresh_name())
    assert isinstance(log, PostgresLog)
    log.close()


def test_nats_is_jetstream(nats_servers: SharedNats) -> None:
    log = open_log(nats_servers.url, 2, crawl=fresh_name())
    assert isinstance(log, JetStreamLog)
    log.close()


def test_an_unknown_server_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"redis://: not a place for a log\n.*postgresql://"):
        open_log("redis://localhost", 2, crawl="x")


@pytest.mark.parametrize("crawl", ["", "My Crawl", 'x"; drop schema public', "x.>", "a" * 51])
def test_a_crawl_in_a_server_needs_a_name_that_is_safe_there(crawl: str) -> None:
    with pytest.raises(ConfigError, match="hex digits of a UUID"):
        open_log("postgresql://nowhere/", 2, crawl=crawl)


@pytest.mark.parametrize(("url", "package"), [("nats://h", "nats"), ("postgresql://h", "psycopg")])
def test_without_the_extra_the_command_to_install_it_is_told(url: str, package: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from lycosa.storage.log.opening import open_log\n"
        f"open_log({url!r}, 2, crawl='x')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert "pip install '.[cluster]'" in done.stderr


def test_a_log_in_a_folder_loads_no_client_of_a_server(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom lycosa.storage.log.opening import open_log\n"
        f"open_log({str(tmp_path)!r}, 2).close()\n"
        "print(sorted({'nats', 'psycopg', 'asyncio', 'ssl'} & sys.modules.keys()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
