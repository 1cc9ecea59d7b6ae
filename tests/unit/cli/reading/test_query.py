"""`index`, `sparql`, `triples` and `export` as they are typed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lycosa.cli.main import cli, main
from lycosa.cli.screen.notices import Session
from lycosa.errors import QueryError
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from triple_stores import Rdf4jServer
from unit.analysis.triples.segments import block, seal

Captured = pytest.CaptureFixture[str]
PAGE = (
    '<!doctype html><title>t</title><meta property="og:title" content="T">'
    '<script type="application/ld+json">{"@context":"https://schema.org","name":"n"}</script>'
    '<script type="application/ld+json">{"@context":"https://elsewhere.test/"}</script>'
)


def lycosa(*arguments: object, given: str | bytes | None = None) -> Result:
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli, words, input=given, obj=Session(), standalone_mode=False)


def written(folder: Path) -> Path:
    """Write a crawl of two pages that say something each."""
    CrawlDirectory.create(folder, Job())
    seal(folder, 1, block("a.test/1", 10, "one"), block("a.test/2", 10, "two\\nlines\\u001b[1m"))
    return folder


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return written(tmp_path / "c")


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl with its index, for those who only ask."""
    folder = written(tmp_path_factory.mktemp("indexed") / "c")
    lycosa("index", folder)
    return folder


@pytest.fixture
def server() -> Iterator[Rdf4jServer]:
    running = Rdf4jServer()
    yield running
    running.close()


def test_index_tells_what_it_did_and_what_to_type_next(crawl: Path) -> None:
    result = lycosa("index", crawl)
    assert "1 new segment: 2 triples of 2 pages; the index holds 2\n" in result.stdout
    assert f"lycosa sparql {crawl} 'SELECT" in result.stdout
    again = json.loads(lycosa("index", crawl, "--json").stdout)
    assert (again["segments"], again["size"]) == (0, 2)


def test_a_table_is_for_people_and_harmless(indexed: Path) -> None:
    question = "SELECT ?page ?text { GRAPH ?page { ?s ?p ?text } } ORDER BY ?page"
    lines = lycosa("sparql", indexed, question).stdout.splitlines()
    assert lines == [
        "page             text",
        "---------------  --------------------",
        "http://a.test/1  one",
        "http://a.test/2  two lines⟨U+001B⟩[1m",
    ]


def test_questions_come_from_files_and_standard_input(
    indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    question = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
    Path("question.rq").write_text(question)
    expected = "n\r\n2\r\n"
    for source, given in ((question, None), ("question.rq", None), ("-", question)):
        result = lycosa("sparql", indexed, source, "--format", "csv", given=given)
        assert result.stdout_bytes.decode() == expected


@pytest.mark.parametrize(
    ("form", "beginning"),
    [("json", '{"head"'), ("tsv", "?s"), ("xml", "<?xml"), ("csv", "s")],
)
def test_tables_have_many_forms(form: str, beginning: str, indexed: Path) -> None:
    result = lycosa("sparql", indexed, "SELECT ?s { ?s ?p ?o }", "--format", form)
    assert result.stdout.startswith(beginning)


@pytest.mark.parametrize(
    ("form", "beginning"),
    [
        (None, "<http://a.test/1> <http://p.test/says>"),
        ("turtle", "<http://a.test/1> <http://p.test/says>"),
        ("ntriples", "<http://a.test/1> <http://p.test/says>"),
        ("nquads", "<http://a.test/1> <http://p.test/says>"),
        ("trig", "<http://a.test/1> <http://p.test/says>"),
        ("rdfxml", "<?xml"),
        ("jsonld", "["),
    ],
)
def test_graphs_have_many_forms(form: str | None, beginning: str, indexed: Path) -> None:
    words = ["--format", form] if form else []
    result = lycosa("sparql", indexed, "CONSTRUCT WHERE { ?s ?p 'one' }", *words)
    assert result.stdout.lstrip().startswith(beginning)


def test_yes_is_0_and_no_is_1(indexed: Path) -> None:
    yes, no = (lycosa("sparql", indexed, f"ASK {{ ?s ?p '{text}' }}") for text in ("one", "none"))
    assert (yes.stdout, yes.return_value) == ("yes\n", 0)
    assert (no.stdout, no.return_value) == ("no\n", 1)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["SELECT"], "not a SPARQL query"),
        (["SELECT * { SERVICE <http://x.test/> {} }"], "SERVICE would query another host"),
        (["ASK {}", "--format", "csv"], "the result is yes or no"),
        (["ASK {}", "--format", "turtle"], "choose one of: json, xml"),
        (["SELECT * {}", "--format", "turtle"], "the result is a table"),
        (["CONSTRUCT WHERE { ?s ?p ?o }", "--format", "table"], "is a graph"),
    ],
)
def test_a_question_that_cannot_be_answered_ends_with_7(
    arguments: list[str], text: str, indexed: Path, capsys: Captured
) -> None:
    assert main(["sparql", str(indexed), *arguments]) == QueryError.exit_code == 7
    assert text in capsys.readouterr().err


