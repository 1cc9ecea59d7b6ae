"""The command `export`: writes tables, graphs and triples of a crawl for other programs."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from lycosa._support.extras import require_study
from lycosa.cli.amounts import counted, size_text
from lycosa.cli.groups import CommandGroup
from lycosa.cli.input.options import directory_argument, raw_flag, target_flag
from lycosa.cli.publishing.replay import export_wacz
from lycosa.cli.reading.query import export_triples
from lycosa.cli.screen.output import Data, line_on_screen

TABLES = {
    "pages": "Write the fetches of a crawl, or the graph of its pages.",
    "links": "Write the links of a crawl, or the graph of its pages.",
    "text": "Write the text of the pages.",
    "hosts": "Write the fetches of robots files, or the graph of the sites.",
    "ranks": "Write the page ranks that `lycosa study` computed, or the graph of the pages.",
    "page_topics": "Write the topics of pages that `lycosa topics apply` found.",
    "page_units": "Write the units of pages of several topics (`lycosa topics apply`).",
    "sites": "Write the sites with their figures from `lycosa study`, or their graph.",
}
"""Tables that `--help` lists, each with its own line."""

OF_TOPICS = ("topic_harvest", "topic_links", "topic_overlaps", "topic_sites", "topics")
"""Tables of a study that only a crawl with topics has."""

STUDIED = [
    "ages",
    "bow_ties",
    "classes",
    "degrees",
    "depths",
    "duplicates",
    "file_types",
    "findings",
    "headers",
    "histograms",
    "language_pairs",
    "languages",
    "link_kinds",
    "link_reasons",
    "multimedia",
    "near_duplicates",
    "outcomes",
    "outside",
    "outside_domains",
    "outside_tlds",
    "page_languages",
    "politeness",
    "properties",
    "ranks",
    "refusals",
    "servers",
    "site_links",
    "sites",
    "sizes",
    "statuses",
    *OF_TOPICS,
    "types",
    "vocabularies",
]
"""All tables of a study; `--help` also names the tables without a line of their own."""


class Exports(CommandGroup):
    """A command for every table, and one for the triples."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of a table; an unknown table is reported when it runs."""
        return super().get_command(ctx, cmd_name) or _table_command(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the tables that every crawl or study has, and the triples."""
        return [*TABLES, *self.commands]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Name the tables that have no line of their own."""
        with formatter.section("Other tables of a study (lycosa study)"):
            formatter.write_text(", ".join(name for name in STUDIED if name not in TABLES))


@click.group(cls=Exports)
def export() -> None:
    """Write tables and graphs for other programs, or send triples.

    \b
      lycosa export ranks mycrawl -o ranks.csv
      lycosa export links mycrawl --format graphml -o pages.graphml
      lycosa export text mycrawl --format jsonl >> texts.jsonl
      lycosa export pages mycrawl --topic science --without-seeds -o science.csv
      lycosa export pages mycrawl --topic science --format warc -o science.warc.gz
      lycosa export triples mycrawl --to http://localhost:7878/store
      lycosa export wacz mycrawl -o mycrawl.wacz
      lycosa export items mycrawl --kind product --format jsonl -o products.jsonl
      lycosa export sitemap mycrawl -o sitemap.xml
      lycosa export screenshots mycrawl -o pictures
    """


export.add_command(export_triples)
export.add_command(export_wacz)


@export.command("screenshots")
@directory_argument
@click.option(
    "-o",
    "target",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="The folder to write to.",
)
@click.option(
    "--withheld", is_flag=True, help="Include pages that ask not to be archived (`noarchive`)."
)
@click.option("--json", "as_json", is_flag=True, help="Print the number of pictures as JSON.")
def export_screenshots(path: Path, target: Path, withheld: bool, as_json: bool) -> None:
    """Write the pictures of rendered pages as PNG files.

    The crawl must have been told to keep pictures: `--set render.screenshots=true`
    with `--render auto` or `always`. The file index.csv lists them with their URLs.
    """
    from lycosa.api import screenshots
    from lycosa.runtime.directory import CrawlDirectory

    with_withheld = withheld or not CrawlDirectory.open(path).job().extract.obey_noarchive
    count = screenshots.export_screenshots(path, target, with_withheld=with_withheld)
    if as_json:
        click.echo(json.dumps({"folder": str(target), "screenshots": count}))
        return
    click.echo(f"{target}: {counted(count, 'screenshot')}", err=True)
    if not count:
        click.echo(
            "no page was rendered with a picture\n"
            "  begin a crawl with --render always --set render.screenshots=true",
            err=True,
        )


@export.command("sitemap")
@directory_argument
@target_flag("The file to write: sitemap.xml, or sitemap.xml.gz.", required=True)
@click.option("--site", default="", metavar="URL", help="List only URLs with this prefix.")
@click.option(
    "--base",
    default="",
    metavar="URL",
    help="The folder in which the files will be published, for an index of several files.",
)
def export_sitemap(path: Path, target: Path, site: str, base: str) -> None:
    """Write a sitemap of the pages that search engines are meant to show.

    Lists HTML pages that answered with status 200 and are neither noindex nor name another
    canonical URL, with the date of their last change where the server tells it. More than 50,000
    URLs are split over several files, and FILE becomes an index of them.
    """
    require_study("lycosa export")
    from lycosa.analysis.checks import sitemap

    written = sitemap.export_sitemap(path, target, base, site)
    parts = f", an index of {len(written.files) - 1} files" if len(written.files) > 1 else ""
    click.echo(f"{target}: {counted(written.urls, 'URL')}{parts}", err=True)
    if written.sites > 1:
        click.echo(
            f"the pages belong to {written.sites:,} sites, and a sitemap may list only its own"
            " (one site: --site URL)",
            err=True,
        )


@export.command("items")
@directory_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(("csv", "jsonl", "parquet")),
    default="csv",
    help="Format of the file (default: csv).",
)
@click.option("--kind", default="", metavar="KIND", help="Write only items of this kind.")
@click.option(
    "--columns",
    default="",
    metavar="NAMES",
    help="Write only these columns, in this order: names with commas between them. Values of items "
    "have their own names; _kind, _url, _fetched_at, _ordinal and _key tell of the item.",
)
@click.option(
    "--history",
    "is_history",
    is_flag=True,
    help="Write the items of all fetches, not only those of the newest ones.",
)
@raw_flag
@click.option(
    "--withheld",
    "with_withheld",
    is_flag=True,
    help="Include items of pages that ask not to be archived (`noarchive`).",
)
@target_flag("The file to write.")
@click.option("--json", "as_json", is_flag=True, help="Print the number of items as JSON.")
def export_items(
    path: Path, form: str, columns: str, target: Path | None, *, as_json: bool, **flags: Any
) -> None:
    """Write the items that plugins have emitted, with their values as columns.

    \b
      lycosa export items mycrawl --format jsonl -o quotes.jsonl
      lycosa export items mycrawl --kind product --columns sku,price,_url -o products.csv

    Each URL gives the items of its newest fetch; of items with the same key the newest is written.
    Without -o they go to standard output.
    """
    require_study("lycosa export")
    from lycosa.analysis.exports import items
    from lycosa.analysis.exports.targets import check_target

    if as_json and target is None:
        raise click.UsageError("--json tells of a file: name it with -o FILE.")
    names = [name.strip() for name in columns.split(",") if name.strip()]
    wanted = items.Wanted(columns=names, **flags)
    with line_on_screen() as show, tempfile.TemporaryDirectory() as folder:

        def tell(done: int, total: int) -> None:
            show(f"{done:,} of {counted(total, 'item')} written")

        # On a terminal nothing is shown before all is written, so an error is not lost in rows.
        is_shown = target is None and sys.stdout.isatty()
        to = Path(folder) / "items" if is_shown else target
        if is_shown:
            check_target(path, form, target)
        done = items.export_items(path, form, to, wanted, tell if target else _say_nothing)
        if is_shown and to is not None:
            Data().copy(to)
    if as_json:
        click.echo(json.dumps({"file": str(target), **done._asdict()}))
    elif target is not None:
        click.echo(f"{target}: {counted(done.rows, 'item')}", err=True)
    if done.left_out:
        what = counted(done.left_out, "item")
        click.echo(f"{what} left out, as their pages ask (all: --withheld)", err=True)


