"""The commands by which an operator leads a shared crawl: `drain`, `stop`, `set` and others."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
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
    from lycosa.runtime.cluster.status import ClusterReader, ClusterView
    from lycosa.runtime.shared_log.orders import Orders

LOOK_SECONDS = 1.0

wait_flag = click.option(
    "--no-wait", "no_wait", is_flag=True, help="Return at once, without waiting for the members."
)


@contextmanager
def _leading(session: Session, path: Place) -> Iterator[tuple[ClusterReader, Orders]]:
    from lycosa.runtime.cluster.status import ClusterReader
    from lycosa.runtime.shared_log.orders import Orders

    with closing(ClusterReader(open_crawl(session, path))) as reader:
        yield reader, Orders(reader)


def _wait(
    reader: ClusterReader, left: Callable[[ClusterView], list[int]], what: str
) -> ClusterView:
    """Wait until a function returns no members any more, and show the progress."""
    said = None
    while True:
        view = reader.look()
        numbers = left(view) if view.is_answering else None
        if numbers == []:
            return view
        partitions = sum(one.partitions for one in view.members if numbers and _is(one, numbers))
        now = f"{what}: {counted(len(numbers or ()), 'member')}, {counted(partitions, 'partition')}"
        if now != said and numbers:
            notice(now)
            said = now
        time.sleep(LOOK_SECONDS)


def _is(one: object, numbers: list[int]) -> bool:
    return one.record.number in numbers  # type: ignore[attr-defined]


def _told(data: dict[str, object], text: str, *, as_json: bool) -> None:
    click.echo(json.dumps(data) if as_json else text)


@click.command()
@place_argument
@click.argument("member", metavar="MEMBER|MACHINE")
@click.option("--undo", is_flag=True, help="Cancel the drain of members that have not ended yet.")
@wait_flag
@json_flag
@click.pass_obj
def drain(
    session: Session, /, path: Place, member: str, undo: bool, no_wait: bool, as_json: bool
) -> None:
    """Let a member, or all members of a machine, hand over and end.

    Partitions go to the others some at a time, and are crawled meanwhile; then the process ends
    with exit code 0. Its fetched pages stay in its directory. `lycosa join` or `lycosa resume`
    there brings it back.

    \b
      lycosa cluster drain nats://a,b,c 3
    """
    from lycosa.runtime.shared_log.orders import members_named

    with _leading(session, path) as (reader, orders):
        chosen = members_named(reader.look(), member)
        numbers = [one.record.number for one in chosen]
        orders.drain(chosen, is_undone=undo)
        if undo:
            _told({"members": numbers}, f"{_list(numbers)}: goes on", as_json=as_json)
            return
        if not no_wait:
            _wait(reader, lambda view: _alive(view, numbers), "handing over")
        done = "is leaving" if no_wait else "has handed everything over and ended"
        _told(
            {"members": numbers, "is_done": not no_wait},
            f"{_list(numbers)} {done}",
            as_json=as_json,
        )


def _alive(view: ClusterView, numbers: list[int] | None = None) -> list[int]:
    """Return the members that are alive, or some of them."""
    found = [one.record.number for one in view.members if not one.is_silent]
    return [one for one in found if numbers is None or one in numbers]


def _list(numbers: list[int]) -> str:
    return (
        f"member {numbers[0]}" if len(numbers) == 1 else f"members {', '.join(map(str, numbers))}"
    )


@click.command()
@place_argument
@wait_flag
@json_flag
@click.pass_obj
def stop(session: Session, /, path: Place, no_wait: bool, as_json: bool) -> None:
    """Stop a crawl on all machines.

    Members send no more requests, wait for answers under way, commit and end with exit code 0.
    Members that are cut off do so when they reconnect. Nothing is lost: `lycosa join` or `lycosa
    resume` goes on with the crawl at once.
    """
    with _leading(session, path) as (reader, orders):
        has_stopped = orders.stop()
        view = reader.look() if no_wait else _wait(reader, _alive, "stopping")
        text = "the crawl is stopping" if no_wait else "the crawl is stopped"
        if not has_stopped:
            text = "the crawl had ended before"
        data = {"has_stopped": has_stopped, "members_left": _alive(view)}
        _told(data, f"{text}\n  go on: {command('resume', path)}", as_json=as_json)


@click.command(name="set")
@place_argument
@click.argument("key")
@click.argument("value", required=False)
@click.option("--unset", is_flag=True, help="Go back to the value of the job.")
@wait_flag
@json_flag
@click.pass_obj
def set_key(
    session: Session,
    /,
    path: Place,
    key: str,
    value: str | None,
    unset: bool,
    no_wait: bool,
    as_json: bool,
) -> None:
    """Change a setting on all members while they crawl.

    These keys of the job can be changed: politeness.delay_seconds,
    politeness.large_site_delay_seconds, politeness.ip_delay_seconds, fetch.connections,
    fetch.bytes_per_second, limits.pages, limits.bytes, limits.seconds. Longer pauses hold at once.
    Limits stay exact. crawl.toml is not changed; the setting stays until --unset.

    \b
      lycosa cluster set nats://a,b,c politeness.delay_seconds 10s
      lycosa cluster set nats://a,b,c politeness.delay_seconds --unset
    """
    from lycosa.cli.input.jobs import read_setting

    if unset == (value is not None):
        raise click.UsageError("Give a VALUE, or --unset.")
    with _leading(session, path) as (reader, orders):
        if unset:
            revision, text = orders.unset(key), f"{key} is as in the job"
        else:
            read = read_setting(f"{key}={value}")[2]
            if not isinstance(read, bool | int | float | str):
                raise ConfigError(f"{key}: {value} is not a single value")
            revision, text = orders.set_value(key, read), f"{key} = {read}"
        _adopted(reader, revision, text, no_wait=no_wait, as_json=as_json)


def _adopted(
    reader: ClusterReader, revision: int, text: str, *, no_wait: bool, as_json: bool
) -> None:
    """Wait until all live members have adopted an order, and say so."""
    view = reader.look() if no_wait else _wait(reader, lambda v: _behind(v, revision), "adopting")
    behind = _behind(view, revision)
    live = len(_alive(view))
    by = f"; adopted by {live - len(behind):,} of {counted(live, 'member')}" if live else ""
    data = {"revision": revision, "behind": behind, "members": live}
    _told(data, f"{text}{by}", as_json=as_json)


def _behind(view: ClusterView, revision: int) -> list[int]:
    return [
        one.record.number
        for one in view.members
        if not one.is_silent and one.record.settings < revision
    ]


@click.command()
@place_argument
@wait_flag
@json_flag
@click.pass_obj
def pause(session: Session, /, path: Place, no_wait: bool, as_json: bool) -> None:
    """Send no requests from any machine until `cluster resume`.

    Members stay and keep their partitions. Answers under way are awaited and kept.
    """
    with _leading(session, path) as (reader, orders):
        revision = orders.pause(is_paused=True)
        _adopted(reader, revision, "paused", no_wait=no_wait, as_json=as_json)


@click.command()
@place_argument
@wait_flag
@json_flag
@click.pass_obj
def resume(session: Session, /, path: Place, no_wait: bool, as_json: bool) -> None:
    """Go on after `cluster pause`."""
    with _leading(session, path) as (reader, orders):
        revision = orders.pause(is_paused=False)
        _adopted(reader, revision, "the crawl goes on", no_wait=no_wait, as_json=as_json)


@click.command()
@place_argument
@click.argument("partitions", metavar="PARTITION...", nargs=-1, required=True, type=int)
@json_flag
@click.pass_obj
def lift(session: Session, /, path: Place, partitions: tuple[int, ...], as_json: bool) -> None:
    """Let members take a partition again whose owners have died.

    A partition is cordoned when four owners have died soon after they took it. See why in
    `cluster logs` before it is lifted.
    """
    with _leading(session, path) as (_, orders):
        orders.lift(partitions)
        text = f"{counted(len(partitions), 'partition')} may be taken again"
        _told({"partitions": list(partitions)}, text, as_json=as_json)


COMMANDS = (drain, stop, set_key, pause, resume, lift)
