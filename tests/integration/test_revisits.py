"""Pages are asked for again when they are due, and sent again only if they have changed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from lycosa.model.job import Job
from lycosa.model.records import Purpose, Request
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.simulation.kills import KillPlan, KillRandomly, no_kills
from lycosa.simulation.simulation import Simulation
from lycosa.storage.archive.reader import find, table
from lycosa_testweb.generated.plan import Listed, Traits
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.sections import News, Tree
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import Reply
from warc_tools import check_folder

pytestmark = pytest.mark.quick

HOUR = 3600.0


class WatchedWeb(GeneratedWeb):
    """A web that writes down what was asked with which validator, and what it answered."""

    def __init__(self, seed: int, has_validators: bool) -> None:
        sections = (Tree(2, 2), News(count=5, fastest_seconds=2 * HOUR))
        super().__init__(seed, Listed((Traits(sections, validators=has_validators),)))
        self.visits: dict[str, list[tuple[str, Reply]]] = {}

    def answer(self, request: Request, moment: float) -> Reply:
        reply = super().answer(request, moment)
        if request.purpose is Purpose.PAGE:
            held = request.validators.etag if request.validators else ""
            self.visits.setdefault(request.url, []).append((held, reply))
        return reply


def job_for(web: GeneratedWeb, conditional: bool = True) -> Job:
    return Job.of(
        seeds=[web.home(0)],
        politeness={"delay_seconds": 2.0},
        frontier={"partitions": 4},
        discovery={"mining": "off"},  # every visit is counted
        robots={"sitemaps": False},
        log={"snapshot_batches": 6},
        revisit={"seconds": HOUR, "conditional": conditional},
    )


@pytest.mark.parametrize("kills", [no_kills, KillRandomly(3, kills=15, probability=0.01)])
def test_over_two_days_only_what_changed_is_sent_again(tmp_path: Path, kills: KillPlan) -> None:
    web = WatchedWeb(5, has_validators=True)
    simulation = Simulation(web, job_for(web), tmp_path, seed=5, log="sqlite")
    simulation.run(kills, virtual_seconds=48 * HOUR)
    sent: Counter[int] = Counter()
    for visits in web.visits.values():
        assert len(visits) >= 40
        versions = {reply.header("etag") for _, reply in visits}
        for held, reply in visits:
            assert (reply.status == 304) == (held == reply.header("etag"))
            sent[reply.status] += 1
        # Before the first answer is safe there is nothing to tell; after that there always is.
        first = next(number for number, (held, _) in enumerate(visits) if held)
        assert first <= (1 if kills is no_kills else 3)
        assert all(held in versions for held, _ in visits[first:])
        if kills is no_kills:
            whole = [reply for _, reply in visits if reply.status == 200]
            assert len(whole) == len(versions), "sent again without a change, or not after one"
    assert set(sent) == {200, 304} and sent[304] > 4 * sent[200]


def test_without_validators_or_if_the_job_says_so_pages_are_sent_again(tmp_path: Path) -> None:
    for number, (has_validators, conditional) in enumerate([(False, True), (True, False)]):
        web = WatchedWeb(5, has_validators)
        job = job_for(web, conditional)
        Simulation(web, job, tmp_path / str(number)).run(virtual_seconds=5 * HOUR)
        visits = [visit for visits in web.visits.values() for visit in visits]
        assert len(visits) > 3 * len(web.visits)
        assert {(held, reply.status) for held, reply in visits} == {("", 200)}


def test_what_has_not_changed_is_a_revisit_record_that_others_read(tmp_path: Path) -> None:
    web = GeneratedWeb(2, Listed((Traits((Tree(3, 3),), validators=True, words=600),)))
    pages = web.pages_within([web.home(0)], 9)
    with SocketWeb(web, time_scale=0.0) as server:
        job = Job.of(
            seeds=[web.home(0)],
            limits={"free_disk_bytes": 0, "seconds": 9.0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0, "answer_time_factor": 0.0},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
            frontier={"partitions": 2},
            log={"commit_seconds": 0.05},
            revisit={"seconds": 4.0},
            robots={"sitemaps": False},
        )
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        run_crawl(directory)
    responses: dict[str, str] = {}
    revisits: Counter[str] = Counter()
    bytes_of: Counter[str] = Counter()
    check_folder(directory.path)
    for file in sorted((directory.path / "warc").glob("*.warc.gz")):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                headers = record.rec_headers
                url = headers.get_header("WARC-Target-URI")
                if record.rec_type == "response" and not url.endswith("/robots.txt"):
                    responses[url] = headers.get_header("WARC-Date")
                elif record.rec_type == "revisit":
                    assert headers.get_header("WARC-Profile").endswith("server-not-modified")
                    assert headers.get_header("WARC-Refers-To-Target-URI") == url
                    assert headers.get_header("WARC-Refers-To-Date") == responses[url]
                    assert record.http_headers.get_statuscode() == "304"
                    revisits[url] += 1
                bytes_of[record.rec_type] += int(headers.get_header("Content-Length"))
    assert set(responses) == pages, "a page was sent twice, or one is missing"
    assert set(revisits) <= pages and len(revisits) >= len(pages) // 2
    assert bytes_of["revisit"] / revisits.total() < bytes_of["response"] / len(responses) / 10
    outcomes = Counter(table(directory.path, "pages", ["outcome"]).column("outcome").to_pylist())
    assert (outcomes["kept"], outcomes["not_modified"]) == (len(pages), revisits.total())
    some = next(iter(revisits))
    stored = find(directory.path, some)
    assert stored is not None and stored.status == 200 and len(stored.body) > 1_000
