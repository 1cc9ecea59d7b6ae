"""Servers of a log whose data are copied while they are down, and put back later."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from servers.nats import NatsCluster
from servers.postgres import PostgresServer

Servers = PostgresServer | NatsCluster


def _data(servers: Servers) -> list[Path]:
    if isinstance(servers, PostgresServer):
        return [servers.folder / "data"]
    return [servers.folder / str(number) for number in range(len(servers.addresses))]


def stop(servers: Servers) -> None:
    """End all servers in order."""
    if isinstance(servers, PostgresServer):
        servers.stop()
    else:
        for number in range(len(servers.addresses)):
            servers.stop(number)


def start(servers: Servers) -> None:
    """Start all servers; return when they take writes."""
    if isinstance(servers, PostgresServer):
        servers.start()
    else:
        servers.start_all()


def restart(servers: Servers) -> None:
    """Stop all servers, and start them on the same data."""
    stop(servers)
    start(servers)


def back_up(servers: Servers, folder: Path) -> None:
    """Copy the data of all servers, which are down for that time."""
    stop(servers)
    for data in _data(servers):
        _copy(data, folder / data.name)
    start(servers)


def restore(servers: Servers, folder: Path) -> None:
    """Put a copy in the place of the data of all servers, which are down for that time."""
    stop(servers)
    put_back(servers, folder)
    start(servers)


def put_back(servers: Servers, folder: Path) -> None:
    """Put a copy in the place of the data of servers that are down."""
    for data in _data(servers):
        shutil.rmtree(data)
        _copy(folder / data.name, data)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", source, target], check=True)  # PostgreSQL wants its owner kept