def _say_nothing(done: int, total: int) -> None:
    """Show no progress: what is written goes to the screen itself."""


def _table_command(table: str) -> click.Command:
    @click.command(
        name=table, help=f"{TABLES.get(table, '')}\n\nWithout -o it goes to standard output."
    )
    @directory_argument
    @click.option(
        "--format",
        "form",
        type=click.Choice(["parquet", "csv", "jsonl", "graphml", "gexf", "warc"]),
        default="csv",
        help="Format of the file (default: csv); graphml and gexf are the graph, warc the records "
        "of pages.",
    )
    @raw_flag
    @click.option(
        "--withheld",
        "with_withheld",
        is_flag=True,
        help="Include pages that ask to be withheld (`noarchive`, for texts also `noindex`).",
    )
    @click.option("--topic", default="", help="Write only rows of pages about this topic.")
    @click.option(
        "--units",
        is_flag=True,
        help=(
            "For texts with --topic: write only the sections about this topic (`lycosa topics "
            "apply` makes them)."
        ),
    )
    @click.option(
        "--main",
        "is_main",
        is_flag=True,
        help="For texts: write the main text of each page, without navigation; the column main_by "
        "names the library (`[extract] corpus_text`), and is empty where the whole text stands.",
    )
    @click.option("--without-seeds", is_flag=True, help="Leave out the pages of the seeds.")
    @target_flag("The file to write.")
    def write_table(path: Path, form: str, target: Path | None, **flags: Any) -> None:
        require_study("lycosa export")
        from lycosa.analysis.exports.export import Rows
        from lycosa.analysis.exports.export import export as write

        rows = Rows(**flags)
        is_shown = target is None and sys.stdout.isatty()
        with line_on_screen() as show, tempfile.TemporaryDirectory() as folder:

            def tell(done: int, of: int) -> None:
                show(f"main texts: {done:,} of {counted(of, 'segment')}")

            to = Path(folder) / table if is_shown else target
            count = write(path, table, form, to, rows=rows, on_segment=tell)
            show("")
            if is_shown and to is not None:
                Data().copy(to)
        if target is not None:
            click.echo(f"{target}: {size_text(target.stat().st_size)}", err=True)
        if rows.is_main:
            click.echo(_main_told(path), err=True)
        if count and form == "warc":
            click.echo(f"{count:,} pages were left out, as they ask (all: --withheld)", err=True)
        elif count:
            what = "texts were" if table == "text" else "titles and descriptions were"
            click.echo(f"{count:,} {what} left out, as their pages ask (all: --withheld)", err=True)

    return write_table


def _main_told(path: Path) -> str:
    from lycosa.analysis.exports.export import corpus_engine
    from lycosa.analysis.statistics.main_texts import outcomes_of_main_texts
    from lycosa.analysis.study.main_text import FOUND, named

    engine = corpus_engine(path)
    made = outcomes_of_main_texts(path, engine)
    whole = made.total() - made[FOUND]
    return f"main texts by {named(engine)}; {counted(whole, 'page')} with the whole text"


COMMANDS = (export,)
