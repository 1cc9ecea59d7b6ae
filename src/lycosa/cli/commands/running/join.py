"""The command `join`, which helps in a crawl that another machine has begun."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.commands.running.crawl import Crew, run_as_told, run_shown, vet
from lycosa.cli.input.jobs import build_job
from lycosa.cli.input.options import GroupedCommand, machine_flags, screen_flags
from lycosa.cli.screen.lines import command
from lycosa.cli.screen.notices import Session, notice
from lycosa.config.writer import write_value
from lycosa.crawl.directory import CrawlDirectory
from lycosa.errors import ConfigError

if TYPE_CHECKING:
    from lycosa.crawl.logs.distant import ServerPlace


@click.command(cls=GroupedCommand)
@click.argument("address", metavar="URL[#NAME]")
@click.argument("name", metavar="[NAME]", default="")
@click.option(
    "-o",
    "--output",
    "path",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The crawl directory of this machine; a new one, or one that has joined before.",
)
@click.option("--list", "is_list", is_flag=True, help="List the crawls in the server, and end.")
@machine_flags
@screen_flags
@click.pass_obj
def join(
    session: Session, /, address: str, name: str, path: Path | None, is_list: bool, **flags: Any
) -> int:
    """Help in a crawl that another machine has begun.

    The job comes from the log in the server. If there are several crawls, NAME is the
    beginning of one's name; without it the only one that runs is joined, or the only one there
    is. A crawl that has ended or was stopped goes on. What this machine fetches is kept in DIR.
    Ctrl-C stops it cleanly, and the others go on. With --workers there are several members,
    with the directories DIR/1, DIR/2 and so on; one that dies is started again.

    \b
      lycosa join postgresql://db/crawls --list
      lycosa join postgresql://db/crawls -o mycrawl --workers 4
      lycosa join postgresql://db/crawls#3f2a -o mycrawl
    """
    from lycosa.crawl.logs import joining
    from lycosa.crawl.logs.distant import parse_place

    place = parse_place(address)
    address, name = place.address, place.name or name
    found = joining.crawls_in(address)
    if is_list:
        for crawl in found:
            click.echo(str(crawl))
        return 0
    if path is None:
        raise click.UsageError("Where shall the pages go? Name a folder with -o DIR.")
    crawl = joining.choose(address, name, found)
    if (workers := _member_count(path, flags)) > 1:
        return _join_all(session, path, place._replace(name=crawl.name), workers, flags)
    directory = joining.make_directory(path, address, crawl)
    typed = {"log.server": write_value(address), "log.name": write_value(crawl.name)}
    return run_as_told(session, directory, vet(directory, flags, typed), flags)


def _member_count(path: Path, flags: dict[str, Any]) -> int:
    """Return how many members this machine gets; without the flag one, or as many as before."""
    before = sum(1 for _ in path.glob("[1-9]*/crawl.toml"))
    workers: int | None = flags["workers"]
    if workers is None:
        return before or 1
    if workers == 0:
        from lycosa.crawl.processes.machine import core_count

        workers = core_count()
    if before > workers:
        raise ConfigError(
            f"{path}: holds the directories of {before} members, and {workers} shall run: what the"
            f" others have fetched would lie there unsealed\n  say --workers {before}"
        )
    if workers > 1 and (path / "crawl.toml").exists():
        raise ConfigError(
            f"{path}: holds the directory of one member\n"
            "  leave --workers out, or choose a new folder with -o"
        )
    return max(workers, 2) if before else workers


def _join_all(
    session: Session, path: Path, place: ServerPlace, workers: int, flags: dict[str, Any]
) -> int:
    """Join with several members, each with a directory below `path`."""
    from functools import partial

    from lycosa.crawl.logs import joining
    from lycosa.crawl.logs.distant import find_crawl
    from lycosa.crawl.member.crew import folders, run_crew, shared

    crawl = find_crawl(place)
    machine = build_job(crawl.job, {**flags, "workers": None})
    path.mkdir(parents=True, exist_ok=True)
    directories = []
    for folder in folders(path, workers):
        directory = joining.make_directory(folder, place.address, crawl)
        job = directory.job()
        changed = dataclasses.replace(job, fetch=shared(machine, workers).fetch)
        if changed.fetch != job.fetch:
            with directory.locked(notice):
                directory.write_job(changed)
        directories.append(directory)
    again = command("join", place, "-o", str(path), "--workers", str(workers))
    look = shlex.join(["lycosa", "cluster", "status", str(place)])
    crew = Crew(partial(run_crew, directories), again, look)
    return run_shown(session, CrawlDirectory(path), machine, flags, crew)


COMMANDS = (join,)
