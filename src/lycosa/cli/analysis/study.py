"""The commands `study` and `sql`, which analyse a crawl at any time, even while it runs."""

from __future__ import annotations

import json
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lycosa._support.extras import require_study
from lycosa._support.safe_text import in_json, on_screen
from lycosa.cli.amounts import counted, duration_text, size_flag, size_text
from lycosa.cli.input.options import directory_argument, json_flag, raw_flag
from lycosa.cli.input.questions import query_text
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.notices import notice
from lycosa.cli.screen.output import Data, tells_lines
from lycosa.cli.screen.summary import command, facts_table

if TYPE_CHECKING:
    import pyarrow as pa

    from lycosa.analysis.study.sql import Relation

STEP_SECONDS = 5.0
"""Least time between two lines about what is under way."""
_TOP = 10
_WIDTH = 80
"""Most columns of running text: longer lines are harder to read."""
_MOST_ROWS = 1000
"""Most rows of a table on the screen; CSV and JSON lines have all of them."""

_LEAST_WIDTH = 8
"""Fewest characters in which a column is readable."""


@click.command()
@directory_argument
@click.option(
    "--rebuild", is_flag=True, help="Compute everything again, even if nothing has changed."
)
@click.option(
    "--memory",
    type=size_flag,
    metavar="SIZE",
    help="Use about this much memory, and the disk for the rest: 4GB.",
)
@json_flag
def study(path: Path, rebuild: bool, memory: int | None, as_json: bool) -> None:
    """Analyse a crawl: ranks, sites, languages, counts.

    Computes PageRank, hubs and authorities, degrees and the bow tie, over pages and over sites;
    depths, sizes, ages, types, languages, servers and headers, vocabularies of structured data,
    multimedia, duplicates, outcomes, refusals, pauses. Works also while the crawl runs, and
    writes only to `index/study/`: one Parquet file a table, which `lycosa sql` and
    `lycosa export` know by name. Tables that are up to date are not computed again.
    """
    require_study("lycosa study")
    from lycosa.analysis.study import build

    with told(as_json) as tell:
        found = build.study(path, rebuild=rebuild, memory_bytes=memory or 0, tell=tell)
    facts = {name: value for name, value in found.facts.items() if name != "rows"}
    if as_json:
        click.echo(json.dumps({"directory": str(path), "is_new": found.is_new, **facts}, indent=2))
    else:
        _print_study(Screen(), path, facts, found.is_new)


@contextmanager
def told(as_json: bool) -> Iterator[Callable[[str], None]]:
    """Show the current step on standard error; off a terminal, every few seconds as a line."""
    if tells_lines():
        yield lambda what: print(what, file=sys.stderr, flush=True)
        return
    console = Screen(stderr=True)
    if as_json:
        yield lambda what: None
        return
    if not console.is_terminal:
        last = time.monotonic()

        def tell(what: str) -> None:
            nonlocal last
            if time.monotonic() - last >= STEP_SECONDS:
                last = time.monotonic()
                notice(f"under way: {what}")

        yield tell
        return
    with console.status("reading") as status:
        yield status.update


def _print_study(console: Console, path: Path, facts: dict[str, Any], is_new: bool) -> None:
    title = f"{path}: studied in {duration_text(facts['seconds'])}"
    if not is_new:
        title = f"{path}: nothing new since {facts['made_at']}"
    console.print(Text(title, "bold"), soft_wrap=True)
    rows = [
        ("pages", f"{facts['pages']:,}, {size_text(facts['bytes'])}"),
        ("distinct", f"{facts['distinct_pages']:,} by content"),
        ("sites", f"{facts['sites']:,}"),
        ("links", f"{facts['links']:,} between these pages"),
        ("languages", _languages_text(facts["languages"])),
        *([("topics", _topics_text(facts["topics"]))] if "topics" in facts else []),
        (
            "PageRank",
            f"{counted(facts['pagerank']['steps'], 'step')}, "
            f"error below {facts['pagerank']['error']:.0e}",
        ),
        (
            "HITS",
            f"{counted(facts['hits']['steps'], 'step')}, "
            f"residual below {max(facts['hits']['residual'], 1e-9):.0e}",
        ),
    ]
    console.print(Padding(facts_table(rows), (1, 0, 0, 2)))
    table = Table("bow tie", box=None, padding=(0, 2, 0, 0))
    for over in facts["bow_tie"]:
        table.add_column(over, justify="right")
    for part in facts["bow_tie"]["pages"]:
        table.add_row(part, *(f"{of[part]:,}" for of in facts["bow_tie"].values()))
    console.print(Padding(table, (1, 0, 0, 2)))
    width = min(console.width, _WIDTH)
    tables = textwrap.fill(f"tables: {', '.join(facts['tables'])}", width)
    console.print(f"\n{tables}", soft_wrap=True)
    best = f"select rank, pagerank, url from ranks order by rank limit {_TOP}"
    console.print(Text(f"query them: {command('sql', path, best)}"), soft_wrap=True)


