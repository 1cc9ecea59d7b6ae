"""What an operator types beside a crawl: `queue`, `block` and `unblock`, `revisit` from cron."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from integration.small_servers import serving_site
from lycosa.crawl.status.queue import NEXT_CYCLE, TURN
from lycosa.model.job import read_job
from warm import lycosa

PAGES = 6
FEW = (
    *("--set", "frontier.partitions=2", "--mining", "off", "--workers", "1"),
    *("--set", "robots.sitemaps=false"),
)
OFTEN = ("--set", "revisit.not_before_seconds=0", "--set", "revisit.cycle_seconds=1000")


class Server:
    """A home page with links to some pages; all of them say how often they were asked for."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.port = 0

    @property
    def home(self) -> str:
        return f"http://localhost:{self.port}/"


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()

    def site(path: str) -> tuple[int, str]:
        found.asked[path] += 1
        links = "".join(f"<a href=/{n}>page {n}</a>" for n in range(1, PAGES))
        body = f"<title>{path}</title>{links} asked for {found.asked[path]} times"
        return 404 if path == "/robots.txt" else 200, body

    with serving_site(site) as port:
        found.port = port
        yield found


def told(*words: object) -> Any:
    ran = lycosa(*words, "--json")
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_the_queue_is_listed_with_what_each_url_waits_for(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "c"
    told("crawl", server.home, "-o", path, *FEW, "--max-pages", 1)
    queue = told("queue", path)
    assert (queue["total"], queue["put_off"]) == (PAGES - 1, 0)
    assert {one["url"] for one in queue["urls"]} == {f"{server.home}{n}" for n in range(1, PAGES)}
    (first, *_) = queue["urls"]
    assert (first["depth"], first["host"], first["waits_for"]) == (1, "localhost", TURN)
    assert first["due"] is None
    shown = lycosa("queue", path, "--limit", 2).stdout
    assert "5 URLs in the queue; 2 are listed (--limit)" in shown
    assert "1 link from a seed; waits for its turn" in shown
    assert told("queue", path, "--host", "other.example")["total"] == 0


def test_a_blocked_host_is_shown_and_can_be_unblocked(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "c"
    told("crawl", server.home, "-o", path, *FEW, "--max-pages", 1)
    assert lycosa("block", path, "localhost").returncode == 0
    assert told("status", path)["blocked"] == ["localhost"]
    status = " ".join(lycosa("status", "c", cwd=tmp_path).stdout.split())
    assert "localhost; lift: lycosa unblock c HOST" in status
    assert told("queue", path)["total"] == 0
    assert told("resume", path, "--max-pages", 100)["pages"] == 1
    unblocked = lycosa("unblock", path, "localhost")
    assert f"no longer blocked; {PAGES - 1} URLs back in the queue" in unblocked.stdout
    assert told("status", path)["blocked"] == []
    assert told("resume", path)["pages"] == PAGES
    again = lycosa("unblock", path, "localhost")
    assert again.returncode == 2 and "not blocked" in again.stderr
    assert max(server.asked.values()) == 1 or server.asked["/robots.txt"] > 1
    assert lycosa("audit", path).returncode == 0


def test_what_was_deleted_with_a_blocked_host_is_fetched_again(
    server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "c"
    told("crawl", server.home, "-o", path, *FEW)
    assert lycosa("block", path, "localhost", "--forget").returncode == 0
    assert lycosa("cat", path, server.home).returncode == 1
    assert lycosa("unblock", path, "localhost").returncode == 0
    assert told("resume", path)["outcomes"]["kept"] >= PAGES
    assert lycosa("cat", path, server.home).returncode == 0
    assert lycosa("verify", path).returncode == 0


def test_revisit_does_one_cycle_at_once_and_ends(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "c"
    told("crawl", server.home, "-o", path, *FEW, *OFTEN)
    assert set(server.asked.values()) == {1}
    for cycle in (1, 2, 3):
        ended = told("revisit", path)
        assert (ended["reason"], ended["requests"]) == ("exhausted", PAGES)
        now = told("status", path)
        assert (now["cycle"], now["is_followed"]) == (cycle, False)
        pages = {path: times for path, times in server.asked.items() if path != "/robots.txt"}
        assert set(pages.values()) == {cycle + 1}
    status = " ".join(lycosa("status", "c", cwd=tmp_path).stdout.split())
    assert "none planned; do one now: lycosa revisit c" in status
    job = read_job(path / "crawl.toml").revisit
    assert (job.policy, job.cycles, job.cycle_seconds) == ("profit", 3, 1000.0)
    assert lycosa("audit", path).returncode == 0


def test_a_cycle_that_was_interrupted_is_gone_on_with(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "c"
    told("crawl", server.home, "-o", path, *FEW, *OFTEN)
    told("revisit", path)
    told("revisit", path, "--max-pages", 2 * PAGES + 2)
    queue = told("queue", path)
    assert (told("status", path)["cycle"], queue["total"]) == (2, PAGES - 2)
    assert NEXT_CYCLE not in {one["waits_for"] for one in queue["urls"]}
    told("revisit", path, "--max-pages", 0)
    assert (told("status", path)["cycle"], told("queue", path)["total"]) == (2, 0)
    planned = told("resume", path, "--cycles", 4, "--time", "1s")
    assert planned["reason"] in ("seconds", "stopped")
    status = told("status", path)
    assert status["next_cycle_at"] > "2026" and status["is_followed"]
    assert "next cycle not before 20" in " ".join(lycosa("status", path).stdout.split())


def test_a_crawl_that_has_not_begun_has_nothing_to_visit_again(tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").write_text('seeds = ["http://localhost:9/"]\n')
    refused = lycosa("revisit", tmp_path)
    assert refused.returncode == 2 and "has not begun" in refused.stderr
