"""The commands as a user types them, against the test web on real sockets."""

from __future__ import annotations

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tree_web import tree_web
from warm import in_full, lycosa
from worker_crawls import eventually

LYCOSA = (sys.executable, "-m", "lycosa")
PAGES = 40
"""Of one host: a tree of four levels with three children a page."""


class Web(NamedTuple):
    hosts_file: str
    seeds: list[str]

    def flags(self, delay: str = "20ms") -> list[str]:
        hosts = f"fetch.hosts_file={self.hosts_file}"
        pauses = ["--delay", delay, "--ip-delay", "1ms", "--set", "frontier.partitions=4"]
        return ["--allow-private", "--set", hosts, *pauses]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with tree_web(tmp_path_factory.mktemp("web"), 4, 3, 2) as (hosts_file, seeds):
        yield Web(hosts_file, seeds)


def bytes_archived(path: Path) -> int:
    return sum(file.stat().st_size for file in path.glob("warc/*.warc.gz"))


@pytest.fixture(scope="module")
def crawled(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawls") / "mycrawl"
    done = in_full("crawl", web.seeds[0], "-o", path, "--json", *web.flags())
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["reason"], summary["is_complete"]) == ("exhausted", True)
    assert (summary["pages"], summary["pending"]) == (PAGES, 0)
    return path


def test_status_tells_what_is_there(crawled: Path) -> None:
    status = json.loads(lycosa("status", crawled, "--json").stdout)
    assert (status["pages"], status["pending"], status["running_pid"]) == (PAGES, 0, None)
    assert status["outcomes"] == {"kept": PAGES, "probe_honest": 1, "no_sitemap": 1}
    assert f"{crawled}: complete" in lycosa("status", crawled).stdout.replace("\n", "")


def test_explain_knows_a_page_and_owns_up_to_what_it_does_not_know(web: Web, crawled: Path) -> None:
    known = lycosa("explain", crawled, web.seeds[0], "--json")
    assert known.returncode == 0
    explanation = json.loads(known.stdout)
    assert (explanation["outcome"], explanation["depth"]) == ("kept", 0)
    assert explanation["history"][0]["what"] == "given as a seed"
    assert explanation["address"].startswith("127.")
    assert explanation["address_expires"] > explanation["history"][-1]["moment"]
    words = lycosa("explain", crawled, web.seeds[0]).stdout
    assert f"its host has the address {explanation['address']}, valid until 20" in words
    unknown = lycosa("explain", crawled, "http://nowhere.test/")
    assert unknown.returncode == 1
    assert "would be refused, if a page links to it: out-of-scope" in unknown.stdout
    nowhere = lycosa("explain", crawled, f"{web.seeds[0]}nowhere")
    assert nowhere.returncode == 1
    assert "has not been found" in nowhere.stdout


def test_cat_gives_headers_body_and_text(web: Web, crawled: Path) -> None:
    assert in_full("cat", crawled, web.seeds[0], "--headers").stdout.startswith("HTTP/1.1 200")
    body = lycosa("cat", crawled, web.seeds[0]).stdout
    assert "<title>" in body
    text = lycosa("cat", crawled, web.seeds[0], "--text")
    assert text.returncode == 0
    assert text.stdout.strip() and "<" not in text.stdout
    missing = lycosa("cat", crawled, "http://nowhere.test/")
    assert missing.returncode == 1
    assert "lycosa explain" in missing.stderr


def test_audit_finds_the_crawl_clean(crawled: Path) -> None:
    audit = in_full("audit", crawled, "--json")
    assert audit.returncode == 0, audit.stdout
    verdict = json.loads(audit.stdout)
    assert verdict["is_clean"]
    assert verdict["requests"] == PAGES + 3  # the robots file, the probe and /sitemap.xml


def test_a_limit_is_no_error_and_resume_can_lift_it(web: Web, tmp_path: Path) -> None:
    path = tmp_path / "c"
    limited = in_full("crawl", web.seeds[0], "-o", path, "--max-pages", 5, *web.flags())
    assert limited.returncode == 0
    assert "Ended by the limit of 5 pages (--max-pages)." in limited.stdout
    assert f"lycosa resume {path} --max-pages 10" in limited.stdout
    lifted = in_full("resume", path, "--max-pages", 0, "--json")
    assert json.loads(lifted.stdout)["pages"] == PAGES


