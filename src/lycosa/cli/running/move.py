"""The command `move`, which moves a crawl's log from a file to a server, or back."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from lycosa.cli.input.options import directory_argument
from lycosa.cli.screen.lines import command
from lycosa.cli.screen.notices import Session
from lycosa.runtime.directory import CrawlDirectory


@click.command()
@directory_argument
@click.argument("place", metavar="URL|sqlite")
@click.pass_obj
def move(session: Session, /, path: Path, place: str) -> int:
    """Move a crawl's log to a server, or back into a file.

    For a crawl that has outgrown its machine: with its log in a server (postgresql://… or
    nats://…) others can join it. `sqlite` moves the log back into a file. Fetched pages
    stay in the directory. The crawl must not be running. Repeat the command if it was interrupted.

    \b
      lycosa move mycrawl postgresql://db/crawls
      lycosa move mycrawl sqlite
    """
    from lycosa.operate.moving import move as move_log

    directory = CrawlDirectory.open(path)
    session.messages = directory.messages
    is_shown = sys.stderr.isatty()

    def tell(done: int, total: int) -> None:
        if is_shown and done % 16 == 0:
            click.echo(f"\r{done:,} of {total:,} partitions", nl=False, err=True)

    moved = move_log(directory, place, tell)
    if is_shown:
        click.echo("\r\033[K", nl=False, err=True)
    where = f"in {moved.server}, as {moved.name}" if "://" in moved.server else f"in {path / 'log'}"
    click.echo(f"the log is {where}\n  continue: {command('resume', path)}")
    return 0


COMMANDS = (move,)
