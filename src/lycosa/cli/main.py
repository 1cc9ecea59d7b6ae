"""The `lycosa` command: parses the arguments, runs one command, and returns an exit code.

    0    done; a crawl that was ended by a limit is done, too
    1    the answer is no (a breach, an unknown URL), or an error without a code of its own
    2    a wrong flag, or a job with wrong keys or values
    3    stored bytes have a format that this version does not read
    4    the log cannot be used
    5    a segment cannot be written or read
    6    a plugin cannot be used
    7    a query cannot be answered, or a triple store cannot be used
    8    `check-site` found something that --fail-on names
    9    settings of the crawl directory or log were not accepted; `lycosa trust` shows them
    10   files of the crawl are damaged; `lycosa verify --repair` repairs them
    11   the log was restored from an older copy, or has lost acknowledged writes
    69   no page was kept, or no seed could be reached; the messages say why
    70   a bug in Lycosa; the log file of the crawl has the details
    77   the login failed, and no page was asked for
    130  interrupted; `lycosa resume` continues

Codes 1 to 7 and 9 are those of `lycosa.errors`. Messages about wrong flags are click's own.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Sequence
from typing import NoReturn

import click

from lycosa import __version__
from lycosa.cli.groups import LazyGroup, Purpose
from lycosa.cli.screen.notices import (
    Session,
    damaged,
    is_damage,
    notice,
    unexpected,
    warnings_shown,
)
from lycosa.cli.screen.output import escaping
from lycosa.errors import LycosaError, StoreError

OUR_MISTAKE = 70
INTERRUPTED = 130


class Lycosa(LazyGroup):
    """All commands by purpose; the first ones are those that a new user needs first."""

    purposes = (
        Purpose("Crawl", "lycosa resume mycrawl", ("crawl", "resume", "revisit")),
        Purpose(
            "Look",
            "lycosa status mycrawl",
            ("status", "queue", "explain", "audit", "cat", "replay", "serve"),
        ),
        Purpose(
            "Ask",
            "lycosa search mycrawl analytical engine",
            (
                "report",
                "check-site",
                "compare",
                "index",
                "search",
                "sparql",
                "sql",
                "study",
                "topics",
            ),
        ),
        Purpose(
            "Steer",
            "lycosa exclude mycrawl https://example.org/forum/",
            (
                "pause",
                "stop",
                "set",
                "add",
                "exclude",
                "include",
                "retry",
                "block",
                "unblock",
                "orders",
            ),
        ),
        Purpose("Keep", "lycosa verify mycrawl", ("verify", "forget", "move", "trust")),
        Purpose("Share", "lycosa export wacz mycrawl -o mycrawl.wacz", ("export", "fetch")),
        Purpose("Cluster", "lycosa join postgresql://db/crawls -o mycrawl", ("join", "cluster")),
        Purpose(
            "Tools",
            "lycosa check robots https://example.org/",
            (
                "check",
                "shell",
                "config",
                "triples",
                "new",
                "owners-page",
                "testweb",
                "completion",
            ),
        ),
    )
    modules = {  # noqa: RUF012
        "lycosa.cli.running.crawl": ("crawl", "resume", "revisit"),
        "lycosa.cli.running.join": ("join",),
        "lycosa.cli.cluster": ("cluster",),
        "lycosa.cli.reading.inspect": ("status", "queue", "explain", "audit"),
        "lycosa.cli.reading.content": ("cat",),
        "lycosa.cli.check": ("check",),
        "lycosa.cli.reading.shell": ("shell",),
        "lycosa.cli.new": ("new",),
        "lycosa.cli.publishing.fetch": ("fetch",),
        "lycosa.cli.analysis.study": ("study", "sql"),
        "lycosa.cli.analysis.report": ("report",),
        "lycosa.cli.analysis.check_site": ("check-site",),
        "lycosa.cli.analysis.compare": ("compare",),
        "lycosa.cli.topics": ("topics",),
        "lycosa.cli.reading.search": ("index", "search"),
        "lycosa.cli.reading.query": ("sparql", "triples"),
        "lycosa.cli.publishing.serve": ("serve",),
        "lycosa.cli.publishing.replay": ("replay",),
        "lycosa.cli.publishing.export": ("export",),
        "lycosa.cli.running.steer": (
            "pause",
            "stop",
            "set",
            "exclude",
            "include",
            "orders",
        ),
        "lycosa.cli.running.edit": ("add", "retry", "block", "unblock", "forget"),
        "lycosa.cli.running.move": ("move",),
        "lycosa.cli.running.trust": ("trust",),
        "lycosa.cli.reading.verify": ("verify",),
        "lycosa.cli.tools": ("config", "owners-page", "testweb", "completion"),
    }


@click.group(
    cls=Lycosa,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--debug", is_flag=True, help="Show tracebacks, and write more to the log file.")
@click.version_option(__version__, message="lycosa %(version)s")
@click.pass_obj
def cli(session: Session, /, debug: bool) -> None:
    """Crawl the web politely and archive every page.

    A first crawl:

    \b
      lycosa crawl https://example.org/ -o mycrawl --contact you@example.org
    """
    session.is_debugging = debug


def program() -> NoReturn:
    """Run the command line and end the process.

    At its end the interpreter would spend 80 ms on freeing every object; all files are closed by
    then, and the kernel frees the rest at once. Where a thread still runs, or under a debugger or
    a profiler, the process ends in the usual way.
    """
    code = main()
    if threading.active_count() > 1 or sys.gettrace() or sys.getprofile():
        sys.exit(code)
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:  # the reader of a pipe is gone: the interpreter reports that
        sys.exit(code)
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    with escaping(), warnings_shown():
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    session = Session()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        return cli.main(given, "lycosa", standalone_mode=False, obj=session) or 0
    except click.NoSuchOption as error:
        from lycosa.cli.input.other_flags import explained

        explained(error).show()
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except LycosaError as error:
        notice(str(error))
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except SystemExit as error:
        # rich ends the program when its reader leaves, argparse when a flag is wrong.
        had_enough = isinstance(error.__context__, BrokenPipeError)
        return error.code if isinstance(error.code, int) and not had_enough else 0
    except PermissionError as error:
        notice(f"{error.filename}: {error.strerror}\n  check who owns the file or folder")
        return 1
    except Exception as error:
        if is_damage(error) and not session.is_debugging:
            notice(damaged(session, error))
            return StoreError.exit_code
        notice(unexpected(session, error))
        return OUR_MISTAKE
