"""The command `cluster restored`, which goes on with a log that was restored from a copy."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import click

from lycosa.cli.amounts import counted
from lycosa.cli.input.options import json_flag, place_argument
from lycosa.cli.input.places import open_crawl
from lycosa.cli.screen.lines import command
from lycosa.cli.screen.notices import Session, notice
from lycosa.errors import ConfigError

if TYPE_CHECKING:
    from lycosa.cli.input.places import Place


@click.command()
@place_argument
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@json_flag
@click.pass_obj
def restored(session: Session, /, path: Place, yes: bool, as_json: bool) -> int:
    """Go on with a log that was restored from an older copy.

    Stop the crawl on all machines first. Afterwards `lycosa resume` in each crawl directory sets
    aside what the log does not know, and these pages are fetched again. Give up a machine that will
    not come back with `lycosa cluster forget`.

    \b
      lycosa cluster restored nats://a,b,c
    """
    from lycosa.runtime.coordination.opening import open_board
    from lycosa.runtime.recovery.epochs import begin_epoch
    from lycosa.storage.log.opening import open_log

    directory = open_crawl(session, path)
    job = directory.job()
    if not job.log.server:
        raise ConfigError(
            f"{directory.shown}: the log is in a file, and a resume brings it forward\n"
            f"  {command('resume', path)}"
        )
    if not yes:
        notice("fetches that the log lacks are set aside in each directory, and made again")
        if not click.confirm("Go on with this log?", err=True):
            return 1
    # Not the directory's own view of the log, which may lack its last write.
    log = open_log(
        job.log.server,
        job.frontier.partitions,
        crawl=job.log.name,
        durability=job.log.durability,
        may_begin=False,
        joins=False,
    )
    with closing(log), closing(open_board(job.log.server, job.log.name)) as board:
        begun = begin_epoch(log, board)
    if as_json:
        click.echo(json.dumps(begun._asdict()))
        return 0
    click.echo(
        f"epoch {begun.number} of the log has begun: {counted(begun.taken, 'partition')} taken from"
        f" earlier members, {counted(begun.ended, 'silent member')} ended"
    )
    click.echo("  now type in each crawl directory: lycosa resume DIR")
    return 0


COMMANDS = (restored,)
