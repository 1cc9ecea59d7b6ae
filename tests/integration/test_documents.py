"""Documents of a crawl are kept, read and found, as `docs/howto/documents.md` shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa import Crawl
from lycosa_testweb.webs.documents import APPENDIX, HOME, DocumentWeb
from typed_pages import BLOCK, HOWTO, served, typed
from warm import lycosa


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with served(tmp_path_factory.mktemp("documents"), "--kind", "documents") as folder:
        yield folder


@pytest.fixture(scope="module")
def shown(folder: Path) -> list[tuple[str, str, str]]:
    """Type the page once; returns each block with what was printed and what should be."""
    page = (HOWTO / "documents.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page)[2:]
    return [(script, typed(script, folder), expected) for script, expected in blocks]


def test_the_page_shows_what_is_printed(shown: list[tuple[str, str, str]]) -> None:
    assert len(shown) == 6
    for script, printed, expected in shown:
        assert printed == expected, script


def test_every_word_is_found_and_no_unreadable_file_has_text(folder: Path, shown: object) -> None:
    papers = folder / "papers"
    rows = DocumentWeb().rows
    found = json.loads(lycosa("search", papers, "gauge", "--limit", "20", "--json").stdout)
    hits = {(hit["url"], hit["title"]) for hit in found["hits"]}
    assert hits == {(HOME + row.name, row.title) for row in rows if row.word}
    texts = {text.url: text for text in Crawl(papers).texts()}
    assert {url for url in texts if url not in (HOME, APPENDIX)} == {
        HOME + row.name for row in rows if row.word
    }
    assert texts[f"{HOME}river.pdf"].language == "en"
    assert "heron" in texts[f"{HOME}river.pdf"].text


def test_the_study_counts_their_languages_and_sql_has_their_texts(
    folder: Path, shown: object
) -> None:
    papers = folder / "papers"
    done = lycosa("study", papers)
    assert done.returncode == 0, done.stderr
    query = "select language, source, count(*) from page_languages group by all order by all"
    found = lycosa("sql", papers, query, "--format", "csv").stdout.splitlines()[1:]
    assert '"en","text",8' in found
    query = "select count(*) as n from text where text like '%gauge%'"
    assert lycosa("sql", papers, query, "--format", "csv").stdout.split() == ['"n"', "8"]
    told = json.loads(lycosa("index", papers, "--json").stdout)
    assert told["documents"]["read"] == 8 and told["documents"]["encrypted"] == 2


def test_what_is_not_indexed_yet_is_read_at_once_and_faults_are_told(
    folder: Path, shown: object, tmp_path: Path
) -> None:
    crawl = tmp_path / "crawl"
    flags = ["--documents", "--allow-private", "--delay", "0", "--ip-delay", "0", "--quiet"]
    flags += ["--set", f"fetch.hosts_file={folder}/web/hosts"]
    flags += ["--set", "politeness.answer_time_factor=0", "--max-pages", "6"]
    assert lycosa("crawl", HOME, "-o", crawl, *flags, "--depth", "1").returncode in (0, 1)
    kept = [page.url for page in Crawl(crawl).pages(outcome="kept")]
    some = next(row for row in DocumentWeb().rows if HOME + row.name in kept and row.word)
    assert some.word in lycosa("cat", crawl, HOME + some.name, "--text").stdout
    locked = lycosa("cat", folder / "papers", f"{HOME}locked.pdf", "--text")
    assert locked.returncode == 1
    assert "the document cannot be read: encrypted" in locked.stderr


def test_forgetting_the_host_removes_its_documents(folder: Path, shown: object) -> None:
    papers = folder / "papers"
    assert lycosa("block", papers, "papers.test", "--forget").returncode == 0
    for path in papers.rglob("*"):
        if path.is_file() and path.suffix != ".lock":
            assert b"heron gauge" not in path.read_bytes(), path
    query = "select count(*) as n from documents"
    assert lycosa("sql", papers, query, "--format", "csv").stdout.split() == ['"n"', "0"]
