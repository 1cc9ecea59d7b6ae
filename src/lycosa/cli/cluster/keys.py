"""The command `cluster keys`, which makes certificates and keys for a cluster."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.input.options import json_flag

if TYPE_CHECKING:
    from lycosa.cli.keys.bundle import Wanted

_NATS_FOLDER = "/etc/nats"
_KEYS_FOLDER = "/etc/lycosa/keys"


@click.command()
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option(
    "--host",
    "hosts",
    metavar="NAME[,NAME…]",
    multiple=True,
    help="A NATS server, by the name that members use, and further names and addresses of it.",
)
@click.option(
    "--postgres",
    "database",
    metavar="NAME[,NAME…]",
    help="A PostgreSQL server, by the name that members use, and further names of it.",
)
@click.option(
    "--members",
    type=click.IntRange(1, 1000),
    default=3,
    show_default=True,
    help="Number of machines that get keys of their own, besides the one that begins crawls.",
)
@click.option(
    "--at",
    metavar="PATH",
    default=_KEYS_FOLDER,
    show_default=True,
    help="The folder that will hold the keys on each machine; the log's address names it.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 36500),
    default=1095,
    show_default=True,
    help="Days for which the certificates are valid.",
)
@json_flag
def keys(
    folder: Path,
    hosts: tuple[str, ...],
    database: str | None,
    members: int,
    at: str,
    days: int,
    as_json: bool,
) -> int:
    """Make certificates and keys for the servers and members of a cluster.

    FOLDER gets a subfolder for each server (its certificate and a configuration that asks for TLS
    and keys), one for the machine that begins crawls (operator) and one for each member. The
    command prints the files to copy and the commands to type. The authority that signs the
    certificates is private to this folder, and its key is removed: to add a server, make a new
    folder.

    \b
      lycosa cluster keys keys --host n1.example.org --host n2.example.org --host n3.example.org
      lycosa cluster keys keys --postgres db.example.org
    """
    from lycosa.cli.keys.bundle import Wanted, make_keys, parse_hosts

    names = parse_hosts([database])[0] if database else ()
    wanted = Wanted(parse_hosts(hosts), names, members, days)
    make_keys(folder, wanted)
    told = _told(folder, wanted, at)
    if as_json:
        click.echo(json.dumps(told))
        return 0
    click.echo(
        f"The keys are in {folder}. Anybody with these files can write the log of your crawls."
    )
    for title, lines in told["steps"]:
        click.echo(f"\n{title}:")
        for line in lines:
            click.echo(f"  {line}")
    for address in told["log"]:
        click.echo(f"\nThe address of the log, on every machine:\n  LOG={shlex.quote(address)}")
    return 0


def _told(folder: Path, wanted: Wanted, at: str) -> dict[str, Any]:
    """Return the text about the files and the next commands."""
    from lycosa.cli.keys import nats, postgres
    from lycosa.cli.keys.bundle import machines_of

    steps: list[tuple[str, list[str]]] = []
    addresses, machines = [], machines_of(wanted)
    if wanted.hosts:
        named = [names[0] for names in wanted.hosts]
        addresses.append(nats.log_address(named, at))
        copies = [_copy(folder / "servers" / one.strip("[]"), one, _NATS_FOLDER) for one in named]
        steps.append(("Copy to the NATS servers", copies))
        start = f"cd {_NATS_FOLDER} && nats-server -c nats.conf"
        steps.append(("Start each of them, as a user of its own that owns these files", [start]))
    if wanted.database:
        (host, *_), files = wanted.database, folder / "servers" / wanted.database[0].strip("[]")
        addresses.append(postgres.log_address(host, at))
        steps.append(
            (
                "For PostgreSQL: add the lines of the two .conf files, put server.pem and"
                " server.key into the data directory, restart it, then make the role",
                [str(files), f"sudo -u postgres psql -f {files / 'role.sql'}"],
            )
        )
        steps.append(("On every machine that crawls", [f"export PGPASSFILE={at}/pgpass"]))
    first, *others = machines
    steps.append(("Copy to the machine that begins crawls", [_copy(folder / first, "MACHINE", at)]))
    steps.append(
        (
            "Copy to each machine that joins, one folder for each",
            [_copy(folder / name, "MACHINE", at) for name in others],
        )
    )
    return {"folder": str(folder), "log": addresses, "machines": machines, "steps": steps}


def _copy(folder: Path, host: str, target: str) -> str:
    return f"scp -r {shlex.quote(str(folder))}/. {host}:{target}/"


COMMANDS = (keys,)
