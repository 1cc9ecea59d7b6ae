"""The commands `add`, `retry`, `block`, `unblock`, `forget`: change a crawl.

All but `forget` also work while it runs: then they are orders (`runtime.orders`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from lycosa.cli.amounts import counted, size_text
from lycosa.cli.input.options import (
    directory_argument,
    id_flag,
    json_flag,
    place_argument,
    seeds_flag,
)
from lycosa.cli.input.orders import order, order_flags
from lycosa.cli.input.places import open_crawl
from lycosa.cli.input.seeds import gather
from lycosa.cli.screen.lines import refused_more_text
from lycosa.cli.screen.notices import Session, notice
from lycosa.cli.screen.summary import command

if TYPE_CHECKING:
    from lycosa.cli.input.places import Place
    from lycosa.runtime.directory import CrawlDirectory
    from lycosa.storage.segments.removal import Forgotten


@click.command()
@place_argument
@click.argument("seeds", metavar="[SEED]...", nargs=-1)
@seeds_flag
@id_flag
@json_flag
@click.pass_obj
def add(
    session: Session,
    /,
    path: Place,
    seeds: tuple[str, ...],
    seed_file: TextIO | None,
    client_id: str,
    as_json: bool,
) -> int:
    """Add seeds to a crawl.

    A running crawl fetches them at once, any other crawl when it is resumed.
    """
    from lycosa.runtime.orders import desk
    from lycosa.runtime.seeds import refusal_text

    directory = open_crawl(session, path)
    if not seeds and seed_file is None:
        raise click.UsageError("Give a SEED, or a file of them with --seeds.")
    given = gather(seeds, seed_file, lambda count: notice(f"reading seeds: {count:,}"))
    ordered = desk.add_seeds(directory, given, client_id)
    planted = ordered.planted
    if planted is None:
        data = {"order": ordered.number, "is_new": False}
        click.echo(json.dumps(data) if as_json else f"order {ordered.number} was given before")
        return 0
    if not planted.accepted and not planted.refused:
        raise click.UsageError("Give a SEED, or a file of them with --seeds.")
    for seed, reason in planted.refused.items():
        notice(f"{seed}: not a usable seed: {refusal_text(seed, reason)}")
    if planted.more_refused:
        notice(refused_more_text(planted.more_refused))
    if as_json:
        refused = len(planted.refused) + sum(planted.more_refused.values())
        data = {"order": ordered.number, "is_new": True, "added": planted.accepted}
        click.echo(json.dumps({**data, "refused": refused}))
    else:
        click.echo(f"{counted(planted.accepted, 'seed')} added to {path}")
    return 0 if planted.accepted else 1


@click.command()
@place_argument
@click.option("--traps", is_flag=True, help="Retry the URLs that were put aside as traps instead.")
@order_flags
@click.pass_obj
def retry(session: Session, /, path: Place, traps: bool, **flags: Any) -> None:
    """Fetch failed URLs again.

    URLs with temporary failures (timeouts, server errors, hosts that were given up,
    addresses that were refused and are allowed now) go back into the queue, and
    `lycosa resume` fetches them; a crawl that runs does so at once. With --traps these are the
    URLs that were put aside because similar pages brought nothing new, and the links of mirrors.
    """
    from lycosa.operate.inspect import edits
    from lycosa.runtime.orders.orders import Retry

    directory = open_crawl(session, path)
    if _is_order(directory, flags):
        what = "URLs put aside" if traps else "failed URLs"
        wanted = Retry("traps") if traps else Retry()
        order(directory, wanted, f"{what} are back in the queue", flags)
        return
    count = edits.release_traps(directory) if traps else edits.retry_failed(directory)
    click.echo(f"{counted(count, 'URL')} back in the queue")
    if count:
        click.echo(f"  continue: {command('resume', path)}")


@click.command()
@place_argument
@click.argument("host")
@click.option(
    "--forget", is_flag=True, help="Also delete everything that the host has sent so far."
)
@order_flags
@click.pass_obj
def block(session: Session, /, path: Place, host: str, forget: bool, **flags: Any) -> None:
    """Stop sending requests to a host.

    A crawl that runs leaves it alone at once. With --forget the crawl must not be running.
    """
    from lycosa.operate.inspect import edits
    from lycosa.runtime.orders.orders import Block

    directory = open_crawl(session, path)
    if not forget and _is_order(directory, flags):
        lift = command("unblock", path, host)
        order(directory, Block(host), f"{host} is blocked; to lift it: {lift}", flags)
        return
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
@order_flags
@click.pass_obj
def unblock(session: Session, /, path: Place, host: str, **flags: Any) -> None:
    """Send requests to a blocked host again.

    Its URLs go back into the queue, and `lycosa resume` fetches them; a crawl that runs does so at
    once. Pages that --forget deleted are fetched again.
    """
    from lycosa.operate.inspect import edits
    from lycosa.runtime.orders.orders import Unblock

    directory = open_crawl(session, path)
    if _is_order(directory, flags):
        order(directory, Unblock(host), f"{host} is no longer blocked", flags)
        return
    count = edits.unblock_host(directory, host)
    click.echo(f"{host} is no longer blocked; {counted(count, 'URL')} back in the queue")
    click.echo(f"  continue: {command('resume', path)}")


def _is_order(directory: CrawlDirectory, flags: dict[str, Any]) -> bool:
    """Return whether a change is to be an order: the crawl runs, or the client names its orders."""
    if flags["client_id"] or flags["as_json"] or directory.holder() is not None:
        return True
    job = directory.job()
    if not job.log.server:
        return False
    from contextlib import closing

    from lycosa.runtime.shared_log.other_machines import machines_at_work

    with closing(directory.log(job)) as log:
        return bool(machines_at_work(log, job))


def _rebuild_indexes(directory: CrawlDirectory, what: str) -> None:
    """Rebuild the existing indexes without the deleted pages."""
    import shutil

    from lycosa._support.extras import SEARCH, missing
    from lycosa.analysis.triples.generations import Generations
    from lycosa.analysis.triples.index import Index

    path = directory.path
    if Index(path).generation() is not None and Index(path).update().is_anew:
        click.echo(f"rebuilt the triple index without {what}")
    texts = Generations(path, "text", "text index")
    if texts.current() is not None and missing(SEARCH):
        # the index must not keep the deleted text, and tantivy is not there to build another
        shutil.rmtree(texts.folder)
        click.echo(f"deleted the text index, which held {what}")
    elif texts.current() is not None:
        from lycosa.analysis.text_index.index import TextIndex

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
    """Free the disk space of pages that no longer exist.

    The crawl must not be running. The answer that says that a page is gone stays, and so
    does a record to whose bytes another page refers. The pages of a host are deleted by
    `lycosa block DIR HOST --forget`.
    """
    from lycosa.operate.inspect.deletions import forget_deleted

    if not deleted:
        raise click.UsageError(
            "The pages to forget are missing: --deleted for pages that are gone; for a host:"
            " lycosa block DIR HOST --forget"
        )
    directory = open_crawl(session, path)
    forgotten = forget_deleted(directory)
    click.echo(_deleted(forgotten))
    if forgotten.records:
        _rebuild_indexes(directory, "them")


COMMANDS = (add, retry, block, unblock, forget)
