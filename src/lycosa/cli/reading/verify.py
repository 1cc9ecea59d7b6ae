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
    from lycosa.runtime.verify.findings import Tell
    from lycosa.runtime.verify.repair import Repaired
    from lycosa.runtime.verify.report import Report


@click.command()
@directory_argument
@click.option("--quick", is_flag=True, help="Check only sizes, ends of files and counts.")
@click.option(
    "--repair", is_flag=True, help="Repair what is damaged; the crawl must not be running."
)
@json_flag
@click.pass_obj
def verify(session: Session, /, path: Path, quick: bool, repair: bool, as_json: bool) -> int:
    """Check a crawl's files against each other, and repair them.

    Compares log, records (WARC), tables, index, triples and digests. For each damaged file
    it shows the fault and the repair that --repair would make. It changes nothing itself, and works
    while the crawl runs. The exit code is 10 when something is damaged.

    With --repair, tables and indexes are rebuilt from the records, pages whose records are
    lost go back into the queue, and a damaged log is rebuilt from what can be read.
    Damaged bytes are moved to damaged/ in the crawl directory, never deleted.
    """
    from lycosa.runtime.verify import inspection
    from lycosa.runtime.verify.repair import repair as repair_crawl

    if repair and quick:
        raise click.UsageError("--repair checks everything: leave out --quick.")
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
    from lycosa.runtime.verify.findings import say_nothing

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
        notice("the crawl is running: only sealed files are checked")
    for finding in report.findings:
        click.echo(f"{finding.file}: {finding.what}")
        click.echo(f"  --repair: {finding.remedy}" if finding.is_damage else f"  {finding.remedy}")
    damaged = sum(finding.is_damage for finding in report.findings)
    if damaged:
        click.echo(
            f"{counted(damaged, 'finding')} of damage; repair: {command('verify', path)} --repair"
        )
    elif quick:
        click.echo("clean, judging by sizes, ends of files and counts")
    else:
        click.echo(f"clean: {counted(report.records, 'record')} of the log are intact")


def _print_repair(path: Path, repaired: Repaired) -> None:
    for line in repaired.done:
        click.echo(line)
    for finding in repaired.after.findings:
        if finding.is_damage:
            click.echo(f"still damaged: {finding.file}: {finding.what}")
    if repaired.done:
        click.echo(f"continue: {command('resume', path)}")
    elif repaired.after.is_clean:
        click.echo("clean: there was nothing to repair")


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
