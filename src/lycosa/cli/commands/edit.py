"""The commands `add`, `retry`, `block` and `unblock`, which change a crawl that is not running."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import click

from lycosa.cli.amounts import counted
from lycosa.cli.input.options import directory_argument, seeds_flag
from lycosa.cli.input.seeds import gather
from lycosa.cli.screen.lines import refused_more_text
from lycosa.cli.screen.notices import Session, notice
from lycosa.cli.screen.summary import command
from lycosa.crawl.directory import CrawlDirectory


def _open(session: Session, path: Path) -> CrawlDirectory:
    directory = CrawlDirectory.open(path)
    session.messages = directory.messages
    return directory


@click.command()
@directory_argument
@click.argument("seeds", metavar="[SEED]...", nargs=-1)
@seeds_flag
@click.pass_obj
def add(session: Session, /, path: Path, seeds: tuple[str, ...], seed_file: TextIO | None) -> int:
    """Add seeds to a crawl.

    A running crawl fetches them at once, any other crawl when it is resumed.
    """
    from lycosa.crawl.inspect import edits
    from lycosa.crawl.seeds import refusal_text

    directory = _open(session, path)
    if not seeds and seed_file is None:
        raise click.UsageError("Give a SEED, or a file of them with --seeds.")
    given = gather(seeds, seed_file, lambda count: notice(f"reading seeds: {count:,}"))
    planted = edits.add_seeds(directory, given)
    if not planted.accepted and not planted.refused:
        raise click.UsageError("Give a SEED, or a file of them with --seeds.")
    for seed, reason in planted.refused.items():
        notice(f"{seed}: not a usable seed: {refusal_text(seed, reason)}")
    if planted.more_refused:
        notice(refused_more_text(planted.more_refused))
    click.echo(f"{counted(planted.accepted, 'seed')} added to {path}")
    return 0 if planted.accepted else 1


@click.command()
@directory_argument
@click.option("--traps", is_flag=True, help="Retry the URLs that were put aside as traps instead.")
@click.pass_obj
def retry(session: Session, /, path: Path, traps: bool) -> None:
    """Fetch failed URLs again.

    URLs with temporary failures (timeouts, server errors, hosts that were given up,
    addresses that were refused and are allowed now) go back into the queue, and
    `lycosa resume` fetches them. With --traps these are the URLs that were put aside
    because similar pages brought nothing new, and the links of mirrors. The crawl must
    not be running.
    """
    from lycosa.crawl.inspect import edits

    directory = _open(session, path)
    count = edits.release_traps(directory) if traps else edits.retry_failed(directory)
    click.echo(f"{counted(count, 'URL')} back in the queue")
    if count:
        click.echo(f"  continue: {command('resume', path)}")


@click.command()
@directory_argument
@click.argument("host")
@click.option("--forget", is_flag=True, help="Also delete what the host has sent so far.")
@click.pass_obj
def block(session: Session, /, path: Path, host: str, forget: bool) -> None:
    """Stop sending requests to a host.

    The crawl must not be running; `lycosa resume` then leaves the host alone.
    """
    from lycosa.crawl.inspect import edits
    from lycosa.query.index import Index

    directory = _open(session, path)
    blocked = edits.block_host(directory, host, forget)
    click.echo(f"{host} is blocked; {counted(blocked.pending, 'URL')} taken out of the queue")
    notice(f"  to lift it: {command('unblock', path, host)}")
    if blocked.forgotten is not None:
        records, rows = blocked.forgotten
        click.echo(f"{counted(records, 'exchange')} and {counted(rows, 'row')} deleted")
        if Index(path).generation() is not None and Index(path).update().is_anew:
            click.echo("rebuilt the triple index without it")


@click.command()
@directory_argument
@click.argument("host")
@click.pass_obj
def unblock(session: Session, /, path: Path, host: str) -> None:
    """Send requests to a blocked host again.

    Its URLs go back into the queue, and `lycosa resume` fetches them. What --forget deleted
    is fetched again. The crawl must not be running.
    """
    from lycosa.crawl.inspect import edits

    count = edits.unblock_host(_open(session, path), host)
    click.echo(f"{host} is no longer blocked; {counted(count, 'URL')} back in the queue")
    click.echo(f"  continue: {command('resume', path)}")


COMMANDS = (add, retry, block, unblock)
