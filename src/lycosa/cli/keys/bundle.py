"""The folder with the keys of a cluster: one subfolder for each server and for each machine.

    servers/HOST/     nats.conf, ca.pem, server.pem, server.key; for PostgreSQL its lines instead
    operator/         ca.pem, nats.nk, system.nk: for the machine that begins crawls
    member-1/, …      the same for a machine that joins; all of them have a pgpass with PostgreSQL

Always true:
  * files have mode 600, folders 700;
  * the folder appears whole or not at all; a folder with files in it is never touched.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from lycosa.cli.keys import nats, postgres
from lycosa.cli.keys.authority import Authority, is_address, private_authority
from lycosa.errors import ConfigError

LEAST_SERVERS = 3
_LABEL = r"[A-Za-z0-9][A-Za-z0-9-]{0,62}"
_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})*")


class Wanted(NamedTuple):
    """The servers and machines that get keys."""

    hosts: tuple[tuple[str, ...], ...] = ()
    """The NATS servers, each with its name and perhaps further names and addresses."""
    database: tuple[str, ...] = ()
    """The PostgreSQL server, by its names."""
    members: int = 3
    days: int = 1095


def parse_hosts(texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Read `NAME[,NAME…]` of each server; raise `ConfigError` for text that is not a host."""
    hosts = tuple(tuple(_host(name) for name in text.split(",")) for text in texts)
    named = [host[0] for host in hosts]
    if twice := {name for name in named if named.count(name) > 1}:
        raise ConfigError(f"{min(twice)}: is named twice\n  name every server once: --host NAME")
    return hosts


def _host(name: str) -> str:
    if is_address(name):
        bare = name.strip("[]")
        return f"[{bare}]" if ":" in bare else bare
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"{name!r}: is not the name or address of a server\n"
            "  write --host n1.example.org or --host n1.example.org,192.0.2.1"
        )
    return name


def served(host: str) -> nats.Server:
    """Return where a NATS server listens: at its address, or everywhere where it has a name."""
    return nats.Server(host, host if is_address(host) else "0.0.0.0")


def make_keys(folder: Path, wanted: Wanted, place: Callable[[str], nats.Server] = served) -> None:
    """Write the folder; raise `ConfigError` if it exists and is not empty.

    `place` says where the NATS server of a host listens and keeps its data.
    """
    if wanted.hosts and len(wanted.hosts) < LEAST_SERVERS:
        raise ConfigError(
            f"{len(wanted.hosts)} server{'s' * (len(wanted.hosts) > 1)}: a log in NATS is kept by"
            f" {LEAST_SERVERS} servers or more\n  name each of them: --host NAME"
        )
    if not wanted.hosts and not wanted.database:
        raise ConfigError(
            "no server is named\n  name three NATS servers (--host n1.example.org --host …), or a"
            " PostgreSQL: --postgres db.example.org"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder}: exists already\n  name a new folder: no key is overwritten")
    parent = folder.absolute().parent
    if not parent.is_dir():
        raise ConfigError(f"{parent}: is not a folder\n  make it first: mkdir -p {parent}")
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=parent))
    try:
        with private_authority(wanted.days) as authority:
            _fill(draft, wanted, authority, place)
        draft.rename(folder)  # this replaces an empty folder, or makes a new one
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _fill(
    folder: Path, wanted: Wanted, authority: Authority, place: Callable[[str], nats.Server]
) -> None:
    certificate = authority.certificate.read_text(encoding="ascii")
    machines = {name: {"ca.pem": certificate} for name in machines_of(wanted)}
    if wanted.hosts:
        users = nats.make_users(wanted.members)
        servers = [place(names[0]) for names in wanted.hosts]
        for names, server in zip(wanted.hosts, servers, strict=True):
            text = nats.configuration(server, servers, users)
            files = {"nats.conf": text, "ca.pem": certificate}
            _server(folder, names, files, authority)
        for user in (users.operator, *users.members):
            machines[user.name] |= {"nats.nk": user.seed, "system.nk": users.system.seed}
    if wanted.database:
        password = postgres.make_password()
        files = {
            "postgresql.conf": postgres.SETTINGS,
            "pg_hba.conf": postgres.ACCESS,
            "role.sql": postgres.statements(password),
        }
        _server(folder, wanted.database, files, authority)
        for kept in machines.values():
            kept["pgpass"] = postgres.password_file(wanted.database[0], password)
    for name, kept in machines.items():
        write_files(folder / name, kept)


def _server(
    folder: Path, names: tuple[str, ...], files: dict[str, str], authority: Authority
) -> None:
    place = folder / "servers" / names[0].strip("[]")
    if place.exists():
        raise ConfigError(
            f"{names[0]}: has a NATS server and PostgreSQL; make their keys in two folders"
        )
    write_files(place, files)
    authority.sign(names, place / "server.pem", place / "server.key")


def machines_of(wanted: Wanted) -> list[str]:
    """Return the subfolders for machines that crawl."""
    return ["operator", *(f"member-{number + 1}" for number in range(wanted.members))]


def write_files(folder: Path, files: dict[str, str]) -> None:
    """Write new files that their owner alone can read."""
    folder.mkdir(mode=0o700, parents=True)
    folder.parent.chmod(0o700)
    for name, content in files.items():
        new = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(new, "w", encoding="utf-8") as file:
            file.write(content)
