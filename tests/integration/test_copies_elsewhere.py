"""Pages whose payload stands with a page of another host, partition and segment: a part of a crawl
that is given away has it, and a whole archive has the record."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from damage import HOSTS, REPLIES, damage_web, stopped, url
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.model.url import key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.archive.layout import warc_names, warc_path
from lycosa.storage.warc.record_reader import members
from mirrors import check_payloads
from warm import lycosa


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with damage_web() as server:
        folder = stopped(server, tmp_path_factory.mktemp("copies") / "crawl")
        run_crawl(CrawlDirectory.open(folder))
    return folder


def leaning_hosts(folder: Path) -> dict[int, str]:
    """Return the hosts that have a copy of a page, and the file of its payload: another one."""
    job = CrawlDirectory.open(folder).job()
    partition_of = partitioner_of(job).partition_of
    found: dict[int, str] = {}
    for name in warc_names(folder):
        for _, _, record in members(warc_path(folder, name)):
            of = record.headers
            file = of.get("WARC-Refers-To-Filename")
            if file is None or file == warc_path(folder, name).name:
                continue
            here, there = of["WARC-Target-URI"], of["WARC-Refers-To-Target-URI"]
            if partition_of(key_of(here)) != partition_of(key_of(there)):
                found |= {host: file for host in range(HOSTS) if here == url(host, 8)}
    return found


def answers_in(target: Path) -> dict[str, tuple[str, bytes]]:
    """Return type and body of the answers in an archive, as others read them."""
    found = {}
    with zipfile.ZipFile(target) as archive:
        for name in archive.namelist():
            if name.startswith("archive/"):
                for record in ArchiveIterator(io.BytesIO(archive.read(name))):
                    if record.rec_type in ("response", "revisit"):
                        address = record.rec_headers.get_header("WARC-Target-URI")
                        found[address] = (record.rec_type, record.content_stream().read())
    return found


def test_an_archive_of_one_host_has_bodies_that_stand_with_other_hosts(
    crawled: Path, tmp_path: Path
) -> None:
    hosts = leaning_hosts(crawled)
    assert hosts, "no page leans on another partition and segment"
    for host in hosts:
        target = tmp_path / f"{host}.wacz"
        done = lycosa("export", "wacz", crawled, "-o", target, "--host", f"www.d{host}.test")
        assert done.returncode == 0, done.stderr
        answers = answers_in(target)
        assert {address.split("/")[2] for address in answers} == {f"www.d{host}.test"}
        assert answers[url(host, 8)] == ("response", REPLIES[url(host, 8)].body)
        assert {kind for kind, _ in answers.values()} == {"response"}


def test_an_archive_of_everything_has_the_record_of_every_payload(
    crawled: Path, tmp_path: Path
) -> None:
    target = tmp_path / "all.wacz"
    assert lycosa("export", "wacz", crawled, "-o", target).returncode == 0
    assert "revisit" in {kind for kind, _ in answers_in(target).values()}
    (tmp_path / "warc").mkdir()
    with zipfile.ZipFile(target) as archive:
        for name in archive.namelist():
            if name.startswith("archive/"):
                (tmp_path / "warc" / Path(name).name).write_bytes(archive.read(name))
    assert check_payloads(tmp_path) >= 5
