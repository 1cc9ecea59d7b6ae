"""A crawl paused, steered, resumed and stopped from its page; referee and audit judge it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser import chromium
from lycosa.cli.main import main
from lycosa.model.job import Job
from lycosa.runtime.orders.live import read_frame
from lycosa.simulation.referee_rules import referee_rules
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb

pytestmark = pytest.mark.needs("chromium")
DELAY_SECONDS, IP_DELAY_SECONDS = 0.3, 0.05
PAGES = 5_000
"""More than the crawl fetches before it is stopped."""


@contextlib.contextmanager
def crawling(
    path: Path, web: GeneratedWeb, server: SocketWeb
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Crawl with its page, as a user would; gives the address that was printed."""
    seeds = [web.home(number) for number in range(8)]
    command = [sys.executable, "-m", "lycosa", "crawl", *seeds, "-o", str(path), "--json"]
    command += ["--include", "test", "--allow-private", "--min-free-disk", "0"]
    command += ["--delay", f"{DELAY_SECONDS}s", "--ip-delay", f"{IP_DELAY_SECONDS}s"]
    command += ["--set", f"fetch.hosts_file={server.hosts_file}", "--set", "crawl.workers=2"]
    command += ["--max-pages", str(PAGES), "--serve"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("watch it at http://127.0.0.1:"), line
        try:
            yield line.removeprefix("watch it at ").strip(), process
        finally:
            if process.poll() is None:
                process.kill()


def until_state(page: Page, state: str) -> None:
    expect(page.locator("#state")).to_have_text(state)


def two_frames(path: Path, page: Page) -> None:
    """Wait until the crawl has told of itself twice more."""
    first = read_frame(path)
    assert first is not None
    while (found := read_frame(path)) is None or found.moment < first.moment + 1.5:
        page.wait_for_timeout(100)


def test_a_crawl_is_paused_steered_resumed_and_stopped_from_its_page(tmp_path: Path) -> None:
    web = GeneratedWeb.varied(3, 30, 10)
    promised = Job.of(
        politeness={"delay_seconds": DELAY_SECONDS, "ip_delay_seconds": IP_DELAY_SECONDS}
    )
    rules = replace(referee_rules(promised, 0.1), tolerance_seconds=0.03)
    referee = Referee(rules, web)
    path = tmp_path / "crawl"
    with (
        SocketWeb(web, referee=referee, tls=False) as server,
        crawling(path, web, server) as (address, process),
        chromium(tmp_path) as browser,
        browser.new_page() as page,
    ):
        page.goto(address)
        until_state(page, "running")
        page.get_by_role("button", name="Pause").press("Enter")
        until_state(page, "paused")
        expect(page.locator("#standing")).to_contain_text("no request is begun")
        two_frames(path, page)
        asked = server.requests
        two_frames(path, page)
        assert server.requests == asked

        page.get_by_label("Stop after pages").fill("4000")
        page.get_by_role("button", name="Change").press("Enter")
        expect(page.locator("#orders")).to_contain_text("set limits.pages 4000")
        page.get_by_label("Add a seed").fill(web.home(9))
        page.get_by_role("button", name="Add").press("Enter")
        expect(page.locator("#orders")).to_contain_text("add seeds")

        page.get_by_role("link", name="Hosts").press("Enter")
        expect(page.locator("#hosts td").first).to_be_visible()
        host = page.locator("#hosts td.url").first.text_content() or ""
        page.get_by_role("button", name=f"Block {host}", exact=True).press("Enter")
        page.get_by_role("button", name="Block it").press("Enter")
        expect(page.locator("#notice")).to_contain_text("is blocked")

        page.get_by_role("link", name="Now").press("Enter")
        page.get_by_role("button", name="Resume").press("Enter")
        until_state(page, "running")
        while server.requests == asked:
            page.wait_for_timeout(50)
        two_frames(path, page)
        frame = read_frame(path)
        assert frame is not None and frame.limits["pages"] == 4000

        page.get_by_role("button", name="Stop").press("Enter")
        page.get_by_role("button", name="Stop it").press("Enter")
        expect(page.locator("#notice")).to_contain_text("Stopping", timeout=30_000)
        out, _ = process.communicate(timeout=60)
        until_state(page, "ended")
        page.get_by_role("link", name="Audit").press("Enter")
        expect(page.locator(".verdict")).to_contain_text("Clean")
        server.settle()
    assert json.loads(out)["reason"].startswith("stop")
    assert referee.verdict == "clean"
    assert main(["audit", str(path)]) == 0
