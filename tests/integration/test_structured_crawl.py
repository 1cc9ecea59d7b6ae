"""What pages say to machines, from a crawl over sockets to answers in SPARQL.

Table 7     trees of 2 to 3,906 pages with 0 to 3 triples each: as many are found as were made
kills       by a real SIGKILL, while crawling: nothing is lost and nothing is there twice
revisits    a page that was fetched again says what it says now, or nothing
forgetting  of a host that was blocked nothing is left
"""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from lycosa.analysis.triples import sparql
from lycosa.analysis.triples.index import Index
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.processes.run import run_crawl
from lycosa.storage.archive.layout import quad_names, quads_path
from lycosa.storage.archive.reader import table
from lycosa.storage.tables.quads import blocks
from lycosa_testweb.servers.server import SocketWeb
from lycosa_testweb.web import HTML, PLAIN, Reply
from lycosa_testweb.webs.papers import TABLE_7, TreeRow
from socket_crawls import finish, start
from structured_webs import GONE, ChangingWeb, job_of, page
from warm import lycosa


def said_by(*words: object) -> str:
    done = lycosa(*words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def answer(folder: Path, question: str) -> list[list[str]]:
    with Index(folder).reading() as store:
        return sparql.as_table(sparql.ask(store, question))[1]


def quads_in_segments(folder: Path) -> Counter[bytes]:
    return Counter(
        line
        for name in quad_names(folder)
        for block in blocks(quads_path(folder, name))
        for line in block.quads.splitlines()
    )


# -- Table 7 ---------------------------------------------------------------------------------


def check_table_7(row: TreeRow, folder: Path) -> None:
    pages = table(folder, "pages", ["outcome"]).to_pylist()
    assert Counter(page["outcome"] for page in pages)["kept"] == row.pages
    quads = quads_in_segments(folder)
    assert len(quads) == row.triples
    assert set(quads.values()) <= {1}
    done = Index(folder).update()
    assert (done.quads, done.size, done.unreadable) == (row.triples, row.triples, 0)
    counted = answer(folder, "SELECT (COUNT(*) AS ?n) { GRAPH ?page { ?page ?p ?o } }")
    assert counted == [[str(row.triples)]]
    by_page = "SELECT ?n (COUNT(*) AS ?pages) { { SELECT ?page (COUNT(*) AS ?n)"
    by_page += " { GRAPH ?page { ?s ?p ?o } } GROUP BY ?page } } GROUP BY ?n"
    per_page = [[str(row.triples_per_page), str(row.pages)]] if row.triples else []
    assert answer(folder, by_page) == per_page


@pytest.mark.parametrize(
    "row",
    [row for row in TABLE_7 if row.pages <= 341],
    ids=lambda row: f"{row.pages}x{row.triples}",
)
def test_table_7_as_many_triples_are_found_as_were_made(row: TreeRow, tmp_path: Path) -> None:
    web = row.web()
    with SocketWeb(web, tls=False) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(server, web.home()))
        assert run_crawl(directory).reason == "exhausted"
    check_table_7(row, directory.path)


@pytest.mark.parametrize("triples", [0, 1, 2])
@pytest.mark.soak
def test_table_7_the_largest_tree(triples: int, tmp_path: Path) -> None:
    (row,) = [row for row in TABLE_7 if (row.pages, row.triples_per_page) == (3906, triples)]
    web = row.web()
    with SocketWeb(web, tls=False) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(server, web.home()))
        assert run_crawl(directory).reason == "exhausted"
    check_table_7(row, directory.path)


@pytest.mark.soak
def test_table_7_the_largest_tree_through_kills(tmp_path: Path) -> None:
    row = TABLE_7[-1]
    assert row.triples == 11_718
    web = row.web()
    with SocketWeb(web, tls=False) as server:
        job = job_of(server, web.home(), log={"seal_seconds": 2.0})
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        for share in (0.2, 0.6):
            process = start(directory)
            wait_for_pages(directory, process, int(share * row.pages))
            process.kill()
            process.wait()
            server.client_killed()
            Index(directory.path).update()  # of what is sealed by then
        finish(start(directory), directory)
    quads = quads_in_segments(directory.path)
    assert (len(quads), set(quads.values())) == (row.triples, {1})
    done = Index(directory.path).update()
    assert (done.size, done.unreadable, done.is_anew) == (row.triples, 0, False)
    counted = answer(directory.path, "SELECT (COUNT(*) AS ?n) { GRAPH ?page { ?page ?p ?o } }")
    assert counted == [["11718"]]
    told = json.loads(said_by("status", directory.path, "--json"))
    assert told["structured"] == {"triples": row.triples, "pages": row.pages}


def wait_for_pages(directory: CrawlDirectory, process: subprocess.Popen[bytes], pages: int) -> None:
    deadline = time.monotonic() + 120
    size = 0
    while size < pages * 700:  # bytes of a page in the archive, about
        assert time.monotonic() < deadline and process.poll() is None
        size = sum(file.stat().st_size for file in directory.path.glob("warc/*.gz"))
        time.sleep(0.005)


# -- pages that change -----------------------------------------------------------------------


