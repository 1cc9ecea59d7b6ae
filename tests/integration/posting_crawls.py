"""Crawls whose plugins post: in this process, and by a command with an installed plugin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from integration.loopback_site import quick_job
from integration.posting_site import PostingSite
from lycosa import Crawl, Job, Plugin, SeenPage

POSTS = 120
PLUGIN = """\
from lycosa import Plugin

def look(page):
    if page.title == "Front":
        for number in range(120):
            page.post("/api", {"number": number})
    elif page.posted:
        page.emit("answer", of=page.posted.decode())

found = Plugin("rows", on_page=look)
"""


def job_for(site: PostingSite, *names: str, delay: float = 0.0, **more: Any) -> Job:
    """Return a job whose plugins may post to these paths."""
    plugins = {"post": [site.url + name for name in names], **more.pop("plugins", {})}
    fetch = {"first_byte_seconds": 0.5, **more.pop("fetch", {})}
    log = {"commit_seconds": 0.05}
    return quick_job(site, delay, fetch=fetch, log=log, plugins=plugins, **more)


def search(page: SeenPage) -> None:
    """Ask for a list, page after page, and emit its rows."""
    for row in page.css("li.row::text").getall():
        page.emit("row", text=row)
    if page.title == "Front":
        page.post(page.css("form"), {"q": "iron age"})
    elif more := page.css("b.next::attr(data-page)").get():
        page.post("/search", {"q": "iron age", "page": more}, rel="next")


def posting(*paths: str, **what: Any) -> Plugin:
    """Return a plugin that posts to these paths from the front page."""

    def look(page: SeenPage) -> None:
        if page.title == "Front":
            for path in paths:
                page.post(path, what.get("data", {"a": 1}))

    return Plugin("posting", on_page=look)


SEARCH = Plugin("search", on_page=search)


def outcomes(crawl: Crawl) -> dict[str, str]:
    """Return the newest outcome of what was posted, by its path."""
    return {
        page.url.partition("#")[0].rpartition("/")[2]: page.outcome
        for page in crawl.pages()
        if "#POST:" in page.url
    }


def command_for(site: PostingSite, folder: Path, workers: int) -> list[str]:
    command = [sys.executable, "-m", "lycosa", "crawl", site.url, "-o", str(folder), "--quiet"]
    command += ["--delay", "20ms", "--ip-delay", "0s", "--allow-private", "--mining", "off"]
    command += ["--workers", str(workers)]
    given = ["plugins.use=rows", f"plugins.post={site.url}api", "frontier.partitions=4"]
    given += ["log.commit_seconds=0.1", "log.snapshot_batches=5"]
    # Otherwise the one host has one partition, and so one worker.
    given += ["frontier.partitioner=url-hash"] if workers > 1 else []
    for setting in given:
        command += ["--set", setting]
    return command
