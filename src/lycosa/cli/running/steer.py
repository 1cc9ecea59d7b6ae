"""The commands `pause`, `stop`, `set`, `exclude`, `include`, `orders`: steer a running crawl."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.amounts import counted
from lycosa.cli.input.options import json_flag, place_argument
from lycosa.cli.input.orders import LOOK_SECONDS, order, order_flags, say
from lycosa.cli.input.places import open_crawl
from lycosa.cli.screen.lines import command
from lycosa.cli.screen.notices import Session
from lycosa.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lycosa.cli.input.places import Place
    from lycosa.runtime.directory import CrawlDirectory
    from lycosa.runtime.orders.orders import Numbered


@click.command()
@place_argument
@order_flags
@click.pass_obj
def pause(session: Session, /, path: Place, **flags: Any) -> None:
    """Send no requests until `resume`.

    Requests under way are finished and kept. The pause survives kills, and its time counts towards
    no limit.

    \b
      lycosa pause mycrawl
      lycosa resume mycrawl
    """
    from lycosa.runtime.orders.orders import Pause

    order(open_crawl(session, path), Pause(), f"paused; go on: {command('resume', path)}", flags)


@click.command()
@place_argument
@order_flags
@click.pass_obj
def stop(session: Session, /, path: Place, **flags: Any) -> None:
    """End a crawl's run cleanly, as Ctrl-C does.

    Requests under way are finished and kept; `lycosa resume` continues.
    """
    from lycosa.runtime.orders.desk import give
    from lycosa.runtime.orders.orders import Stop

    directory = open_crawl(session, path)
    holder = directory.holder()
    given = give(directory, Stop(), flags["client_id"])
    while not flags["no_wait"] and holder is not None:
        now = directory.holder()
        if now is None or now.pid != holder.pid:
            break
        time.sleep(LOOK_SECONDS)
    if flags["as_json"]:
        is_applied = not flags["no_wait"]
        click.echo(
            json.dumps({"order": given.number, "is_new": given.is_new, "is_applied": is_applied})
        )
    else:
        said = "is stopping" if flags["no_wait"] or holder is None else "stopped"
        click.echo(f"order {given.number}: {said}; continue: {command('resume', path)}")


@click.command(name="set")
@place_argument
@click.argument("settings", metavar="[KEY=VALUE]...", nargs=-1)
@click.option("--unset", metavar="KEY", multiple=True, help="Go back to the job's own value.")
@order_flags
@click.pass_obj
def set_values(
    session: Session,
    /,
    path: Place,
    settings: tuple[str, ...],
    unset: tuple[str, ...],
    **flags: Any,
) -> None:
    """Change limits, pauses and connections of a crawl that runs.

    These keys of the job can be changed: politeness.delay_seconds,
    politeness.large_site_delay_seconds, politeness.ip_delay_seconds (never below the job's own),
    fetch.connections, fetch.bytes_per_second, limits.pages, limits.bytes, limits.seconds. Longer
    pauses hold at once. Limits stay exact: a limit below the pages already kept ends the crawl.
    crawl.toml is not changed; a setting stays until --unset.

    \b
      lycosa set mycrawl limits.pages=2000
      lycosa set mycrawl politeness.delay_seconds=10s
      lycosa set mycrawl --unset limits.pages
    """
    from lycosa.cli.input.jobs import read_setting
    from lycosa.runtime.orders.orders import SetValue, Unset

    if not settings and not unset:
        raise click.UsageError("Give KEY=VALUE, or --unset KEY.")
    if flags["client_id"] and len(settings) + len(unset) > 1:
        raise click.UsageError("An --id names one order: give one KEY=VALUE, or one --unset.")
    directory = open_crawl(session, path)
    read = [(setting, *read_setting(setting)) for setting in settings]
    for setting, section, name, value in read:
        if not isinstance(value, bool | int | float | str):
            raise ConfigError(f"{setting}: is not a single value")
        order(directory, SetValue(f"{section}.{name}", value), f"{section}.{name} = {value}", flags)
    for key in unset:
        order(directory, Unset(key), f"{key} is as in the job", flags)


@click.command()
@place_argument
@click.argument("pattern", required=False)
@click.option("--remove", metavar="N", type=int, help="Remove the rule that order N has added.")
@click.option("--preview", "is_preview", is_flag=True, help="Only count the URLs that match.")
@click.option(
    "--add-refused",
    metavar="N",
    type=int,
    help="Add the links that the rule of order N has refused, as seeds.",
)
@order_flags
@click.pass_obj
def exclude(
    session: Session,
    /,
    path: Place,
    pattern: str | None,
    remove: int | None,
    is_preview: bool,
    add_refused: int | None,
    **flags: Any,
) -> None:
    """Skip URLs that match, also those in the queue.

    PATTERN is written as for --exclude: a host, a URL prefix, or regex:EXPRESSION. Waiting URLs end
    as `excluded` when their turn comes; --remove brings them back. Links that were found while the
    rule held were refused and do not come back: --remove counts them, --add-refused crawls them as
    seeds, so at depth 0.

    \b
      lycosa exclude mycrawl https://example.org/forum/ --preview
      lycosa exclude mycrawl https://example.org/forum/
      lycosa exclude mycrawl --remove 3
      lycosa exclude mycrawl --add-refused 3
    """
    if add_refused is not None:
        if pattern is not None or remove is not None:
            raise click.UsageError("--add-refused N stands alone.")
        _add_refused(open_crawl(session, path), add_refused, flags)
        return
    if is_preview and pattern is not None:
        _preview(open_crawl(session, path), pattern, as_json=flags["as_json"])
    else:
        _rule(open_crawl(session, path), "exclude", pattern, remove, flags)


@click.command()
@place_argument
@click.argument("pattern", required=False)
@click.option("--remove", metavar="N", type=int, help="Remove the rule that order N has added.")
@order_flags
@click.pass_obj
def include(
    session: Session, /, path: Place, pattern: str | None, remove: int | None, **flags: Any
) -> None:
    """Follow links that match, in addition to the job's own rules.

    PATTERN is written as for --include. URLs rejected by a rule of the job or by `lycosa exclude`
    stay rejected. Links found from now on are followed. Add links found before as seeds.

    \b
      lycosa include mycrawl docs.example.org
    """
    _rule(open_crawl(session, path), "include", pattern, remove, flags)


def _rule(
    directory: CrawlDirectory,
    name: str,
    pattern: str | None,
    remove: int | None,
    flags: dict[str, Any],
) -> None:
    from lycosa.cli.input.jobs import flag_rules
    from lycosa.runtime.orders.orders import AddRule, RemoveRule

    if (pattern is None) == (remove is None):
        raise click.UsageError("Give a PATTERN, or --remove N.")
    if remove is not None:
        order(directory, RemoveRule(remove), f"the rule of order {remove} is removed", flags)
        is_told = name == "exclude" and not flags["as_json"] and not directory.is_distant
        if is_told and (count := sum(1 for _ in _refused(directory, remove))):
            again = command("exclude", directory.path, "--add-refused", str(remove))
            click.echo(f"  it had refused {counted(count, 'link')}; crawl them: {again}")
        return
    assert pattern is not None
    patterns = ((), (pattern,)) if name == "exclude" else ((pattern,), ())
    (rule,) = flag_rules(*patterns)
    order(directory, AddRule(rule), f"{name}: {pattern}", flags)


def _refused(directory: CrawlDirectory, number: int) -> Iterator[str]:
    """Yield the links that the rule of an order has refused."""
    from lycosa.runtime.orders.desk import known_orders
    from lycosa.runtime.orders.orders import AddRule
    from lycosa.runtime.orders.refused import reason_of, refused_links

    given = {one.number: one for one in known_orders(directory)}
    if number not in given or not isinstance(given[number].order, AddRule):
        added = ", ".join(str(n) for n, one in given.items() if isinstance(one.order, AddRule))
        raise ConfigError(f"order {number} has added no rule; orders that have: {added or 'none'}")
    return refused_links(directory.path, reason_of(given[number]))


def _add_refused(directory: CrawlDirectory, number: int, flags: dict[str, Any]) -> None:
    from lycosa.runtime.orders.desk import add_seeds

    if directory.is_distant:
        raise ConfigError(
            f"{directory.shown}: refused links are in the tables of the machines that crawl\n"
            "  give the crawl directory of a machine instead of the address"
        )
    given = add_seeds(directory, _refused(directory, number), flags["client_id"])
    planted = given.planted
    if not given.number:
        refused = len(planted.refused) + sum(planted.more_refused.values()) if planted else 0
        more = f"; {refused:,} are refused by other rules" if refused else ""
        raise ConfigError(f"the rule of order {number} has refused no link that can be added{more}")
    count = planted.accepted if planted is not None else 0
    say(directory, given, f"{counted(count, 'refused link')} added as seeds", flags)


def _preview(directory: CrawlDirectory, pattern: str, *, as_json: bool) -> None:
    from lycosa.cli.input.jobs import flag_rules
    from lycosa.runtime.orders.preview import preview

    (rule,) = flag_rules((), (pattern,))
    states = directory.each_state(directory.job()) if directory.has_begun else ()
    found = preview(states, rule)
    if as_json:
        click.echo(json.dumps(found._asdict()))
        return
    click.echo(f"{found.matching:,} of {counted(found.pending, 'URL')} in the queue match")
    for url in found.examples:
        click.echo(f"  {url}")


@click.command()
@place_argument
@json_flag
@click.pass_obj
def orders(session: Session, /, path: Place, as_json: bool) -> None:
    """List the orders that were given to a crawl."""
    from lycosa.runtime.orders.desk import as_data, known_orders

    directory = open_crawl(session, path)
    given = known_orders(directory)
    applied = _applied(directory) if given else 0
    if as_json:
        data = [{**as_data(one), "is_applied": one.number <= applied} for one in given]
        click.echo(json.dumps(data, indent=2))
        return
    if not given:
        click.echo(f"{path}: no orders were given")
    for one in given:
        moment = datetime.fromtimestamp(one.moment, UTC).strftime("%Y-%m-%d %H:%M:%S")
        state = "applied" if one.number <= applied else "noted  "
        click.echo(f"{one.number:4}  {moment}  {state}  {_text(one)}")


def _applied(directory: CrawlDirectory) -> int:
    """Return the last order that all partitions have applied."""
    from lycosa.runtime.orders.live import read_frame

    frame = None if directory.is_distant else read_frame(directory.path)
    if frame is not None and frame.is_fresh() and directory.holder() is not None:
        return frame.order
    return min(state.orders for state in directory.each_state(directory.job()))


def _text(given: Numbered) -> str:
    import msgspec

    fields: dict[str, Any] = msgspec.to_builtins(given.order)
    kind = fields.pop("kind")
    shown = fields.get("rule") or {name: value for name, value in fields.items() if value}
    values = " ".join(f"{name}={_value(value)}" for name, value in shown.items())
    return f"{kind} {values}".rstrip()


def _value(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


COMMANDS = (pause, stop, set_values, exclude, include, orders)
