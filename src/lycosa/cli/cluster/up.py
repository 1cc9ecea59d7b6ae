"""The command `cluster up`: a cluster on one machine, to try."""

from __future__ import annotations

import shlex
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from lycosa.cli.input.jobs import build_job
from lycosa.cli.input.options import (
    GroupedCommand,
    fetch_flags,
    limit_flags,
    order_flags,
    scope_flags,
    seeds_flag,
    set_flag,
)
from lycosa.cli.input.own_machine import opened
from lycosa.cli.input.seeds import gather
from lycosa.cli.screen.lines import command
from lycosa.cli.screen.notices import notice
from lycosa.errors import ConfigError, LycosaError
from lycosa.model.job import Job

if TYPE_CHECKING:
    from lycosa.cli.trial.figures import TrialScreen
    from lycosa.cli.trial.trial import Trial
    from lycosa.cli.trial.web import TrialWeb

_STOPPED = 130
_LOOK_SECONDS = 1.0


@click.command(cls=GroupedCommand)
@click.argument("count", metavar="N", type=click.IntRange(1, 32))
@click.argument("seeds", metavar="[SEED]...", nargs=-1)
@seeds_flag
@click.option(
    "-o",
    "--output",
    "path",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Keep the crawl in this folder, which must not exist yet.",
)
@click.option(
    "--log",
    "kind",
    type=click.Choice(("nats", "postgresql")),
    default="nats",
    help="The servers that hold the log: three of NATS (default), or one PostgreSQL.",
)
@set_flag
@limit_flags
@scope_flags
@fetch_flags
@order_flags
def up(
    count: int,
    seeds: tuple[str, ...],
    seed_file: TextIO | None,
    path: Path | None,
    kind: str,
    **flags: Any,
) -> int:
    """Try a cluster on this machine: servers, a store and N members.

    Without seeds the members crawl a test web that is served on loopback, and the referee says at
    the end how they behaved. The address of the log is shown, so that you can watch, join or kill
    members from a second terminal. Ctrl-C stops everything; all processes and the servers' data
    are gone afterwards. DIR keeps the whole crawl as an ordinary crawl directory, DIR/crawl, beside
    the store and each member's directory.

    \b
      lycosa cluster up 3
      lycosa cluster up 3 https://example.org/ -o trial --contact you@example.org
    """
    from lycosa.cli.trial.trial import Trial

    if path is not None and path.exists():
        raise ConfigError(f"{path}: exists already\n  name a new folder: -o DIR")
    given = gather(seeds, seed_file, lambda read: None) if seeds or seed_file else ()
    with ExitStack() as stack, _terminated_as_interrupted():
        web = None if given else _served(stack)
        job = _job(web, flags, given, is_typed=bool(seeds) and seed_file is None)
        folder = path or Path(tempfile.mkdtemp(prefix="lycosa-members-"))
        try:
            trial = Trial(folder.absolute(), kind)
            notice(f"starting {trial.servers.name}")
            with trial:
                code = _run(trial, job, count, web)
                if path is not None:
                    _fetch(trial)
                return code
        finally:
            if path is None:
                shutil.rmtree(folder, ignore_errors=True)
                notice("the crawl is removed with the servers; -o DIR keeps it")


def _served(stack: ExitStack) -> TrialWeb:
    from lycosa.cli.trial.web import served_web

    web = stack.enter_context(served_web())
    notice(f"serving a test web of {web.web.plan.hosts} hosts on loopback")
    return web


def _job(web: TrialWeb | None, flags: dict[str, Any], given: Any, *, is_typed: bool) -> Job:
    """Return the job, checked as `crawl` checks it: before any server starts."""
    from lycosa.crawl.scope import require_linear
    from lycosa.features.plugins.scheduling import require_plugins
    from lycosa.runtime.processes import requirements
    from lycosa.runtime.processes.machine import require_files
    from lycosa.runtime.seeds import require_a_seed

    job = build_job(web.job if web else Job(), flags, given)
    if is_typed:
        job = opened(job, flags)
    requirements.require_contact(job)
    require_files(job.fetch, job.crawl.workers)
    require_linear(job)
    require_a_seed(job)
    require_plugins(job)
    requirements.require_content(job)
    if web is not None:
        web.judge_by(job)
    return job


def _run(trial: Trial, job: Job, count: int, web: TrialWeb | None) -> int:
    from lycosa.cli.trial.figures import TrialScreen

    notice(f"starting {count} members")
    trial.begin(job)
    for _ in range(1, count):
        trial.join()
    log, another = shlex.quote(trial.url), shlex.quote(str(trial.folder / "another"))
    hints = [
        ("the log", trial.url),
        ("watch it", f"lycosa cluster status {log} --watch"),
        (
            "add a member, in a second terminal",
            f"lycosa join {log} -o {another} --trust {trial.digest}",
        ),
        ("kill a member", f"kill -9 {trial.members.all[-1].pid}"),
    ]
    try:
        with TrialScreen(f"{count} members, {trial.servers.name}", hints) as screen:
            _watch(trial, screen, web)
    except KeyboardInterrupt:
        notice("stopping all members; Ctrl-C again kills them")
        trial.members.stop()
        return _STOPPED
    if failed := trial.members.failed:
        raise LycosaError(f"{failed[0].name} failed:\n{failed[0].last_words()}")
    notice(f"the crawl has ended: {trial.why_ended() or 'no member is left'}")
    return _judged(web) if web else 0


def _fetch(trial: Trial) -> None:
    """Make one directory of the pages of all members, killed ones included."""
    for member in trial.bring_back():
        notice(f"{member.name} is started again, to send its unsent pages to the store")
        member.wait()
    crawl = trial.fetch()
    notice(f"the whole crawl is in {crawl}; make a report: {command('report', crawl)}")


def _watch(trial: Trial, screen: TrialScreen, web: TrialWeb | None) -> None:
    """Show the members until none is left; tell the referee which ones were killed."""
    from lycosa.cli.trial.figures import look

    known: set[str] = set()
    while True:
        for member in trial.members.all:
            if member.was_killed and member.name not in known:
                known.add(member.name)
                screen.say(f"{member.name} was killed: the others take over within 20 s")
                if web is not None:
                    web.member_killed()
        if not trial.members.running:
            return
        screen.show(look(trial.board), trial.members.all)
        time.sleep(_LOOK_SECONDS)


def _judged(web: TrialWeb) -> int:
    web.server.settle()
    notice(f"as the servers saw it: {web.referee.statistics}")
    notice(f"the referee says: {web.referee.verdict}")
    return int(bool(web.referee.breaches))


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Let SIGTERM stop a trial as Ctrl-C does, also where a shell has it ignore Ctrl-C."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


COMMANDS = (up,)
