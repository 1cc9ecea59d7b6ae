"""The command `report`: writes an HTML report about a crawl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa._support.extras import require_study
from lycosa._support.safe_text import in_json
from lycosa.cli.amounts import counted
from lycosa.cli.analysis.study import told
from lycosa.cli.input.options import directory_argument, json_flag

if TYPE_CHECKING:
    from lycosa.analysis.report.build import Reported


@click.command()
@directory_argument
@click.option(
    "-o",
    "--output",
    "place",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="The folder to write to (default: DIR/report).",
)
@click.option(
    "--rebuild", is_flag=True, help="Compute everything again, even if nothing has changed."
)
@click.option("--no-audit", "without_audit", is_flag=True, help="Skip the check of every request.")
@click.option(
    "--figures",
    "with_figures",
    is_flag=True,
    help="Also write the figures to figures/: SVG, PDF, and data with gnuplot scripts.",
)
@click.option(
    "--latex", is_flag=True, help="Also write report.tex, and the figures that it includes."
)
@click.option("--pdf", is_flag=True, help="Also print the report to report.pdf with Chromium.")
@json_flag
def report(
    path: Path,
    place: Path | None,
    rebuild: bool,
    without_audit: bool,
    with_figures: bool,
    latex: bool,
    pdf: bool,
    as_json: bool,
) -> None:
    """Write an HTML report about a crawl.

    The report is one HTML file: what was crawled and how, whether every request kept the rules,
    then each part of the study as a figure, a table and a sentence. It needs no network and prints
    well; the rows behind each figure are in `data/` beside it, as CSV. Runs `lycosa study` first if
    the crawl has changed; works also while the crawl runs.
    """
    require_study("lycosa report")
    from lycosa.analysis.report import build

    wanted = {"figures": with_figures, "latex": latex, "pdf": pdf}

    with told(as_json) as tell:
        found = build.report(
            path,
            place,
            rebuild=rebuild,
            with_audit=not without_audit,
            forms=[form for form, is_wanted in wanted.items() if is_wanted],
            tell=tell,
        )
    if as_json:
        click.echo(in_json(json.dumps(_fields(path, found), indent=2, ensure_ascii=False)))
        return
    empty = [entry.section.title for entry in found.entries if not entry.shown.is_filled]
    click.echo(f"{found.document}: {counted(len(found.entries), 'section')}")
    if empty:
        click.echo(f"sections without data: {', '.join(empty)}")
    click.echo("open it in a browser; it needs no network and prints on A4")


def _fields(path: Path, found: Reported) -> dict[str, object]:
    return {
        "directory": str(path),
        "report": str(found.document),
        "is_new_study": found.is_new_study,
        "sections": [
            {
                "name": entry.section.name,
                "title": entry.section.title,
                "is_filled": entry.shown.is_filled,
                "sentence": entry.shown.sentence,
                "figures": len(entry.shown.figures),
                "tables": len(entry.shown.tables),
                "data": [f"data/{name}.csv" for name in entry.files],
            }
            for entry in found.entries
        ],
    }


COMMANDS = (report,)
