"""`lycosa serve LOGURL`: a crawl whose log is in a server, seen without its directory."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import pytest

from crawls_on_servers import PAGES, Web, address, crawled, web
from lycosa.model.job import read_job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.web.shell import PAGES as SHOWN
from worker_crawls import eventually

pytestmark = pytest.mark.soak
__all__ = ["address", "crawled", "web"]


class House(NamedTuple):
    """A server over a distant crawl."""

    port: int
    token: str
    crawl: str

    def get(self, path: str) -> tuple[int, bytes]:
        """Ask for a path."""
        return self._ask("GET", path)

    def post(self, path: str, body: object = None) -> tuple[int, Any]:
        """Send an order."""
        status, content = self._ask("POST", f"/api/v1/crawls/{self.crawl}{path}", body)
        return status, json.loads(content)

    def of_crawl(self, path: str) -> tuple[int, Any]:
        """Ask for something about the crawl."""
        status, content = self.get(f"/api/v1/crawls/{self.crawl}{path}")
        return status, json.loads(content)

    def _ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body), headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content


@contextmanager
def served(folder: Path, address: str) -> Iterator[House]:
    """Serve the crawl of a folder by the address of its log."""
    name = read_job(folder / "crawl.toml").log.name
    words = ["serve", f"{address}#{name[:12]}", "--port", "0"]
    command = [sys.executable, "-m", "lycosa", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = process.stdout.readline().split()
        assert told, "it did not start"
        parts = urlsplit(told[-1])
        assert parts.port is not None
        yield House(parts.port, parts.fragment.removeprefix("token="), name)
        process.terminate()


@pytest.fixture(scope="module")
def house(crawled: Path, address: str) -> Iterator[House]:
    with served(crawled, address) as found:
        yield found


def test_it_shows_the_crawl_and_its_members_from_the_log(house: House, web: Web) -> None:
    status, frame = house.of_crawl("/progress")
    assert (status, frame["state"], frame["reason"]) == (200, "ended", "exhausted")
    assert (frame["pages"], frame["pending"], frame["outcomes"]["kept"]) == (PAGES, 0, PAGES)
    listed = json.loads(house.get("/api/v1/crawls")[1])["crawls"]
    assert [(row["name"], row["pages"]) for row in listed] == [(house.crawl, PAGES)]
    assert listed[0]["directory"].startswith(listed[0]["log"].partition(":")[0])
    status, members = house.of_crawl("/members")
    assert (status, members["is_cluster"], members["ended"]) == (200, True, "exhausted")
    for page in SHOWN:
        assert house.get(f"/crawl/{house.crawl}/{page}")[0] == 200


def test_what_only_the_crawl_directories_hold_is_refused_with_their_places(
    house: House, web: Web, crawled: Path
) -> None:
    seed = quote(web.seeds[0])
    paths = ("/hosts", "/pages", "/links", f"/url?url={seed}", "/search?q=page", "/audit", "/log")
    answers = [house.of_crawl(path) for path in (*paths, "/checks", f"/captures/body?url={seed}")]
    answers.append(house.post("/sql", {"query": "select 1"}))
    answers.append(house.post("/sparql", {"query": "ask {}"}))
    answers.append(house.post("/report"))
    for status, told in answers:
        assert status == 409, told
        assert "the crawl directories do" in told["detail"]
    status, told = house.post("/start")
    assert status == 409 and "lycosa join" in told["detail"]


def test_orders_are_given_through_the_log(house: House) -> None:
    status, given = house.post("/pause")
    assert (status, given["is_new"]) == (202, True)
    status, orders = house.of_crawl("/orders")
    assert status == 200 and [one["number"] for one in orders["orders"]] == [given["number"]]
    assert house.post("/resume")[0] == 202


def test_a_crawl_that_runs_is_shown_by_its_members_and_paused(
    address: str, web: Web, tmp_path: Path
) -> None:
    folder = tmp_path / "running"
    words = ["crawl", *web.seeds, "-o", str(folder), "--log", address, *web.flags]
    command = [sys.executable, "-m", "lycosa", *words, "--delay", "1s"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as crawl:
        try:
            eventually((folder / "crawl.toml").exists)
            eventually(lambda: CrawlDirectory(folder).holder() is not None)
            with served(folder, address) as house:
                eventually(lambda: house.of_crawl("/progress")[1]["pages"] > 0)
                frame = house.of_crawl("/progress")[1]
                assert (frame["state"], frame["workers"]) == ("running", 1)
                (member,) = house.of_crawl("/members")[1]["members"]
                assert member["partitions"] == 4
                assert house.post("/pause")[0] == 202
                eventually(lambda: house.of_crawl("/progress")[1]["state"] == "paused")
        finally:
            crawl.kill()