@pytest.mark.parametrize("source", ["flag", "file"])
def test_a_hosts_file_given_relative_is_found_from_everywhere(
    web: Web, tmp_path: Path, source: str
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "my-hosts").write_text(Path(web.hosts_file).read_text())
    flags = ["-o", tmp_path / "c", "--max-pages", 2, "--contact", "a@b.cl", *web.flags()]
    flags = [flag for flag in flags if not str(flag).startswith("fetch.")]
    flags.remove("--set")
    if source == "flag":
        began = lycosa(
            "crawl", web.seeds[0], *flags, "--set", "fetch.hosts_file=my-hosts", cwd=here
        )
    else:
        (here / "job.toml").write_text('[fetch]\nhosts_file = "my-hosts"\n')
        config = ["--config", here / "job.toml"]
        began = lycosa("crawl", web.seeds[0], *flags, *config, cwd=there)
    assert began.returncode == 0, began.stderr
    resumed = lycosa("resume", tmp_path / "c", "--max-pages", 0, "--json", cwd=there)
    assert resumed.returncode == 0, resumed.stderr
    assert json.loads(resumed.stdout)["pages"] == PAGES
    with gzip.open(min((tmp_path / "c" / "warc").glob("*.gz"))) as archive:
        assert b"http-header-user-agent: lycosa (a@b.cl)\r\n" in archive.read(2000)


def test_the_test_web_has_help_of_its_own() -> None:
    assert lycosa("testweb", "--help").stdout.startswith("usage: lycosa testweb ")


def test_added_seeds_are_crawled_at_the_next_resume(web: Web, tmp_path: Path) -> None:
    path = tmp_path / "c"
    seeds = lycosa("crawl", web.seeds[0], "-o", path, "--only-seeds", "--json", *web.flags())
    assert json.loads(seeds.stdout)["pages"] == 1
    added = in_full("add", path, web.seeds[1])
    assert added.stdout == f"1 seed added to {path}\n"
    assert json.loads(lycosa("resume", path, "--json").stdout)["pages"] == 2


def test_a_blocked_host_is_asked_no_more(web: Web, tmp_path: Path) -> None:
    path = tmp_path / "c"
    lycosa("crawl", *web.seeds, "-o", path, "--max-pages", 6, *web.flags())
    host = web.seeds[0].removeprefix("http://").rstrip("/").partition(":")[0]
    blocked = in_full("block", path, host)
    assert blocked.returncode == 0, blocked.stderr
    assert f"{host} is blocked; " in blocked.stdout
    summary = json.loads(lycosa("resume", path, "--max-pages", 0, "--json").stdout)
    assert summary["outcomes"]["blocked"] > 0
    assert PAGES < summary["pages"] < 2 * PAGES


@pytest.mark.quick
def test_ctrl_c_stops_cleanly_and_resume_goes_on(web: Web, tmp_path: Path) -> None:
    path = tmp_path / "c"
    # The crawl must outlast `status`, which a busy machine starts late: forty pages, a second each.
    command = [*LYCOSA, "crawl", web.seeds[0], "-o", str(path), *web.flags("1s")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as crawl:
        eventually(lambda: bytes_archived(path) > 1000)
        status = json.loads(lycosa("status", path, "--json").stdout)
        assert status["running_pid"] == crawl.pid
        crawl.send_signal(signal.SIGINT)
        out, err = crawl.communicate(timeout=20)
    assert crawl.returncode == 130
    hint = f"stopping cleanly (Ctrl-C again stops at once); continue: lycosa resume {path}"
    assert hint in err
    assert "Stopped; nothing is lost." in out
    resumed = lycosa("resume", path, "--json", "--delay", "20ms")
    assert resumed.returncode == 0
    assert json.loads(resumed.stdout)["pages"] == PAGES


def test_on_a_terminal_there_is_a_panel(web: Web, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [*LYCOSA, "crawl", web.seeds[0], "-o", "c", *web.flags("50ms")]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, env=environment
    ) as crawl:
        os.close(theirs)
        screen = b""
        try:
            while piece := os.read(ours, 65536):
                screen += piece
        except OSError:
            pass  # how Linux says that the other side of a terminal is closed
    os.close(ours)
    assert crawl.returncode == 0
    for part in ("lycosa · c", "Ctrl-C stops cleanly", "to go", "Complete: no URL"):
        assert part in screen.decode()


def test_a_public_crawl_without_a_contact_is_told_which_flag_to_add(tmp_path: Path) -> None:
    refused = lycosa("crawl", "https://example.org/", "-o", tmp_path / "c")
    assert refused.returncode == 2
    assert "  add --contact " in refused.stderr
    assert not (tmp_path / "c").exists()


def test_a_seed_that_can_be_none_ends_the_crawl_before_it_begins(tmp_path: Path) -> None:
    refused = lycosa("crawl", "mailto:a@example.org", "-o", tmp_path / "c", "--contact", "a@b.cl")
    assert refused.returncode == 2
    assert "mailto:a@example.org: unknown scheme `mailto`" in refused.stderr
    assert "no other seed to begin with" in refused.stderr
    assert not (tmp_path / "c").exists()


def test_a_reader_who_leaves_early_is_no_error() -> None:
    command = [*LYCOSA, "config", "--example"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as shown:
        assert shown.stdout is not None and shown.stderr is not None
        shown.stdout.close()
        assert shown.stderr.read() == b""
    assert shown.returncode == 0
