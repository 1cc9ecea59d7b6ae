"""Measures the cost of a second crawl of a site of which nine tenths have not changed.

    python -m benchmarks.second_crawl [--pages 500] [--words 600]

The real crawler over real sockets on loopback: a tree of pages is crawled, every tenth page is
changed, and everything is asked for again. Three ways: the server has validators and is told what
is held (`conditional`), it has them and is not told, and it has none. Printed are the bytes of
bodies that the server sent, what the archive grew by, and the records that were written; every
file must be valid for `warcio check` and `fastwarc check`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from warcio.archiveiterator import ArchiveIterator

from lycosa.crawl.takeover import take_partition
from lycosa.model.job import Job
from lycosa.model.records import Outcome, Purpose, Reopened, Request, Taken
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Write
from lycosa_testweb.generated.page import Page
from lycosa_testweb.generated.plan import Listed, Traits
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.mixing import digest
from lycosa_testweb.parts import Parts
from lycosa_testweb.sections import Tree
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import Reply


class EditedWeb(GeneratedWeb):
    """A tree of which every tenth page can be changed; it counts what it sends."""

    def __init__(self, fanout: int, words: int, *, has_validators: bool) -> None:
        tree = Traits((Tree(4, fanout),), validators=has_validators, words=words)
        super().__init__(4, Listed((tree,)))
        self.edition = 1
        self.sent: Counter[str] = Counter()

    def _page(self, site: Any, parts: Parts, moment: float) -> Page | None:
        page = super()._page(site, parts, moment)
        if page is None or self.edition == 1 or not is_edited(parts.target):
            return page
        return page._replace(text=f"{page.text} Edition {self.edition}.")

    def answer(self, request: Request, moment: float) -> Reply:
        """Answer, and count what goes over the wire."""
        reply = super().answer(request, moment)
        if request.purpose is Purpose.PAGE:
            self.sent["requests"] += 1
            self.sent[str(reply.status)] += 1
            self.sent["bytes"] += len(reply.body)
        return reply


def is_edited(target: str) -> bool:
    """Return whether a page is among those that change."""
    return digest(target) % 10 == 0


class Figures(NamedTuple):
    """One crawl."""

    name: str
    requests: int
    not_modified: int
    sent_bytes: int
    warc_bytes: int
    """By which the archive grew."""
    responses: int
    by_digest: int
    """Revisit records of answers that were sent again."""
    by_server: int
    """Revisit records of 304s."""


def job_for(web: EditedWeb, hosts_file: Path, *, conditional: bool) -> Job:
    """Return a job without pauses, on loopback."""
    return Job.of(
        seeds=[web.home(0)],
        limits={"free_disk_bytes": 0},
        politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
        fetch={"allow_private": True, "hosts_file": str(hosts_file)},
        extract={"soft_404_after": 0},
        discovery={"mining": "off"},
        robots={"sitemaps": False},
        frontier={"partitions": 2},
        crawl={"workers": 1},
        log={"commit_seconds": 0.05},
        revisit={"conditional": conditional},
    )


@contextmanager
def crawled(
    folder: Path, *, has_validators: bool, conditional: bool, fanout: int = 3, words: int = 300
) -> Iterator[tuple[EditedWeb, CrawlDirectory, list[Figures]]]:
    """Crawl a site twice; yields the web, the directory, and the figures of both crawls."""
    web = EditedWeb(fanout, words, has_validators=has_validators)
    with SocketWeb(web, time_scale=0.0, tls=False) as server:
        job = job_for(web, server.hosts_file, conditional=conditional)
        directory = CrawlDirectory.create(folder, job)
        run_crawl(directory)
        figures = [figures_of("first", web, directory, Counter())]
        first = counts_of(directory)
        web.sent.clear()
        web.edition = 2
        ask_again(directory)
        run_crawl(directory)
        figures.append(figures_of("second", web, directory, first))
        yield web, directory, figures


def ask_again(directory: CrawlDirectory) -> None:
    """Let every page that was kept be asked for again, as an operator's change would."""
    job = directory.job()
    with directory.locked():
        log, snapshots = directory.log(job), directory.snapshots()
        try:
            taken = Taken(time.time(), "benchmark")
            for number in range(job.frontier.partitions):
                state = take_partition(log, snapshots, number, taken, job.digest()).state
                outcomes = enumerate(state.pages.outcome)
                kept = [page for page, outcome in outcomes if outcome == Outcome.KEPT]
                batch = encode([Reopened(taken.moment, [], kept)])
                log.commit([Write(number, state.sequence, batch, [], state.inbox_read)])
        finally:
            log.close()


def figures_of(
    name: str, web: EditedWeb, directory: CrawlDirectory, before: Counter[str]
) -> Figures:
    """Return what was sent and what was written since `before`."""
    grown = counts_of(directory)
    grown.subtract(before)
    return Figures(
        name,
        web.sent["requests"],
        web.sent["304"],
        web.sent["bytes"],
        grown["bytes"],
        grown["response"],
        grown["identical-payload-digest"],
        grown["server-not-modified"],
    )


def counts_of(directory: CrawlDirectory) -> Counter[str]:
    """Count the records of pages, and the bytes of all files, after checking them."""
    counts: Counter[str] = Counter()
    for file in sorted((directory.path / "warc").glob("*.warc.gz")):
        for checker in ("warcio", "fastwarc"):
            program = Path(sys.executable).with_name(checker)
            subprocess.run([program, "check", file], check=True, capture_output=True)
        counts["bytes"] += file.stat().st_size
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                headers = record.rec_headers
                if (headers.get_header("WARC-Target-URI") or "").endswith("/robots.txt"):
                    continue
                counts[record.rec_type] += 1
                profile = headers.get_header("WARC-Profile")
                if profile:
                    counts[profile.rstrip("/").rpartition("/")[2]] += 1
    return counts


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fanout", type=int, default=9, help="of a tree of four levels (9)")
    parser.add_argument("--words", type=int, default=600, help="of text on a page (600)")
    options = parser.parse_args()
    print(
        "| server, job | crawl | requests | 304 | bytes of bodies | archive grew by | responses "
        "| revisits by digest | revisits by 304 |\n|---|---|---|---|---|---|---|---|---|"
    )
    for title, has_validators, conditional in (
        ("validators, conditional", True, True),
        ("validators, not conditional", True, False),
        ("no validators", False, True),
    ):
        with (
            tempfile.TemporaryDirectory() as folder,
            crawled(
                Path(folder) / "crawl",
                has_validators=has_validators,
                conditional=conditional,
                fanout=options.fanout,
                words=options.words,
            ) as (_, _, figures),
        ):
            for each in figures:
                cells = [each.name, *(f"{value:,}" for value in each[1:])]
                print(f"| {title} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