def test_without_an_index_the_way_to_one_is_told(crawl: Path, capsys: Captured) -> None:
    served = ["serve", str(crawl), "--only", "sparql", "--port", "0"]
    for command in (["sparql", str(crawl), "ASK {}"], served):
        assert main(command) == 7
        assert f"build it: lycosa index {crawl}" in capsys.readouterr().err


def test_segments_that_are_not_in_the_index_are_told(crawl: Path, capsys: Captured) -> None:
    lycosa("index", crawl)
    seal(crawl, 2, block("a.test/3", 10, "three"))
    main(["sparql", str(crawl), "ASK {}"])
    assert "1 sealed segment not in the index yet; load: lycosa index" in capsys.readouterr().err


def test_triples_of_a_file_are_printed(tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    page.write_text(PAGE)
    result = lycosa("triples", page, "--base", "http://a.test/")
    assert result.stdout.splitlines() == [
        '<http://a.test/> <http://ogp.me/ns#title> "T" .',
        '_:bj0_0 <http://schema.org/name> "n" .',
    ]
    assert "left out: 1 JSON-LD with a context elsewhere" in result.stderr
    turtle = lycosa("triples", "-", "--base", "http://a.test/", "--format", "trig", given=PAGE)
    assert turtle.stdout.startswith("<http://a.test/> {")


def test_the_forms_and_the_filter_are_those_of_the_job(tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    page.write_text(PAGE)
    drop = ["--set", 'structured.drop=["* <http://ogp.me/ns#title> *"]']
    base = ["--base", "http://a.test/"]
    assert lycosa("triples", page, *base, *drop).stdout.count("\n") == 2
    assert lycosa("triples", page, *base, *drop, "--filter").stdout.count("\n") == 1
    only = ["--set", 'structured.forms=["meta"]']
    assert "og" in lycosa("triples", page, *base, *only).stdout
    assert lycosa("triples", page, *base, *only).stdout.count("\n") == 1


def test_a_document_of_json_ld_is_read_as_a_whole(tmp_path: Path) -> None:
    page = tmp_path / "d.jsonld"
    page.write_text('{"@context": "https://schema.org", "@id": "x", "name": "n"}')
    found = lycosa("triples", page, "--base", "http://a.test/").stdout
    assert found == '<http://a.test/x> <http://schema.org/name> "n" .\n'


def test_a_batch_of_documents_is_answered_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "p").write_text(PAGE)
    lines = [
        {"file": str(tmp_path / "p"), "base": "http://a.test/", "media_type": "text/html", "id": 1},
        {"file": str(tmp_path / "p")},
        {"file": str(tmp_path / "missing")},
        {"base": "http://a.test/"},
    ]
    given = "".join(json.dumps(line) + "\n" for line in lines)
    result = lycosa("triples", "--batch", given=given)
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert answers[0]["id"] == 1 and answers[0]["ntriples"].count("\n") == 2
    assert answers[0]["left_out"] == {"json-ld-unknown-context": 1}
    assert f"<file://{tmp_path}/p> <http://ogp.me/ns#title>" in answers[1]["ntriples"]
    assert "cannot be read" in answers[2]["error"]
    assert "`file` is missing" in answers[3]["error"]
    assert result.return_value == 1


def test_check_page_shows_what_a_page_says_to_machines(tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    page.write_text(PAGE)
    result = lycosa("check", "page", page, "--url", "http://a.test/")
    assert "2 (1 rdfa, 1 json-ld, 1 meta)" in result.stdout
    assert "1 JSON-LD with a context elsewhere" in result.stdout
    table = json.loads(lycosa("check", "page", page, "--json").stdout)["structured"]
    assert table["triples"] == 2 and table["ntriples"].count("\n") == 2
    assert table["left_out"] == {"json-ld-unknown-context": 1}


def test_export_tells_what_was_sent(crawl: Path, server: Rdf4jServer) -> None:
    result = lycosa("export", "triples", crawl, "--to", server.url)
    assert result.stdout == "2 triples of 2 pages sent in 2 requests\n"
    again = json.loads(lycosa("export", "triples", crawl, "--to", server.url, "--json").stdout)
    assert again == {"pages": 0, "quads": 0, "requests": 0}


def test_the_usual_mistakes_are_told(crawl: Path, capsys: Captured) -> None:
    assert main(["triples"]) == 2
    assert main(["export", "triples", str(crawl)]) == 2
    assert main(["export", "triples", str(crawl), "--to", "nowhere"]) == 7
    assert "is not the URL of a triple store" in capsys.readouterr().err
