"""The commands `cluster status` and `cluster logs`, which only read a shared crawl."""

from __future__ import annotations

import json
import time
from contextlib import closing
from typing import TYPE_CHECKING

import click

from lycosa.cli.input.options import json_flag, place_argument
from lycosa.cli.input.places import open_crawl
from lycosa.cli.screen.notices import Session

if TYPE_CHECKING:
    from lycosa.cli.input.places import Place
    from lycosa.runtime.cluster.status import ClusterReader

WATCH_SECONDS = 2.0


@click.command()
@place_argument
@json_flag
@click.option("-w", "--watch", is_flag=True, help="Repeat every two seconds, until Ctrl-C.")
@click.pass_obj
def status(session: Session, /, path: Place, as_json: bool, watch: bool) -> None:
    """Show the members of a crawl, and the reasons if anything stands still.

    Each member has a line: its partitions, pages, speed and queue, how long its commit has waited
    for the log (lag), and how much would be lost with its machine (at risk). Below them are the
    reasons for anything that stands still, each with a command that repairs it. With --json --watch
    each update is one line.

    \b
      lycosa cluster status nats://a,b,c --watch
    """
    from lycosa.runtime.cluster.status import ClusterReader

    with closing(ClusterReader(open_crawl(session, path))) as reader:
        if watch:
            _watch(reader, as_json=as_json)
        elif as_json:
            from lycosa.cli.screen.cluster import cluster_data

            click.echo(json.dumps(cluster_data(reader.look()), indent=2))
        else:
            from lycosa.cli.screen.cluster import print_cluster
            from lycosa.cli.screen.console import Screen

            print_cluster(Screen(), reader.look())


def _watch(reader: ClusterReader, *, as_json: bool) -> None:
    from lycosa.cli.screen.cluster import cluster_data, cluster_page
    from lycosa.cli.screen.console import Screen

    if as_json:
        while True:
            click.echo(json.dumps(cluster_data(reader.look())))
            time.sleep(WATCH_SECONDS)
    from rich.live import Live

    screen = Screen()
    with Live(console=screen, auto_refresh=False, screen=screen.is_terminal) as live:
        while True:
            live.update(cluster_page(reader.look(), screen.width), refresh=True)
            time.sleep(WATCH_SECONDS)


@click.command()
@place_argument
@click.option("-f", "--follow", is_flag=True, help="Go on with new lines, until Ctrl-C.")
@click.option("--member", metavar="N", type=int, help="Show only the lines of this member.")
@json_flag
@click.pass_obj
def logs(session: Session, /, path: Place, follow: bool, member: int | None, as_json: bool) -> None:
    """Show the newest log lines of all members, in one list.

    Lines of members that are gone are shown as long as their records are kept. A member's last
    hundred lines are kept; its own file lycosa.log has all.

    \b
      lycosa cluster logs nats://a,b,c -f
    """
    from lycosa.runtime.shared_log.lines import LineReader

    with closing(LineReader(open_crawl(session, path), member)) as reader:
        while True:
            for line in reader.look():
                click.echo(json.dumps(line._asdict()) if as_json else str(line))
            if not follow:
                return
            time.sleep(WATCH_SECONDS)


COMMANDS = (status, logs)
