"""The command `compare`: shows what differs between two crawls, or two moments of one."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa._support.extras import require_study
from lycosa._support.safe_text import in_json
from lycosa.cli.analysis.study import told
from lycosa.cli.input.options import json_flag
from lycosa.cli.screen.output import Data

if TYPE_CHECKING:
    from lycosa.analysis.comparison.run import Comparison
    from lycosa.analysis.comparison.sides import Side

_folder = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("first", metavar="A", type=_folder)
@click.argument("second", metavar="[B]", type=_folder, required=False)
@click.option(
    "--at",
    "moments",
    multiple=True,
    metavar="MOMENT",
    help="Compare one crawl as it was at this moment (2026-11-01, 2026-11-01T18:30 in UTC; a day "
    "means its end) with another one, or with now.",
)
@click.option(
    "--map",
    "mappings",
    multiple=True,
    metavar="URL=URL",
    help="Compare URLs of A under the first prefix with URLs of B under the second.",
)
@click.option("--url", metavar="URL", help="Show how the text of this page differs.")
@click.option(
    "--all", "shows_all", is_flag=True, help="List every difference (default: some of each kind)."
)
@click.option(
    "--report",
    "place",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write an HTML page with tables, and all rows as CSV, to this folder.",
)
@json_flag
def compare(
    first: Path, second: Path | None, moments: tuple[str, ...], place: Path | None, **given: Any
) -> None:
    """Show what differs between two crawls, or two moments of one.

    Pages that are new, gone, moved (the same text at another URL) or changed, and how much;
    titles, descriptions, statuses and links. Reads only what is stored.

    \b
      lycosa compare lastmonth today
      lycosa compare mycrawl --at 2026-11-01 --at 2026-11-08
      lycosa compare staging live --map http://staging.test=https://example.org
      lycosa compare lastmonth today --url https://example.org/prices
    """
    require_study("lycosa compare")
    from lycosa.analysis.comparison.run import compare_page, compared
    from lycosa.analysis.comparison.sides import read_mapping

    before, after = _sides(first, second, moments)
    maps = [read_mapping(text) for text in given["mappings"]]
    as_json = given["as_json"]
    if given["url"]:
        _print_page(compare_page(before, after, given["url"], maps), as_json)
        return
    with ExitStack() as stack:
        with told(as_json) as tell:
            tell("comparing")
            found = stack.enter_context(compared(before, after, maps))
        if place is not None:
            from lycosa.analysis.report.comparison import comparison_report

            document = comparison_report(found, place)
            click.echo(f"{document}: open it in a browser; it needs no network", err=True)
        if as_json:
            _print_json(_fields(found))
        elif place is None:
            from lycosa.cli.screen.comparison import print_comparison

            print_comparison(found, shows_all=given["shows_all"])


def _sides(first: Path, second: Path | None, moments: tuple[str, ...]) -> tuple[Side, Side]:
    from lycosa.analysis.comparison.sides import Side, read_moment

    if second is not None:
        if moments:
            raise click.UsageError("Give two crawls, or one crawl with --at.")
        return Side(first), Side(second)
    if not moments:
        raise click.UsageError(
            "There is nothing to compare with. Name a second crawl, or a moment: lycosa compare"
            " A --at 2026-11-01"
        )
    if len(moments) > 2:
        raise click.UsageError("--at was given more than twice; two moments can be compared.")
    early, *late = sorted(map(read_moment, moments))
    return Side(first, early), Side(first, late[0] if late else None)


def _print_page(page: Any, as_json: bool) -> None:
    change = page.change
    if as_json:
        facts = {"url": page.url, "old_url": page.old_url, "changed": round(change.share, 4)}
        _print_json({**facts, **change._asdict(), "difference": page.lines})
        return
    if not page.lines:
        click.echo(f"{page.url}: the text is the same")
        return
    click.echo("\n".join(page.lines))


def _fields(found: Comparison) -> dict[str, Any]:
    return {
        "before": found.before.title,
        "after": found.after.title,
        **found.totals._asdict(),
        "counts": dict(found.counts),
        **{name: found.rows(name) for name in found.counts},
    }


def _print_json(value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    Data().write(in_json(text).encode())


COMMANDS = (compare,)
