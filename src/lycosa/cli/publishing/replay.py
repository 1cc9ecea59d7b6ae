"""The commands `replay` and `export wacz`, which show stored pages as they were."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa._support import lean_arrow
from lycosa._support.extras import require_study
from lycosa.cli.amounts import counted, size_text
from lycosa.cli.input.options import directory_argument, json_flag, target_flag
from lycosa.cli.screen.lines import command
from lycosa.cli.screen.notices import Session
from lycosa.cli.screen.output import line_on_screen
from lycosa.cli.screen.serving import serve_until_stopped
from lycosa.errors import LycosaError
from lycosa.runtime.directory import CrawlDirectory

if TYPE_CHECKING:
    from lycosa.storage.wacz.virtual import VirtualWacz


@click.command(name="wacz")
@directory_argument
@target_flag("The file to write.", required=True)
@click.option(
    "--host", "hosts", multiple=True, metavar="HOST", help="Write only pages of this host (again)."
)
@click.option("--topic", default="", help="Write only pages about this topic.")
@click.option(
    "--withheld",
    "with_withheld",
    is_flag=True,
    help="Include pages that ask to be withheld (`noarchive`).",
)
@json_flag
@click.pass_obj
def export_wacz(session: Session, /, path: Path, target: Path, as_json: bool, **flags: Any) -> None:
    """Write the crawl as one WACZ file, for ReplayWeb.page.

    The file holds the WARC files as they are, one index of them, the list of pages, and a digest of
    each. It has the same bytes each time it is written from the same segments. If writing is
    stopped, the same command goes on where it was.

    Pages that ask for noarchive are left out, as in other exports. If there are such pages, and
    with --host or --topic, the records of the other pages are copied into WARC files of their own
    first, with the pictures, style sheets and scripts that they need; then a stopped command starts
    from the beginning.

    \b
    Examples:
      lycosa export wacz mycrawl -o mycrawl.wacz
      lycosa export wacz mycrawl -o one.wacz --host www.example.org
    """
    lean_arrow.load(with_numpy=True)  # Arrow's own allocator would keep 15 MB
    from lycosa.storage.wacz.export import write_wacz

    with line_on_screen() as show, _archive(session, path, target, flags, show) as (wacz, withheld):
        done = write_wacz(
            wacz, target, lambda n, all: show(f"{size_text(n)} of {size_text(all)} written")
        )
    if as_json:
        told = done._asdict() | {"digest": wacz.digest, "withheld": withheld}
        click.echo(json.dumps(told, indent=2))
        return
    click.echo(f"{target}: {counted(done.pages, 'page')}, {size_text(done.bytes)}")
    if withheld:
        click.echo(f"  {counted(withheld, 'page')} left out, as they ask (all: --withheld)")
    if done.resumed_at:
        click.echo(f"  went on at {size_text(done.resumed_at)}")
    click.echo("  look at it: open it at https://replayweb.page, which reads it on your machine")


@click.command()
@directory_argument
@click.option(
    "--player",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Your copy of ReplayWeb.page: npm pack replaywebpage, unpacked.",
)
@click.option("--host", default="127.0.0.1", help="The address to listen on (default: 127.0.0.1).")
@click.option("--port", default=8891, help="The port; 0 chooses a free one (default: 8891).")
@click.option(
    "--open",
    "opens",
    is_flag=True,
    help="Open it in a Chromium that reaches nothing else: no other server, no UDP.",
)
@click.pass_obj
def replay(
    session: Session, /, path: Path, player: Path | None, host: str, port: int, *, opens: bool
) -> None:
    """Show the pages of a crawl in a browser, as they were.

    Serves the archive and ReplayWeb.page, which you download once; nothing is copied, and the
    browser reads only the parts that it needs. The pages run their own scripts, so the server has
    an origin of its own and offers nothing else. It listens on this machine only unless --host says
    otherwise; there are no passwords. Pages sealed later are there after a restart. Archived
    scripts are kept from other servers; --open starts a browser that has no way to them.
    """
    from lycosa._support.extras import require_serve

    if player is None:
        raise LycosaError(
            "replay shows the archive in ReplayWeb.page, which is a program of others\n"
            "  get it once: npm pack replaywebpage && tar xf replaywebpage-*.tgz; then:"
            f" {command('replay', path, '--player', 'package')}\n"
            "  or open one file at https://replayweb.page:"
            f" {command('export wacz', path, '-o', f'{path.name}.wacz')}"
        )
    require_serve("lycosa replay")
    from lycosa.web.replay.browser import browser_at, find_chromium
    from lycosa.web.replay.replay import replay_server, require_player

    require_player(player)
    program = find_chromium() if opens else None
    with line_on_screen() as show:
        wacz = _opened(session, path, show)
    with closing(wacz), ExitStack() as opened:
        server = replay_server(wacz, player, host, port)
        if program is not None:  # it waits until the server answers, which listens already
            opened.enter_context(browser_at(program, server.url))
        serve_until_stopped(server, f"{counted(wacz.pages, 'page')} at {server.url}")


@contextmanager
def _archive(
    session: Session, path: Path, target: Path, flags: dict[str, Any], show: Callable[[str], None]
) -> Iterator[tuple[VirtualWacz, int]]:
    """Open the archive to be written; gives it and how many fetches are left out as pages ask."""
    from lycosa.storage.wacz.parts import has_withheld
    from lycosa.storage.wacz.virtual import VirtualWacz

    directory = _sealed(session, path)
    obeys = directory.job().extract.obey_noarchive
    with ExitStack() as opened:
        if not any(flags.values()) and not (obeys and has_withheld(path)):
            wacz, withheld = _whole(path, show), 0
        else:
            require_study("lycosa export")
            from lycosa.analysis.exports.wacz_files import Chosen, selection

            show("copying the records of the pages")
            chosen = Chosen(**flags)
            parts, withheld = opened.enter_context(selection(path, chosen, target))
            wacz = VirtualWacz(path, parts=parts)
        opened.callback(wacz.close)
        yield wacz, withheld


def _opened(session: Session, path: Path, show: Callable[[str], None]) -> VirtualWacz:
    _sealed(session, path)
    return _whole(path, show)


def _sealed(session: Session, path: Path) -> CrawlDirectory:
    from lycosa.runtime.recovery.leftovers import seal_leftovers

    directory = CrawlDirectory.open(path)
    session.messages = directory.messages
    if directory.holder() is None and directory.has_begun:
        with directory.locked():
            seal_leftovers(directory, directory.job())
    return directory


def _whole(path: Path, show: Callable[[str], None]) -> VirtualWacz:
    from lycosa.storage.wacz.virtual import VirtualWacz

    return VirtualWacz(
        path, lambda n, all: show(f"{size_text(n)} of {size_text(all)} read for digests")
    )


COMMANDS = (replay,)

__all__ = ["COMMANDS", "export_wacz", "replay"]
