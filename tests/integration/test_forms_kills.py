"""SIGKILL of a real crawl that fills in forms: the same pages are found, within the same budget.

The web kills the crawl when a request comes in, before it is answered, so the moment does not
depend on how fast this machine is.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lycosa import Crawl
from lycosa.features.mining.mining import DOZEN
from lycosa.model.records import Request
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import Reply
from lycosa_testweb.webs.deep import DeepWeb

MENU = "http://menu.test/"
RECIPES, A_COUNTRY = 48, 6
LIMIT_SECONDS = 300


class WatchedWeb(DeepWeb):
    """The deep web, with everything that was asked for."""

    def __init__(self, records: int) -> None:
        super().__init__(records)
        self.asked: list[str] = []
        self.watch: Callable[[], None] = lambda: None

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer, after those who watch were told."""
        self.asked.append(request.url)
        self.watch()
        return super().answer(request, moment)

    def queries(self, part: str) -> list[str]:
        """Return the queries to a form, each time that it was asked."""
        return [url for url in self.asked if part in url and "?" in url]


def life(words: list[str], web: WatchedWeb, kill_at: int = 0, after_seconds: float = 0.0) -> int:
    """Run a command until the web has got so many requests, or to its end."""
    command = [sys.executable, "-m", "lycosa", *words, "--quiet"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        left = kill_at
        lock = threading.Lock()

        def watch() -> None:
            nonlocal left
            with lock:
                left -= 1
                is_time = left == 0
            if is_time:
                time.sleep(after_seconds)
                os.killpg(process.pid, signal.SIGKILL)

        web.watch = watch
        try:
            return process.wait(LIMIT_SECONDS)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def crawl_words(server: SocketWeb, folder: Path, seeds: list[str], *more: str) -> list[str]:
    settings = [f"fetch.hosts_file={server.hosts_file}", "politeness.answer_time_factor=0"]
    flags = ["--forms", "--mining", "off", "--allow-private", "--delay", "0", "--ip-delay", "0"]
    for setting in (*settings, "log.commit_seconds=0.1", *more):
        flags += ["--set", setting]
    return ["crawl", *seeds, "-o", str(folder), *flags]


def kept(folder: Path) -> list[str]:
    return [page.url for page in Crawl(folder).pages(outcome="kept")]


def test_a_killed_crawl_finds_what_its_queries_lead_to_within_the_budget(tmp_path: Path) -> None:
    web, folder, budget = WatchedWeb(1), tmp_path / "crawl", 5
    with SocketWeb(web, tls=False) as server:
        words = crawl_words(server, folder, [MENU], f"forms.site_requests={budget}")
        assert life(words, web, kill_at=12) == -signal.SIGKILL
        assert web.queries("menu.test"), "it was killed among its queries"
        assert life(["resume", str(folder)], web) == 0
    queries, pages = web.queries("menu.test"), kept(folder)
    assert len(set(queries)) == budget
    assert len(queries) <= budget + 1, "only what a kill cut off is asked again"
    assert len(pages) == len(set(pages))
    assert sum("/recipe/" in url for url in pages) == budget * A_COUNTRY


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
def test_kills_at_random_moments_lose_no_page_and_pass_no_budget(seed: int, tmp_path: Path) -> None:
    chance, folder, budget = random.Random(seed), tmp_path / "crawl", 60
    web = WatchedWeb(60)
    hidden = set(web.hidden_pages())
    with SocketWeb(web, tls=False) as server:
        words = crawl_words(server, folder, web.seeds(), f"forms.site_requests={budget}")
        kills = 0
        for _ in range(7):
            # Three such lives are too short for all that is to be asked, however little is lost.
            ended = life(words, web, chance.randint(5, 45), chance.random() * 0.03)
            words = ["resume", str(folder)]
            kills += ended == -signal.SIGKILL
            if ended == 0:
                break
        assert kills >= 3
        assert life(words, web) == 0
    pages = kept(folder)
    assert len(set(web.asked)) > 3 * 45 + 10
    assert hidden <= set(pages)
    assert len(pages) == len(set(pages))
    assert len(set(web.queries("idle.test/look"))) <= DOZEN
    for host in web.hosts():
        assert len({url for url in web.queries(host) if "page=" not in url}) <= budget
    assert not web.queries("office.test")
    assert not [url for url in web.asked if "office.test/post" in url]
