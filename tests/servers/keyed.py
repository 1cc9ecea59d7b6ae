"""Servers that are started from the folder that `lycosa cluster keys` writes.

Three servers of NATS share this machine, so each gets a loopback address, and what a machine of its
own would keep in /var/lib/nats and show on 127.0.0.1:8222 is moved aside. Everything else is as it
was written.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from servers.nats import CLIENT_PORT, MONITORING_PORT, ROUTE_PORT, find_nats_server, is_ready
from servers.postgres import PORT, PostgresServer
from servers.processes import free_address, spawn, wait_until


def free_addresses(count: int = 3) -> list[str]:
    """Return loopback addresses for servers of NATS."""
    return [free_address(CLIENT_PORT, ROUTE_PORT, MONITORING_PORT) for _ in range(count)]


@contextmanager
def keyed_nats(
    keys: Path, names: Mapping[str, str] | None = None, inside: Sequence[str] = ()
) -> Iterator[None]:
    """Run the NATS servers of a folder of keys.

    Those that have names there get their addresses here, and run `inside` what knows the names.
    """
    program = find_nats_server()
    assert program is not None
    processes: list[tuple[str, Path, subprocess.Popen[bytes]]] = []
    try:
        for files in sorted((keys / "servers").iterdir()):
            address = (names or {}).get(files.name, files.name)
            data, log = keys.parent / f"{files.name}.data", files / "log"
            configuration = files / "nats.conf"
            text = configuration.read_text().replace("127.0.0.1:8222", f"{address}:8222")
            text = text.replace("0.0.0.0:", f"{address}:")
            configuration.write_text(text.replace("/var/lib/nats", str(data)))
            start = 'cd "$0" && exec "$1" -c nats.conf'
            command: list[str | Path] = [*inside, "sh", "-c", start, files, program]
            processes.append((address, log, spawn(command, log)))
        for address, log, process in processes:
            wait_until(lambda one=address: is_ready(one), process, log)  # type: ignore[misc]
        yield
    finally:
        for _, _, process in processes:
            process.kill()
            process.wait()


@contextmanager
def keyed_postgres(folder: Path, files: Path) -> Iterator[PostgresServer]:
    """Run a PostgreSQL with the lines and statements of a folder of keys."""
    server = PostgresServer(folder, superuser="postgres")
    data = folder / "data"
    for name in ("server.pem", "server.key"):
        shutil.copy(files / name, data / name)
        shutil.chown(data / name, data.owner(), data.group())
    access = data / "pg_hba.conf"
    access.write_text((files / "pg_hba.conf").read_text() + access.read_text())
    told = dict(
        line.replace("'", "").split(" = ")
        for line in (files / "postgresql.conf").read_text().splitlines()
        if not line.startswith("#")
    )
    server.start(**told | {"listen_addresses": server.address})
    try:
        subprocess.run(
            ["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", server.url, "-f", files / "role.sql"],
            check=True,
            capture_output=True,
        )
        yield server
    finally:
        server.stop()


__all__ = ["PORT", "free_addresses", "keyed_nats", "keyed_postgres"]
