"""The flags that several commands share, and the groups in which `--help` shows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from lycosa.cli.amounts import duration_flag, size_flag
from lycosa.errors import ConfigError
from lycosa.model.job import SCHEDULERS
from lycosa.model.job.recipes import RECIPES
from lycosa.model.job.render import MODES
from lycosa.model.job.sections import MINING

F = TypeVar("F", bound=Callable[..., Any])


class GroupedOption(click.Option):
    """A flag that `--help` lists under a heading."""

    def __init__(self, *names: Any, heading: str = "Options", **facts: Any) -> None:
        super().__init__(*names, **facts)
        self.heading = heading


class GroupedCommand(click.Command):
    """A command whose `--help` lists its flags under headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the flags heading by heading, in the order of their definition."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Argument):
                continue
            if record := parameter.get_help_record(ctx):
                heading = getattr(parameter, "heading", "Options")
                groups.setdefault(heading, []).append(record)
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def flags(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Join flags into one decorator, in their order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _option(heading: str, *names: str, **facts: Any) -> Callable[[F], F]:
    return click.option(*names, cls=GroupedOption, heading=heading, **facts)


_LIMITS = "Limits"
_POLITE = "Politeness and speed"
_SCOPE = "Scope"
_ORDER = "Order"
_CYCLES = "Revisits"
_OUTPUT = "Output"

limit_flags = flags(
    _option(
        _LIMITS,
        "--max-pages",
        type=click.IntRange(min=0),
        metavar="N",
        help="Stop after N kept pages.",
    ),
    _option(
        _LIMITS,
        "--max-bytes",
        type=size_flag,
        metavar="SIZE",
        help="Stop after this much content: 500MB, 2GiB.",
    ),
    _option(
        _LIMITS,
        "--time",
        type=duration_flag,
        metavar="TIME",
        help="Stop after this time, counted over all runs: 30m, 2h, 1d.",
    ),
    _option(
        _LIMITS,
        "--depth",
        type=click.IntRange(min=0),
        metavar="N",
        help="Follow at most N links from a seed.",
    ),
    _option(
        _LIMITS, "--only-seeds", is_flag=True, help="Fetch only the seeds; the same as --depth 0."
    ),
    _option(
        _LIMITS,
        "--min-free-disk",
        type=size_flag,
        metavar="SIZE",
        help="Stop when the disk has less free space than this.",
    ),
)

machine_flags = flags(
    _option(
        _POLITE,
        "--workers",
        type=int,
        metavar="N",
        help="Crawl with N processes; 0 means one for every core (default).",
    ),
    _option(
        _POLITE,
        "--connections",
        type=int,
        metavar="N",
        help="Requests in flight at once, over all hosts.",
    ),
    _option(
        _POLITE,
        "--bandwidth",
        type=size_flag,
        metavar="SIZE",
        help="Receive at most this much a second: 2MB.",
    ),
)

fetch_flags = flags(
    _option(
        _POLITE,
        "--contact",
        metavar="TEXT",
        help="A web page or mail address where site owners reach you; part of the user agent.",
    ),
    _option(
        _POLITE,
        "--delay",
        type=duration_flag,
        metavar="TIME",
        help="Pause between two requests to a host, whatever its size.",
    ),
    _option(
        _POLITE,
        "--ip-delay",
        type=duration_flag,
        metavar="TIME",
        help="Pause between two requests to an IP address.",
    ),
    machine_flags,
    _option(
        _POLITE,
        "--allow-private",
        is_flag=True,
        help="Allow requests to private and loopback addresses.",
    ),
    _option(
        _POLITE,
        "--allow-network",
        multiple=True,
        metavar="NETWORK",
        help=(
            "Allow requests to this private network: 10.20.0.0/16. Other private networks stay "
            "refused."
        ),
    ),
)

order_flags = flags(
    _option(
        _ORDER,
        "--scheduler",
        metavar="NAME",
        help=f"The order of fetching: {', '.join(SCHEDULERS)}, or plugin:name.",
    ),
)

cycle_flags = flags(
    _option(
        _CYCLES,
        "--cycles",
        type=int,
        metavar="N",
        help="Crawl, then revisit the most valuable pages; N cycles in all (policy `profit`).",
    ),
    _option(
        _CYCLES,
        "--continuous",
        is_flag=True,
        help="Keep starting cycles until the crawl is stopped.",
    ),
)

rule_flags = flags(
    _option(
        _SCOPE,
        "--include",
        multiple=True,
        metavar="PATTERN",
        help="Crawl matching URLs: a domain (example.org, .cl), the beginning of a URL, "
        "or regex:EXPRESSION. Without it the crawl stays on the hosts of the seeds.",
    ),
    _option(
        _SCOPE,
        "--exclude",
        multiple=True,
        metavar="PATTERN",
        help="Skip matching URLs, even if --include matches them.",
    ),
)

scope_flags = flags(
    rule_flags,
    _option(
        _SCOPE,
        "--requisites",
        is_flag=True,
        help="Fetch page requisites, too: images, styles, scripts. Folders are then not guessed.",
    ),
    _option(
        _SCOPE,
        "--documents",
        is_flag=True,
        help="Keep PDF and office files, EPUB and RTF too; `lycosa index` reads their text.",
    ),
    _option(
        _SCOPE,
        "--wide",
        is_flag=True,
        help="Follow possible links, too: URLs in scripts and JSON, sources of quotations.",
    ),
    _option(
        _SCOPE,
        "--language",
        multiple=True,
        metavar="CODE",
        help=(
            "Keep only pages in this language (de, en); links of other pages are followed. "
            "Repeat the flag for several languages."
        ),
    ),
    _option(
        _SCOPE,
        "--mining",
        type=click.Choice(MINING),
        help="Guess unlinked URLs: none, folders above pages (default), or siblings too.",
    ),
    _option(
        _SCOPE,
        "--forms",
        is_flag=True,
        help="Fill in search forms (GET alone), as long as that leads to new pages.",
    ),
)

render_flag = _option(
    _SCOPE,
    "--render",
    type=click.Choice(MODES),
    help="Render pages in a browser: none (default), where scripts make a difference, or all.",
)

log_flag = click.option(
    "--log",
    "log_server",
    metavar="URL",
    help="Keep the log in a server, so that other machines can join: postgresql://HOST/DATABASE or "
    "nats://HOST1,HOST2,HOST3.",
)

store_flag = click.option(
    "--store",
    metavar="URL",
    help="Copy fetched pages to a store as well: s3://BUCKET/PREFIX, or file:///FOLDER.",
)

set_flag = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="SECTION.KEY=VALUE",
    help="Set any key of the job; `lycosa config` lists all keys.",
)

