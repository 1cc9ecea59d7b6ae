"""Questions: which are asked, which are refused, and how answers are written."""

from __future__ import annotations

import io

import pyoxigraph
import pytest
from pyoxigraph import Literal, NamedNode, Quad

from lycosa.analysis.triples import sparql
from lycosa.analysis.triples.protocol import Refused
from lycosa.errors import QueryError

REFUSED = [
    "SELECT * { SERVICE <http://x.test/> { ?s ?p ?o } }",
    "select * { service silent <http://x.test/> { ?s ?p ?o } }",
    "SELECT * { ?s ?p ?o FILTER(?s<?o)SERVICE<http://x.test/>{} }",
    "SELECT * { ?s ?p 'it\\'s' SERVICE ?x { ?s ?p ?o } }",
    'SELECT * { ?s ?p """a"b""" . SERVICE ?x { } }',
    "SELECT * { # a comment\n SERVICE ?x { } }",
    "SELECT * { ?s ?p ?o . FILTER(1 <2) SERVICE ?x {} FILTER(3> 2) }",
    "PREFIX ex: <http://a.test/> SELECT * { ?s ?p ex:.SERVICE <http://x.test/> {} }",
    "PREFIX : <http://a.test/> SELECT * { ?s ?p :.SERVICE <http://x.test/> {} }",
    "PREFIX a.b: <http://a.test/> SELECT * { ?s ?p a.b:.SERVICE <http://x.test/> {} }",
    "SELECT * { SERVICESILENT <http://x.test/> {} }",
    "PREFIX ex: <http://x.test/> SELECT * { SERVICEex:a {} }",
    "PREFIX : <http://x.test/> SELECT * { SERVICE:a # a comment\n {} }",
    "SELECT * { ?s ?p trueSERVICE <http://x.test/> {} }",
    "SELECT * { ?s ?p 'x'@en.SERVICE <http://x.test/> {} }",
]
ASKED = [
    "SELECT ?service { ?service ?p ?o }",
    "PREFIX a: <http://a.test/> SELECT * { ?s a:SERVICE ?o }",
    "PREFIX SERVICE: <http://a.test/> SELECT * { ?s SERVICE:x ?o }",
    "SELECT * { ?s <http://a.test/SERVICE> ' SERVICE ' }",
    'SELECT * { ?s ?p """ SERVICE " """ } # SERVICE',
    "SELECT * { ?s ?p ' \\' SERVICE ' }",
    "PREFIX ex: <http://a.test/> SELECT * { ?s ex:x.SERVICE ex:service-SERVICE }",
    "SELECT * { ?s ?p <http://a.test/\\u0041/SERVICE> }",
    "SELECT * { ?s ?p 'x'@en-service . ?s ?p ?SERVICE }",
]


def store() -> pyoxigraph.Store:
    made = pyoxigraph.Store()
    for page in "ab":
        graph = NamedNode(f"http://{page}.test/")
        made.add(Quad(graph, NamedNode("http://p.test/p"), Literal(page, language="en"), graph))
    return made


@pytest.mark.parametrize("question", REFUSED)
def test_other_hosts_are_never_asked(question: str) -> None:
    with pytest.raises(Refused, match="SERVICE"):
        sparql.ask(store(), question)


@pytest.mark.parametrize("question", ASKED)
def test_the_word_alone_is_no_reason(question: str) -> None:
    sparql.ask(store(), question)


@pytest.mark.parametrize(
    "question", ["INSERT DATA { <a:a> <a:a> 1 }", "DROP ALL", "SELECT", "", "LOAD <http://x.test/>"]
)
def test_what_is_no_query_is_refused(question: str) -> None:
    made = store()
    with pytest.raises(Refused, match="not a SPARQL query"):
        sparql.ask(made, question)
    assert len(made) == 2


def test_all_pages_together_are_the_default_graph() -> None:
    _, rows = sparql.as_table(sparql.ask(store(), "SELECT ?o { ?s ?p ?o } ORDER BY ?o"))
    assert rows == [["a"], ["b"]]


