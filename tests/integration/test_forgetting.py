"""`lycosa block --forget`, as a user types it, after a kill and before the crawl goes on."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest

from lycosa.crawl.takeover import take_partition
from lycosa.errors import ConfigError
from lycosa.frontier.partitioners import make_partitioner
from lycosa.model.job import Job
from lycosa.model.records import Admitted, ErrandTaken, Outcome, RobotsFound, RobotsState, Taken
from lycosa.model.url import canonicalize, host_of, key_of, reversed_host_of
from lycosa.operate.inspect.audit import audit
from lycosa.operate.inspect.edits import block_host
from lycosa.runtime.directory import CrawlDirectory
from lycosa.simulation.referee_rules import referee_rules
from lycosa.storage.archive.reader import table
from lycosa.storage.log.format import decode_messages, encode
from lycosa.storage.log.protocol import Write
from lycosa_testweb.referee.referee import Referee
from lycosa_testweb.servers.server import SocketWeb
from socket_crawls import DEPTH, finish, job_of, start, web_of
from warc_tools import check_folder
from warm import lycosa

HOSTS = 12


def kept(directory: CrawlDirectory) -> Counter[str]:
    pages = table(directory.path, "pages", ["url", "outcome"]).to_pylist()
    return Counter(row["url"] for row in pages if row["outcome"] == "kept")


def name_of(url: str) -> str:
    return host_of(key_of(canonicalize(url) or ""))


def crawl_and_kill(directory: CrawlDirectory, most_bytes: int) -> None:
    """Crawl until there are so many bytes in the archive, and die."""
    process = start(directory)
    deadline = time.monotonic() + 60
    while sum(file.stat().st_size for file in directory.path.glob("warc/*.gz")) < most_bytes:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.005)
    process.kill()
    process.wait()


def check_state(directory: CrawlDirectory, host: str) -> None:
    """Every URL of the host has ended as blocked, and nobody looks for its records."""
    wanted = reversed_host_of(key_of(f"http://{host}/"))
    found = 0
    for state in directory.states(directory.job()).values():
        for page in range(len(state.table)):
            if reversed_host_of(state.table.key(page)) == wanted:
                found += 1
                assert state.outcome_of(page) is Outcome.BLOCKED
                assert state.place_of(page) is None
    assert found


def most_given(pages: Counter[str]) -> str:
    """Return the host with the most pages, so that there is something to forget."""
    return Counter(map(name_of, pages)).most_common(1)[0][0]


def test_a_forgotten_host_is_gone_and_asked_no_more(tmp_path: Path) -> None:
    web = web_of(HOSTS, 4)
    seeds = [web.home(number) for number in range(HOSTS)]
    referee = Referee(referee_rules(Job()), web, keep_history=True)
    with SocketWeb(web, referee=referee) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(web, server))
        crawl_and_kill(directory, 60_000)
        server.client_killed()
        before = kept(directory)
        host = most_given(before)
        gone = [url for url in before if name_of(url) == host]
        assert gone and len(gone) < len(before)

        blocked = lycosa("block", directory.path, host, "--forget")
        assert blocked.returncode == 0, blocked.stderr
        assert f"{host} is blocked; " in blocked.stdout
        assert "rows deleted" in blocked.stdout
        for url in gone[:3]:
            missing = lycosa("cat", directory.path, url)
            assert missing.returncode and not missing.stdout
            assert "has no answer" in missing.stderr
        others = [url for url in kept(directory) if name_of(url) != host]
        assert others
        assert lycosa("cat", directory.path, others[0]).returncode == 0
        assert audit(directory).breaches == []
        check_folder(directory.path)
        check_state(directory, host)

        server.settle()
        asked = len(referee.history)
        finish(start(directory), directory)
        server.settle()
        later = [exchange.host for exchange in referee.history[asked:]]
        assert later and host not in later

    everything = kept(directory)
    assert set(everything) == {
        url for url in web.pages_within(seeds, DEPTH) if name_of(url) != host
    }
    assert max(everything.values()) == 1
    assert audit(directory).breaches == []
    check_folder(directory.path)
    check_state(directory, host)


def test_forgetting_twice_drops_nothing_more(tmp_path: Path) -> None:
    web = web_of(4, 4)
    with SocketWeb(web) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(web, server))
        finish(start(directory), directory)
    host = most_given(kept(directory))
    first = lycosa("block", directory.path, host, "--forget").stdout
    assert first.splitlines()[0] == f"{host} is blocked; 0 URLs taken out of the queue"
    assert "0 exchanges" not in first
    again = lycosa("block", directory.path, host, "--forget").stdout
    assert again.splitlines()[1] == "0 exchanges and 0 rows deleted; 0 B of the disk given back"


def test_a_blocked_host_is_not_asked_on_behalf_of_others(tmp_path: Path) -> None:
    job = Job.of(["http://asks.example/"], frontier={"partitions": 4})
    directory = CrawlDirectory.create(tmp_path / "crawl", job)
    partitioner = make_partitioner(job.frontier.partitioner, 4)
    key, site = "example.robots:/elsewhere.txt", "example.asks:"
    number = partitioner.partition_of(key)
    log = directory.log(job)
    opened = take_partition(log, directory.snapshots(), number, Taken(1.0, "me"), job.digest())
    events = encode([ErrandTaken(2.0, site, key, 1)])
    log.commit([Write(number, opened.state.sequence, events, [], 0)])
    log.close()
    assert directory.states(job)[number].errands

    block_host(directory, "robots.example")

    assert not directory.states(job)[number].errands
    log = directory.log(job)
    posted = log.inbox(partitioner.partition_of(site + "/"), 0)
    log.close()
    (message,) = [message for _, batch in posted for message in decode_messages(batch)]
    assert isinstance(message, RobotsFound)
    assert (message.site, message.state) == (site, RobotsState.UNREACHABLE)


def test_a_host_is_blocked_in_partitions_that_do_not_know_it_yet(tmp_path: Path) -> None:
    """With a partitioner of URLs each of them may be told of a page of the host later."""
    frontier = {"partitions": 4, "partitioner": "url-hash"}
    job = Job.of(["http://bad.example/"], frontier=frontier)
    directory = CrawlDirectory.create(tmp_path / "crawl", job)
    log = directory.log(job)
    opened = take_partition(log, directory.snapshots(), 2, Taken(1.0, "me"), job.digest())
    events = encode([Admitted(2.0, "", ["example.bad:/"], [0])])
    log.commit([Write(2, opened.state.sequence, events, [], 0)])
    log.close()

    assert block_host(directory, "bad.example").pending == 1

    for state in directory.states(job).values():
        state.apply(Admitted(3.0, "", ["example.bad:/new"], [0]))
        assert state.pending == 0
    with pytest.raises(ConfigError, match="does not know this host"):
        block_host(directory, "bda.example")
    assert all(state.host_number("example.bda") is None for state in directory.states(job).values())
