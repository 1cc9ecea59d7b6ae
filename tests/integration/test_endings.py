"""A crawl whose seeds or links lead nowhere, as its user sees it: what is said, and how it ends."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

from integration.small_servers import Site, serving_site
from warm import lycosa

Answer = tuple[int, str]

QUICK = (
    *("--allow-private", "--delay", "0.05", "--set", "politeness.ip_delay_seconds=0"),
    *("--set", "politeness.backoff_first_seconds=0.5", "--set", "crawl.workers=1"),
    *("--set", "robots.unreachable_retry_seconds=1", "--set", "extract.soft_404_after=0"),
    *("--set", "discovery.mining=off", "--include", "127.0.0.1"),
    *("--set", "robots.sitemaps=false"),
)


@contextlib.contextmanager
def held_port() -> Iterator[int]:
    """Hold a port where nobody listens."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


def linking(*links: str) -> Site:
    """Return a site with a home page that has these links, and ten pages."""
    pages = "".join(f"<a href='/{n}'>{n}</a>" for n in range(10))

    def answer(path: str) -> Answer:
        if path == "/robots.txt":
            return 404, ""
        links_to = "".join(f"<a href='{link}'>x</a>" for link in links)
        return 200, f"<title>{path}</title>{pages if path == '/' else ''}{links_to}"

    return answer


def patience(seconds: float) -> tuple[str, str]:
    return "--set", f"limits.patience_seconds={seconds:g}"


def test_a_seed_where_nobody_listens_is_said_at_once_and_has_an_exit_code(tmp_path: Path) -> None:
    with held_port() as port:
        seed = f"http://127.0.0.1:{port}/"
        began = time.monotonic()
        ran = lycosa("crawl", seed, "-o", tmp_path / "c", *QUICK, *patience(2))
        assert ran.returncode == 69
        assert time.monotonic() - began < 30
        assert f"{seed}: cannot be reached: no connection to 127.0.0.1" in ran.stderr
        assert "Connection refused" in ran.stderr and "check the port" in ran.stderr
        assert "no seed could be reached" in ran.stdout and "lycosa retry" in ran.stdout
        messages = (tmp_path / "c" / "lycosa.log").read_text()
        assert f"seed {seed} cannot be reached: no connection" in messages
        again = lycosa("resume", tmp_path / "c", "--json")
        assert again.returncode == 69
        summary = json.loads(again.stdout)
        assert (summary["reason"], summary["is_complete"]) == ("no seed", False)
        assert summary["given_up"] == [
            {"origin": seed.rstrip("/"), "urls": 1, "why": "no connection could be made"}
        ]


