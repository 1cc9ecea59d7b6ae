"""The report as LaTeX source, for papers and theses: the sections, figures and tables of the page.

`pdflatex report.tex`, `xelatex` and `lualatex` typeset it with what every distribution has; the
figures are the PDF files in `figures/`. All text passes through `_text`: characters that mean
something to TeX are spelled out, and those that the fonts of pdfTeX lack are written as
`\\uni{4E2D}`, which shows the character where the engine reads Unicode, and its number elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lycosa._support.safe_text import visible
from lycosa.analysis.report import wording
from lycosa.analysis.report.facts import scale, title_block
from lycosa.analysis.report.notes import NOTES, REFERENCES
from lycosa.analysis.report.page import ContentsEntry, Part
from lycosa.analysis.report.section import Column, Facts, Table
from lycosa.analysis.report.told_settings import job_text

_HEAD = r"""\documentclass[11pt,a4paper]{article}
\usepackage{iftex}
\ifpdftex
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
  \usepackage{textcomp}
  \newcommand{\uni}[1]{[U+#1]}
\else
  \usepackage{fontspec}
  \newcommand{\uni}[1]{\symbol{"#1}}
\fi
\usepackage[margin=25mm]{geometry}
\usepackage{graphicx,longtable,booktabs}
\setlength{\parindent}{0pt}\setlength{\parskip}{6pt}
\sloppy
"""
_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "–": "--",
    "—": "---",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
    "…": r"\ldots{}",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≈": r"$\approx$",
    "→": r"$\rightarrow$",
    "∞": r"$\infty$",
    "\u202f": r"\,",
    "\xa0": "~",
    "\xad": r"\-",
}
_SIGNS |= {letter: rf"$\{name}$" for letter, name in zip(
    "αβγδλμσ", ("alpha", "beta", "gamma", "delta", "lambda", "mu", "sigma"), strict=True
)}  # fmt: skip
_SIGNS |= dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", (f"$^{{{sign}}}$" for sign in "0123456789-"), strict=True))
_KNOWN = re.compile(r"[ -~¡-ÿŒœŠšŸŽž]")
_PLACES = {"text": "l", "web": "p{75mm}"}
"""The alignment of a column; numbers are aligned right."""
_BREAKS = re.compile(r"(?<=[/.?&=_-])(?=\w)|(?<=\w{24})(?=\w)")


def latex_document(facts: Facts, parts: Sequence[Part]) -> str:
    """Return the whole report."""
    title = f"Report on the crawl {_web(facts.directory, 80)}"
    return "".join(
        [
            _HEAD,
            f"\\title{{{title}}}\n\\date{{}}\n\\begin{{document}}\n\\maketitle\n",
            *_front(facts),
            "\\tableofcontents\n",
            *(piece for part in parts for piece in _chapter(part)),
            *_back(facts),
            "\\end{document}\n",
        ]
    )


def _text(text: str) -> str:
    return "".join(map(_sign, visible(text)))


def _sign(letter: str) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    return letter if _KNOWN.match(letter) else f"\\uni{{{ord(letter):X}}}"


def _web(text: str, most: int = 160) -> str:
    """Write text from the web: bounded, and with places to break a line."""
    pieces = _BREAKS.split(wording.shown(text, most))
    return r"\allowbreak{}".join(_text(piece) for piece in pieces)


def _front(facts: Facts) -> Iterator[str]:
    yield "\\begin{description}\n"
    for value, name in scale(facts):
        yield f"\\item[{{{_text(name)}}}] {_text(value)}\n"
    for fact in title_block(facts):
        values = (_web(value, 300) if fact.is_web else _text(value) for value in fact.values)
        yield f"\\item[{{{_text(fact.name)}}}] " + " \\newline ".join(values) + "\n"
    yield "\\end{description}\n"


def _chapter(part: Part) -> Iterator[str]:
    yield f"\\section{{{_text(part.title)}}}\n"
    for entry in part.entries:
        yield f"\\subsection{{{_text(entry.section.title)}}}\n{_text(entry.shown.sentence)}\n\n"
        yield from _figures(entry)
        for table in entry.shown.tables:
            yield from _table(table)


def _figures(entry: ContentsEntry) -> Iterator[str]:
    for number, figure in enumerate(entry.shown.figures, 1):
        yield (
            "\\begin{figure}[htbp]\n\\centering\n"
            f"\\includegraphics[width=\\linewidth]{{figures/{entry.section.name}-{number}.pdf}}\n"
            f"\\caption{{{_text(figure.caption)}}}\n\\end{{figure}}\n"
        )


def _table(table: Table) -> Iterator[str]:
    places = "".join(_PLACES.get(column.kind, "r") for column in table.columns)
    heads = " & ".join(_text(column.title) for column in table.columns)
    yield f"{{\\small\n\\begin{{longtable}}{{{places}}}\n\\caption{{{_text(table.caption)}}}\\\\\n"
    yield f"\\toprule\n{heads}\\\\\n\\midrule\n\\endhead\n"
    for row in table.rows:
        cells = zip(row, table.columns, strict=True)
        yield " & ".join(_cell(value, column) for value, column in cells) + "\\\\\n"
    yield "\\bottomrule\n\\end{longtable}}\n"


def _cell(value: Any, column: Column) -> str:
    if value is None:
        return "--"
    text = wording.cell(value, column.kind)
    return _web(text) if column.kind == "web" else _text(text)


def _back(facts: Facts) -> Iterator[str]:
    yield "\\section{How it was counted}\n\\begin{itemize}\n"
    yield from (f"\\item {_text(note)}\n" for note in NOTES)
    yield "\\end{itemize}\n\\subsection*{References}\n\\begin{itemize}\n"
    yield from (f"\\item {_text(reference)}\n" for reference in REFERENCES)
    yield "\\end{itemize}\n\\subsection*{The job}\n"
    lines = job_text(facts.job).splitlines()
    shown = " \\\\\n".join(f"\\texttt{{{_web(line, 500)}}}" for line in lines if line.strip())
    yield f"\\raggedright {shown}\n" if shown else "All settings have their defaults.\n"
    yield f"\n\nMade by Lycosa {_text(facts.version)}.\n"
