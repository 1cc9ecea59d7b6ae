"""A crawl keeps the list of public suffixes that it began with, whatever is installed later.

The other list comes as users get it: as another release of its package, found before the first.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from importlib.metadata import version
from pathlib import Path

import publicsuffixlist
import pytest

from damage import HOSTS, complaints, damage_web, job_of, stopped
from integration.cluster_servers import SharedCrawl
from lycosa.frontier.partitioners.suffixes import unpacked
from lycosa.runtime.directory import CrawlDirectory
from lycosa_testweb.servers.server import SocketWeb
from servers.nats import nats_cluster
from socket_crawls import web_of
from warm import in_full

RELEASE = version("publicsuffixlist")
BEGIN = "===BEGIN ICANN DOMAINS==="


@pytest.fixture
def server() -> Iterator[SocketWeb]:
    with damage_web() as server:
        yield server


def other_release(folder: Path, *rules: str) -> Path:
    """Make another release of the package, in which there are more suffixes."""
    made = folder / "publicsuffixlist"
    shutil.copytree(Path(publicsuffixlist.__file__).parent, made)
    (folder / "publicsuffixlist-9.20991231.dist-info").mkdir()
    file = made / Path(publicsuffixlist.PSLFILE).name
    file.write_text(file.read_text().replace(BEGIN, "\n".join([BEGIN, *rules, "// more"]), 1))
    return folder


@pytest.fixture
def another_day(tmp_path: Path) -> str:
    """The folder of a release by which every host of the web is a domain of its own."""
    return str(other_release(tmp_path / "later", *(f"d{host}.test" for host in range(HOSTS))))


def resume(folder: Path) -> tuple[int, str]:
    done = in_full("resume", folder, "--quiet")
    return done.returncode, done.stderr


def ask(folder: Path, question: str, *values: object) -> list[tuple[bytes]]:
    with closing(sqlite3.connect(folder / "log" / "log.sqlite", isolation_level=None)) as log:
        return log.execute(question, values).fetchall()


def as_before(folder: Path) -> None:
    """Give the log the note of a release that kept no list."""
    ask(folder, "DELETE FROM notes WHERE name = 'suffixes'")
    noted = f"domain by publicsuffixlist {RELEASE} over 4 partitions".encode()
    ask(folder, "UPDATE notes SET value = ? WHERE name = 'partitioner'", noted)


def test_a_crawl_goes_on_with_its_own_list(
    server: SocketWeb, tmp_path: Path, another_day: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stopped(server, tmp_path / "crawl")
    monkeypatch.setenv("PYTHONPATH", another_day)
    assert resume(folder) == (0, "")
    assert complaints(folder) == []
    assert in_full("verify", folder).returncode == 0
    explained = in_full("explain", folder, "http://www.d1.test/")
    assert "kept" in explained.stdout, explained


def test_a_crawl_that_kept_no_list_is_resumed_with_the_same_release_and_then_keeps_it(
    server: SocketWeb, tmp_path: Path, another_day: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stopped(server, tmp_path / "crawl", pages=20)
    as_before(folder)
    with monkeypatch.context() as later:
        later.setenv("PYTHONPATH", another_day)
        code, said = resume(folder)
        assert code == 4, said
        assert f"pip install publicsuffixlist=={RELEASE}" in said
    directory = CrawlDirectory.open(folder)
    directory.write_job(job_of(server, 30))
    assert resume(folder)[0] == 0
    directory.write_job(job_of(server))
    monkeypatch.setenv("PYTHONPATH", another_day)
    assert resume(folder) == (0, "")
    assert complaints(folder) == []


def test_a_damaged_list_is_named_and_replaced_by_the_installed_one_if_it_is_the_same(
    server: SocketWeb, tmp_path: Path, another_day: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stopped(server, tmp_path / "crawl")
    ((kept,),) = ask(folder, "SELECT value FROM notes WHERE name = 'suffixes'")
    changed = kept[:1000] + bytes([kept[1000] ^ 0xFF]) + kept[1001:]
    ask(folder, "UPDATE notes SET value = ? WHERE name = 'suffixes'", changed)
    code, said = resume(folder)
    assert code == 4, said
    assert re.search("list of public suffixes.*\n.*verify DIR --repair", said), said
    assert "list of public suffixes" in in_full("verify", folder).stdout
    with monkeypatch.context() as later:
        later.setenv("PYTHONPATH", another_day)
        refused = in_full("verify", folder, "--repair")
        assert "install publicsuffixlist of the day" in refused.stderr, refused
    repaired = in_full("--debug", "verify", folder, "--repair")
    assert repaired.returncode == 0, repaired.stderr
    assert resume(folder) == (0, "")
    assert complaints(folder) == []
    ((mended,),) = ask(folder, "SELECT value FROM notes WHERE name = 'suffixes'")
    assert unpacked(mended).listed == unpacked(kept).listed


def test_machines_that_were_installed_on_different_days_share_a_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    web = web_of(12, 8)
    hosts = [".".join(host.split(".")[-2:]) for host in web.hosts()]
    with nats_cluster(in_memory=True) as servers:
        with SharedCrawl(web, servers.url, tmp_path, 2, 0.5) as crawl:
            first, second = crawl.machines
            first.start()
            crawl.wait_for_requests(1)
            monkeypatch.setenv("PYTHONPATH", str(other_release(tmp_path / "later", *hosts)))
            second.start()
            crawl.finish()
            assert second.process is not None and second.process.returncode == 0, second.said()
        crawl.check()
