"""Which command runs a test: `make test`, which answers in five minutes, or `make test-all`.

A test is left to `make test-all` by the mark `slow`. Here it is set for whole crawls
(`tests/integration`, `tests/power`) and for what needs a server, a browser or another program of
the machine. Other tests that take long set it themselves.

The mark `quick` takes a module of whole crawls into `make test`: crawls in virtual time, clients of
servers in a thread. On a test itself it also takes in what needs a program: one browser is enough.

    make test          not slow, not soak, not conformance
    make test-all      make test, and then what is slow
    make soak          soak, and property tests with more examples
    make conformance   conformance
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WHOLE_CRAWLS = (HERE / "integration", HERE / "power")
SERVERS = frozenset({"postgres", "nats_servers", "s3_store"})
"""Fixtures that start a server."""
KINDS = SERVERS | {"postgresql", "postgres_board", "nats", "nats_board", "jetstream", "s3"}
"""Parameters of suites that run over several implementations, of which some are servers."""


def needs_a_program(item: pytest.Item) -> bool:
    """Return whether a test starts a server, or says that it needs something of the machine."""
    called = getattr(item, "callspec", None)
    params = called.params.values() if called else ()
    kinds = {one for one in params if isinstance(one, str)}
    fixtures = set(getattr(item, "fixturenames", ()))
    has_need = item.get_closest_marker("needs") is not None
    return bool(SERVERS & fixtures or KINDS & kinds) or has_need


def is_slow(item: pytest.Item) -> bool:
    """Return whether a test is left to `make test-all` for its folder or for what it needs."""
    if any(mark.name == "quick" for mark in item.own_markers):
        return False
    if needs_a_program(item):
        return True
    is_crawl = any(folder in item.path.parents for folder in WHOLE_CRAWLS)
    return is_crawl and item.get_closest_marker("quick") is None


def mark_slow(items: Iterable[pytest.Item]) -> None:
    """Set the mark, before tests are chosen by marks."""
    for item in items:
        if is_slow(item):
            item.add_marker("slow")
