"""The command `fetch`, which copies a crawl from a store into a directory."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.amounts import counted, size_text
from lycosa.cli.input.options import json_flag
from lycosa.cli.screen.lines import command
from lycosa.cli.screen.notices import notice

if TYPE_CHECKING:
    from lycosa.operate.fetching import Copied

_DAMAGED = 10
_MOST_NAMED = 10


@click.command()
@click.argument("store", metavar="STORE")
@click.argument("path", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@click.argument("name", metavar="[NAME]", default="")
@click.option("--list", "is_list", is_flag=True, help="List the crawls in the store, and end.")
@json_flag
def fetch(store: str, path: Path | None, name: str, is_list: bool, as_json: bool) -> int:
    """Copy a crawl from a store into a folder.

    STORE is the URL given as --store. If it holds several crawls, NAME is the
    beginning of one's name. Copies sealed segments, also while the crawl runs, and checks every
    file; the next call copies new ones. DIR is then an ordinary crawl directory: study, sql,
    report, index, sparql, export and cat work there. Exit code 10 means damaged objects.

    \b
      lycosa fetch s3://bucket/crawls --list
      lycosa fetch s3://bucket/crawls mycopy
    """
    from lycosa.operate import fetching
    from lycosa.storage.objects.opening import crawls_in

    if is_list:
        names = fetching.tried(lambda: crawls_in(store))
        click.echo(json.dumps(names) if as_json else "\n".join(names), nl=bool(names) or as_json)
        return 0
    if path is None:
        raise click.UsageError("The folder for the crawl is missing: lycosa fetch STORE DIR")
    is_shown = sys.stderr.isatty() and not as_json

    def tell(done: Copied, total: int) -> None:
        if is_shown:
            count = done.here + done.segments + len(done.lost)
            line = f"{count:,} of {total:,} segments, {size_text(done.bytes)} copied"
            click.echo(f"\r{line}\033[K", nl=False, err=True)

    try:
        done = fetching.fetch_crawl(store, fetching.choose_crawl(store, name), path, tell)
    finally:
        if is_shown:
            click.echo("\r\033[K", nl=False, err=True)
    for key in done.damaged[:_MOST_NAMED]:
        notice(
            f"{key}: the object is damaged or gone; what was read is in {path / 'damaged'}\n"
            "  put the object back from the machine that wrote it, and fetch again"
        )
    if as_json:
        click.echo(json.dumps({"directory": str(path), **done._asdict()}, indent=2))
    else:
        click.echo("\n".join(_summary(path, done)))
    return _DAMAGED if done.damaged else 0


def _summary(path: Path, done: Copied) -> list[str]:
    copied = f"{counted(done.segments, 'segment')} copied, {size_text(done.bytes)}"
    lines = [f"{path}: {copied}; {done.here:,} were here before"]
    if done.lost:
        lines.append(f"  {counted(len(done.lost), 'segment')} given up by the operator: left out")
    if done.mended:
        lines.append(
            f"  {counted(len(done.mended), 'file')} had changed here: moved to"
            f" {path / 'damaged'} and copied again"
        )
    if done.damaged:
        lines.append(
            f"  {counted(len(done.damaged), 'object')} damaged: those segments are missing"
        )
    if done.segments or done.here:
        lines.append(f"  study it: {command('study', path)}")
    return lines


COMMANDS = (fetch,)
