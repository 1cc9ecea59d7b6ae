"""The commands `replay` and `export wacz`, which show stored pages as they were."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.amounts import counted, size_text
from lycosa.cli.input.options import directory_argument, json_flag
from lycosa.cli.screen.notices import Session, notice
from lycosa.cli.screen.output import line_on_screen
from lycosa.crawl.directory import CrawlDirectory
from lycosa.errors import LycosaError

if TYPE_CHECKING:
    from lycosa.store.wacz.virtual import VirtualWacz


@click.command(name="wacz")
@directory_argument
@click.option(
    "-o",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The file to write.",
)
@json_flag
@click.pass_obj
def export_wacz(session: Session, /, path: Path, target: Path, as_json: bool) -> None:
    """Write the crawl as one WACZ file, for ReplayWeb.page.

    The file holds the WARC files as they are, one index of them, the list of pages, and a digest of
    each. It has the same bytes each time it is written from the same segments. If writing is
    stopped, the same command goes on where it was. Pages that ask for noarchive are neither in the
    index nor in the list, so they are not replayed; their records stay in the WARC files.
    """
    from lycosa.store.wacz.export import write_wacz

    with line_on_screen() as show:
        wacz = _opened(session, path, show)
        try:
            done = write_wacz(
                wacz, target, lambda n, all: show(f"{size_text(n)} of {size_text(all)} written")
            )
        finally:
            wacz.close()
    if as_json:
        click.echo(json.dumps(done._asdict() | {"digest": wacz.digest}, indent=2))
        return
    click.echo(f"{target}: {counted(done.pages, 'page')}, {size_text(done.bytes)}")
    if done.resumed_at:
        click.echo(f"  went on at {size_text(done.resumed_at)}")
    click.echo("  look at it: open it at https://replayweb.page, which reads it on your machine")


@click.command()
@directory_argument
@click.option(
    "--player",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Your copy of ReplayWeb.page: npm pack replaywebpage, unpacked.",
)
@click.option("--host", default="127.0.0.1", help="The address to listen on (default: 127.0.0.1).")
@click.option("--port", default=8891, help="The port; 0 chooses a free one (default: 8891).")
@click.pass_obj
def replay(session: Session, /, path: Path, player: Path, host: str, port: int) -> None:
    """Show the pages of a crawl in a browser, as they were.

    Serves the archive and ReplayWeb.page, which you fetch once; nothing is copied, and the browser
    reads only the parts that it needs. The pages run their own scripts, so the server has an origin
    of its own and offers nothing else. It listens on this machine only unless --host says
    otherwise; there are no passwords. Pages sealed later are there after a restart.
    """
    from lycosa.serve.replay import Replay, require_player

    require_player(player)
    if find_spec("uvicorn") is None:
        raise LycosaError("lycosa replay needs uvicorn\n  install: pip install 'lycosa[serve]'")
    with line_on_screen() as show:
        wacz = _opened(session, path, show)
    server = Replay(wacz, player, host, port)
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        click.echo(f"{counted(wacz.pages, 'page')} at {server.url}")
        sys.stdout.flush()
        server.run()
    except KeyboardInterrupt:
        notice("stopped")
    finally:
        signal.signal(signal.SIGTERM, before)
        server.close()
        wacz.close()


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _opened(session: Session, path: Path, show: Callable[[str], None]) -> VirtualWacz:
    from lycosa.crawl.recovery.leftovers import seal_leftovers
    from lycosa.store.wacz.virtual import VirtualWacz

    directory = CrawlDirectory.open(path)
    session.messages = directory.messages
    if directory.holder() is None and directory.has_begun:
        with directory.locked():
            seal_leftovers(directory, directory.job())
    return VirtualWacz(
        path, lambda n, all: show(f"{size_text(n)} of {size_text(all)} read for digests")
    )


COMMANDS = (replay,)

__all__ = ["COMMANDS", "export_wacz", "replay"]
