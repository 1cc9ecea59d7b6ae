"""The command `join`, which helps in a crawl that another machine has begun."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.input.jobs import build_job, read_setting
from lycosa.cli.input.options import (
    GroupedCommand,
    machine_flags,
    screen_flags,
    set_flag,
    store_flag,
    trust_flag,
)
from lycosa.cli.input.vetting import vet
from lycosa.cli.running.crawl import Crew, run_as_told, run_shown
from lycosa.cli.screen.lines import command
from lycosa.cli.screen.notices import Session, notice
from lycosa.errors import ConfigError
from lycosa.model.job import Job, read_job
from lycosa.model.job.writer import write_value
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.trust.record import accept_here
from lycosa.runtime.trust.settings import is_operator, operator_settings, with_settings_of

if TYPE_CHECKING:
    from lycosa.runtime.shared_log.accepting import Typed
    from lycosa.runtime.shared_log.distant import ServerPlace
    from lycosa.runtime.shared_log.joining import FoundCrawl


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
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Take the operator settings of this machine from this file (TOML).",
)
@store_flag
@set_flag
@trust_flag
@machine_flags
@screen_flags
@click.pass_obj
def join(
    session: Session, /, address: str, name: str, path: Path | None, is_list: bool, **flags: Any
) -> int:
    """Help in a crawl that another machine has begun.

    The job comes from the log in the server. If the server has several crawls, NAME is the
    beginning of one's name; without NAME the only running crawl is joined, or else the only crawl
    there. A crawl that has ended or was stopped goes on. The pages that this machine fetches are
    kept in DIR. Ctrl-C stops it cleanly, and the others go on. With --workers there are several
    members, with the directories DIR/1, DIR/2 and so on; one that dies is started again.

    Anybody who can write to the server may have written the job. So settings that name a store,
    files, programs or secrets count only if you type them here (--store, --set, --config), or
    accept those of the log by the digest that the first machine has printed (--trust).

    \b
      lycosa join postgresql://db/crawls --list
      lycosa join postgresql://db/crawls -o mycrawl --workers 4
      lycosa join postgresql://db/crawls#3f2a -o mycrawl --store s3://crawls/news
    """
    from lycosa.runtime.shared_log import joining
    from lycosa.runtime.shared_log.distant import parse_place

    place = parse_place(address)
    address, name = place.address, place.name or name
    if is_list:
        for crawl in joining.crawls_in(address):
            click.echo(str(crawl))
        return 0
    if path is None:
        raise click.UsageError("The folder for the pages is missing. Name one with -o DIR.")
    crawl = joining.awaited(address, name, notice)
    place = place._replace(name=crawl.name)
    typed = _typed(flags)
    if (workers := _member_count(path, flags)) > 1:
        return _join_all(session, path, place, workers, typed, flags=flags)
    directory = _member(path, place, crawl, typed, flags)
    vetted = vet(directory, flags, _counting(directory, place, typed))
    return run_as_told(session, directory, vetted, flags)


def _typed(flags: dict[str, Any]) -> Typed:
    """Return the operator settings that were typed; the digest that was typed is accepted."""
    from lycosa.runtime.shared_log.accepting import Typed

    names = set()
    for setting in flags["settings"]:
        section, key, _ = read_setting(setting)
        if not is_operator(section, key):
            raise ConfigError(
                f"--set {section}.{key}: belongs to the job, which all machines share\n"
                f"  {_remedy_for_all(f'{section}.{key}')}"
            )
        names.add(f"{section}.{key}")
    if flags["store"] is not None:
        names.add("store.place")
    file = flags.pop("config_file")
    wanted = {"settings": flags["settings"], "store": flags["store"]}
    job = build_job(read_job(file) if file else Job(), wanted)
    if digest := flags.pop("trust"):
        accept_here(digest)
    return Typed(job, frozenset({*names, *operator_settings(job)} - {"seeds.file"}))


def _remedy_for_all(name: str) -> str:
    """Return how a key of the job is changed on all machines."""
    from lycosa.runtime.cluster.settings import CHANGEABLE

    if name in CHANGEABLE:
        return f"change it for all of them: lycosa cluster set LOG {name} VALUE"
    return f"when the crawl has ended, resume it with: lycosa resume DIR --set {name}=VALUE"


def _member(
    path: Path, place: ServerPlace, crawl: FoundCrawl, typed: Typed, flags: dict[str, Any]
) -> CrawlDirectory:
    """Return the directory of a member; a new one takes only settings that are accepted here.

    A directory that has joined before keeps its own settings, even if the log names others by now.
    """
    from lycosa.runtime.shared_log import accepting, joining

    directory = joining.joined_before(path, crawl)
    if directory is None:
        again = command("join", str(place), "-o", str(path))
        job = accepting.job_to_join(str(place), crawl.job, typed, again)
        directory = joining.make_directory(path, place.address, crawl._replace(job=job))
        directory.accept()
    elif typed.names:
        job = directory.whole_job(_counting(directory, place, typed))
        with directory.locked(notice):
            directory.write_job(with_settings_of(job, typed.job, typed.names))
        directory.accept()
    if not flags["as_json"] and not flags["quiet"]:
        notice(f"joining {crawl}")
        for line in accepting.differences(crawl.job, directory.written_job()):
            notice(f"  here {line}")
    return directory


def _counting(directory: CrawlDirectory, place: ServerPlace, typed: Typed) -> dict[str, str]:
    """Return the accepted settings of a directory: the typed place, and those of the digest."""
    from lycosa.runtime.shared_log.accepting import counted

    own = {"log.server": write_value(place.address), "log.name": write_value(place.name)}
    return counted(directory.written_job(), typed.names) | own


def _member_count(path: Path, flags: dict[str, Any]) -> int:
    """Return the number of members on this machine; without the flag one, or as many as before."""
    before = sum(1 for _ in path.glob("[1-9]*/crawl.toml"))
    workers: int | None = flags["workers"]
    if workers is None:
        return before or 1
    if workers == 0:
        from lycosa.runtime.processes.machine import core_count

        workers = core_count()
    if before > workers:
        raise ConfigError(
            f"{path}: was created for {before} members; starting {workers} would leave pages of the"
            f" others unsealed\n  start as many: --workers {before}"
        )
    if workers > 1 and (path / "crawl.toml").exists():
        raise ConfigError(
            f"{path}: was created for one member\n"
            "  leave --workers out, or choose a new folder with -o"
        )
    return max(workers, 2) if before else workers


def _join_all(
    session: Session,
    path: Path,
    place: ServerPlace,
    workers: int,
    typed: Typed,
    *,
    flags: dict[str, Any],
) -> int:
    """Join with several members, each with a directory below `path`."""
    from functools import partial

    from lycosa.runtime.members.crew import folders, run_crew, shared
    from lycosa.runtime.shared_log.distant import find_crawl

    crawl = find_crawl(place)
    directories: list[CrawlDirectory] = []
    for folder in folders(path, workers):
        # the first member prints the result for all of them
        is_quiet = flags["quiet"] or bool(directories)
        directory = _member(folder, place, crawl, typed, {**flags, "quiet": is_quiet})
        job = vet(directory, flags, _counting(directory, place, typed)).job
        # All members together have the job's connections; the resolver is this machine's setting.
        machine = build_job(with_settings_of(crawl.job, job), {**flags, "workers": None})
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
