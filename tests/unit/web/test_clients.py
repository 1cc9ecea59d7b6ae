"""A holder of the token on another machine reaches no service of the machine that crawls."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.web.rest.operations import API
from served_crawl import BEARER, app_over

OWN = "http://127.0.0.1:8890"
HERE, ELSEWHERE = ("127.0.0.1", 40_000), ("192.0.2.7", 40_000)
ON_LOOPBACK = [
    "http://127.0.0.1:6379/",
    "http://localhost/admin",
    "http://[::1]:8890/",
    "http://[::ffff:127.0.0.1]/",
    "http://0x7f000001/",
    "http://127.1/",
    " http://2130706433:80/ ",
]


def begun(path: Path, **fetch: Any) -> Path:
    job = Job.of(seeds=["http://a.test/"], fetch=fetch)
    directory = CrawlDirectory.create(path, job)
    with closing(directory.log(job)):
        return path


def posted(place: Path, client: tuple[str, int], path: str, body: Any, **headers: str) -> int:
    crawls, app = app_over(place)
    asking = TestClient(app, OWN, headers=BEARER, client=client)
    try:
        answer = asking.post(f"{API}/crawls{path}", json=body, headers=headers)
        return int(answer.status_code)
    finally:
        crawls.close()


@pytest.mark.parametrize("seed", ON_LOOPBACK)
def test_a_client_from_elsewhere_makes_no_crawl_of_loopback(tmp_path: Path, seed: str) -> None:
    body = {"name": "made", "seeds": ["https://example.org/", seed]}
    assert posted(tmp_path, ELSEWHERE, "", body) == 403
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("seed", ON_LOOPBACK)
def test_a_client_from_elsewhere_adds_no_seed_on_loopback(tmp_path: Path, seed: str) -> None:
    place = begun(tmp_path / "one")
    assert posted(place, ELSEWHERE, "/one/seeds", {"seeds": [seed]}) == 403
    assert posted(place, ELSEWHERE, "/one/seeds", {"seeds": ["http://a.test/more"]}) == 202


@pytest.mark.parametrize(
    "fetch",
    [
        {"allow_private": True},
        {"private_networks": ["127.0.0.2/32"]},
        {"private_networks": ["10.0.0.0/8", "::/0"]},
    ],
    ids=str,
)
def test_a_crawl_that_may_ask_loopback_is_widened_on_its_machine_alone(
    tmp_path: Path, fetch: dict[str, Any]
) -> None:
    place = begun(tmp_path / "one", **fetch)
    seeds = {"seeds": ["http://resolves-to-loopback.test/"]}
    accept = {"action": "accept", "host": ["127.0.0.1"]}
    reject = {"action": "reject", "host": ["b.test"]}
    assert posted(place, ELSEWHERE, "/one/seeds", seeds) == 403
    assert posted(place, ELSEWHERE, "/one/rules", accept) == 403
    assert posted(place, ELSEWHERE, "/one/rules", reject) == 202
    assert posted(place, HERE, "/one/seeds", {"seeds": ["http://127.0.0.1:8000/"]}) == 202
    assert posted(place, HERE, "/one/rules", accept) == 202
    assert posted(place, HERE, "/one/seeds", seeds, X_Forwarded_For="x") == 202
    assert posted(place, HERE, "/one/seeds", seeds, **{"X-Forwarded-For": "192.0.2.7"}) == 403


def test_private_networks_without_loopback_take_seeds_from_elsewhere(tmp_path: Path) -> None:
    place = begun(tmp_path / "one", private_networks=["10.0.0.0/8"])
    assert posted(place, ELSEWHERE, "/one/seeds", {"seeds": ["http://10.0.0.7/"]}) == 202


def test_servers_that_the_job_names_one_by_one_stay_the_only_ones(tmp_path: Path) -> None:
    place = begun(tmp_path / "one", loopback_origins=["127.0.0.1:8000"])
    own, other = ["http://127.0.0.1:8000/more"], ["http://127.0.0.1:6379/"]
    assert posted(place, ELSEWHERE, "/one/seeds", {"seeds": other}) == 422
    assert posted(place, ELSEWHERE, "/one/seeds", {"seeds": own}) == 202


@pytest.mark.parametrize(
    ("address", "headers", "proxies", "is_here"),
    [
        ("127.0.0.1", {"host": "127.0.0.1:8890"}, (), True),
        ("127.9.9.9", {"host": "localhost"}, (), True),
        ("::1", {"host": "[::1]:8890"}, ("10.0.0.0/8",), True),
        ("192.0.2.7", {"host": "127.0.0.1:8890"}, (), False),
        ("127.0.0.1", {"host": "crawls.example.org"}, (), False),
        ("127.0.0.1", {"host": "127.0.0.1", "via": "1.1 proxy"}, (), False),
        ("127.0.0.1", {"host": "127.0.0.1", "x-forwarded-for": "127.0.0.1"}, (), False),
        ("127.0.0.1", {"host": "127.0.0.1"}, ("127.0.0.1",), False),
        ("testclient", {"host": "127.0.0.1"}, (), False),
        ("127.0.0.1", {}, (), False),
    ],
    ids=str,
)
def test_a_client_is_here_only_where_nothing_says_otherwise(
    address: str, headers: dict[str, str], proxies: tuple[str, ...], is_here: bool
) -> None:
    from lycosa.web.clients import is_from_here

    assert is_from_here({"client": (address, 1)}, Headers(headers), proxies) is is_here