def _topics_text(facts: dict[str, Any]) -> str:
    """Say how many topics were found, and on how many pages."""
    said = f"{facts['topics']:,}, on {counted(facts['classified'], 'page')}"
    if facts["unclassified"]:
        said += f"; {counted(facts['unclassified'], 'page has', 'pages have')} none"
    return said


def _languages_text(facts: dict[str, int]) -> str:
    """Say how many languages were found, by markup and by text."""
    said = f"{facts['languages']:,}, by markup on {counted(facts['by_markup'], 'page')}"
    said += f", by text on {facts['by_text']:,}"
    if facts["compared"]:
        said += f"; both agree on {facts['agreeing'] / facts['compared']:.0%}"
    if facts["overruled"]:
        said += (
            f", and {counted(facts['overruled'], 'page')} clearly in another than its markup says"
        )
    return said


@click.command()
@directory_argument
@click.argument("query", metavar="QUERY|FILE|-")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "jsonl"]),
    help="Output format (default: table on a terminal, else csv).",
)
@raw_flag
def sql(path: Path, query: str, form: str | None, is_raw: bool) -> None:
    """Query a crawl in SQL.

    The tables are `pages`, `links`, `text` and `hosts` and, after `lycosa study`, those of the
    study. Queries can neither change the crawl nor read other files.

    \b
      lycosa sql mycrawl 'select outcome, count(*) from pages group by all'
      lycosa sql mycrawl 'describe links'
      lycosa sql mycrawl question.sql --format jsonl > answer.jsonl
    """
    require_study("lycosa sql")
    from lycosa.analysis.study.sql import asked

    form = form or ("table" if sys.stdout.isatty() else "csv")
    with asked(path, query_text(query)) as answer:
        if form == "csv":
            _print_csv(answer, is_raw=is_raw)
        else:
            {"table": _print_table, "jsonl": _print_lines}[form](answer)


def _print_table(answer: Relation) -> None:
    found = answer.limit(_MOST_ROWS + 1).to_arrow_table()
    console = Screen()
    rows = found.slice(0, _MOST_ROWS)
    is_narrow = found.num_columns * _LEAST_WIDTH > console.width
    console.print(_below_each_other(rows) if is_narrow else _side_by_side(rows))
    if not found.num_rows:
        console.print("no rows")
    if found.num_rows > _MOST_ROWS:
        console.print(f"… and more rows; print all: --format csv, or add `limit {_MOST_ROWS}`")


def _side_by_side(rows: pa.Table) -> Table:
    """Return a line for each row."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    for field in rows.schema:
        is_number = str(field.type).startswith(("int", "uint", "double", "float", "decimal"))
        # URLs of a site differ at their ends, so a long one is wrapped and not cut.
        table.add_column(
            Text(on_screen(field.name)),
            justify="right" if is_number else "left",
            overflow="fold",
        )
    for row in _rows(rows):
        table.add_row(*(Text(_cell(value)) for value in row))
    return table


def _below_each_other(rows: pa.Table) -> Group:
    """Return a line for each column of each row: the terminal is too narrow for a table."""
    names = [on_screen(name) for name in rows.column_names]
    return Group(
        *(
            Padding(facts_table(list(zip(names, map(_cell, row), strict=True))), (0, 0, 1, 0))
            for row in _rows(rows)
        )
    )


def _rows(found: pa.Table) -> Iterator[tuple[object, ...]]:
    from lycosa.analysis.exports.csv_cells import values

    return zip(*(values(column) for column in found.columns), strict=True)


def _cell(value: object) -> str:
    from lycosa.analysis.exports.csv_cells import cell_text

    if isinstance(value, float):
        return f"{value:.6g}"
    return "" if value is None else on_screen(cell_text(value))


def _print_csv(answer: Relation, *, is_raw: bool) -> None:
    import pyarrow.csv

    from lycosa.analysis.exports.csv_cells import cells, schema_of_cells

    reader = answer.to_arrow_reader()
    output = Data()
    with pyarrow.csv.CSVWriter(output, schema_of_cells(reader.schema)) as writer:
        for batch in reader:
            writer.write_batch(cells(batch, is_raw=is_raw))
    output.flush()


def _print_lines(answer: Relation) -> None:
    from lycosa.analysis.exports.csv_cells import json_values

    for batch in answer.to_arrow_reader():
        names, columns = batch.schema.names, map(json_values, batch.columns)
        for row in zip(*columns, strict=True):
            line = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
            click.echo(in_json(line))


COMMANDS = (study, sql)
