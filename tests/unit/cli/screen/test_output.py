"""What commands print of others' texts: nothing that a terminal or a spreadsheet would obey."""

from __future__ import annotations

import ast
import csv
import io
import json
import logging
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.live import Live
from rich.text import Text

import lycosa.cli
from lycosa.analysis.triples.index import Index
from lycosa.cli.main import cli, main
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.notices import Session
from lycosa.cli.screen.output import escaping
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.log_file import logger, said_to
from unit.analysis.study.drawn_crawl import Fetch, write
from unit.analysis.triples.segments import block, seal

Captured = pytest.CaptureFixture[str]
TITLE = '=HYPERLINK("http://evil.test/") \x1b[31m\u202egpj.exe'
SHOWN = '=HYPERLINK("http://evil.test/") ⟨U+001B⟩[31m⟨U+202E⟩gpj.exe'
UNRULY = {"\x1b", "\u202e", "\x07", "\r"}


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    folder = tmp_path / "c"
    write(folder, [Fetch("http://test.a/", body=TITLE), Fetch("http://test.b/", body="-5")])
    return folder


@pytest.fixture
def indexed(tmp_path: Path) -> Path:
    folder = tmp_path / "i"
    CrawlDirectory.create(folder, Job())
    said = '=HYPERLINK(\\"x\\")\\u001B[31m\\u202Egpj.exe'
    seal(folder, 1, block("a.test/1", 10, said), block("a.test/2", 10, "-5"))
    Index(folder).update()
    return folder


def printed(*words: object) -> str:
    """Return what a command prints to something that is no terminal."""
    arguments = [str(word) for word in words]
    done = CliRunner().invoke(cli, arguments, obj=Session(), standalone_mode=False)
    assert done.exception is None, done.exception
    return done.stdout_bytes.decode()


def test_tables_are_escaped(crawl: Path, indexed: Path) -> None:
    found = printed("sql", crawl, "select text from text order by text", "--format", "table")
    assert SHOWN in " ".join(found.split())
    found = printed("sparql", indexed, "SELECT ?o { ?s ?p ?o } ORDER BY ?o")
    assert '=HYPERLINK("x")⟨U+001B⟩[31m⟨U+202E⟩gpj.exe' in found


def test_a_long_url_is_wrapped_and_not_cut(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    long = f"select 'http://test.a/{'x' * 60}/the-end' as page, 'http://test.b/' as link"
    found = printed("sql", crawl, long, "--format", "table")
    assert "…" not in found and max(map(len, found.splitlines())) <= 40
    assert "".join(line[:20].strip() for line in found.splitlines()[1:]).endswith("/the-end")


def test_a_row_of_many_columns_is_shown_line_by_line(
    crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = printed("sql", crawl, "from pages order by url", "--format", "table").splitlines()
    told = [line.split() for line in lines]
    assert told.count(["outcome", "kept"]) == 2
    assert ["key", "http://test.a/"] in told and ["key", "http://test.b/"] in told


def test_an_answer_without_rows_says_so(crawl: Path, indexed: Path) -> None:
    found = printed("sql", crawl, "select url from pages where false", "--format", "table")
    assert found.split() == ["url", "no", "rows"]
    assert printed("sparql", indexed, "SELECT ?s { ?s a <http://none/> }").endswith("no rows\n")


def test_a_question_in_sql_can_stand_in_a_file(crawl: Path, tmp_path: Path) -> None:
    question = tmp_path / "question.sql"
    question.write_text("select count(*) as n from pages", encoding="utf-8")
    assert cells(printed("sql", crawl, question)) == [["n"], ["2"]]


def test_json_escapes_by_itself_and_says_the_same(crawl: Path) -> None:
    found = printed("sql", crawl, "select text from text order by text", "--format", "jsonl")
    assert not set(found) & UNRULY
    assert [json.loads(line)["text"] for line in found.splitlines()] == ["-5", TITLE]


def cells(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


def test_csv_is_safe_in_a_spreadsheet_and_raw_is_raw(
    crawl: Path, indexed: Path, tmp_path: Path
) -> None:
    sql = "select -1 as n, text from text order by text"
    assert cells(printed("sql", crawl, sql)) == [["n", "text"], ["-1", "-5"], ["-1", "'" + TITLE]]
    assert cells(printed("sql", crawl, sql, "--raw"))[2] == ["-1", TITLE]
    file = tmp_path / "text.csv"
    for flags, expected in (([], "'" + TITLE), (["--raw"], TITLE)):
        printed("export", "text", crawl, "-o", file, *flags)
        with file.open(newline="") as lines:
            rows = list(csv.DictReader(lines))
        assert sorted(row["text"] for row in rows) == sorted(["-5", expected])
    sparql = "SELECT ?n ?o { ?s ?p ?o BIND(-1 AS ?n) } ORDER BY ?o"
    found = '=HYPERLINK("x")\x1b[31m\u202egpj.exe'
    for flags, expected in (([], "'" + found), (["--raw"], found)):
        rows_found = cells(printed("sparql", indexed, sparql, "--format", "csv", *flags))
        assert rows_found == [["n", "o"], ["-1", "-5"], ["-1", expected]]


def test_on_a_terminal_data_is_escaped_too(
    indexed: Path, crawl: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for words in (
        ["sparql", str(indexed), "SELECT ?o { ?s ?p ?o }", "--format", "csv", "--raw"],
        ["sparql", str(indexed), "CONSTRUCT WHERE { ?s ?p ?o }", "--format", "turtle"],
        ["sql", str(crawl), "select text from text", "--format", "csv"],
        ["export", "text", str(crawl)],
    ):
        assert main(words) == 0
        out = capsys.readouterr().out
        assert "⟨U+202E⟩" in out and not {"\x1b", "\u202e"} & set(out), words


def test_errors_and_the_log_file_are_escaped(tmp_path: Path, capsys: Captured) -> None:
    assert main(["status", str(tmp_path / "a\u202eb\x07")]) != 0
    err = capsys.readouterr().err
    assert "a⟨U+202E⟩b⟨U+0007⟩" in err
    with said_to(tmp_path / "log"):
        logger.warning("refused %s", "http://a.test/\u202e\x1b[2J")
    assert (tmp_path / "log").read_text().endswith("refused http://a.test/⟨U+202E⟩⟨U+001B⟩[2J\n")
    assert logging.getLogger("lycosa") is logger


def test_a_screen_lets_its_own_colours_through_and_no_others(capsys: Captured) -> None:
    with escaping():
        screen = Screen(force_terminal=True, color_system="standard", width=60)
        screen.print(Text("a\x1b[31m\u202eb", "bold red"))
        with Live(Text("panel \u202e"), console=screen, auto_refresh=False):
            print("line \x1b[2J\u202e")
    out = capsys.readouterr().out
    assert "\x1b[1;31ma⟨U+001B⟩[31m⟨U+202E⟩b\x1b[0m" in out
    assert "panel ⟨U+202E⟩" in out and "\u202e" not in out
    assert "line ⟨U+202E⟩" in out and "\x1b[2J" not in out


def test_no_command_prints_around_it() -> None:
    folder = Path(lycosa.cli.__file__).parent
    for path in folder.rglob("*.py"):
        if path.stem in ("console", "output"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "Console", f"{path.name}:{node.lineno}: use Screen"
