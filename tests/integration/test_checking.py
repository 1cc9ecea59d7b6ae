"""`lycosa check` with addresses, over real sockets and judged from the server's side."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lycosa.operate.checking.pages import answer_of_bytes, check_page
from lycosa.operate.checking.scope import ScopeChecker
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.reader import find, table
from lycosa.storage.tables.rows import signed
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.robots_kinds import ROBOTS_KINDS
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.referee.rulebook import RefereeRules
from lycosa_testweb.robots import Group, Robots, everything, folder
from lycosa_testweb.sections import Copies, Moves, News, Tree, Vault
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.webs.graph import GraphWeb
from warm import lycosa

DELAY_SECONDS = 0.3
ROBOTS = {
    "slow.test": Robots((Group("*", (folder("/closed/"),), crawl_delay_seconds=0.9),)),
    "closed.test": Robots((Group("*", (), 0), Group("Lycosa", (everything(),)))),
    "ill.test": Robots(failing_status=503),
    "moved.test": Robots((Group("*", (folder("/a"),)),), hops=2),
    "far.test": Robots((Group("*", (folder("/a"),)),), hops=6),
    "patient.test": Robots((Group("*", (), 60),)),
}
HOSTS = (*ROBOTS, "bare.test", "turned.test", "shy.test")


@dataclass
class Site:
    server: SocketWeb
    referee: Referee

    def ask(self, kind: str, *arguments: str, is_private: bool = True) -> tuple[int, Any]:
        """Run the command; returns its exit code and what it tells."""
        pauses = ("politeness.delay_seconds=0.3", "politeness.ip_delay_seconds=0.02")
        settings = (*pauses, f"fetch.hosts_file={self.server.hosts_file}")
        flags = [flag for setting in settings for flag in ("--set", setting)]
        contact = ["--allow-private"] if is_private else ["--contact", "a@example.org"]
        done = lycosa("check", kind, *arguments, "--json", *contact, *flags)
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    def requests_to(self, host: str) -> list[str]:
        """Return what has been asked for on a host."""
        self.server.settle()
        asked = (entry.url for entry in self.referee.history)
        return [url for url in asked if url.startswith(f"http://{host}/")]


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    web = GraphWeb(
        {f"http://{host}/": [f"http://{host}/a"] for host in HOSTS},
        {"http://turned.test/old": "http://turned.test/"},
        robots=ROBOTS,
    )
    rules = RefereeRules(DELAY_SECONDS, 0.02, tolerance_seconds=0.03)
    referee = Referee(rules, web, keep_history=True)
    with SocketWeb(web, referee=referee, tls=False) as server:
        yield Site(server, referee)
        server.settle()
    assert [str(breach) for breach in referee.breaches] == []


def test_a_page_is_asked_for_after_its_robots_file_and_the_sites_delay(site: Site) -> None:
    code, table = site.ask("page", "http://slow.test/")
    assert (code, table["outcome"], table["status"]) == (0, "kept", 200)
    assert [link["url"] for link in table["links"]] == ["http://slow.test/a"]
    assert table["robots"]["allowed"]
    assert site.requests_to("slow.test") == ["http://slow.test/robots.txt", "http://slow.test/"]
    first, second = (one for one in site.referee.history if "slow.test" in one.url)
    assert second.began - first.ended >= 0.9 - 0.03


def test_a_page_that_is_disallowed_is_not_asked_for_and_the_line_is_named(site: Site) -> None:
    code, table = site.ask("page", "http://closed.test/")
    assert (code, table["outcome"], table["status"]) == (1, "disallowed", 0)
    assert (table["robots"]["rule"], table["robots"]["allowed"]) == ("Disallow: /", False)
    assert site.requests_to("closed.test") == ["http://closed.test/robots.txt"]


def test_while_the_robots_file_cannot_be_had_nothing_else_is_asked_for(site: Site) -> None:
    code, table = site.ask("page", "http://ill.test/")
    assert (code, table["outcome"]) == (1, "robots_unreachable")
    assert "503" in table["robots"]["note"]
    assert site.requests_to("ill.test") == ["http://ill.test/robots.txt"]


def test_the_robots_file_of_a_site_is_followed_where_it_moved(site: Site) -> None:
    code, table = site.ask("robots", "http://moved.test/", "/a", "/b", "http://bare.test/")
    assert code == 1
    assert [one["allowed"] for one in table["urls"]] == [False, True, False]
    assert table["urls"][2]["refusal"] == "other-site"
    assert table["file"] != "http://moved.test/robots.txt"
    assert len(site.requests_to("moved.test")) == 3


def test_a_robots_file_that_moves_too_often_counts_as_none(site: Site) -> None:
    code, table = site.ask("robots", "http://far.test/a")
    assert (code, table["urls"][0]["allowed"]) == (0, True)
    assert "redirects too often" in table["note"]


def test_a_site_that_wants_too_long_a_pause_is_left_alone(site: Site) -> None:
    code, table = site.ask(
        "page", "http://patient.test/", "--set", "politeness.longest_pause_seconds=9"
    )
    assert (code, table["outcome"]) == (1, "host_put_off")
    assert site.requests_to("patient.test") == ["http://patient.test/robots.txt"]


def test_a_redirect_is_told_and_not_followed(site: Site) -> None:
    code, table = site.ask("page", "http://turned.test/old")
    assert (code, table["outcome"]) == (1, "redirected")
    assert table["links"][0]["url"] == "http://turned.test/"
    assert len(site.requests_to("turned.test")) == 2


def test_a_loopback_address_is_refused_unless_that_is_allowed(site: Site) -> None:
    code, table = site.ask("page", "http://shy.test/", is_private=False)
    assert (code, table["outcome"]) == (1, "refused_address")
    assert site.requests_to("shy.test") == []


def test_a_host_without_an_address_is_told(site: Site) -> None:
    code, table = site.ask("page", "http://nobody.test/")
    assert (code, table["outcome"]) == (1, "name_failure")


def test_a_page_is_checked_as_a_crawl_reads_it(tmp_path: Path) -> None:
    sections = (((Tree(2, 2), Moves(), Vault(), Copies(), News()), 1.0),)
    web = GeneratedWeb(5, Mixture(3, 3, sections=sections, robots=((ROBOTS_KINDS["some"], 1.0),)))
    path = tmp_path / "crawl"
    with SocketWeb(web, tls=False) as server:
        seeds = [web.home(number) for number in range(3)]
        flags = ["--allow-private", "--delay", "5ms", "--ip-delay", "1ms", "--max-pages", "60"]
        flags += ["--set", f"fetch.hosts_file={server.hosts_file}", "--exclude", "regex:/tree/2"]
        command = [sys.executable, "-m", "lycosa", "crawl", *seeds, "-o", str(path), "-q", *flags]
        subprocess.run(command, capture_output=True, timeout=120, check=True)
    directory = CrawlDirectory.open(path)
    scope = ScopeChecker.of_directory(directory)
    links = table(path, "links").to_pylist()
    texts = {row["fetch_id"]: row["text"] for row in table(path, "text").to_pylist()}
    pages = [row for row in table(path, "pages").to_pylist() if row["outcome"].lower() == "kept"]
    assert len(pages) >= 30 and len(links) > 100
    refusals: set[str | None] = set()
    for row in pages:
        stored = find(path, row["url"])
        assert stored is not None
        answer = answer_of_bytes(stored.body, row["content_type"], scope.job)
        checked = check_page(answer, row["url"], scope.job, scope)
        assert [
            (one.url, one.kind.name.lower(), one.text, one.rel, one.times)
            for one in checked.kept_links
        ] == [
            (one["target_url"], one["kind"].lower(), one["text"], one["rel"], one["times"])
            for one in links
            if one["fetch_id"] == row["fetch_id"] and one["reason"] in ("followed", "too-deep")
        ]
        assert {
            (one["target_url"], one["reason"])
            for one in links
            if one["fetch_id"] == row["fetch_id"] and one["reason"] not in ("followed", "too-deep")
        } == {(one.url or one.href, one.refusal) for one in checked.links if one.refusal}
        assert (checked.facts.title, checked.facts.text) == (
            row["title"],
            texts.get(row["fetch_id"], ""),
        )
        assert signed(checked.fingerprint) == row["fingerprint"]
        refusals.update(link.refusal for link in checked.links)
    assert {None, "reject:regex /tree/2"} <= refusals


def test_a_batch_answers_each_line_at_once() -> None:
    command = [sys.executable, "-m", "lycosa", "check", "url", "--batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        for number in range(3):
            process.stdin.write(b'{"url": "http://a.test/", "id": %d}\n' % number)
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == number
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_a_reader_who_has_had_enough_is_no_error() -> None:
    line = json.dumps({"url": "http://a.test/"})
    command = f"{sys.executable} -m lycosa check url --batch | head -1; echo ${{PIPESTATUS[0]}}"
    text = f"{line}\n" * 20_000
    done = subprocess.run(
        ["bash", "-c", command], input=text, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout.splitlines()[1], done.stderr) == ("0", "")
