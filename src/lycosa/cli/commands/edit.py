"""The commands `add`, `retry`, `block`, `unblock`, `forget`: change a crawl that is not running."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from lycosa.cli.amounts import counted, size_text
from lycosa.cli.input.options import directory_argument, place_argument, seeds_flag
from lycosa.cli.input.places import open_crawl
from lycosa.cli.input.seeds import gather
from lycosa.cli.screen.lines import refused_more_text
from lycosa.cli.screen.notices import Session, notice
from lycosa.cli.screen.summary import command

if TYPE_CHECKING:
    from lycosa.cli.input.places import Place
    from lycosa.crawl.directory import CrawlDirectory
    from lycosa.store.segments.removal import Forgotten


@click.command()
@place_argument
@click.argument("seeds", metavar="[SEED]...", nargs=-1)
@seeds_flag
@click.pass_obj
def add(session: Session, /, path: Place, seeds: tuple[str, ...], seed_file: TextIO | None) -> int:
    """Add seeds to a crawl.

    A running crawl fetches them at once, any other crawl when it is resumed.
    """
    from lycosa.crawl.control import desk
    from lycosa.crawl.seeds import refusal_text

    directory = open_crawl(session, path)
    if not seeds and seed_file is None:
        raise click.UsageError("Give a SEED, or a file of them with --seeds.")
    given = gather(seeds, seed_file, lambda count: notice(f"reading seeds: {count:,}"))
    planted = desk.add_seeds(directory, given).planted
    assert planted is not None
    if not planted.accepted and not planted.refused:
        raise click.UsageError("Give a SEED, or a file of them with --seeds.")
    for seed, reason in planted.refused.items():
        notice(f"{seed}: not a usable seed: {refusal_text(seed, reason)}")
    if planted.more_refused:
        notice(refused_more_text(planted.more_refused))
    click.echo(f"{counted(planted.accepted, 'seed')} added to {path}")
    return 0 if planted.accepted else 1


@click.command()
@place_argument
@click.option("--traps", is_flag=True, help="Retry the URLs that were put aside as traps instead.")
@click.pass_obj
def retry(session: Session, /, path: Place, traps: bool) -> None:
    """Fetch failed URLs again.

    URLs with temporary failures (timeouts, server errors, hosts that were given up,
    addresses that were refused and are allowed now) go back into the queue, and
    `lycosa resume` fetches them. With --traps these are the URLs that were put aside
    because similar pages brought nothing new, and the links of mirrors. The crawl must
    not be running.
    """
    from lycosa.crawl.inspect import edits

    directory = open_crawl(session, path)
    count = edits.release_traps(directory) if traps else edits.retry_failed(directory)
    click.echo(f"{counted(count, 'URL')} back in the queue")
    if count:
        click.echo(f"  continue: {command('resume', path)}")


@click.command()
@place_argument
@click.argument("host")
@click.option("--forget", is_flag=True, help="Also delete what the host has sent so far.")
@click.pass_obj
def block(session: Session, /, path: Place, host: str, forget: bool) -> None:
    """Stop sending requests to a host.

    The crawl must not be running; `lycosa resume` then leaves the host alone.
    """
    from lycosa.crawl.inspect import edits

    directory = open_crawl(session, path)
    blocked = edits.block_host(directory, host, forget)
    click.echo(f"{host} is blocked; {counted(blocked.pending, 'URL')} taken out of the queue")
    notice(f"  to lift it: {command('unblock', path, host)}")
    if blocked.forgotten is not None:
        assert isinstance(path, Path)
        click.echo(_deleted(blocked.forgotten))
        _rebuild_indexes(directory, "it")


@click.command()
@place_argument
@click.argument("host")
@click.pass_obj
def unblock(session: Session, /, path: Place, host: str) -> None:
    """Send requests to a blocked host again.

    Its URLs go back into the queue, and `lycosa resume` fetches them. What --forget deleted
    is fetched again. The crawl must not be running.
    """
    from lycosa.crawl.inspect import edits

    count = edits.unblock_host(open_crawl(session, path), host)
    click.echo(f"{host} is no longer blocked; {counted(count, 'URL')} back in the queue")
    click.echo(f"  continue: {command('resume', path)}")


def _rebuild_indexes(directory: CrawlDirectory, what: str) -> None:
    """Build the indexes that there are without what was deleted."""
    import shutil

    from lycosa.query.generations import Generations
    from lycosa.query.index import Index
    from lycosa.query.text.extras import missing

    path = directory.path
    if Index(path).generation() is not None and Index(path).update().is_anew:
        click.echo(f"rebuilt the triple index without {what}")
    texts = Generations(path, "text", "text index")
    if texts.current() is not None and missing():
        shutil.rmtree(texts.folder)  # it must not keep the text, and cannot be built without it
        click.echo(f"deleted the text index, which held {what}")
    elif texts.current() is not None:
        from lycosa.query.text.index import TextIndex

        if TextIndex(path, directory.job()).update().is_anew:
            click.echo(f"rebuilt the text index without {what}")


def _deleted(forgotten: Forgotten) -> str:
    given_back = size_text(max(forgotten.room_bytes, 0))
    exchanges, rows = counted(forgotten.records, "exchange"), counted(forgotten.rows, "row")
    return f"{exchanges} and {rows} deleted; {given_back} of the disk given back"


@click.command()
@directory_argument
@click.option(
    "--deleted",
    is_flag=True,
    help="Delete every version of the pages that were gone (404 or 410) at their last visit.",
)
@click.pass_obj
def forget(session: Session, /, path: Path, deleted: bool) -> None:
    """Give back the room of pages that no longer exist.

    The crawl must not be running. The answer that says that a page is gone stays, and so
    does a record to whose bytes another page refers. What a host has sent is deleted by
    `lycosa block DIR HOST --forget`.
    """
    from lycosa.crawl.inspect.deletions import forget_deleted

    if not deleted:
        raise click.UsageError(
            "Say what: --deleted for pages that are gone; for a host: lycosa block DIR HOST"
            " --forget"
        )
    directory = open_crawl(session, path)
    forgotten = forget_deleted(directory)
    click.echo(_deleted(forgotten))
    if forgotten.records:
        _rebuild_indexes(directory, "them")


COMMANDS = (add, retry, block, unblock, forget)
