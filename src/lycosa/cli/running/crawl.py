"""The commands `crawl`, `resume` and `revisit`, which run a crawl; `join` is beside them."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from lycosa._support.tuples import NamedTuple
from lycosa.cli import watch
from lycosa.cli.input.jobs import build_job, recipe_text
from lycosa.cli.input.options import (
    GroupedCommand,
    cycle_flags,
    directory_argument,
    fetch_flags,
    id_flag,
    limit_flags,
    log_flag,
    no_wait_flag,
    order_flags,
    recipe_flag,
    render_flag,
    scope_flags,
    screen_flags,
    seeds_flag,
    serve_flags,
    set_flag,
    store_flag,
    trust_flag,
)
from lycosa.cli.input.own_machine import opened, opened_text
from lycosa.cli.input.seeds import gather
from lycosa.cli.screen.lines import (
    HowEnded,
    Lines,
    command,
    commit_times,
    how_to_join,
    items_stored,
    line_of,
    reason_text,
    refused_more_text,
    summary_data,
)
from lycosa.cli.screen.notices import Session, log_file, logger, notice
from lycosa.crawl.status.progress import Listener, Progress
from lycosa.errors import ConfigError, LycosaError
from lycosa.model.job import Job, read_job
from lycosa.runtime.directory import CrawlDirectory, named_anew
from lycosa.runtime.trust.settings import operator_settings

if TYPE_CHECKING:
    from lycosa.cli.input.vetting import Vetted
    from lycosa.cli.screen.panel import Display

_STOPPED = 130
_NOTHING = 69
_NOT_LOGGED_IN = 77
_LOG_SECONDS = 60.0
FIRST_PATIENCE_SECONDS = 10.0
"""Time limit for the server that will hold the log of a new crawl."""
_STOPS = ("stopped", "stopped for all", "drained", "not logged in")
"""Reasons to end that say all: the operator gave them, or a login failed."""


@click.command(cls=GroupedCommand)
@click.argument("seeds", metavar="[SEED]...", nargs=-1)
@seeds_flag
@click.option(
    "-o",
    "--output",
    "path",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The crawl directory, which must not exist yet (default: named after the first seed's"
    " host and the date).",
)
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Read the job from this file (TOML); flags override it.",
)
@recipe_flag
@log_flag
@store_flag
@set_flag
@limit_flags
@scope_flags
@render_flag
@fetch_flags
@order_flags
@cycle_flags
@screen_flags
@serve_flags
@click.pass_obj
def crawl(
    session: Session,
    /,
    seeds: tuple[str, ...],
    seed_file: TextIO | None,
    path: Path | None,
    config_file: Path | None,
    **flags: Any,
) -> int:
    """Crawl from the seeds into a new folder.

    Without --include the crawl stays on the hosts of its seeds, and on those that
    they redirect to. Ctrl-C stops it cleanly; `lycosa resume` continues it.

    \b
      lycosa crawl https://example.org/ -o mycrawl --contact you@example.org
      lycosa example.org --contact you@example.org
      lycosa crawl --seeds list.txt -o lists --only-seeds --contact you@example.org
      lycosa crawl https://example.cl/ -o chile --include .cl --max-pages 1000 \\
          --exclude regex:/calendar/ --contact you@example.org
      lycosa crawl https://example.org/ -o mycrawl --log postgresql://db/crawls \\
          --contact you@example.org
    """
    from lycosa.crawl.scope import require_linear
    from lycosa.features.plugins.scheduling import require_plugins
    from lycosa.runtime.processes import requirements
    from lycosa.runtime.processes.machine import require_files
    from lycosa.runtime.seeds import require_a_seed

    base = read_job(config_file) if config_file else Job()
    given = gather(seeds, seed_file, reading_said(flags)) if seeds or seed_file else ()
    job = named_anew(build_job(base, flags, given))
    if seeds and seed_file is None and not base.seeds:
        job = opened(job, flags)
    if not job.seeds:
        raise click.UsageError(
            "The crawl has no seeds: give a SEED, or a file of them with --seeds."
        )
    # Before the folder is made, so that the same command can be typed again with the flag; seeds
    # first, because a wrong one is mended without looking anything up.
    require_a_seed(job)
    requirements.require_contact(job)
    require_files(job.fetch, job.crawl.workers)
    require_linear(job)
    require_plugins(job)
    requirements.require_content(job)
    if path is None:
        from lycosa.cli.input.places import new_folder

        path = new_folder(job.seeds, date.today())
        notice(f"crawls into {path}")
    requirements.require_disk(job, path)
    directory = CrawlDirectory.create(path, job)
    if operator_settings(job):
        directory.accept()
    _begin_elsewhere(directory, job)
    if job.log.server and not flags["as_json"] and not flags["quiet"]:
        notice(how_to_join(job, directory.shared_digest()))
    if job.log.server and job.crawl.workers > 1 and not flags["as_json"]:
        more = command("join", f"{job.log.server}#{job.log.name}", "-o", "DIR", "--workers", "N")
        notice(f"{path} has one member of the cluster; for more on this machine: {more}")
    if job.fetch.loopback_origins and not flags["as_json"]:
        notice(opened_text(job.fetch.loopback_origins))
    if flags["recipe"] and not flags["as_json"] and not flags["quiet"]:
        notice(recipe_text(base, job, flags["recipe"]))
    return run_shown(session, directory, directory.kept(job), flags)


def _begin_elsewhere(directory: CrawlDirectory, job: Job) -> None:
    """Begin log and store in their servers; if that fails, the command can be typed again."""
    try:
        if job.store.place:
            from lycosa.runtime.uploads.uploads import try_store

            try_store(job)
        if job.log.server:
            directory.log(job, FIRST_PATIENCE_SECONDS).close()
    except LycosaError:
        directory.undo_create()
        raise


@click.command(cls=GroupedCommand)
@directory_argument
@set_flag
@limit_flags
@render_flag
@fetch_flags
@order_flags
@cycle_flags
@screen_flags
@serve_flags
@trust_flag
@id_flag
@no_wait_flag
@click.pass_obj
def resume(session: Session, /, path: Path, **flags: Any) -> int:
    """Continue a crawl.

    It continues where it was, whether it was stopped, killed or ended by a limit. Flags
    change the job permanently. A crawl that runs and was paused goes on: then --id and --no-wait
    apply to the order that ends the pause.

    \b
      lycosa resume mycrawl --max-pages 5000
    """
    from lycosa.cli.input.vetting import vet

    directory = CrawlDirectory.open(path)
    order_flags = {name: flags.pop(name) for name in ("client_id", "no_wait")}
    vetted = vet(directory, flags)
    order_flags["as_json"] = bool(flags["as_json"])
    if not watch.is_restart() and _end_pause(directory, vetted.job, order_flags):
        return 0
    return run_as_told(session, directory, vetted, flags)


def _end_pause(directory: CrawlDirectory, job: Job, flags: dict[str, Any]) -> bool:
    """End a pause of the operator; return whether a running process goes on because of it."""
    from lycosa.runtime.orders import orders
    from lycosa.runtime.orders.desk import known_orders

    known, client_id = known_orders(directory, job), flags["client_id"]
    is_known = bool(client_id) and client_id in {one.id for one in known}
    is_running = directory.holder() is not None
    if not orders.in_force(known).is_paused and not (is_known and is_running):
        return False
    from lycosa.cli.input.orders import order
    from lycosa.runtime.orders.desk import give

    if not is_running:
        give(directory, orders.Resume(), client_id)
        return False
    order(directory, orders.Resume(), "the crawl goes on", flags)
    return True


@click.command(cls=GroupedCommand)
@directory_argument
@set_flag
@limit_flags
@fetch_flags
@screen_flags
@trust_flag
@click.pass_obj
def revisit(session: Session, /, path: Path, **flags: Any) -> int:
    """Do one cycle of revisits, then end.

    For cron and systemd timers: the cycle begins at once and fetches the pages worth a visit,
    changed pages and new ones, as a crawl with --cycles does. An interrupted cycle is continued.
    Pages that were visited within `[revisit] not_before_seconds` are left out.

    \b
      lycosa revisit mycrawl --quiet
    """
    from lycosa.cli.input.vetting import vet
    from lycosa.operate.inspect import edits

    directory = CrawlDirectory.open(path)
    if not directory.has_begun:
        raise ConfigError(
            f"{path}: the crawl has not begun, so there are no pages to revisit\n"
            f"  begin it: {command('resume', path)}"
        )
    vetted = vet(directory, flags)
    cycle = edits.begin_cycle(directory)
    return run_as_told(session, directory, vetted, {**flags, "cycles": cycle})


class Crew(NamedTuple):
    """The members of this machine, if there are several."""

    run: Callable[[Listener], HowEnded]
    again: str
    """The command that starts them again."""
    look: str
    """The command that shows the crawl."""


def run_as_told(
    session: Session, directory: CrawlDirectory, vetted: Vetted, flags: dict[str, Any]
) -> int:
    """Run a crawl with its own job, changed by flags; the directory keeps the change."""
    changed = build_job(vetted.job, flags)
    if changed != vetted.job:
        with directory.locked(notice):
            directory.write_job(changed)
    if vetted.typed:
        directory.accept()
    return run_shown(session, directory, changed, flags)


def run_shown(
    session: Session,
    directory: CrawlDirectory,
    job: Job,
    flags: dict[str, Any],
    crew: Crew | None = None,
) -> int:
    """Run a crawl with its display; with several members, if there is a crew."""
    path, as_json, is_quiet = directory.path, bool(flags["as_json"]), bool(flags["quiet"])
    resume_with = command("resume", path) if crew is None else crew.again
    session.messages = directory.messages
    display = _display(job, path, resume_with, as_json=as_json, is_quiet=is_quiet)
    # members are watched by their crew, which starts them again itself
    if crew is None:
        watch.tell(str(path.absolute()), job.fetch.stop_seconds, flags)
    if flags.get("is_served") or flags.get("serve_port") is not None:
        _serve_beside(path, flags.get("serve_port") or 0)
    with log_file(session, directory.messages), display:
        logger.info("begins: job %s", job.digest())
        try:
            ended, job = _run(directory, job, _listener(display, as_json=as_json), crew)
        except KeyboardInterrupt:
            logger.info("stopped at once")
            display.say(f"stopped at once; committed pages are safe; continue: {resume_with}")
            return _STOPPED
        display.finish(ended.progress)
        logger.info(line_of(ended.progress, as_json=False))
        logger.info(" ".join(f"{name}={value}" for name, value in commit_times(ended).items()))
        logger.info("ends: %s", reason_text(ended, job))
        why_empty = _why_empty(directory, job, ended) if crew is None else []
        for why in why_empty:
            logger.warning("no page: %s", why)
    if as_json:
        data = summary_data(ended, path) | {"items": items_stored(path)}
        data |= {"why_empty": why_empty} if why_empty else {}
        click.echo(json.dumps(data, indent=2))
    else:
        _print_end(path, job, ended, why_empty, crew)
    if ended.reason == "stopped":
        return _STOPPED
    if ended.reason == "not logged in":
        return _NOT_LOGGED_IN
    return _NOTHING if why_empty or ended.reason == "no seed" else 0


def _run(
    directory: CrawlDirectory, job: Job, listener: Listener, crew: Crew | None
) -> tuple[HowEnded, Job]:
    """Run a crawl; return its end, and the job, which orders may have changed."""
    from lycosa.runtime.processes import run

    if crew is not None:
        return crew.run(listener), job
    ended = run.run_crawl(directory, job=job, listener=listener)
    return ended, ended.job or job


def _listener(display: Display | Lines, *, as_json: bool) -> Listener:
    """Return callbacks that show a run; messages about seeds go to the log file, too."""
    from lycosa.runtime.seeds import refusal_text

    def say(text: str) -> None:
        logger.warning(text)
        display.say(text)

    def refused(seed: str, reason: str) -> None:
        logger.warning("seed %s refused: %s", seed, reason)
        display.say(f"{seed}: not a usable seed: {refusal_text(seed, reason)}")

    def seed_failed(seed: str, why: str) -> None:
        logger.warning("seed %s cannot be reached: %s", seed, why)
        told = {"event": "seed_unreachable", "seed": seed, "reason": why}
        display.say(json.dumps(told) if as_json else f"{seed}: cannot be reached: {why}")

    return Listener(
        progress=_Reporting(display),
        progress_seconds=display.seconds,
        refused_seed=refused,
        seed_failed=seed_failed,
        stopping=display.stopping,
        waiting=say,
        planting=display.show_planting,
        refused_more=lambda reasons: say(refused_more_text(reasons)),
        noticed=display.say,
        uploading=display.show_uploading,
    )


def _print_end(
    path: Path, job: Job, ended: HowEnded, why_empty: list[str], crew: Crew | None
) -> None:
    """Print the summary of a run, or of a crew's part in it."""
    from lycosa.cli.screen.console import Screen
    from lycosa.cli.screen.summary import print_summary, summary_of

    if crew is None:
        print_summary(Screen(), ended, job, path, why_empty)
    else:
        Screen().print(summary_of(ended, job))
        click.echo(f"\n  the whole crawl: {crew.look}\n  continue: {crew.again}")


