"""`lycosa serve --only sparql` as other programs use it: SPARQLWrapper, rdflib, plain HTTP."""

from __future__ import annotations

import http.client
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from rdflib import Graph, Literal, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore
from SPARQLWrapper import CSV, JSON, POST, TURTLE, XML, SPARQLWrapper

from integration.endpoint_client import SAYS, Served, ask, crawl_of, serving
from lycosa.analysis.triples.index import Index
from unit.analysis.triples.segments import block, seal

ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = [block(f"a.test/{n}", 10, f"text {n}", "all say") for n in range(300)]
    folder = crawl_of(tmp_path_factory.mktemp("served") / "crawl", *made)
    with serving(folder, "--time", "2s", "--largest-answer", "20k") as running:
        yield running


def converted(wrapper: SPARQLWrapper) -> Any:
    return wrapper.query().convert()


# -- clients of others -----------------------------------------------------------------------


def test_sparqlwrapper_gets_tables(served: Served) -> None:
    wrapper = SPARQLWrapper(served.url)
    wrapper.setQuery("SELECT ?page { GRAPH ?page { ?s ?p 'text 7' } }")
    wrapper.setReturnFormat(JSON)
    rows = converted(wrapper)["results"]["bindings"]
    assert [row["page"]["value"] for row in rows] == ["http://a.test/7"]
    wrapper.setReturnFormat(CSV)
    assert converted(wrapper).decode().split() == ["page", "http://a.test/7"]
    wrapper.setReturnFormat(XML)
    assert "http://a.test/7" in converted(wrapper).toxml()


def test_sparqlwrapper_gets_graphs_and_asks_by_post(served: Served) -> None:
    wrapper = SPARQLWrapper(served.url)
    wrapper.setMethod(POST)
    wrapper.setQuery("CONSTRUCT WHERE { <http://a.test/7> ?p ?o }")
    wrapper.setReturnFormat(TURTLE)
    graph = Graph().parse(data=converted(wrapper), format="turtle")
    assert {str(value) for value in graph.objects(None, SAYS)} == {"text 7", "all say"}
    wrapper.setQuery("ASK { ?s ?p 'nobody says this' }")
    wrapper.setReturnFormat(JSON)
    assert converted(wrapper)["boolean"] is False


def test_rdflib_uses_it_as_a_store(served: Served) -> None:
    graph = Graph(SPARQLStore(served.url))
    assert (URIRef("http://a.test/5"), SAYS, Literal("text 5")) in graph
    texts = {str(value) for value in graph.objects(URIRef("http://a.test/5"), SAYS)}
    assert texts == {"text 5", "all say"}
    rows: Any = graph.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
    assert [int(row[0]) for row in rows] == [600]


def test_rdflib_asks_one_page(served: Served) -> None:
    store = SPARQLStore(served.url, context_aware=True)
    graph = Graph(store, identifier=URIRef("http://a.test/5"))
    assert len(list(graph.triples((None, None, None)))) == 2


# -- limits and refusals ---------------------------------------------------------------------


def test_updates_are_refused_and_nothing_changes(served: Served) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for headers, body in (
        (form, "update=DROP+ALL"),
        ({"Content-Type": "application/sparql-update"}, "DROP ALL"),
    ):
        assert ask(served, "", "POST", headers, body, "/sparql")[0] == 403
    assert ask(served, "DROP ALL")[0] == 400
    assert ask(served, "", "PUT", {}, "x", "/sparql")[0] == 405
    assert b"600" in ask(served, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")[2]


def test_service_is_refused(served: Served) -> None:
    question = f"SELECT * {{ SERVICE <{served.url}> {{ ?s ?p ?o }} }}"
    status, _, text = ask(served, question)
    assert status == 400 and b"SERVICE" in text


def test_a_question_that_takes_too_long_is_ended_and_others_are_answered(served: Served) -> None:
    began = time.monotonic()
    status, _, text = ask(served, ENDLESS)
    assert (status, text) == (503, b"the query takes longer than 2 s\n")
    assert time.monotonic() - began < 30
    assert ask(served, "ASK { ?s ?p ?o }")[0] == 200


def test_an_answer_that_is_too_long_is_refused(served: Served) -> None:
    status, _, text = ask(served, "SELECT * { ?s ?p ?o }")
    assert status == 500 and b"add a LIMIT" in text
    assert ask(served, "SELECT * { ?s ?p ?o } LIMIT 10")[0] == 200


def test_mistakes_are_told(served: Served) -> None:
    assert ask(served, "SELECT")[0] == 400
    assert ask(served, "ASK {}", headers={"Accept": "image/png"})[0] == 406
    assert ask(served, "", target="/")[0] == 404
    assert ask(served, "", "POST", {"Content-Length": "99999999"}, None, "/sparql")[0] == 413
    assert ask(served, "ASK {}", headers={"Host": "evil.test"})[0] == 403


def test_it_describes_itself(served: Served) -> None:
    status, kind, text = ask(served, "", target="/sparql")
    assert (status, kind) == (200, "text/turtle; charset=utf-8")
    services = "http://www.w3.org/ns/sparql-service-description#"
    graph = Graph().parse(data=text.decode(), format="turtle")
    assert list(graph.objects(None, URIRef(f"{services}endpoint"))) == [URIRef(served.url)]


def test_graphs_can_be_named_in_the_request(served: Served) -> None:
    question = quote("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }")
    graph = quote("http://a.test/3", safe="")
    target = f"/sparql?query={question}&default-graph-uri={graph}"
    assert b'"2"' in ask(served, "", target=target)[2]


def test_several_questions_on_one_connection(served: Served) -> None:
    parts = urlsplit(served.url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    for number in range(5):
        question = quote(f"ASK {{ ?s ?p 'text {number}' }}")
        connection.request("GET", f"/sparql?query={question}")
        answer = connection.getresponse()
        assert answer.status == 200 and b"true" in answer.read()
    connection.close()


def test_what_is_indexed_meanwhile_is_found(tmp_path: Path) -> None:
    folder = crawl_of(tmp_path / "crawl", block("a.test/1", 10, "old"))
    with serving(folder) as served:
        assert b"true" in ask(served, "ASK { ?s ?p 'old' }")[2]
        seal(folder, 2, block("a.test/1", 20, "new"))
        Index(folder).update()
        assert b"true" in ask(served, "ASK { ?s ?p 'new' }")[2]
        assert b"false" in ask(served, "ASK { ?s ?p 'old' }")[2]


def test_a_port_in_use_is_told(served: Served) -> None:
    port = str(urlsplit(served.url).port)
    command = [sys.executable, "-m", "lycosa", "serve", str(served.folder), "--port", port]
    command += ["--only", "sparql", "--public-sparql"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "choose another --port" in done.stderr
