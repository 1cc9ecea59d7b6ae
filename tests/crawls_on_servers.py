"""Crawls whose log is in a server, typed as commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from servers.fixtures import SharedNats, SharedPostgres
from tree_web import tree_web
from warm import lycosa

PAGES = 13
"""Of one host: a tree of three levels with three children a page."""


class Web(NamedTuple):
    hosts_file: str
    seeds: list[str]

    @property
    def flags(self) -> list[str]:
        hosts = f"fetch.hosts_file={self.hosts_file}"
        pauses = ["--delay", "1ms", "--ip-delay", "1ms", "--set", "frontier.partitions=4"]
        return ["--allow-private", "--set", hosts, *pauses, "--workers", "1", "--quiet", "--json"]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with tree_web(tmp_path_factory.mktemp("web"), 3, 3, 2) as (hosts_file, seeds):
        yield Web(hosts_file, seeds)


POSTGRES = pytest.param("postgres", marks=pytest.mark.needs("postgresql"))


@pytest.fixture(scope="module", params=[POSTGRES, "nats_servers"])
def address(request: pytest.FixtureRequest) -> str:
    server: SharedPostgres | SharedNats = request.getfixturevalue(request.param)
    return server.url


@pytest.fixture(scope="module")
def crawled(web: Web, address: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawls") / "mycrawl"
    done = lycosa("crawl", web.seeds[0], "-o", path, "--log", address, *web.flags)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["reason"], summary["pages"]) == ("exhausted", PAGES)
    return path
