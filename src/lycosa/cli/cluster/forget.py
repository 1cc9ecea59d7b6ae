"""The command `cluster forget`, which gives up a machine that will not come back."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING

import click

from lycosa.cli.amounts import counted
from lycosa.cli.input.options import json_flag, place_argument
from lycosa.cli.input.places import open_crawl
from lycosa.cli.screen.lines import command
from lycosa.cli.screen.notices import Session, notice

if TYPE_CHECKING:
    from lycosa.cli.input.places import Place
    from lycosa.runtime.recovery.lost_machines import Forgotten


@click.command()
@place_argument
@click.argument("machine", metavar="MACHINE|DIRECTORY")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@json_flag
@click.pass_obj
def forget(session: Session, /, path: Place, machine: str, yes: bool, as_json: bool) -> int:
    """Give up a machine that will not come back, and fetch its lost pages again.

    The machine is named as `cluster status` shows it, or by the number of one of its crawl
    directories. Pages that it has copied to the store stay. Pages that only it had go back into the
    queue. It must be dead, or silent for 16 s; afterwards its directory cannot join again.

    \b
      lycosa cluster forget nats://a,b,c m3
    """
    from lycosa.operate.rescue import rescue_segment
    from lycosa.runtime.cluster.status import ClusterReader
    from lycosa.runtime.recovery.lost_machines import forget_machine, what_is_at_risk
    from lycosa.runtime.uploads.open_parts import has_parts
    from lycosa.storage.objects.opening import open_objects

    directory = open_crawl(session, path)
    with closing(ClusterReader(directory)) as reader:
        job, store = reader.job, reader.job.store.place
        objects = open_objects(store, job.log.name) if store else None
        rescue: Callable[[int], bool] | None = None
        parts: Callable[[int], bool] | None = None
        if objects is not None and job.store.durable == "cluster":
            rescue = partial(rescue_segment, job, lambda: directory.log(job), objects)
            parts = partial(has_parts, objects)
        if not yes:
            risk = what_is_at_risk(reader.log, objects, machine, parts)
            notice(f"{machine}: {_lost_text(risk)} will be lost, {_safe_text(risk, store)}")
            notice("its directory cannot join again; lost pages are fetched again")
            if not click.confirm("Give the machine up?", err=True):
                return 1
        found = forget_machine(reader.log, reader.board, objects, machine, rescue=rescue)
    if as_json:
        click.echo(json.dumps({"machine": machine, **found._asdict()}))
        return 0
    click.echo(f"{machine} is given up: {_lost_text(found)} lost, {_safe_text(found, store)}")
    if found.is_run_over:
        click.echo(f"  the run is over; fetch the lost pages again: {command('resume', path)}")
    return 0


def _lost_text(found: Forgotten) -> str:
    pages = f"{counted(found.pages, 'fetch', 'fetches')} ({found.kept:,} of them kept pages)"
    robots = f" and {counted(found.robots, 'robots file')}" if found.robots else ""
    return f"{pages}{robots} in {counted(len(found.segments_lost), 'segment')}"


def _safe_text(found: Forgotten, store: str) -> str:
    if not store:
        return "and the crawl has no store that could have them"
    return f"{counted(len(found.segments_safe), 'segment')} safe in the store"


COMMANDS = (forget,)