def test_graphs_can_be_chosen() -> None:
    question = "SELECT ?o { ?s ?p ?o }"
    _, rows = sparql.as_table(sparql.ask(store(), question, ["http://b.test/"]))
    assert rows == [["b"]]
    question = "SELECT ?o { GRAPH ?g { ?s ?p ?o } }"
    _, rows = sparql.as_table(sparql.ask(store(), question, (), ["http://a.test/"]))
    assert rows == [["a"]]
    with pytest.raises(Refused, match="graph"):
        sparql.ask(store(), question, ["no graph"])


QUESTIONS: dict[str, tuple[str, ...]] = {
    "SELECT ?o { ?s ?p ?o }": tuple(sparql.RESULT_FORMATS),
    "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }": tuple(sparql.GRAPH_FORMATS),
    "DESCRIBE <http://a.test/>": tuple(sparql.GRAPH_FORMATS),
    "ASK { ?s ?p ?o }": ("json", "xml"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_form_of_an_answer_can_be_written_and_others_are_named(question: str) -> None:
    for form in [*sparql.RESULT_FORMATS, *sparql.GRAPH_FORMATS]:
        answer, output = sparql.ask(store(), question), io.BytesIO()
        if form in QUESTIONS[question]:
            sparql.write(answer, form, output)
            assert output.getvalue()
        else:
            with pytest.raises(QueryError, match="choose one of"):
                sparql.write(answer, form, output)


def test_yes_and_no() -> None:
    assert sparql.as_yes_or_no(sparql.ask(store(), "ASK { ?s ?p 'a'@en }")) is True
    assert sparql.is_no(sparql.ask(store(), "ASK { ?s ?p 'a' }"))
    assert sparql.as_yes_or_no(sparql.ask(store(), "SELECT * {}")) is None


@pytest.mark.parametrize("form", sparql.GRAPH_FORMATS)
def test_triples_are_rewritten_in_every_form(form: str) -> None:
    triples = b'_:b0 <http://p.test/p> "x"@en .\n'
    found = sparql.rewritten(triples, "http://a.test/", form)
    quads = list(pyoxigraph.parse(found, sparql.GRAPH_FORMATS[form]))
    assert [quad.object.value for quad in quads] == ["x"]
    graph = quads[0].graph_name
    has_graph = form in ("nquads", "trig", "jsonld")
    assert isinstance(graph, NamedNode) is has_graph


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("SELECT * { ?s shema:name ?n }", "prefix `shema:` is not declared"),
        ("PREFIX a: <http://a.test/> SELECT * { ?s a:x ?n . ?s b:y ?n }", "prefix `b:` is not"),
        ("SELECT * { ?s ?p ?o", "it ends too early"),
        ("SELCT * { ?s ?p ?o }", "it begins with `SELCT`"),
        ("SELECT * {\n ?s ?p ?o ?q }", "line 2, column "),
    ],
)
def test_a_mistake_is_said_in_words_and_not_in_characters(question: str, words: str) -> None:
    with pytest.raises(Refused) as refused:
        sparql.ask(store(), question)
    assert words in str(refused.value)
    assert "expected" not in str(refused.value) and len(str(refused.value)) < 300


def test_common_prefixes_need_no_declaration_and_one_that_is_made_counts() -> None:
    made = store()
    graph = NamedNode("http://c.test/")
    for name in ("http://schema.org/name", "http://other.test/name"):
        made.add(Quad(graph, NamedNode(name), Literal(name), graph))
    (row,) = sparql.as_table(sparql.ask(made, "SELECT ?n { ?s schema:name ?n }"))[1]
    assert row == ["http://schema.org/name"]
    own = "PREFIX schema: <http://other.test/> SELECT ?n { ?s schema:name ?n }"
    (row,) = sparql.as_table(sparql.ask(made, own))[1]
    assert row == ["http://other.test/name"]
