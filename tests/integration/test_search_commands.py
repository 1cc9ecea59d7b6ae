"""`lycosa index` and `lycosa search`, as a user types them, over a crawl of real sockets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from integration.small_servers import serving_site
from lycosa.analysis.text_index.index import TextIndex
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa_testweb.generated.web import GeneratedWeb
from lycosa_testweb.servers.server import SocketWeb
from structured_webs import job_of
from warm import lycosa


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    web = GeneratedWeb.tree(2, 4)
    with SocketWeb(web, tls=False) as server:
        folder = tmp_path_factory.mktemp("search") / "crawl"
        directory = CrawlDirectory.create(folder, job_of(server, web.home(0)))
        assert run_crawl(directory).progress.pages > 3
    yield folder


def test_a_crawl_is_indexed_searched_and_forgotten(crawled: Path) -> None:
    none = lycosa("search", crawled, "page")
    assert (none.returncode, none.stdout) == (7, "")
    assert none.stderr == f"{crawled}: has no text index\n  build it: lycosa index {crawled}\n"

    built = lycosa("index", crawled)
    assert built.returncode == 0, built.stderr
    assert "full text: " in built.stdout and f"lycosa search {crawled}" in built.stdout
    told = json.loads(lycosa("index", crawled, "--only", "text", "--json").stdout)
    assert told["text"]["added"] == 0 and told["text"]["pages"] > 3
    assert "segments" not in told, "the triples were not asked for"
    anew = json.loads(lycosa("index", crawled, "--anew", "--json").stdout)
    assert anew["is_anew"] and anew["text"]["is_anew"]

    everything = json.loads(lycosa("search", crawled, "type:html", "--json").stdout)
    assert everything["outcome"] == "found" and everything["total"] == told["text"]["pages"]
    title = everything["hits"][0]["title"]
    found = lycosa("search", crawled, title, "--limit", "2")
    assert found.returncode == 0, found.stderr
    assert title in found.stdout and everything["hits"][0]["host"] in found.stdout

    without = lycosa("search", crawled, f"-{title.split()[0]} type:html", "--json")
    assert without.returncode < 2, without.stderr
    assert json.loads(without.stdout)["total"] < everything["total"]
    several = lycosa("search", crawled, "--limit", "2", "-zzzzqqqq", "type:html", "-hqq", "--json")
    assert json.loads(several.stdout)["query"] == "-zzzzqqqq type:html -hqq"
    assert "No such option" in lycosa("search", crawled, "page", "--limt", "2").stderr
    assert "Usage" in lycosa("search", crawled, "-h").stdout

    assert lycosa("search", crawled, "zzzzqqqq").returncode == 1
    nonsense = lycosa("search", crawled, "??", "before:soon")
    assert nonsense.returncode == 1 and "the query is empty" in nonsense.stdout

    host = everything["hits"][0]["host"].partition(":")[0]
    forgotten = lycosa("block", crawled, host, "--forget")
    assert "rebuilt the text index without it" in forgotten.stdout, forgotten.stderr
    assert lycosa("search", crawled, "type:html").returncode == 1


def _asking_site(path: str) -> tuple[int, str]:
    """Answer with pages of which one asks for `noindex`."""
    if path == "/":
        return 200, '<p>heron <a href="/secret">one</a> <a href="/open">two</a>'
    wish = '<meta name="robots" content="noindex">' if path == "/secret" else ""
    is_page = path in ("/secret", "/open")
    return (200, f"{wish}<title>{path}</title><p>a heron at {path}") if is_page else (404, "")


def test_an_older_crawl_obeys_noindex_as_the_archive_tells_it(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with serving_site(_asking_site) as port:
        flags = ("--allow-private", "--delay", "0", "--workers", "1", "--mining", "off", "--quiet")
        lycosa("crawl", f"http://127.0.0.1:{port}/", "-o", folder, *flags)
    for path in (folder / "pages").glob("*.parquet"):
        table = pq.read_table(path)
        assert table.column("noindex").to_pylist().count(True) == 1
        pq.write_table(table.drop_columns(["noindex"]), path)
    job = CrawlDirectory.open(folder).job()
    assert TextIndex(folder, job).update().pages == 2
    found = json.loads(lycosa("search", folder, "heron", "--json").stdout)
    assert not [hit for hit in found["hits"] if "secret" in hit["url"]]
    assert TextIndex(folder, job).update(anew=True).pages == 2
    disobeying = Job.of(seeds=["http://127.0.0.1/"], extract={"obey_noindex": False})
    assert TextIndex(folder, disobeying).update().pages == 3
