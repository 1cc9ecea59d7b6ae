"""Fixtures: the servers of this test run, started by the first test that needs them."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from servers.keeper import attach
from servers.processes import fresh_name
from servers.seaweed import BUCKET, environment


class SharedPostgres(NamedTuple):
    """Where the run's PostgreSQL listens."""

    url: str
    tls_url: str
    pid: int


class SharedNats(NamedTuple):
    """Where the run's three NATS servers listen."""

    urls: list[str]
    monitoring: list[str]

    @property
    def url(self) -> str:
        """All servers in one text, as a log is given them."""
        return ",".join(self.urls).replace(",nats://", ",")


@pytest.fixture(scope="session")
def postgres() -> SharedPostgres:
    """PostgreSQL, shared by all tests: take a schema of your own (`servers.fresh_name`)."""
    return SharedPostgres(**attach("postgres"))


@pytest.fixture(scope="session")
def nats_servers() -> SharedNats:
    """Three NATS servers, shared by all tests: take a stream or bucket of your own."""
    told: dict[str, Any] = attach("nats")
    return SharedNats(**told)


@pytest.fixture
def s3_store(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an empty place in an S3 store; the environment has its address and keys."""
    told = attach("seaweed")
    for name, value in environment(told["endpoint"]).items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/{fresh_name()}"
