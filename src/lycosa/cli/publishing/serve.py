"""The command `serve`: pages, a REST interface and SPARQL over crawls, or SPARQL alone."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.amounts import duration_flag, size_flag
from lycosa.cli.input.options import flags, served_argument
from lycosa.cli.input.places import open_crawl
from lycosa.cli.screen.notices import Session, notice
from lycosa.cli.screen.serving import serve_until_stopped
from lycosa.errors import ConfigError
from lycosa.runtime.directory import CrawlDirectory

if TYPE_CHECKING:
    from lycosa.cli.input.places import Place

_HOUSE = flags(
    click.option(
        "--host", default="127.0.0.1", help="The address to listen on (default: 127.0.0.1)."
    ),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8890,
        help="The port; 0 chooses a free one (default: 8890).",
    ),
    click.option(
        "--cors",
        "origins",
        multiple=True,
        metavar="ORIGIN",
        help=(
            "Accept requests from web pages of this origin, with the token "
            "(https://app.example.org)."
        ),
    ),
    click.option(
        "--name",
        "names",
        multiple=True,
        metavar="NAME",
        help="A name by which browsers may reach the server, besides localhost and addresses.",
    ),
    click.option(
        "--token",
        "token_file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=(
            "Use the token in this file; the file is made if it does not exist. Without it "
            "every start has a new token."
        ),
    ),
    click.option(
        "--public-sparql",
        "is_sparql_public",
        is_flag=True,
        help="Answer SPARQL queries without the token; queries change nothing.",
    ),
    click.option(
        "--trusted-proxy",
        "proxies",
        multiple=True,
        metavar="ADDRESS",
        help="The address or network of a proxy in front, whose X-Forwarded-For names the clients "
        "(again).",
    ),
    click.option("--open", "opens", is_flag=True, help="Open the page in the browser."),
)
_ENDPOINT = flags(
    click.option(
        "--only",
        type=click.Choice(("sparql",)),
        help="Serve the SPARQL endpoint alone, without pages and REST: read-only.",
    ),
    click.option(
        "--time",
        "seconds",
        type=duration_flag,
        default="30s",
        metavar="TIME",
        help="Time limit of a SPARQL query (default: 30s).",
    ),
    click.option(
        "--largest-answer",
        "largest_bytes",
        type=size_flag,
        default="50MB",
        metavar="SIZE",
        help="Size limit of a SPARQL result (default: 50MB).",
    ),
    click.option(
        "--processes",
        default=2,
        help="SPARQL queries answered at the same time for each crawl (default: 2).",
    ),
)


@click.command()
@served_argument
@_HOUSE
@_ENDPOINT
@click.option("--until-ended", is_flag=True, hidden=True)
@click.pass_obj
def serve(session: Session, /, path: Place, only: str | None, opens: bool, **given: Any) -> None:
    """Watch, steer, search and query crawls in the browser.

    \b
      lycosa serve mycrawl
      lycosa serve crawls/ --port 8000
      lycosa serve mycrawl --only sparql --public-sparql --host 0.0.0.0
      lycosa serve 'nats://a,b,c#3f2a'

    Serves one crawl, or all crawls under a folder: pages for people, a REST interface at /api/v1
    (OpenAPI: /api/v1/openapi.json) and a SPARQL endpoint at /sparql. The printed address
    ends in a token. Anybody with the token may change the crawls. SPARQL needs it, too, unless
    --public-sparql is given. It listens on this machine only unless --host says otherwise. Needs
    the extra `serve`. A running crawl is not slowed down, and goes on when the server ends. For a
    crawl named by the address of its log, it shows figures and members and takes orders;
    pages, search and questions need a crawl directory.
    """
    from lycosa._support.extras import require_serve

    is_crawl = not isinstance(path, Path) or (path / "crawl.toml").exists()
    if isinstance(path, Path) and (is_crawl or not path.is_dir()):
        CrawlDirectory.open(path)
    require_serve("lycosa serve")
    if only is not None:
        if not isinstance(path, Path):
            raise ConfigError("the SPARQL endpoint reads an index: name the folder of a crawl")
        open_crawl(session, path)
    elif not is_crawl:
        notice(f"{path}: all crawls below it are served, and new ones are made there")
    _serve(path, only, opens, given)


def _serve(path: Place, only: str | None, opens: bool, given: dict[str, Any]) -> None:
    from lycosa.web.running import Listening, server_of, until_ended
    from lycosa.web.served import QueryLimits, ServedCrawls

    limits = QueryLimits(given["seconds"], given["largest_bytes"], max(1, given["processes"]))
    listening = Listening(**{name: given[name] for name in Listening._fields})
    crawls = ServedCrawls(path, limits=limits) if isinstance(path, Path) else _distant(path)
    with closing(crawls):
        server = server_of(crawls, listening, only_sparql=only == "sparql")
        if given["until_ended"]:
            server.end_when(until_ended(crawls))

        def told() -> None:
            if opens:
                click.launch(server.url)
            if given["until_ended"]:
                _be_silent()

        serve_until_stopped(server, f"serving at {server.url}", told)


def _distant(place: Any) -> Any:
    from lycosa.runtime.shared_log.distant import DistantCrawl
    from lycosa.web.served import ServedCrawls

    distant = DistantCrawl(place)
    click.get_current_context().call_on_close(distant.close)
    return ServedCrawls(distant.path, distant)


def _be_silent() -> None:
    """Discard all output from now on: the parent has read the address and reads no more."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(nothing, descriptor)


COMMANDS = (serve,)