def _serve_beside(path: Path, port: int) -> None:
    """Start a server for the crawl, and say where; the crawl goes on without it if that fails."""
    from lycosa._support.extras import require_serve
    from lycosa.web.beside import start_beside

    try:
        require_serve("--serve")
        notice(f"watch it at {start_beside(path, port)}")
    except LycosaError as error:
        notice(str(error))


def _why_empty(directory: CrawlDirectory, job: Job, ended: HowEnded) -> list[str]:
    """Return the reasons why the crawl has no content; none for a stopped crawl."""
    progress = ended.progress
    if ended.reason in _STOPS or (progress.pages and not progress.rendered):
        return []  # pages without content are counted there
    from lycosa.operate.inspect.empty_crawl import why_empty

    return why_empty(directory, job, progress)


def reading_said(flags: dict[str, Any]) -> Callable[[int], None]:
    """Return a function that reports how many seeds of a long file have been read."""
    if flags["as_json"] or flags["quiet"]:
        return Lines(
            as_json=bool(flags["as_json"]), is_quiet=bool(flags["quiet"]), resume=""
        ).show_reading
    return lambda count: notice(f"reading seeds: {count:,}")


def _display(
    job: Job, path: Path, resume_with: str, *, as_json: bool, is_quiet: bool
) -> Display | Lines:
    """Return the display of the crawl; terminal graphics are imported only for a terminal."""
    if as_json or is_quiet:
        return Lines(as_json=as_json, is_quiet=is_quiet, resume=resume_with)
    from lycosa.cli.screen.console import Screen
    from lycosa.cli.screen.panel import Display

    console = Screen(stderr=True)
    return Display(console, job, path.name or str(path), resume=resume_with)


class _Reporting:
    """Passes progress to the display, and every minute to the log file."""

    def __init__(self, display: Display | Lines) -> None:
        self._display = display
        self._next = _LOG_SECONDS

    def __call__(self, progress: Progress) -> None:
        """Show the progress, and log it once a minute."""
        self._display.show(progress)
        if progress.seconds >= self._next:
            self._next = progress.seconds + _LOG_SECONDS
            logger.info(line_of(progress, as_json=False))


COMMANDS = (crawl, resume, revisit)
