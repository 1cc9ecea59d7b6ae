"""Questions from Python: `Crawl.sparql`."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from lycosa import Crawl, Job, LycosaError
from lycosa.analysis.triples.index import Index
from lycosa.analysis.triples.protocol import Refused
from lycosa.errors import QueryError
from lycosa.runtime.directory import CrawlDirectory
from unit.analysis.triples.segments import block, seal

ENDLESS = " ".join(f"VALUES ?v{n} {{ {' '.join(map(str, range(200)))} }}" for n in range(6))


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    folder = tmp_path / "c"
    CrawlDirectory.create(folder, Job())
    seal(folder, 1, block("a.test/1", 10, "one"), block("a.test/2", 10, "two"))
    Index(folder).update()
    return Crawl(folder)


def test_a_question_is_answered_in_the_form_that_is_wanted(crawl: Crawl) -> None:
    found = json.loads(crawl.sparql("SELECT ?o { ?s ?p ?o } ORDER BY ?o"))
    assert [row["o"]["value"] for row in found["results"]["bindings"]] == ["one", "two"]
    assert crawl.sparql("SELECT ?o { ?s ?p ?o } ORDER BY ?o", "csv") == b"o\r\none\r\ntwo\r\n"
    graph = crawl.sparql("CONSTRUCT WHERE { ?s ?p 'one' }", "ntriples")
    assert graph == b'<http://a.test/1> <http://p.test/says> "one" .\n'
    assert json.loads(crawl.sparql("ASK { ?s ?p 'three' }"))["boolean"] is False


def test_what_cannot_be_answered_is_raised(crawl: Crawl) -> None:
    with pytest.raises(Refused, match="not a SPARQL query"):
        crawl.sparql("SELECT")
    with pytest.raises(Refused, match="SERVICE"):
        crawl.sparql("SELECT * { ?s ?p ?o . SERVICE <http://x.test/> {} }")
    with pytest.raises(QueryError, match=r"longer than 0\.5 s"):
        crawl.sparql(f"SELECT (COUNT(*) AS ?n) {{ {ENDLESS} }}", seconds=0.5)
    with pytest.raises(LycosaError, match="no format `parquet`"):
        crawl.sparql("ASK {}", "parquet")
    with pytest.raises(QueryError, match="choose one of"):
        crawl.sparql("ASK {}", "turtle")


def test_the_program_that_asks_keeps_its_network(crawl: Crawl) -> None:
    crawl.sparql("ASK {}")
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
