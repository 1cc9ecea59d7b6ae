"""Back-ups of the servers of a log, as an operator makes them, and their restoration.

PostgreSQL   pg_basebackup from the running server; the copy takes the place of its data
NATS         the folders of all servers, copied while they are down, and put back
a stream     a snapshot of one stream by JetStream's API, as `nats stream backup` makes it
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import nats

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
    """Copy the data of all servers; those of NATS are down for that time."""
    if isinstance(servers, PostgresServer):
        servers.base_backup(folder / "data")
        return
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
        owner = f"{data.owner()}:{data.group()}"
        shutil.rmtree(data)
        _copy(folder / data.name, data)
        subprocess.run(["chown", "-R", owner, data], check=True)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", source, target], check=True)


class Snapshot(NamedTuple):
    """A stream as it was."""

    told: dict[str, Any]
    """Its configuration and its state."""
    chunks: list[bytes]


def snapshot_stream(url: str, stream: str) -> Snapshot:
    """Return a snapshot of a stream of running servers."""
    return asyncio.run(_snapshot(url, stream))


def restore_stream(url: str, stream: str, snapshot: Snapshot) -> None:
    """Delete a stream and restore a snapshot of it; no connection is broken by that."""
    asyncio.run(_restore(url, stream, snapshot))


async def _snapshot(url: str, stream: str) -> Snapshot:
    client = await nats.connect(url)
    inbox = client.new_inbox()
    coming = await client.subscribe(inbox)
    asked = {"deliver_subject": inbox, "no_consumers": True, "chunk_size": 65536}
    told = await _asked(client, f"STREAM.SNAPSHOT.{stream}", asked)
    chunks = []
    while (chunk := await coming.next_msg(10)).data:
        chunks.append(chunk.data)
        if chunk.reply:
            await chunk.respond(b"")
    await client.close()
    return Snapshot({"config": told["config"], "state": told["state"]}, chunks)


async def _restore(url: str, stream: str, snapshot: Snapshot) -> None:
    client = await nats.connect(url)
    await _asked(client, f"STREAM.DELETE.{stream}", None)
    told = await _asked(client, f"STREAM.RESTORE.{stream}", snapshot.told)
    for chunk in [*snapshot.chunks, b""]:
        answer = await client.request(told["deliver_subject"], chunk, timeout=30)
    assert "error" not in json.loads(answer.data or b"{}")
    await client.close()


async def _asked(client: Any, name: str, question: object) -> dict[str, Any]:
    payload = b"" if question is None else json.dumps(question).encode()
    answer: dict[str, Any] = json.loads(
        (await client.request(f"$JS.API.{name}", payload, timeout=30)).data
    )
    assert "error" not in answer, answer
    return answer
