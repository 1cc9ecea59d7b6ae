"""A crawl whose log is in a server: every command works as with one in a file."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

from crawls_on_servers import PAGES, POSTGRES, Web
from crawls_on_servers import address as address
from crawls_on_servers import crawled as crawled
from crawls_on_servers import web as web
from lycosa.errors import ConfigError, LogError, LycosaError
from lycosa.model.job import Job, read_job
from lycosa.model.job.log_servers import usual_partitions
from lycosa.runtime.directory import CrawlDirectory, named_anew
from lycosa.runtime.shared_log import joining
from lycosa.runtime.shared_log.distant import find_crawl, parse_place
from lycosa.runtime.shared_log.joining import FoundCrawl, awaited, choose
from lycosa.runtime.shared_log.notes import directory_number, job_among, note_job, own_numbers
from lycosa.storage.jetstream.writing import MOST_PARTITIONS
from lycosa.storage.log.opening import open_log
from seeds import soak
from warm import lycosa


@pytest.mark.parametrize(
    "address", [POSTGRES, pytest.param("nats_servers", marks=soak)], indirect=True
)
def test_every_command_works_with_a_log_in_a_server(crawled: Path, address: str, web: Web) -> None:
    job = read_job(crawled / "crawl.toml")
    assert job.log.server == address
    assert len(job.log.name) == 32
    assert not (crawled / "log" / "log.sqlite").exists()
    _read_it(crawled, web)
    _read_by_address(f"{address}#{job.log.name[:12]}", crawled, web)
    _change_it(crawled, web)
    _change_by_address(f"{address}#{job.log.name[:12]}", crawled, web)
    _damage_it(crawled)
    _lose_it(crawled)


def _read_it(crawled: Path, web: Web) -> None:
    status = json.loads(lycosa("status", crawled, "--json").stdout)
    assert (status["pages"], status["pending"]) == (PAGES, 0)
    assert json.loads(lycosa("queue", crawled, "--json").stdout)["total"] == 0
    explained = json.loads(lycosa("explain", crawled, web.seeds[0], "--json").stdout)
    assert explained["outcome"] == "kept"
    assert explained["history"]
    for words in (["audit"], ["verify", "--quick"], ["study"], ["index"]):
        done = lycosa(words[0], crawled, *words[1:])
        assert done.returncode == 0, (words, done.stdout, done.stderr)


def _read_by_address(place: str, crawled: Path, web: Web) -> None:
    """Read it from a machine that has no directory; what needs pages says where they are."""
    status = json.loads(lycosa("status", place, "--json").stdout)
    assert (status["pages"], status["pending"], status["disk_bytes"]) == (PAGES, 0, None)
    assert "on disk" not in lycosa("status", place).stdout
    assert json.loads(lycosa("queue", place, "--json").stdout)["total"] == 0
    explained = json.loads(lycosa("explain", place, web.seeds[0], "--json").stdout)
    assert explained["outcome"] == "kept"
    assert lycosa("explain", place, web.seeds[0] + "nothing").returncode == 1
    done = lycosa("audit", place)
    assert done.returncode == 2
    assert f":{crawled}\n" in done.stderr
    for command, told in (("resume", "lycosa join"), ("study", "lycosa fetch")):
        done = lycosa(command, place)
        assert done.returncode == 2
        assert told in done.stderr


def _change_by_address(place: str, crawled: Path, web: Web) -> None:
    host = web.seeds[1].split("/")[2]
    assert lycosa("add", place, web.seeds[1]).returncode == 0
    done = lycosa("retry", place)
    assert (done.returncode, done.stdout) == (0, "0 URLs back in the queue\n")
    assert f"lycosa unblock '{place}' {host}" in lycosa("block", place, host).stderr
    assert host in json.loads(lycosa("status", crawled, "--json").stdout)["blocked"]
    done = lycosa("block", place, host, "--forget")
    assert done.returncode == 2
    assert "crawl directories" in done.stderr
    assert f"lycosa join '{place}' -o DIR" in lycosa("unblock", place, host).stdout
    lycosa("resume", crawled, "--quiet")


def _change_it(crawled: Path, web: Web) -> None:
    """Add a seed, try failures again, block a host, and go on after each."""
    assert lycosa("add", crawled, web.seeds[1]).returncode == 0
    lycosa("resume", crawled, "--quiet")
    assert pages_of(crawled) == 2 * PAGES
    assert lycosa("retry", crawled).returncode == 0
    for command in ("block", "unblock"):
        assert lycosa(command, crawled, web.seeds[1].split("/")[2]).returncode == 0


def _damage_it(crawled: Path) -> None:
    """Flip a byte of the archive: the log tells what is lost, and it is fetched again."""
    warc = max((crawled / "warc").glob("*.warc.gz"), key=lambda file: file.stat().st_size)
    content = bytearray(warc.read_bytes())
    content[len(content) // 2] ^= 0xFF
    warc.write_bytes(content)
    assert lycosa("verify", crawled).returncode == 10
    done = lycosa("verify", crawled, "--repair")
    assert done.returncode == 0, done.stdout + done.stderr
    lycosa("resume", crawled, "--quiet")
    assert pages_of(crawled) == 2 * PAGES


def pages_of(path: Path) -> int:
    """Return how many pages the whole crawl has, whichever directory has them."""
    pages: int = json.loads(lycosa("status", path, "--json").stdout)["pages"]
    return pages


def _lose_it(crawled: Path) -> None:
    """Ask for a crawl that the server does not have: it is told, not begun anew."""
    job_file = crawled / "crawl.toml"
    text = job_file.read_text()
    job_file.write_text(text.replace(read_job(job_file).log.name, "0" * 32))
    assert lycosa("trust", crawled).returncode == 0  # another name is another setting
    done = lycosa("status", crawled)
    job_file.write_text(text)
    assert done.returncode == 4
    assert "the server has no crawl 0000" in done.stderr
    assert "lycosa join" in done.stderr


def test_the_log_knows_the_job_and_the_directories_that_help(address: str, tmp_path: Path) -> None:
    place = {"server": address}
    job = named_anew(Job.of(["http://a.test/"], frontier={"partitions": 2}, log=place))
    first, second, third = (CrawlDirectory.create(tmp_path / name, job) for name in "abc")
    log = first.log(job)
    try:
        assert job_among(log.notes("job")) is None
        note_job(log, job)
        changed = Job.of(job.seeds, robots={"sitemaps": False}, log=place)
        note_job(log, changed)
        note_job(log, job)
        assert job_among(log.notes("job")) == changed
        limited = Job.of(job.seeds, limits={"pages": 7}, log=place)
        note_job(log, limited)
        note_job(log, changed)
        assert job_among(log.notes("job")) == changed, "limits that are set back hold again"
        assert len(log.notes("job")) == 4
        assert [directory_number(log, one) for one in (first, second, third, second)] == [
            1,
            2,
            3,
            2,
        ]
        assert own_numbers(log, third) == {0, 3}
        assert log.note("directory/0", first.identity().encode())
        assert own_numbers(log, third) == {3}
        assert own_numbers(log, first) == {0, 1}
    finally:
        log.close()


def test_a_crawl_in_a_file_is_directory_0(tmp_path: Path) -> None:
    directory = CrawlDirectory.create(tmp_path / "crawl", Job.of(["http://a.test/"]))
    log = directory.log(directory.job())
    try:
        assert directory_number(log, directory) == 0
        assert log.notes("directory/") == {}
    finally:
        log.close()


def test_another_crawl_of_a_job_gets_another_name() -> None:
    job = named_anew(Job.of(log={"server": "nats://a,b,c"}))
    assert job.log.name != named_anew(job).log.name
    assert named_anew(Job()) == Job()


@pytest.mark.parametrize(
    ("server", "told"),
    [
        ("postgresql://me:secret@db/crawls", "PGPASSFILE"),
        ("postgresql://db/crawls?password=secret", "PGPASSWORD"),
        ("nats://me:secret@a,b,c", "LYCOSA_NATS_PASSWORD"),
        ("nats://a,b,c?token=secret", "LYCOSA_NATS_TOKEN"),
        ("redis://db", "postgresql://HOST/DATABASE"),
        ("mycrawl/log", "nats://HOST1,HOST2,HOST3"),
    ],
)
def test_an_address_with_a_secret_or_of_another_server_is_refused(server: str, told: str) -> None:
    with pytest.raises(ConfigError) as refused:
        Job.of(log={"server": server})
    assert told in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_new_crawl_in_a_server_has_as_many_partitions_as_fit() -> None:
    assert usual_partitions("postgresql://db/crawls") == 1024
    assert usual_partitions("nats://a,b,c") == usual_partitions("tls://a") == MOST_PARTITIONS == 960


def test_a_log_that_may_not_begin_is_told(address: str) -> None:
    with pytest.raises(LogError, match="has no crawl nothing_here"):
        open_log(address, 4, crawl="nothing_here", may_begin=False)


def test_another_machine_joins_by_the_address_alone(web: Web, address: str, tmp_path: Path) -> None:
    begun = ["crawl", *web.seeds, "-o", tmp_path / "a", "--log", address, *web.flags]
    assert json.loads(lycosa(*begun, "--max-pages", "5").stdout)["reason"] == "pages"
    name = read_job(tmp_path / "a" / "crawl.toml").log.name
    listed = lycosa("join", address, "--list").stdout
    assert re.search(rf"{name}  \d\d\d\d-\d\d-\d\d \d\d:\d\d  pages  {web.seeds[0]}", listed)

    joined = ["join", address, name[:12], "-o", tmp_path / "b", "--quiet", "--json"]
    done = lycosa(*joined, "--connections", "9")
    first, second = (read_job(tmp_path / folder / "crawl.toml") for folder in "ab")
    assert second.fetch.connections == 9
    assert second.log.name == name
    assert second.seeds == first.seeds
    assert json.loads(done.stdout)["reason"] == "pages"
    assert json.loads(lycosa(*joined).stdout)["reason"] == "pages"  # it helps: it goes on
    assert pages_of(tmp_path / "a") == pages_of(tmp_path / "b") == 5

    done = lycosa("join", address, "zz", "-o", tmp_path / "c")
    assert done.returncode == 2
    assert "no crawl whose name begins with zz" in done.stderr
    assert "#NAME" in done.stderr
    assert name in done.stderr


def test_a_crawl_that_cannot_be_begun_leaves_a_folder_that_can_be_used(tmp_path: Path) -> None:
    path = tmp_path / "crawl"
    begun = ["crawl", "http://127.0.0.1/", "-o", path, "--allow-private", "--quiet", "--log"]
    done = lycosa(*begun, f"nats://127.0.0.1:1?ca={tmp_path}/none.pem")
    assert done.returncode == 4, done.stderr
    assert "cannot be used for TLS" in done.stderr
    assert list(path.iterdir()) == []


@pytest.mark.parametrize("address", [POSTGRES, "nats_servers"], indirect=True)
def test_a_crawl_that_is_being_begun_is_waited_for(address: str) -> None:
    job = named_anew(Job.of(["http://h.test/"], log={"server": address}))
    name, said = job.log.name, list[str]()
    with closing(open_log(address, job.frontier.partitions, crawl=name)) as log:
        with pytest.raises(ConfigError, match="holds no crawl"):
            awaited(address, name, said.append, patience_seconds=0.0)

        def note(text: str) -> None:
            said.append(text)
            note_job(log, job)

        assert awaited(address, name[:12], note).name == name
        assert awaited(address, name, said.append).job.seeds == job.seeds
    assert said == [f"{name} is being begun: waiting until its job is in the log"]


def test_a_crawl_is_chosen_by_the_beginning_of_its_name() -> None:
    one, two, gone = _crawl("ab12"), _crawl("ac3"), _crawl("ff", "postgresql://x as y")
    assert choose("nats://a", "ab", [one, two]) == one
    assert choose("nats://a", "", [one, gone]) == one
    for name in ("", "a"):
        with pytest.raises(ConfigError, match=r"2 (?:running )?crawls(?s:.*)ab12(?s:.*)ac3"):
            choose("nats://a", name, [one, two])
    ended = one._replace(ended="stopped")
    assert choose("nats://a", "", [ended]) == ended
    with pytest.raises(ConfigError, match=r"2 crawls, none of them running; name one (?s:.*)#NAME"):
        choose("nats://a", "", [ended, gone])
    with pytest.raises(ConfigError, match="was moved to postgresql://x"):
        choose("nats://a", "ff", [one, gone])
    with pytest.raises(ConfigError, match="lycosa crawl"):
        choose("nats://a", "", [])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("redis://db", "is not the address of a log server"),
        ("nats://me:secret@a", "LYCOSA_NATS_PASSWORD"),
        ("nats://127.0.0.1:1", "127.0.0.1:1"),
        ("postgresql://127.0.0.1:1/crawls", "127.0.0.1"),
    ],
)
def test_an_address_that_leads_nowhere_is_told(
    text: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joining, "_ASKING_SECONDS", 1.0)
    with pytest.raises(LycosaError) as refused:
        find_crawl(parse_place(text))
    assert told in str(refused.value)
    assert "secret" not in str(refused.value)


def _crawl(name: str, moved_to: str = "") -> FoundCrawl:
    return FoundCrawl(name, Job.of(["http://a.test/"]), "2026-01-02T03:04:05", "", moved_to)
