"""The command `verify`: checks a crawl's files against each other, and repairs them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.amounts import counted
from lycosa.cli.input.options import directory_argument, json_flag
from lycosa.cli.screen.notices import DAMAGED, Session, notice
from lycosa.cli.screen.summary import command

if TYPE_CHECKING:
    from lycosa.crawl.verify.findings import Tell
    from lycosa.crawl.verify.repair import Repaired
    from lycosa.crawl.verify.report import Report


@click.command()
@directory_argument
@click.option("--quick", is_flag=True, help="Look at sizes, ends and counts only.")
@click.option("--repair", is_flag=True, help="Mend what is damaged; the crawl must be at rest.")
@json_flag
@click.pass_obj
def verify(session: Session, /, path: Path, quick: bool, repair: bool, as_json: bool) -> int:
    """Check that everything is there that the log says.

    Log, records (WARC), tables, index, triples and digests are held against each other.
    Tells for each damaged file what is wrong and what --repair would do; writes nothing
    itself, and works beside a running crawl. The exit code is 10 when something is damaged.

    With --repair tables and indexes are made anew from the records, records that are lost
    become pages to be asked for again, and a damaged log is put together from what can be
    read. Damaged bytes are moved to damaged/ in the crawl directory, never deleted.
    """
    from lycosa.crawl.verify import inspection
    from lycosa.crawl.verify.repair import repair as repair_crawl

    if repair and quick:
        raise click.UsageError("--repair looks at everything: leave out --quick.")
    with _progress(is_shown=not as_json and sys.stderr.isatty()) as tell:
        if repair:
            repaired = repair_crawl(path, tell)
            report = repaired.after
        else:
            report = inspection.verify(path, is_quick=quick, tell=tell)
    if as_json:
        click.echo(json.dumps(_data(path, report, repaired if repair else None), indent=2))
    elif repair:
        _print_repair(path, repaired)
    else:
        _print_report(path, report, quick)
    return 0 if report.is_clean else DAMAGED


@contextmanager
def _progress(*, is_shown: bool) -> Iterator[Tell]:
    """Show a bar for each part of the work."""
    from lycosa.crawl.verify.findings import say_nothing

    if not is_shown:
        yield say_nothing
        return
    from rich.progress import Progress, TaskID

    from lycosa.cli.screen.console import Screen

    with Progress(console=Screen(stderr=True), transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield tell


def _print_report(path: Path, report: Report, quick: bool) -> None:
    if report.is_running:
        notice("the crawl is running: only what is sealed is looked at")
    for finding in report.findings:
        click.echo(f"{finding.file}: {finding.what}")
        click.echo(f"  --repair: {finding.remedy}" if finding.is_damage else f"  {finding.remedy}")
    damaged = sum(finding.is_damage for finding in report.findings)
    if damaged:
        click.echo(
            f"{counted(damaged, 'finding')} of damage; mend it: {command('verify', path)} --repair"
        )
    elif quick:
        click.echo("clean, as far as sizes, ends and counts tell")
    else:
        click.echo(f"clean: {counted(report.records, 'record')} that the log names are whole")


def _print_repair(path: Path, repaired: Repaired) -> None:
    for line in repaired.done:
        click.echo(line)
    for finding in repaired.after.findings:
        if finding.is_damage:
            click.echo(f"still damaged: {finding.file}: {finding.what}")
    if repaired.done:
        click.echo(f"go on: {command('resume', path)}")
    elif repaired.after.is_clean:
        click.echo("clean: nothing had to be mended")


def _data(path: Path, report: Report, repaired: Repaired | None) -> dict[str, object]:
    data: dict[str, object] = {
        "directory": str(path),
        "is_clean": report.is_clean,
        "is_running": report.is_running,
        "records": report.records,
        "findings": [finding._asdict() for finding in report.findings],
    }
    return data if repaired is None else data | {"repaired": list(repaired.done)}


COMMANDS = (verify,)
