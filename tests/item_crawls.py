"""Crawls with a plugin that emits items on every page, and the count of what a kill did to them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from lycosa.analysis.study.sql import asked
from lycosa.model.records import Outcome
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.log.places import places_of
from lycosa_testweb.generated.plan import Mixture
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.sections import Tree
from lycosa_testweb.servers.server import SocketWeb

PLUGIN = """\
from lycosa import Plugin

def look(page):
    links = page.links
    page.emit("page", url=page.url, title=page.title, rows=len(links) + 1)
    for place, link in enumerate(links, 1):
        page.emit("link", {"to": link.url, "place": place})

found = Plugin(
    "rows", on_page=look, items={"page": {"url": str, "title": str, "rows": int}},
    item_keys={"page": "url"},
)
"""
"""Each page says how many items it has."""


class Counts(NamedTuple):
    """What the tables say of items."""

    pages: int
    """Kept URLs."""
    items: int
    lost: int
    """Items that kept URLs should have and do not."""
    twice: int
    """Items of a URL that stand there more than once."""
    stray: int
    """Rows of fetches that are not in `pages`, and rows of one fetch that stand there twice."""


def packages(folder: Path) -> Path:
    """Make a folder with the installed plugin."""
    info = folder / "rows-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: rows\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lycosa.plugins]\nrows = rows:found\n")
    (folder / "rows.py").write_text(PLUGIN)
    return folder


@contextmanager
def item_web(hosts: int, fanout: int = 3, depth: int = 2) -> Iterator[SocketWeb]:
    """Serve sites whose pages are a tree each."""
    web = GeneratedWeb(2, Mixture(hosts, 1, sections=(((Tree(fanout, depth),), 1.0),)))
    with SocketWeb(web) as server:
        server.seeds = [web.home(number) for number in range(hosts)]  # type: ignore[attr-defined]
        yield server


def command_for(server: SocketWeb, folder: Path, workers: int, *settings: str) -> list[str]:
    """Return the command that crawls such sites, with one item-emitting plugin."""
    seeds: list[str] = server.seeds  # type: ignore[attr-defined]
    command = [sys.executable, "-m", "lycosa", "crawl", *seeds, "-o", str(folder), "--quiet"]
    command += ["--delay", "50ms", "--ip-delay", "0s", "--allow-private"]
    command += ["--workers", str(workers)]
    given = ["plugins.use=rows", f"fetch.hosts_file={server.hosts_file}", "frontier.partitions=8"]
    for setting in (*given, "log.commit_seconds=0.1", *settings):
        command += ["--set", setting]
    return command


CYCLES = (
    "revisit.policy=uniform",
    "revisit.cycles=3",
    "revisit.cycle_seconds=0",
    "revisit.not_before_seconds=0",
)
"""A first crawl and two visits more."""


def killed_often(command: list[str], folder: Path, kills: int, environment: dict[str, str]) -> int:
    """Run a crawl and kill it again and again; returns how often it was killed before its end."""
    chance = random.Random(kills)
    again = [*command[:3], "resume", str(folder), "--quiet"]
    killed = 0
    while True:
        line = again if CrawlDirectory(folder).has_begun else command
        process = subprocess.Popen(line, env=environment, start_new_session=True)
        if killed < kills:
            enough = _stored(folder) + chance.randint(1, 4) * 3_000
            while process.poll() is None and _stored(folder) < enough:
                time.sleep(0.02)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                killed += 1
                continue
        assert process.wait(timeout=300) == 0
        return killed


def killed_once(command: list[str], folder: Path, environment: dict[str, str]) -> Path:
    """Kill a crawl that has items in an open segment; returns their journal."""
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    while process.poll() is None and _stored(folder) < 20_000:
        time.sleep(0.02)
    # Before the commit the log names no page, and items beyond its end are none.
    while process.poll() is None and _named(folder) < 3:
        time.sleep(0.02)
    assert process.poll() is None, "the crawl ended before the kill"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    while CrawlDirectory(folder).holder() is not None:  # its helpers follow it
        time.sleep(0.02)
    (journal,) = (folder / "items").glob("*.arrows")
    return journal


def resumed(folder: Path, environment: dict[str, str]) -> str:
    """Run a crawl to its end, and return what it says."""
    command = [sys.executable, "-m", "lycosa", "resume", str(folder), "--quiet"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def _stored(folder: Path) -> int:
    """Return how many bytes of records a crawl has stored."""
    return sum(path.stat().st_size for path in (folder / "warc").glob("*.gz"))


def _named(folder: Path) -> int:
    """Return how many kept pages the log names."""
    directory = CrawlDirectory.open(folder)
    job = directory.job()
    with closing(directory.log(job)) as log:
        records = [
            named.outcome
            for number in range(job.frontier.partitions)
            for named in places_of(number, log.read(number, 0))
        ]
    return records.count(Outcome.KEPT)


def counted(folder: Path) -> Counts:
    """Count items by the tables alone."""
    query = """
        with kept as (select distinct url from pages where outcome = 'kept'),
        of_page as (
            select url, count(*) as found, count(distinct ordinal) as places,
                max(case when kind = 'page' then (data->>'rows')::int end) as said
            from items group by url
        )
        select (select count(*) from kept), (select count(*) from items),
            coalesce(sum(case when said is null then 1 else greatest(said - places, 0) end), 0),
            coalesce(sum(found - places), 0),
            (select count(*) from items_history anti join pages using (fetch_id))
            + (select count(*) - count(distinct (fetch_id, ordinal)) from items_history)
        from kept left join of_page using (url)
    """
    with asked(folder, query) as answer:
        return Counts(*map(int, answer.fetchall()[0]))


def environment_with(folder: Path) -> dict[str, str]:
    """Return an environment in which the plugin is installed."""
    return dict(os.environ) | {"PYTHONPATH": str(folder)}
