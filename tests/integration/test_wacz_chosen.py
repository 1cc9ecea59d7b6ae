"""A part of a crawl as a WACZ: of a host, and without the pages that ask not to be archived."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from warcio.archiveiterator import ArchiveIterator

from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa_testweb.servers.server import SocketWeb
from unit.crawl.drawn_web import DrawnWeb, file, page
from warc_tools import validate_wacz
from warm import lycosa

HOME, OTHER = "http://a.test/", "http://b.test/"
STYLE, BACK = "http://b.test/style.css", "http://b.test/back.gif"
SECRET, COPY = "http://a.test/secret", "http://a.test/copy"
WORDS = "not to be archived, says its author"
TWIN = page("<p>the same words on two hosts, so that one of both records leans on the other</p>")
WEB = DrawnWeb(
    {
        HOME: page(
            f'<a href="{SECRET}">s</a><a href="{COPY}">c</a><a href="{OTHER}">o</a>',
            f'<link rel="stylesheet" href="{STYLE}">',
        ),
        STYLE: file("text/css", "body { background: url(/back.gif) }\n"),
        BACK: file("image/gif", b"GIF89a" + bytes(range(256))),
        SECRET: page(f"<p>{WORDS}</p>", '<meta name="robots" content="noarchive">'),
        OTHER: page('<a href="/twin">t</a>'),
        "http://b.test/twin": TWIN,
        COPY: TWIN,
    }
)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with SocketWeb(WEB, tls=False) as server:
        job = Job.of(
            seeds=[HOME, OTHER],
            limits={"free_disk_bytes": 0},
            politeness={"delay_seconds": 0.0, "ip_delay_seconds": 0.0},
            extract={"requisites": True, "soft_404_after": 0},
            discovery={"mining": "off"},
            log={"commit_seconds": 0.02},
            frontier={"partitions": 1},
            fetch={"allow_private": True, "hosts_file": str(server.hosts_file)},
        )
        directory = CrawlDirectory.create(tmp_path_factory.mktemp("chosen") / "crawl", job)
        assert run_crawl(directory).reason == "exhausted"
    return directory.path


class Read(NamedTuple):
    """What a reader finds in an archive."""

    listed: set[str]
    bodies: dict[str, bytes]
    """By URL, as the index leads to them."""
    content: bytes
    """All records, unpacked."""


def read(target: Path) -> Read:
    bodies: dict[str, bytes] = {}
    records = io.BytesIO()
    with zipfile.ZipFile(target) as archive:
        assert archive.testzip() is None
        _, *listed = map(json.loads, archive.read("pages/pages.jsonl").splitlines())
        for line in archive.read("indexes/index.cdxj").decode().splitlines():
            entry = json.loads(line.split(" ", 2)[2])
            start, length = int(entry["offset"]), int(entry["length"])
            content = archive.read(f"archive/{entry['filename']}")[start : start + length]
            record = next(iter(ArchiveIterator(io.BytesIO(content))))
            assert record.rec_headers.get_header("WARC-Target-URI") == entry["url"]
            bodies[entry["url"]] = record.content_stream().read()
        for name in archive.namelist():
            if name.startswith("archive/"):
                for one in ArchiveIterator(io.BytesIO(archive.read(name))):
                    records.write(one.raw_stream.read())
    return Read({page["url"] for page in listed}, bodies, records.getvalue())


def test_an_archive_lacks_the_records_of_pages_that_ask_for_it(
    crawled: Path, tmp_path: Path
) -> None:
    target = tmp_path / "crawl.wacz"
    done = lycosa("export", "wacz", crawled, "-o", target)
    assert done.returncode == 0, done.stderr
    assert "1 page left out, as they ask" in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["crawl.wacz"]
    found = read(target)
    assert WORDS.encode() not in found.content and SECRET not in found.bodies
    assert found.listed == {HOME, COPY, OTHER, "http://b.test/twin"}
    assert {url: found.bodies[url] for url in WEB.replies if url != SECRET} == {
        url: reply.body for url, reply in WEB.replies.items() if url != SECRET
    }
    whole = lycosa("export", "wacz", crawled, "-o", target, "--withheld", "--json")
    assert json.loads(whole.stdout)["withheld"] == 0
    assert SECRET in read(target).listed and WORDS.encode() in read(target).content


def test_an_archive_of_a_host_has_what_its_pages_need_and_can_be_read_alone(
    crawled: Path, tmp_path: Path
) -> None:
    target = tmp_path / "host.wacz"
    done = lycosa("export", "wacz", crawled, "-o", target, "--host", "a.test", "--json")
    assert done.returncode == 0, done.stderr
    found = read(target)
    assert found.listed == {HOME, COPY}
    assert {HOME, COPY, STYLE, BACK} <= set(found.bodies)
    assert OTHER not in found.bodies
    assert found.bodies[COPY] == TWIN.body  # stored with the other host: a whole record here
    with zipfile.ZipFile(target) as archive:
        assert json.loads(archive.read("datapackage.json"))["mainPageUrl"] == HOME
    wrong = lycosa("export", "wacz", crawled, "-o", target, "--host", "c.test")
    assert wrong.returncode == 1 and "select distinct host" in wrong.stderr
    topic = lycosa("export", "wacz", crawled, "-o", target, "--topic", "science")
    assert topic.returncode == 1 and "topics apply" in topic.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["host.wacz"]


@pytest.mark.soak
def test_the_validator_of_the_format_finds_no_fault_in_a_part(
    crawled: Path, tmp_path: Path
) -> None:
    target = tmp_path / "part.wacz"
    assert lycosa("export", "wacz", crawled, "-o", target, "--host", "a.test").returncode == 0
    validate_wacz(target, tmp_path)