trust_flag = click.option(
    "--trust",
    metavar="DIGEST",
    default="",
    help="Accept the operator settings with this digest, for this command alone; `lycosa trust`"
    " prints it.",
)

screen_flags = flags(
    _option(
        _OUTPUT,
        "--json",
        "as_json",
        is_flag=True,
        help="Print the summary as JSON, and progress as lines of JSON.",
    ),
    _option(_OUTPUT, "-q", "--quiet", is_flag=True, help="Show no progress."),
)
serve_flags = flags(
    _option(
        _OUTPUT,
        "--serve",
        "is_served",
        is_flag=True,
        help="Also serve the crawl's page, as `lycosa serve` does, and print its address. The "
        "server is a process of its own and ends ten minutes after the crawl.",
    ),
    _option(
        _OUTPUT,
        "--serve-port",
        type=click.IntRange(0, 65535),
        metavar="PORT",
        help="The port of --serve (default: a free one).",
    ),
)

recipe_flag = click.option(
    "--recipe",
    type=click.Choice(list(RECIPES)),
    help=(
        "Use the settings for a purpose; other flags, --set and --config win. The settings are "
        "shown."
    ),
)

seeds_flag = click.option(
    "--seeds",
    "seed_file",
    type=click.File("r", encoding="utf-8"),
    metavar="FILE",
    help=(
        "Read seeds from a file, one a line; a topic may follow after a tab. Or read pools of "
        "topics (.toml, .csv). - means standard input."
    ),
)

json_flag = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

raw_flag = click.option(
    "--raw",
    "is_raw",
    is_flag=True,
    help="Write CSV unchanged; by default cells that a spreadsheet would run as formulas get a "
    "leading apostrophe.",
)


class _Folder(click.Path):
    """A crawl directory; the address of a log is refused, with the command to type instead."""

    def __init__(self) -> None:
        super().__init__(file_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a path."""
        if "://" in str(value):
            name = ctx.info_name if ctx is not None else ""
            if name == "resume":
                raise ConfigError(
                    f"{value}: is the log of a crawl; pages need a folder on this machine\n"
                    f"  go on with the crawl: lycosa join {value} -o DIR"
                )
            raise ConfigError(
                f"{value}: is the log of a crawl; `{name}` reads stored pages\n"
                "  name the crawl directory of a machine, or fetch all of them from the crawl's"
                " store: lycosa fetch STORE DIR"
            )
        return super().convert(value, param, ctx)


class _Place(_Folder):
    """A crawl directory, or the address of a log in a server."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a path or a `ServerPlace`."""
        if "://" not in str(value):
            return super().convert(value, param, ctx)
        # imported here: a crawl in a folder does not need it
        from lycosa.runtime.shared_log.distant import parse_place

        return parse_place(str(value))


directory_argument = click.argument("path", metavar="DIR", type=_Folder())
place_argument = click.argument("path", metavar="DIR|URL", type=_Place())
served_argument = click.argument("path", metavar="[DIR|ROOT|URL]", type=_Place(), default=".")


def target_flag(help: str, **more: Any) -> Callable[[Any], Any]:
    """Return the flag `-o` for the file to write; `help` describes its content."""
    path = click.Path(dir_okay=False, path_type=Path)
    return click.option("-o", "target", type=path, help=help, **more)


id_flag = click.option(
    "--id",
    "client_id",
    metavar="ID",
    default="",
    help="A name for this order; a second order with the same name changes nothing.",
)
no_wait_flag = click.option(
    "--no-wait",
    "no_wait",
    is_flag=True,
    help="Return when the order is recorded, before it is applied.",
)
