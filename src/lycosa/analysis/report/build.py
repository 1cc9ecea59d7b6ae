"""Builds a whole report: brings the study up to date, runs the queries, writes the document."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from lycosa._support.safe_text import cell
from lycosa.analysis.report.facts import facts_of
from lycosa.analysis.report.figure_files import figure_files
from lycosa.analysis.report.latex import latex_document
from lycosa.analysis.report.output import INDEX, check_place, write_report
from lycosa.analysis.report.page import ContentsEntry, Part, document
from lycosa.analysis.report.printing import find_printer, print_pdf
from lycosa.analysis.report.section import Facts, Row, Section, Shown
from lycosa.analysis.sections import CHAPTERS
from lycosa.analysis.study.build import study
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import Connection, connected
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.segments.sealing import ignore

FOLDER = "report"


class Reported(NamedTuple):
    """A finished report."""

    document: Path
    is_new_study: bool
    entries: Sequence[ContentsEntry]


def report(
    folder: Path,
    place: Path | None = None,
    *,
    rebuild: bool = False,
    with_audit: bool = True,
    forms: Collection[str] = (),
    tell: Callable[[str], None] = ignore,
    reach: Callable[[str], None] = ignore,
) -> Reported:
    """Report on a crawl; `tell` gets the name of each step.

    `forms` are further outputs besides the HTML document: `figures` as SVG, PDF, and data with
    scripts for gnuplot; `latex`, with its figures; `pdf`.
    """
    printer = find_printer() if "pdf" in forms else ""
    directory = CrawlDirectory.open(folder)
    place = folder / FOLDER if place is None else place
    check_place(place, folder)
    is_new = study(folder, rebuild=rebuild, tell=tell).is_new
    results = Results(folder)
    with results.locked():  # so that all tables are of one study
        manifest = results.manifest() or {}
        tell("audit" if with_audit else "facts")
        facts = facts_of(directory, manifest, with_audit=with_audit)
        with connected([]) as connection:
            results.add_to(connection)
            parts, files = _parts(connection, facts, tell)
        tell("writing")
        place.parent.mkdir(parents=True, exist_ok=True)
        entries = [entry for part in parts for entry in part.entries]
        latex = latex_document(facts, parts) if "latex" in forms else ""
        drawn = figure_files(entries) if latex or "figures" in forms else ()
        printed = partial(print_pdf, printer) if printer else None
        write_report(
            place, document(facts, parts), files, reach, drawn, latex=latex, printed=printed
        )
    return Reported(place / INDEX, is_new, entries)


def _parts(
    connection: Connection, facts: Facts, tell: Callable[[str], None]
) -> tuple[list[Part], dict[str, str]]:
    """Run the queries of all sections; return the sections, and the files with their rows."""
    files: dict[str, str] = {}
    parts = []
    for chapter in CHAPTERS:
        if set(chapter.needs) - set(facts.study.get("tables", ())):
            continue
        entries = []
        for section in chapter.sections:
            tell(section.title.lower())
            shown, written = answered(connection, section, facts)
            files |= written
            entries.append(ContentsEntry(section, shown, list(written)))
        parts.append(Part(chapter.title, entries))
    return parts, files


def answered(
    connection: Connection, section: Section, facts: Facts
) -> tuple[Shown, dict[str, str]]:
    """Run the queries of a section; return its content, and the rows as files."""
    missing = set(section.needs) - set(facts.study.get("tables", ()))
    if missing:
        tables = " and ".join(sorted(missing))
        return Shown(f"The study lacks the data of this section: it has no table of {tables}."), {}
    rows: dict[str, Sequence[Row]] = {}
    files: dict[str, str] = {}
    for name, query in {**section.queries, **section.asides}.items():
        found = connection.sql(query).to_arrow_table()
        rows[name] = found.to_pylist()
        if name in section.queries:
            files[name] = _csv(found.column_names, rows[name])
    shown = section.show(rows, facts)
    return shown, files if shown.is_filled else {}


def _csv(names: Sequence[str], rows: Sequence[Row]) -> str:
    with closing(io.StringIO(newline="")) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([_plain(row[name]) for name in names] for row in rows)
        return file.getvalue()


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return cell(value)
    return "" if value is None else value
