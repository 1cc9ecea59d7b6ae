"""What a request to the endpoint asks for: the cases of SPARQL 1.1 Protocol, chapter 2.1."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from lycosa.analysis.triples.formats import chosen_form
from lycosa.analysis.triples.protocol import Query
from lycosa.web.rest.problems import Refusal
from lycosa.web.rest.sparql import READ_ONLY, description, parsed

ASK = "ASK { ?s ?p ?o }"
FORM = {"content-type": "application/x-www-form-urlencoded; charset=utf-8"}
QUERY = {"content-type": "application/sparql-query"}


def read(method: str, target: str, headers: dict[str, str], body: bytes) -> Query | None:
    return parsed(method, target.partition("?")[2], headers, body)


def test_a_query_comes_in_three_ways() -> None:
    question = Query(ASK, is_guarded=True)
    assert read("GET", f"/sparql?query={quote(ASK)}", {}, b"") == question
    assert read("POST", "/sparql", FORM, f"query={quote(ASK)}".encode()) == question
    assert read("POST", "/sparql", QUERY, ASK.encode()) == question


def test_graphs_are_named_in_the_address_or_the_form() -> None:
    graphs = "default-graph-uri=http%3A%2F%2Fa.test%2F&default-graph-uri=http%3A%2F%2Fb.test%2F"
    more = "named-graph-uri=http%3A%2F%2Fc.test%2F"
    expected = Query(
        ASK, ("http://a.test/", "http://b.test/"), ("http://c.test/",), is_guarded=True
    )
    target = f"/sparql?query={quote(ASK)}&{graphs}&{more}"
    assert read("GET", target, {}, b"") == expected
    assert read("POST", f"/sparql?{graphs}&{more}", QUERY, ASK.encode()) == expected
    body = f"query={quote(ASK)}&{graphs}&{more}".encode()
    assert read("POST", "/sparql", FORM, body) == expected


PROBLEMS = [
    ("GET", "/sparql?query=a&query=b", {}, b"", 400),
    ("POST", "/sparql", FORM, b"", 400),
    ("POST", "/sparql", FORM, b"query=a&query=b", 400),
    ("POST", "/sparql?query=a", QUERY, b"b", 400),
    ("POST", "/sparql", {"content-type": "text/plain"}, b"x", 415),
    ("POST", "/sparql", {}, b"x", 415),
    ("POST", "/sparql", QUERY, b"\xff", 400),
    ("GET", "/sparql?query=%ff", {}, b"", 400),
]


@pytest.mark.parametrize(("method", "target", "headers", "body", "status"), PROBLEMS)
def test_what_is_no_question_has_its_status(
    method: str, target: str, headers: dict[str, str], body: bytes, status: int
) -> None:
    with pytest.raises(Refusal) as refused:
        read(method, target, headers, body)
    assert refused.value.status == status


@pytest.mark.parametrize(
    ("method", "target", "headers", "body"),
    [
        ("POST", "/sparql", {"content-type": "application/sparql-update"}, b"DROP ALL"),
        ("POST", "/sparql", FORM, b"update=DROP+ALL"),
        ("GET", "/sparql?update=DROP+ALL", {}, b""),
    ],
)
def test_updates_are_refused(
    method: str, target: str, headers: dict[str, str], body: bytes
) -> None:
    with pytest.raises(Refusal, match=READ_ONLY) as refused:
        read(method, target, headers, body)
    assert refused.value.status == 403


def test_without_a_question_the_service_describes_itself() -> None:
    assert read("GET", "/sparql", {}, b"") is None
    assert "sd:UnionDefaultGraph" in description("http://127.0.0.1:1/sparql")


TABLE = ("json", "xml", "csv", "tsv")
GRAPH = ("turtle", "ntriples", "rdfxml")


@pytest.mark.parametrize(
    ("accept", "forms", "chosen"),
    [
        ("*/*", TABLE, "json"),
        ("text/csv", TABLE, "csv"),
        ("application/sparql-results+xml;q=0.9, text/csv;q=0.5", TABLE, "xml"),
        ("application/json", TABLE, "json"),
        ("text/*", TABLE, "csv"),
        ("text/html, */*;q=0.1", GRAPH, "turtle"),
        ("application/rdf+xml, */*", GRAPH, "rdfxml"),
        ("application/sparql-results+json", GRAPH, None),
        ("text/csv;q=0", TABLE, None),
        ("text/csv;q=nonsense", TABLE, None),
        ("", TABLE, None),
    ],
)
def test_the_form_is_the_one_that_the_client_likes_best(
    accept: str, forms: tuple[str, ...], chosen: str | None
) -> None:
    assert chosen_form(accept, forms) == chosen
