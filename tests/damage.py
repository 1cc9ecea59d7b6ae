"""A small web, crawls of it that were stopped or killed, and what must be true of them afterwards.

The web has five hosts with eleven pages each: links, texts, structured data, pages with the same
content, a redirect, a dead link, robots files with and without rules, one of which is elsewhere.

    with DamageWeb() as server:
        folder = killed(server, tmp_path / "crawl")    # by a real SIGKILL, a segment open
        cut(folder / "log" / "log.sqlite-wal", 0.5)
        assert lycosa("verify", folder).returncode == 10
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from item_crawls import counted, packages
from lycosa.model.job import Job
from lycosa.model.records import Request, Resolved
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.archive.reader import captures, table
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, PLAIN, Reply
from warm import lycosa

HOSTS, PAGES = 5, 11
_SECONDS = 0.004
"""How long an answer takes: longer than a commit, so that a kill leaves much that counts."""
NONE: Mapping[str, object] = {}
_SAME = random.Random(1).randbytes(1200).hex().encode()
"""Longer than a revisit."""
_JSON = '<script type="application/ld+json">{"@type": "Thing", "name": "%s"}</script>'


def url(host: int, page: int) -> str:
    return f"http://www.d{host}.test/{page}.html" if page else f"http://www.d{host}.test/"


def _body(host: int, page: int) -> bytes:
    if page in (8, 9):  # the same content on all hosts: one of them is stored, in some partition
        return b"<!doctype html><title>Copy</title><p>The same words on ten pages." + _SAME
    links = [url(host, n) for n in (2 * page + 1, 2 * page + 2) if n < PAGES]
    if page == 0:
        links += [url(n, 0) for n in (2 * host + 1, 2 * host + 2) if n < HOSTS]
        links += [f"http://www.d{host}.test/old", f"http://www.d{host}.test/dead.html"]
        links += [f"http://www.d{host}.test/closed/1.html"]
    words = " ".join(f"word{(host * 131 + page * 17 + n * 7) % 997}" for n in range(60))
    anchors = "".join(f'<p><a href="{link}">to {link}</a>' for link in links)
    said = _JSON % f"page {page} of {host}" if page % 2 == 0 else ""
    return (
        f"<!doctype html><html lang=en><title>Page {page}</title>{said}{anchors}<p>{words}"
    ).encode()


REPLIES: dict[str, Reply] = {
    **{
        url(host, page): Reply(200, HTML, _body(host, page), _SECONDS)
        for host in range(HOSTS)
        for page in range(PAGES)
    },
    **{
        f"http://www.d{host}.test/old": Reply(
            301, (*HTML, ("Location", url(host, 10))), b"moved", _SECONDS
        )
        for host in range(HOSTS)
    },
    **{
        f"http://www.d{host}.test/robots.txt": Reply(
            200, PLAIN, b"User-agent: *\nDisallow: /closed/\n", _SECONDS
        )
        for host in range(HOSTS - 1)
    },
    f"http://www.d{HOSTS - 1}.test/robots.txt": Reply(
        301, (("Location", "http://www.d0.test/robots.txt"),), b"", _SECONDS
    ),
}
TRUTH = frozenset(url(host, page) for host in range(HOSTS) for page in range(PAGES))
_NOT_FOUND = Reply(404, PLAIN, b"no such page\n", _SECONDS)


class _Web:
    """The replies, as a web that can be served."""

    def hosts(self) -> list[str]:
        return [f"www.d{host}.test" for host in range(HOSTS)]

    def answer(self, request: Request, moment: float) -> Reply:
        return REPLIES.get(request.url, _NOT_FOUND)

    def resolve(self, host: str, moment: float) -> Resolved:
        return Resolved(f"10.0.0.{self.hosts().index(host) + 1}", 3600.0)

    def is_allowed(self, url: str, agent: str) -> bool:
        return "/closed/" not in url

    def crawl_delay(self, host: str, agent: str) -> float:
        return 0.0


def damage_web() -> SocketWeb:
    """Serve the web on loopback."""
    return SocketWeb(_Web(), tls=False, time_scale=1.0)


def job_of(server: SocketWeb, pages: int = 0, **more: Mapping[str, object]) -> Job:
    sections: dict[str, dict[str, object]] = {
        "limits": {"free_disk_bytes": 0, "pages": pages},
        "politeness": {"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
        "fetch": {"allow_private": True, "hosts_file": str(server.hosts_file), "connections": 1},
        "frontier": {"partitions": 4},
        "discovery": {"mining": "off"},
        "traps": {"budget": 0},
        "log": {"commit_seconds": 0.001, "snapshot_batches": 3},
        "crawl": {"workers": 1},
    }
    for name, keys in more.items():
        sections[name] = {**sections.get(name, {}), **keys}
    return Job.of([url(0, 0)], [{"action": "accept", "suffix": "test"}], **sections)


def with_items(folder: Path) -> Mapping[str, object]:
    """Install a plugin that emits items, for this process and its children; return `[plugins]`.

    Each page has an item for itself and one for each of its links (`item_crawls`).
    """
    place = str(packages(folder))
    sys.path.insert(0, place)
    known = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = f"{place}:{known}" if known else place
    return {"use": ["rows"]}


def stopped(
    server: SocketWeb, folder: Path, pages: int = 30, plugins: Mapping[str, object] = NONE
) -> Path:
    """Crawl until so many pages are kept, in two runs: two sealed segments."""
    directory = CrawlDirectory.create(folder, job_of(server, pages // 2, plugins=plugins))
    run_crawl(directory)
    directory.write_job(job_of(server, pages, plugins=plugins))
    run_crawl(directory)
    directory.write_job(job_of(server, plugins=plugins))
    directory.copy_job()  # as if the last run had been stopped, not ended by a limit
    return folder


def finished(server: SocketWeb, folder: Path) -> Path:
    """Crawl everything, then study the crawl and build its indexes."""
    directory = CrawlDirectory.open(stopped(server, folder))
    run_crawl(directory)
    for command in ("study", "index"):
        done = lycosa(command, folder)
        assert done.returncode == 0, done.stderr
    return folder


def killed(
    server: SocketWeb,
    folder: Path,
    pages: int = 4,
    at: str = "answer.stored:25",
    plugins: Mapping[str, object] = NONE,
) -> Path:
    """Crawl a sealed segment, then be killed by SIGKILL while another one is open."""
    directory = CrawlDirectory.create(folder, job_of(server, pages, plugins=plugins))
    run_crawl(directory)
    directory.write_job(job_of(server, plugins=plugins))
    done = subprocess.run(
        [sys.executable, "-m", "lycosa", "resume", str(folder), "--quiet"],
        env=os.environ | {"LYCOSA_KILL_AT": at},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -9, done
    return folder


def cut(path: Path, share: float) -> None:
    """Keep this share of a file; of a job not up to the end of a line, where it would be valid."""
    size = int(path.stat().st_size * share)
    if size and path.suffix == ".toml":
        size = path.read_bytes().rindex(b"=", 0, size) + 1
    os.truncate(path, size)


def flip(path: Path, share: float) -> None:
    """Flip all bits of the byte at this share of a file.

    In the head of a gzip member, time, level and system (six bytes behind the first four) say
    nothing of what is in it, and whatever stands there it is whole: the byte behind them is taken.
    """
    content = bytearray(path.read_bytes())
    place = min(int(len(content) * share), len(content) - 1)
    head = content.rfind(b"\x1f\x8b\x08", 0, place)
    if path.suffix == ".gz" and head >= 0 and 4 <= place - head < 10:
        place = head + 10
    content[place] ^= 0xFF
    path.write_bytes(bytes(content))


def overwrite(path: Path) -> None:
    """Replace all bytes of a file by as many others."""
    path.write_bytes(random.Random(path.name).randbytes(path.stat().st_size))


def swap(folder: Path, path: Path) -> None:
    """Exchange the contents of a file and its neighbour; without one, take those of a table."""
    alike = [one for one in path.parent.glob(f"*{path.suffix}") if one != path and one.is_file()]
    other = min(alike, default=None) or min(folder.glob("pages/*.parquet"))
    mine = path.read_bytes()
    path.write_bytes(other.read_bytes())
    if alike:
        other.write_bytes(mine)


def complaints(folder: Path) -> list[str]:
    """Return what is not as it must be in a crawl that has ended: the truth, each page once."""
    found: list[str] = []
    directory = CrawlDirectory.open(folder)
    states = directory.states(directory.job())
    said = sum(state.kept_pages for state in states.values())
    rows = table(folder, "pages", ["url", "outcome", "length"]).to_pylist()
    kept = Counter(row["url"] for row in rows if row["outcome"] == "kept")
    archived = Counter(
        stored.url for stored in captures(folder) if stored.status == 200 and stored.body
    )
    if set(kept) != TRUTH:
        found.append(f"tables: missing {sorted(TRUTH - set(kept))}, more {set(kept) - TRUTH}")
    found += [f"tables: {page} {times} times" for page, times in kept.items() if times > 1]
    found += [f"archive: {page} {times} times" for page, times in archived.items() if times > 1]
    if set(archived) != TRUTH:
        found.append(f"archive: {sorted(TRUTH ^ set(archived))}")
    if said != len(TRUTH):
        found.append(f"log: {said} pages, {len(TRUTH)} are there")
    if left := sum(state.pending for state in states.values()):
        found.append(f"log: {left} URLs are pending")
    if directory.job().plugins.use:
        items = counted(folder)
        if items.items <= len(TRUTH) or items.lost or items.twice or items.stray:
            found.append(f"items: {items}")
    return found
