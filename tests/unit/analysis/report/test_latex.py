"""The report as LaTeX and as PDF: all of it, and nothing that strangers could make TeX do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lycosa.analysis.report.build import report
from lycosa.analysis.report.printing import find_printer
from lycosa.cli.main import main
from lycosa.errors import LycosaError
from unit.analysis.study.drawn_crawl import HTML, Fetch, write

A, B = "test.a:/a_b%25c", "test.a:/b"
EVIL = "\\input{/etc/passwd} \\write18{id} $x^2$ 100% & ~# _ {x} \\end{document}"
ALLOWED = {
    *("documentclass", "usepackage", "newcommand", "ifpdftex", "else", "fi", "uni", "symbol"),
    *("setlength", "parindent", "parskip", "sloppy", "title", "date", "begin", "end", "maketitle"),
    *("tableofcontents", "item", "newline", "section", "subsection", "centering", "linewidth"),
    *("includegraphics", "caption", "small", "toprule", "midrule", "bottomrule", "endhead"),
    *("texttt", "raggedright", "allowbreak", "ldots", "times", "cdot", "leq", "geq", "approx"),
    *("rightarrow", "infty", "alpha", "beta", "gamma", "delta", "lambda", "mu", "sigma"),
    *("textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater"),
    *("textbar", "textquotedbl"),
}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typeset") / "my_crawl 中"
    server = ("Server", EVIL)
    write(folder, [Fetch(A, [B, "org.away:/x"], headers=(HTML, server)), Fetch(B, [A])])
    return folder


def test_every_section_figure_and_table_is_in_the_source(crawl: Path) -> None:
    found = report(crawl, with_audit=False, forms=("latex",))
    source = (crawl / "report" / "report.tex").read_text()
    shown = [entry.shown for entry in found.entries]
    assert source.count("\\subsection{") == len(shown)
    assert source.count("\\begin{longtable}") == sum(len(one.tables) for one in shown)
    files = re.findall(r"\\includegraphics\[.*?\]\{(.*?)\}", source)
    assert len(files) == sum(len(one.figures) for one in shown) > 5
    assert all((crawl / "report" / name).read_bytes().startswith(b"%PDF") for name in files)
    assert not (crawl / "report" / "report.pdf").exists()


def test_tex_reads_no_command_of_strangers_and_every_group_is_closed(crawl: Path) -> None:
    report(crawl, with_audit=False, forms=("latex",))
    source = (crawl / "report" / "report.tex").read_text()
    assert "\\textbackslash{}input\\{" in source, "what a server says is there, spelled out"
    assert set(re.findall(r"\\([A-Za-z]+)", source)) <= ALLOWED
    assert "\\uni{4E2D}" in source and "中" not in source
    bare = re.sub(r"\\[\\{}$&#%_,-]", "", source)
    depth = 0
    for sign in bare:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0 and bare.count("$") % 2 == 0
    assert not re.findall(r"(?m)[#%]", bare.partition("\\begin{document}")[2])
    begun = re.findall(r"\\begin\{(\w+)\}", source)
    assert sorted(begun) == sorted(re.findall(r"\\end\{(\w+)\}", source))


def test_every_row_of_a_table_has_all_its_cells(crawl: Path) -> None:
    report(crawl, with_audit=False, forms=("latex",))
    source = (crawl / "report" / "report.tex").read_text()
    tables = re.findall(
        r"\\begin\{longtable\}\{([^\n]*)\}\n(.*?)\\end\{longtable\}", source, re.DOTALL
    )
    for places, body in tables:
        columns = len(re.findall(r"l|r|p\{75mm\}", places.replace("p{75mm}", "l")))
        rows = [row for row in body.split("\\\\\n") if "\\caption" not in row and "&" in row]
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} <= {columns - 1}


@pytest.mark.needs("chromium")
def test_chromium_prints_the_report(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pdfium = pytest.importorskip("pypdfium2")
    monkeypatch.setenv("LYCOSA_WITHOUT_SANDBOX", "1")
    assert main(["report", str(crawl), "--pdf", "--no-audit"]) == 0
    document = pdfium.PdfDocument(crawl / "report" / "report.pdf")
    text = " ".join(page.get_textpage().get_text_range() for page in document)
    assert len(document) >= 3
    assert "How it was counted" in text and "Links to hosts outside" in text
    assert main(["report", str(crawl), "--no-audit"]) == 0
    assert not (crawl / "report" / "report.pdf").exists(), "an old one would be of another study"


def test_without_a_browser_nothing_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(LycosaError, match="apt-get install chromium"):
        find_printer()
