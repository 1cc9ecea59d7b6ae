from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from lycosa.cli.input.jobs import build_job
from lycosa.cli.input.own_machine import opened, origins_of
from lycosa.errors import ConfigError
from lycosa.model.job import Job, parse_job


@pytest.mark.parametrize(
    ("seeds", "origins"),
    [
        (["http://localhost:8901/"], ["localhost:8901"]),
        (["http://LOCALHOST:8901/a", "http://localhost:8901/b"], ["localhost:8901"]),
        (["http://localhost/", "https://localhost/"], ["localhost:80", "localhost:443"]),
        (["http://127.1:81/"], ["127.0.0.1:81"]),
        (["http://0x7f.1:81/", "http://2130706433:81/"], ["127.0.0.1:81"]),
        (["http://[::1]:81/"], ["[::1]:81"]),
        (["http://[::1]/"], ["[::1]:80"]),
        (["http://[::ffff:127.0.0.1]:81/"], ["[::ffff:7f00:1]:81"]),
        (["http://localhost:8901/", "https://example.org/"], []),
        (["http://192.168.1.1/"], []),
        (["http://a.localhost/"], []),
        (["http://0.0.0.0:81/"], []),
        (["http://localhost@example.org/"], []),
        (["not a url"], []),
        ([], []),
    ],
)
def test_the_servers_of_seeds_are_opened_if_all_are_on_this_machine(
    seeds: list[str], origins: list[str]
) -> None:
    assert list(origins_of(seeds)) == origins
    job = opened(Job.of(seeds=seeds), {})
    assert list(job.fetch.loopback_origins) == origins
    assert parse_job(job.to_toml()) == job


@pytest.mark.parametrize(
    "fetch",
    [
        {"allow_private": True},
        {"private_networks": ["127.0.0.0/8"]},
        {"proxy": "http://127.0.0.1:3128"},
        {"hosts_file": "/tmp/hosts"},
    ],
)
def test_a_job_that_reaches_further_is_left_alone_and_cannot_be_both(fetch: dict[str, Any]) -> None:
    job = Job.of(seeds=["http://localhost/"], fetch=fetch)
    assert dataclasses.replace(opened(job, {}), limits=job.limits) == job
    with pytest.raises(ConfigError, match="loopback_origins"):
        Job.of(fetch={**fetch, "loopback_origins": ["localhost:80"]})


@pytest.mark.parametrize(
    ("fetch", "changes", "seconds"),
    [
        ({}, {}, 3.0),
        ({"allow_private": True}, {}, 3.0),
        ({"private_networks": ["127.0.0.0/8"]}, {}, 3.0),
        ({"allow_private": True}, {"limits": {"patience_seconds": 60.0}}, 60.0),
        ({"allow_private": True}, {"rules": [{"action": "accept", "host": "10.0.0.1"}]}, 600.0),
        ({"allow_private": True, "hosts_file": "/tmp/hosts"}, {}, 600.0),
    ],
)
def test_the_patience_is_short_where_nothing_leads_to_another_machine(
    fetch: dict[str, Any], changes: dict[str, Any], seconds: float
) -> None:
    job = Job.of(seeds=["http://localhost/"], fetch=fetch, **changes)
    assert opened(job, {}).limits.patience_seconds == seconds
    set_so = {"settings": ["limits.patience_seconds=600"]}
    if "limits" not in changes:
        assert opened(job, set_so).limits.patience_seconds == 600.0


def test_the_pauses_are_short_unless_somebody_said_otherwise() -> None:
    seeds = ["http://localhost/"]
    pauses = opened(Job.of(seeds=seeds), {}).politeness
    assert (
        pauses.delay_seconds == pauses.ip_delay_seconds == pauses.large_site_delay_seconds == 0.05
    )
    asked = {"delay": 2.0}
    pauses = opened(build_job(Job(), asked, seeds), asked).politeness
    assert (pauses.delay_seconds, pauses.ip_delay_seconds) == (2.0, 0.5)
    set_so = {"settings": ["politeness.delay_seconds=15"]}
    pauses = opened(build_job(Job(), set_so, seeds), set_so).politeness
    assert (pauses.delay_seconds, pauses.ip_delay_seconds) == (15.0, 0.05)


def test_a_failed_page_is_soon_tried_again_unless_somebody_said_otherwise() -> None:
    seeds = ["http://localhost/"]
    assert opened(Job.of(seeds=seeds), {}).fetch.retry_first_seconds == 1.0
    asked = {"delay": 2.0}
    assert opened(build_job(Job(), asked, seeds), asked).fetch.retry_first_seconds == 1.0
    set_so = {"settings": ["fetch.retry_first_seconds=60"]}
    assert opened(build_job(Job(), set_so, seeds), set_so).fetch.retry_first_seconds == 60.0
    assert Job.of(seeds=["http://192.168.1.1/"]).fetch.retry_first_seconds == 60.0


def test_a_delay_that_is_given_alone_lowers_the_pause_of_the_address() -> None:
    assert build_job(Job(), {"delay": 0.1}).politeness.ip_delay_seconds == 0.1
    assert build_job(Job(), {"delay": 3.0}).politeness.ip_delay_seconds == 0.5
    assert build_job(Job(), {"delay": 0.1, "ip_delay": 0.4}).politeness.ip_delay_seconds == 0.4
    settings = {"delay": 0.1, "settings": ["politeness.ip_delay_seconds=0.3"]}
    assert build_job(Job(), settings).politeness.ip_delay_seconds == 0.3


def test_an_operator_who_opens_more_later_is_not_held_to_the_typed_servers() -> None:
    job = opened(Job.of(seeds=["http://localhost/"]), {})
    assert build_job(job, {}) == job
    assert build_job(job, {"allow_private": True}).fetch.loopback_origins == ()
    assert build_job(job, {"allow_network": ("10.0.0.0/8",)}).fetch.loopback_origins == ()


@pytest.mark.parametrize(
    "origin",
    [
        "localhost",
        "localhost:0",
        "localhost:70000",
        "127.0.0.999:1",
        "10.0.0.1:80",
        "[::2]:80",
        "example.org:80",
        "a.localhost:80",
    ],
)
def test_a_job_cannot_name_another_machine_as_this_one(origin: str) -> None:
    with pytest.raises(ConfigError, match="loopback_origins"):
        Job.of(fetch={"loopback_origins": [origin]})