def test_a_seed_whose_name_does_not_exist_is_said_at_once(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 other.example\n")
    ran = lycosa(
        *("crawl", "http://mistyped.example/", "-o", tmp_path / "c", *QUICK, *patience(1)),
        *("--set", f"fetch.hosts_file={hosts}", "--include", "mistyped.example", "--json"),
    )
    assert ran.returncode == 69
    told = [json.loads(line) for line in ran.stderr.splitlines() if "seed_unreachable" in line]
    assert [one["seed"] for one in told] == ["http://mistyped.example/"]
    assert "the name mistyped.example does not exist" in told[0]["reason"]
    assert json.loads(ran.stdout)["outcomes"] == {"no_such_host": 1}
    assert "ended; no seed could be reached" in lycosa("status", tmp_path / "c").stdout


def test_a_seed_with_a_private_address_is_said_with_the_flag_that_allows_it(tmp_path: Path) -> None:
    ran = lycosa(
        *("crawl", "http://10.0.0.1/", "-o", tmp_path / "c", "--contact", "a@example.org"),
        "--quiet",
    )
    assert ran.returncode == 69
    assert "add --allow-private" in ran.stderr


def test_a_seed_that_its_robots_file_forbids_is_said_with_the_command_that_shows_why(
    tmp_path: Path,
) -> None:
    def site(path: str) -> Answer:
        return (200, "User-agent: *\nDisallow: /") if path == "/robots.txt" else linking()(path)

    with serving_site(site) as port:
        seed = f"http://127.0.0.1:{port}/"
        ran = lycosa("crawl", seed, "-o", tmp_path / "c", *QUICK, "--quiet")
    assert ran.returncode == 69
    assert f"its robots file forbids it for lycosa; see: lycosa check robots {seed} /" in ran.stderr


def test_links_that_lead_nowhere_end_within_patience_and_retry_takes_them_up(
    tmp_path: Path,
) -> None:
    """A dead port beside the site, and https on the site's own http port."""
    with held_port() as dead:
        links = [f"http://127.0.0.1:{dead}/later"]
        site: list[Site] = []
        with serving_site(lambda path: site[0](path)) as port:
            site.append(linking(*links, f"https://127.0.0.1:{port}/"))
            command = ("crawl", f"http://127.0.0.1:{port}/", "-o", tmp_path / "c")
            ran = lycosa(*command, *QUICK, *patience(1.5), "--json")
            assert ran.returncode == 0, ran.stderr
            summary = json.loads(ran.stdout)
            assert (summary["reason"], summary["is_complete"]) == ("unreachable", False)
            assert summary["pages"] == 11
            assert {(one["origin"], one["urls"]) for one in summary["given_up"]} == {
                (f"http://127.0.0.1:{dead}", 1),
                (f"https://127.0.0.1:{port}", 1),
            }
            text = lycosa("status", tmp_path / "c").stdout
            assert f"http://127.0.0.1:{dead}" in text and "lycosa retry" in text
            retried = lycosa("retry", tmp_path / "c")
            assert retried.returncode == 0 and re.search(r"\b2 URLs", retried.stdout)
    with serving_site(linking(), dead):
        ran = lycosa("resume", tmp_path / "c", "--json")
    summary = json.loads(ran.stdout)
    assert summary["pages"] >= 12
    assert [one["origin"] for one in summary["given_up"]] == [f"https://127.0.0.1:{port}"]
    assert lycosa("audit", tmp_path / "c").returncode == 0


def test_two_workers_agree_on_what_is_out_of_reach(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    names = [f"h{n}.d{n}.example" for n in range(8)]
    with held_port() as dead:
        links: list[str] = []
        with serving_site(lambda path: linking(*links)(path)) as port:
            hosts.write_text(f"127.0.0.1 {' '.join(names)}\nport 80 {port}\n")
            links += [f"http://{name}/" for name in names]
            links += [f"http://{name}:{dead}/" for name in names]
            ran = lycosa(
                *("crawl", f"http://{names[0]}/", "-o", tmp_path / "c", *QUICK, *patience(2)),
                *("--include", ".example", "--set", f"fetch.hosts_file={hosts}", "--json"),
                *("--set", "crawl.workers=2"),
            )
    assert ran.returncode == 0, ran.stderr
    summary = json.loads(ran.stdout)
    assert summary["workers"] == 2
    assert (summary["reason"], summary["given_up_origins"]) == ("unreachable", 8)
    assert summary["pages"] == 8 * 11


def test_a_robots_file_that_fails_once_costs_no_page(tmp_path: Path) -> None:
    asked: list[str] = []

    def site(path: str) -> Answer:
        asked.append(path)
        if asked == ["/robots.txt"]:
            return 503, ""
        return linking()(path)

    with serving_site(site) as port:
        seed = f"http://127.0.0.1:{port}/"
        ran = lycosa("crawl", seed, "-o", tmp_path / "c", *QUICK)
    assert ran.returncode == 0
    assert "Complete" in ran.stdout
    assert f"{seed}: cannot be reached: its robots file answers 503" in ran.stderr
    assert asked.count("/robots.txt") == 2 and len(set(asked)) == 12


def test_a_page_that_is_tried_again_is_told_by_progress_status_and_explain(tmp_path: Path) -> None:
    """After a 500 the crawl has nothing to do for a minute, and says what it waits for."""

    def site(path: str) -> Answer:
        return (500, "") if path == "/3" else linking()(path)

    with serving_site(site) as port:
        home = f"http://127.0.0.1:{port}"
        ran = lycosa("crawl", f"{home}/", "-o", tmp_path / "c", *QUICK, "--time", "7s", "--json")
    why = "a page is tried again after a failure (server_error)"
    moments = [json.loads(line) for line in ran.stderr.splitlines() if '"progress"' in line]
    assert [(wait["for"], wait["why"]) for wait in moments[-1]["waits"]] == [(home, why)]
    assert moments[-1]["waits"][0]["until"] > moments[-1]["time"]
    status = json.loads(lycosa("status", tmp_path / "c", "--json").stdout)
    assert [(w["who"], w["why"], w["urls"]) for w in status["waits"]] == [(home, why, 1)]
    told = " ".join(lycosa("status", tmp_path / "c").stdout.split())
    assert f"{home} (1 URL): {why}, until " in told
    explained = json.loads(lycosa("explain", tmp_path / "c", f"{home}/3", "--json").stdout)
    assert explained["standing"] == f"waits for {home}: {why}"
    assert explained["due"][:19] == status["waits"][0]["until"][:19]
