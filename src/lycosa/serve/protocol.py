"""Parses the requests of the SPARQL 1.1 Protocol (queries only), and describes the service.

CSV is guarded against formulas: a browser opens it in a spreadsheet, and pages wrote its texts.

The functions are pure: they turn a request into a query or an HTTP error.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from lycosa.query.protocol import Query

PATH = "/sparql"


class Problem(NamedTuple):
    """An HTTP error: the request gets no result."""

    status: HTTPStatus
    text: str


class Description(NamedTuple):
    """The request has no query, and gets the description of the service."""


READ_ONLY = Problem(
    HTTPStatus.FORBIDDEN, "this endpoint is read-only: it answers queries and takes no updates"
)


def read(
    method: str, target: str, headers: Mapping[str, str], body: bytes
) -> Query | Problem | Description:
    """Parse a request."""
    parts = urlsplit(target)
    if parts.path != PATH:
        return Problem(HTTPStatus.NOT_FOUND, f"the endpoint is at {PATH}")
    if method not in ("GET", "HEAD", "POST"):
        return Problem(HTTPStatus.METHOD_NOT_ALLOWED, "use GET or POST")
    try:
        values = parse_qs(parts.query, keep_blank_values=True, errors="strict")
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if method == "POST":
            if kind == "application/sparql-update":
                return READ_ONLY
            if kind == "application/sparql-query":
                values["query"] = [*values.get("query", ()), body.decode()]
            elif kind == "application/x-www-form-urlencoded":
                more = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict")
                for name, given in more.items():
                    values[name] = [*values.get(name, ()), *given]
            else:
                return Problem(
                    HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                    "send application/sparql-query or application/x-www-form-urlencoded",
                )
    except ValueError:
        return Problem(HTTPStatus.BAD_REQUEST, "the request is not in UTF-8")
    if "update" in values:
        return READ_ONLY
    queries = values.get("query", [])
    # the protocol gives a bare GET the description of the service
    if not queries and method != "POST":
        return Description()
    if len(queries) != 1:
        return Problem(HTTPStatus.BAD_REQUEST, "send one `query`")
    return Query(
        queries[0],
        tuple(values.get("default-graph-uri", ())),
        tuple(values.get("named-graph-uri", ())),
        headers.get("accept", "*/*") or "*/*",
        is_guarded=True,
    )


def description(endpoint: str) -> str:
    """Return the description of the service (SPARQL 1.1 Service Description)."""
    return f"""\
@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
@prefix formats: <http://www.w3.org/ns/formats/> .

[] a sd:Service ;
    sd:endpoint <{endpoint}> ;
    sd:supportedLanguage sd:SPARQL11Query ;
    sd:feature sd:UnionDefaultGraph ;
    sd:resultFormat formats:SPARQL_Results_JSON, formats:SPARQL_Results_XML,
        formats:SPARQL_Results_CSV, formats:SPARQL_Results_TSV, formats:Turtle,
        formats:N-Triples, formats:RDF_XML .
"""