def test_a_page_that_is_fetched_again_says_what_it_says_now(tmp_path: Path) -> None:
    home = "http://a.test/"
    names = ("changed", "silent", "gone", "moved", "same", "back", "failing")
    moved = Reply(301, (*HTML, ("Location", "/changed")), b"")
    web = ChangingWeb(
        {
            home: [page("home", *names)],
            f"{home}changed": [page("old"), page("new")],
            f"{home}silent": [page("old"), page("")],
            f"{home}gone": [page("old"), GONE],
            f"{home}moved": [page("old"), moved],
            f"{home}same": [page("same")],
            f"{home}back": [page("first"), page("other"), page("first")],
            f"{home}failing": [page("still"), Reply(500, PLAIN, b"x")],
        }
    )
    with SocketWeb(web, tls=False) as server:
        job = job_of(
            server,
            home,
            revisit={"seconds": 0.5},
            limits={"seconds": 6.0},
            fetch={"retry_first_seconds": 0.2},
        )
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        assert run_crawl(directory).reason == "seconds"
    assert min(web.asked[f"{home}{name}"] for name in ("", *names)) >= 2
    assert web.asked[f"{home}back"] >= 3
    Index(directory.path).update()
    found = answer(
        directory.path, "SELECT ?page ?name { GRAPH ?page { ?s <http://schema.org/name> ?name } }"
    )
    assert {page.removeprefix(home): name for page, name in found} == {
        "": "home",
        "changed": "new",
        "same": "same",
        "back": "first",
        "failing": "still",
    }
    assert len(found) == 5


def test_a_page_that_never_said_anything_has_no_block(tmp_path: Path) -> None:
    home = "http://a.test/"
    web = ChangingWeb(
        {
            home: [page("home", "silent", "gone")],
            f"{home}silent": [page("")],
            f"{home}gone": [GONE],
        }
    )
    with SocketWeb(web, tls=False) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(server, home))
        assert run_crawl(directory).progress.pages == 2
    assert web.asked[f"{home}gone"] == 1
    told = [
        block.url
        for name in quad_names(directory.path)
        for block in blocks(quads_path(directory.path, name))
    ]
    assert told == [home]


def test_a_forgotten_host_is_gone_from_segments_and_index(tmp_path: Path) -> None:
    web = ChangingWeb(
        {
            "http://a.test/": [page("stays", "http://b.test/")],
            "http://b.test/": [page("cloaked", "/more")],
            "http://b.test/more": [page("cloaked too")],
        }
    )
    with SocketWeb(web, tls=False) as server:
        job = job_of(server, "http://a.test/", "http://b.test/")
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        assert run_crawl(directory).reason == "exhausted"
    said_by("index", directory.path)
    names = "SELECT ?name { ?s <http://schema.org/name> ?name } ORDER BY ?name"
    assert answer(directory.path, names) == [["cloaked"], ["cloaked too"], ["stays"]]
    said = said_by("block", directory.path, "b.test", "--forget")
    assert "rebuilt the triple index without it" in said
    assert answer(directory.path, names) == [["stays"]]
    assert not any(b"cloaked" in quad for quad in quads_in_segments(directory.path))
    everything = [path for path in directory.path.rglob("*") if path.is_file()]
    assert [path for path in everything if b"cloaked" in path.read_bytes()] == []


def test_links_in_structured_data_are_followed_if_the_job_says_so(tmp_path: Path) -> None:
    data = {"@context": "https://schema.org", "@id": "/id", "url": "/url", "sameAs": "/same"}
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    home = Reply(200, HTML, f"<!doctype html>{script}".encode())
    web = ChangingWeb(
        {
            "http://a.test/": [home],
            **{f"http://a.test/{name}": [page("")] for name in ("id", "url", "same")},
        }
    )
    for wanted in (False, True):
        with SocketWeb(web, tls=False) as server:
            quiet: dict[str, object] = {"sitemaps": False}
            job = job_of(server, "http://a.test/", structured={"links": wanted}, robots=quiet)
            directory = CrawlDirectory.create(tmp_path / str(wanted), job)
            run_crawl(directory)
        kept = {row["url"] for row in table(directory.path, "pages", ["url"]).to_pylist()}
        more = {f"http://a.test/{name}" for name in ("id", "url", "same")} if wanted else set()
        assert kept == {"http://a.test/"} | more
        kinds = {row["kind"] for row in table(directory.path, "links", ["kind"]).to_pylist()}
        assert kinds == ({"data"} if wanted else set())


def test_what_is_left_out_is_counted_and_shown(tmp_path: Path) -> None:
    body = (
        '<!doctype html><html vocab="http://schema.org/"><link rel="stylesheet" href="s.css">'
        '<link rel="icon" href="i.png"><p property="name">x</p>'
        '<script type="application/ld+json">{"@context":"http://elsewhere.test/"}</script>'
    )
    web = ChangingWeb({"http://a.test/": [Reply(200, HTML, body.encode())]})
    with SocketWeb(web, tls=False) as server:
        directory = CrawlDirectory.create(tmp_path / "crawl", job_of(server, "http://a.test/"))
        run_crawl(directory)
    told = json.loads(said_by("status", directory.path, "--json"))["structured"]
    assert told["dropped"] == 2 and told["json-ld-unknown-context"] == 1
    shown = said_by("status", directory.path)
    assert "structured data left out" in shown and "triples that the filter dropped" in shown
    (quads,) = [quad for quad in quads_in_segments(directory.path) if b"/name>" in quad]
    assert quads == b'<http://a.test/> <http://schema.org/name> "x" <http://a.test/> .'


def test_a_job_without_forms_reads_nothing(tmp_path: Path) -> None:
    web = ChangingWeb({"http://a.test/": [page("x")]})
    with SocketWeb(web, tls=False) as server:
        job = job_of(server, "http://a.test/", structured={"forms": []})
        directory = CrawlDirectory.create(tmp_path / "crawl", job)
        run_crawl(directory)
    assert quad_names(directory.path) == []
    assert Index(directory.path).update().size == 0
