"""Search, SQL and SPARQL, each answered by a process that is killed when it takes too long."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from starlette.responses import Response

from lycosa._support.extras import require_search
from lycosa.analysis.text_search.results import Ask, Results
from lycosa.analysis.triples.formats import GRAPH_FORMS, MEDIA_TYPES, RESULT_FORMS
from lycosa.analysis.triples.protocol import Query
from lycosa.analysis.triples.triple_store import TripleStore
from lycosa.web.reading.requests import Sql
from lycosa.web.rest.operations import Call, Operation
from lycosa.web.rest.problems import Refusal, answered
from lycosa.web.rest.records import Answer

SQL_SECONDS = 30.0
SPARQL_SECONDS = 30.0
_Question = Annotated[str, msgspec.Meta(min_length=1, max_length=100_000)]
PREFIXES = {
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "og": "http://ogp.me/ns#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "schemas": "https://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Prefixes that a query by REST or from the page may use without declaring them."""


class SearchQuery(msgspec.Struct, frozen=True):
    """A search."""

    q: Annotated[str, msgspec.Meta(max_length=1000)]
    limit: Annotated[int, msgspec.Meta(ge=1, le=100)] = 10
    page: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1


class SqlQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An SQL query."""

    query: _Question
    format: Literal["json", "csv"] = "json"
    limit: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1000


class SparqlQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A SPARQL query."""

    query: _Question
    format: Literal[
        "", "json", "xml", "csv", "tsv", "turtle", "ntriples", "nquads", "trig", "rdfxml", "jsonld"
    ] = ""
    """The format: json, xml, csv or tsv for tables, others for graphs; empty: json or turtle."""


def search(call: Call) -> Results:
    """Search the full text."""
    require_search("a search")
    return call.crawl.search.search(Ask(call.query.q, call.query.limit, call.query.page))


def ask_sql(call: Call) -> Response:
    """Answer an SQL query."""
    asked = Sql(call.body.query, call.body.format, call.body.limit)
    reply = answered(call.crawl.reading.ask(asked, SQL_SECONDS))
    return Response(reply.body, media_type=reply.text)


def ask_sparql(call: Call) -> Response:
    """Answer a SPARQL query."""
    crawl = call.crawl
    crawl.require_directory()
    index = TripleStore(crawl.directory.path)
    if index.current() is None:
        raise Refusal(409, str(index.missing()))
    text, form = with_prefixes(call.body.query), call.body.format
    accept = "application/sparql-results+json, text/turtle;q=0.9"
    query = Query(text, accept=accept, form=form, is_guarded=True)
    reply = answered(crawl.answers.ask(query, SPARQL_SECONDS))
    return Response(reply.body, media_type=MEDIA_TYPES[reply.text])


def with_prefixes(query: str) -> str:
    """Declare the known prefixes that a query uses and does not declare itself."""
    small = query.lower()
    missing = [
        f"PREFIX {name}: <{uri}>"
        for name, uri in PREFIXES.items()
        if f"{name}:" in small and f"prefix {name}:" not in " ".join(small.split())
    ]
    return " ".join([*missing, query])


OPERATIONS = [
    Operation(
        "GET",
        "/crawls/{name}/search",
        search,
        "Search the full text, with snippets and facets.",
        Results,
        SearchQuery,
    ),
    Operation(
        "POST",
        "/crawls/{name}/sql",
        ask_sql,
        "Query the tables in SQL; nothing can be changed.",
        Answer,
        body=SqlQuestion,
        media_types=("text/csv",),
    ),
    Operation(
        "POST",
        "/crawls/{name}/sparql",
        ask_sparql,
        "Query the structured data in SPARQL; usual prefixes need no declaration.",
        body=SparqlQuestion,
        media_types=tuple(
            dict.fromkeys(
                MEDIA_TYPES[form].partition(";")[0] for form in (*RESULT_FORMS, *GRAPH_FORMS)
            )
        ),
    ),
]
