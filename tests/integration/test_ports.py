"""A page leads no crawl to a port of another service than the web."""

from __future__ import annotations

from pathlib import Path

import pytest

from integration.recorded_requests import recording
from integration.small_servers import PAGE, client, fails, reply, replying, run, serving
from lycosa import Crawl
from lycosa.model.job import Job
from lycosa.model.records import Outcome
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl

pytestmark = pytest.mark.quick


@run
async def test_a_port_of_another_service_is_not_asked() -> None:
    url = "http://site.test:6379/"
    async with serving(replying(reply(PAGE))) as served:
        async with client(ports={6379: served.port}) as web:
            fails(await web.get(url), Outcome.REFUSED_PORT)
        assert served.connections == 0


def crawled(folder: Path, hosts: str, *seeds: str) -> Crawl:
    (folder / "hosts").write_text(hosts)
    job = Job.of(
        seeds=seeds,
        fetch={"allow_private": True, "hosts_file": str(folder / "hosts")},
        politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0},
        robots={"sitemaps": False},
        discovery={"mining": "off"},
        limits={"depth_static": 1},
    )
    directory = CrawlDirectory.create(folder / "crawl", job)
    run_crawl(directory)
    return Crawl(directory.path)


def test_a_link_to_a_database_is_not_asked(tmp_path: Path) -> None:
    links = '<a href="http://a.test:6379/x">x</a> <a href="http://a.test/y">y</a>'
    with recording() as (other, asked_there), recording(links) as (home, _):
        hosts = f"127.0.0.1 a.test\nport 80 {home}\nport 6379 {other}\n"
        crawl = crawled(tmp_path, hosts, "http://a.test/")
    assert asked_there == []
    assert {page.url: page.outcome for page in crawl.pages()} == {
        "http://a.test/": "kept",
        "http://a.test/y": "kept",
    }
    refused = {link.target_url for link in crawl.links() if link.reason == "refused-port"}
    assert refused == {"http://a.test:6379/x"}


def test_a_seed_in_the_job_is_asked_at_any_port(tmp_path: Path) -> None:
    with recording() as (other, asked_there):
        hosts = f"127.0.0.1 a.test\nport 6379 {other}\n"
        crawl = crawled(tmp_path, hosts, "http://a.test:6379/")
    assert [page.outcome for page in crawl.pages()] == ["kept"]
    assert len(asked_there) == 2


def test_seeds_of_a_list_at_such_a_port_end_without_a_request(tmp_path: Path) -> None:
    with recording() as (other, asked_there):
        hosts = f"127.0.0.1 a.test\nport 6379 {other}\n"
        seeds = [f"http://a.test:6379/{number}" for number in range(1_500)]
        crawled(tmp_path, hosts, *seeds)
    assert asked_there == []
