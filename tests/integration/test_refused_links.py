"""Links that a rule of the operator has refused: counted when it is removed, and added as seeds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders import orders
from lycosa.runtime.orders.desk import give
from lycosa.runtime.processes.run import run_crawl
from lycosa_testweb.servers.server import SocketWeb
from unit.crawl.drawn_web import DrawnWeb, linking, page
from warm import lycosa
from worker_crawls import kept_urls

pytestmark = pytest.mark.quick

HOME = "http://a.test/"
REFUSED = [f"http://a.test/forum/{number}" for number in range(3)]
WEB = DrawnWeb(
    {
        HOME: linking("http://a.test/b", *REFUSED),
        "http://a.test/b": linking(*REFUSED[:2]),
        **{url: page(f"<p>the words of {url}</p>") for url in REFUSED},
    }
)


def test_refused_links_are_told_of_and_can_be_crawled_after_all(tmp_path: Path) -> None:
    with SocketWeb(WEB, tls=False) as server:
        job = Job.of(
            seeds=[HOME],
            limits={"free_disk_bytes": 0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0},
            extract={"soft_404_after": 0},
            discovery={"mining": "off"},
            log={"commit_seconds": 0.02},
            frontier={"partitions": 2},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
        )
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        rule = {"action": "reject", "prefix": ["http://a.test/forum/"]}
        assert give(directory, orders.AddRule(rule)).number == 1
        assert run_crawl(directory).progress.refusals == {"reject:order-1": 5}
        assert set(kept_urls(directory)) == {HOME, "http://a.test/b"}

        path = directory.path
        early = lycosa("exclude", path, "--add-refused", "1")
        assert early.returncode != 0 and "3 are refused by other rules" in early.stderr
        removed = lycosa("exclude", path, "--remove", "1")
        assert removed.returncode == 0, removed.stderr
        assert f"refused 3 links; crawl them: lycosa exclude {path}" in removed.stdout
        wrong = lycosa("exclude", path, "--add-refused", "2")
        assert wrong.returncode != 0 and "orders that have: 1" in wrong.stderr
        added = lycosa("exclude", path, "--add-refused", "1", "--json")
        assert json.loads(added.stdout) == {"order": 3, "is_new": True, "is_applied": False}
        run_crawl(CrawlDirectory.open(path))
        assert set(kept_urls(directory)) == set(WEB.replies)
