"""The command `trust`, which shows and accepts the operator settings of a crawl directory."""

from __future__ import annotations

import json
from pathlib import Path

import click

from lycosa._support import beneath
from lycosa.cli.screen.lines import command
from lycosa.errors import ConfigError, LycosaError
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.trust import record
from lycosa.runtime.trust.judging import Judged, lines_of


@click.command()
@click.argument("path", metavar="[DIR]", type=click.Path(path_type=Path), required=False)
@click.option("--show", "is_shown", is_flag=True, help="Show the settings, and accept nothing.")
@click.option("--list", "is_list", is_flag=True, help="List the accepted settings, and where.")
@click.option("--forget", metavar="DIGEST", default="", help="Accept this digest no longer.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def trust(path: Path | None, is_shown: bool, is_list: bool, forget: str, as_json: bool) -> int:
    """Accept the settings of a crawl from elsewhere.

    Settings that name servers, programs, plugins, files or secrets, and settings that open private
    addresses, count only if you typed them yourself or accept them here. The record is yours, not
    the directory's: a crawl that is moved or restored stays accepted, and one whose settings change
    does not. On machines without a lasting home use `--trust DIGEST` of the other commands, or
    LYCOSA_TRUST.

    \b
      lycosa trust mycrawl --show
      lycosa trust mycrawl
      lycosa trust --list
    """
    if forget:
        return _forget(forget, as_json)
    if is_list:
        return _list(as_json)
    if path is None:
        raise click.UsageError("Which crawl? Name its directory, or see --list.")
    # Only the job is read here; later commands use the files that it names, if accepted.
    directory = CrawlDirectory.open(path, [name for name, _ in beneath.linked_folders(path)])
    judged = directory.judged()
    problem = "" if is_shown or not judged.settings else record.accept(judged.digest, path)
    is_accepted = not directory.judged().withheld
    if as_json:
        click.echo(json.dumps(_data(judged, is_accepted=is_accepted), indent=2, ensure_ascii=False))
    else:
        click.echo(_told(judged, path, is_accepted=is_accepted))
    if problem:
        raise LycosaError(
            f"{problem}: your acceptance cannot be recorded\n"
            f"  name a folder with LYCOSA_STATE_DIR, or type --trust {judged.digest}"
        )
    return 0


def _told(judged: Judged, path: Path, *, is_accepted: bool) -> str:
    """Return the settings and the verdict about them as text."""
    if not judged.settings:
        return f"{path}: has no settings that need to be accepted"
    said = "accepted" if is_accepted else f"not accepted; accept them: {command('trust', path)}"
    return (
        f"{path}: settings with the digest {judged.digest}\n{lines_of(judged.settings)}\n  {said}"
    )


def _data(judged: Judged, *, is_accepted: bool) -> dict[str, object]:
    digest = judged.digest if judged.settings else None
    return {"digest": digest, "settings": judged.settings, "is_accepted": is_accepted}


def _list(as_json: bool) -> int:
    """Print the record."""
    lines = record.accepted()
    if as_json:
        click.echo(json.dumps([line._asdict() for line in lines], indent=2))
    else:
        for line in lines:
            click.echo("  ".join(line))
        if not lines:
            click.echo(f"nothing was accepted ({record.record_file()})", err=True)
    return 0


def _forget(digest: str, as_json: bool) -> int:
    """Remove a digest from the record."""
    if not record.forget(digest):
        raise ConfigError(
            f"{digest}: is not in {record.record_file()}\n  list the record: lycosa trust --list"
        )
    if as_json:
        click.echo(json.dumps({"forgotten": digest}))
    else:
        click.echo(f"forgotten: {digest}")
    return 0


COMMANDS = (trust,)
