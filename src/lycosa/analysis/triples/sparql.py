"""Checks and runs one SPARQL 1.1 query, and writes its result in many formats.

Each page has a graph, named by the page's URL. Without `GRAPH` a query is about all pages: the
default graph is the union of all graphs.

Always true: a query changes nothing, because the parser accepts no updates. It fetches no
graph: `FROM` chooses among those in the store.

`SERVICE` is refused here, because the store would connect to the host it names. But a tokenizer
cannot guarantee that, so queries run in processes without network
(`analysis.triples.answer_process`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

import pyoxigraph
from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, QueryTriples, RdfFormat

from lycosa._support.safe_text import cell
from lycosa.analysis.triples.protocol import Refused
from lycosa.analysis.triples.sparql_mistakes import BUILT_IN, mistake_text
from lycosa.errors import QueryError

RESULT_FORMATS = {
    "json": QueryResultsFormat.JSON,
    "xml": QueryResultsFormat.XML,
    "csv": QueryResultsFormat.CSV,
    "tsv": QueryResultsFormat.TSV,
}
GRAPH_FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "ntriples": RdfFormat.N_TRIPLES,
    "nquads": RdfFormat.N_QUADS,
    "trig": RdfFormat.TRIG,
    "rdfxml": RdfFormat.RDF_XML,
    "jsonld": RdfFormat.JSON_LD,
}
_OF_QUADS = frozenset({"nquads", "trig", "jsonld"})

Result = QuerySolutions | QueryTriples | QueryBoolean

# Names as SPARQL 1.1 has them (19.8, rules 139 to 169): a dot does not end one, and after `ex:` it
# does not begin one. So `ex:.SERVICE` is a name, a dot and a word.
_TOKEN = re.compile(
    r"""
      (?P<skip> [\x20\t\r\n]++ | \#[^\n\r]*+ )
    | (?P<whole>
        "{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3}|\Z) | '{3}(?:[^'\\]|\\.|'(?!''))*+(?:'{3}|\Z)
      | "(?:[^"\\\n\r]|\\.)*+" | '(?:[^'\\\n\r]|\\.)*+'
      | <(?:[^<>"{}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*+>
      | [?$][\w\u00b7\u0300-\u036f\u203f\u2040]*+
      | @[A-Za-z]++(?:-[A-Za-z0-9]++)*+
      | (?P<prefix> (?:_|[^\W\d_](?:\.*+[\w\u00b7\u0300-\u036f\u203f\u2040-])*+)?+) :
        (?:(?:[\w:]|%[0-9A-Fa-f]{2}|\\.)
           (?:\.*+(?:[\w:\u00b7\u0300-\u036f\u203f\u2040-]|%[0-9A-Fa-f]{2}|\\.))*+)?+ )
    | (?P<word> [A-Za-z_][\w-]*+ )
    | .
    """,
    re.VERBOSE | re.DOTALL,
)


def check(query: str) -> None:
    """Refuse `SERVICE` with a helpful error.

    A query that gets past this check finds no network (`lycosa._support.sandbox`).
    """
    before = ""
    for found in _TOKEN.finditer(query):
        if found["skip"] is not None:
            continue
        # The store needs no space between words: it reads `SERVICESILENT<x>{`, and `SERVICE:x {` as
        # the word and the name `:x`.
        is_asked = found[0] == "{" and "service" in before
        if is_asked or "service" in (found["word"] or "").lower():
            raise Refused(
                "SERVICE would query another host, which Lycosa does not do\n"
                "  leave it out, and query the other endpoint yourself"
            )
        before = (found["prefix"] or "").lower()


def ask(
    store: pyoxigraph.Store,
    query: str,
    default_graphs: Sequence[str] = (),
    named_graphs: Sequence[str] = (),
) -> Result:
    """Run a query; the graphs are those that the SPARQL protocol lets a client name."""
    check(query)
    try:
        return store.query(
            query,
            prefixes=BUILT_IN,
            use_default_graph_as_union=not default_graphs,
            default_graph=_nodes(default_graphs) or None,
            named_graphs=_nodes(named_graphs) or None,
        )
    except SyntaxError as error:
        raise Refused(mistake_text(query, _TOKEN.finditer(query), str(error))) from None
    except (OSError, ValueError, RuntimeError) as error:
        raise QueryError(f"the query failed: {error}") from None


def _nodes(names: Sequence[str]) -> Any:
    try:
        return [pyoxigraph.NamedNode(name) for name in names]
    except ValueError as error:
        raise Refused(f"not a valid graph name: {error}") from None


def forms_of(result: Result) -> tuple[str, ...]:
    """Return the formats in which a result can be written, the default first."""
    if isinstance(result, QueryTriples):
        return tuple(GRAPH_FORMATS)
    return ("json", "xml") if isinstance(result, QueryBoolean) else tuple(RESULT_FORMATS)


def write(result: Result, form: str, output: Any, *, is_guarded: bool = False) -> None:
    """Write a result in one of its formats to a file.

    With `is_guarded`, CSV is safe to open in a spreadsheet.
    """
    if form not in forms_of(result):
        kind = {QueryTriples: "a graph", QueryBoolean: "yes or no"}.get(type(result), "a table")
        raise QueryError(
            f"the result is {kind}, which cannot be written as {form}\n"
            f"  choose one of: {', '.join(forms_of(result))}"
        )
    try:
        if form == "csv" and is_guarded:
            _write_cells(result, output)
        elif not isinstance(result, QueryTriples):
            result.serialize(output, RESULT_FORMATS[form])
        elif form in _OF_QUADS:
            quads = (pyoxigraph.Quad(*triple) for triple in result)
            pyoxigraph.serialize(quads, output, GRAPH_FORMATS[form])
        else:
            result.serialize(output, GRAPH_FORMATS[form])
    except (SyntaxError, RuntimeError) as error:
        raise QueryError(f"the query failed: {error}") from None


def _write_cells(result: Result, output: Any) -> None:
    assert isinstance(result, QuerySolutions)
    names = [variable.value for variable in result.variables]
    writer = csv.writer(_Encoded(output))
    writer.writerow(names)
    writer.writerows([cell(_plain(row[name])) for name in names] for row in result)


class _Encoded:
    """Passes text on to a stream of bytes."""

    def __init__(self, output: Any) -> None:
        self._output = output

    def write(self, text: str) -> int:
        """Take a text."""
        self._output.write(text.encode())
        return len(text)


def is_graph(result: Result) -> bool:
    """Return whether an result is a graph."""
    return isinstance(result, QueryTriples)


def as_yes_or_no(result: Result) -> bool | None:
    """Return the result of an ASK; None for any other query."""
    return bool(result) if isinstance(result, QueryBoolean) else None


def is_no(result: Result) -> bool:
    """Return whether the result is no."""
    return as_yes_or_no(result) is False


def for_people(result: Result) -> tuple[str, list[str], list[list[str]]]:
    """Return yes or no, or the variables and the rows of a table."""
    if is_graph(result):
        raise QueryError("the result is a graph, not a table\n  choose another --format")
    said = as_yes_or_no(result)
    if said is not None:
        return ("yes" if said else "no"), [], []
    return "", *as_table(result)


def as_table(result: Result) -> tuple[list[str], list[list[str]]]:
    """Return the variables and the values of an result, for people to read."""
    assert isinstance(result, QuerySolutions)
    names = [variable.value for variable in result.variables]
    try:
        return names, [[_plain(row[name]) for name in names] for row in result]
    except RuntimeError as error:
        raise QueryError(f"the query failed: {error}") from None


def _plain(term: Any) -> str:
    if term is None:
        return ""
    if isinstance(term, pyoxigraph.NamedNode | pyoxigraph.Literal):
        return term.value
    return str(term)


def rewritten(triples: bytes, graph: str, form: str) -> bytes:
    """Return N-Triples in another format; if it has graphs, the triples are in this one."""
    output = io.BytesIO()
    quads = pyoxigraph.parse(triples, RdfFormat.N_TRIPLES, lenient=True)
    if form in _OF_QUADS:
        (name,) = _nodes([graph])
        in_graph = (
            pyoxigraph.Quad(quad.subject, quad.predicate, quad.object, name) for quad in quads
        )
        pyoxigraph.serialize(in_graph, output, GRAPH_FORMATS[form])
    else:
        pyoxigraph.serialize((quad.triple for quad in quads), output, GRAPH_FORMATS[form])
    return output.getvalue()
