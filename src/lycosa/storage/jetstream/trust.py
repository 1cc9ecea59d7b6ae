"""Requirements for NATS servers before a crawl is entrusted to them.

They are checked at every joining; who only reads a log publishes nothing. A server below 2.15.1 is
refused by its version: 2.9.10 accepted both of two writers with one expectation 3,111 times of
10,912 (docs/decisions/0051). The contest uses the same conditional publish as commits.

Servers report only on the monitoring port and to the system account whether they sync every write
before they answer. If neither can be read, `durability = "power"` is refused: the default is to
sync every two minutes.
"""

from __future__ import annotations

import asyncio
import json
import re
import urllib.request
import uuid
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from nats.errors import Error as NatsError

from lycosa.errors import LogError
from lycosa.storage.jetstream.connection import Connection, Refused
from lycosa.storage.jetstream.messages import PART_BYTES, Mark, Subjects, drafts
from lycosa.storage.jetstream.writing import Writer

OLDEST = (2, 15, 1)
ROUNDS = 8
LEAST_PAYLOAD = PART_BYTES + 10_000
_SECONDS = 5.0


def refuse_small_messages(connection: Connection) -> None:
    """Raise `LogError` if a server takes smaller messages than our parts."""
    if connection.client.max_payload < LEAST_PAYLOAD:
        raise LogError(
            f"{connection.address}: takes messages of {connection.client.max_payload:,} bytes, and"
            f" a crawl's log needs {LEAST_PAYLOAD:,}\n  set max_payload: 1MB on every server"
        )


def refuse_old_server(connection: Connection, version: str) -> None:
    """Raise `LogError` if a server's conditional writes cannot be trusted."""
    if numbers_of(version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise LogError(
            f"{connection.address}: is nats-server {version}, which can accept two writers at once;"
            f" a crawl's log needs {oldest} or newer\n"
            f"  upgrade all servers: https://github.com/nats-io/nats-server/releases/tag/v{oldest}"
        )


def numbers_of(version: str) -> tuple[int, ...]:
    """Return a version's numbers; a preview counts as older than its release."""
    found = re.match(r"v?(\d+)\.(\d+)\.(\d+)(-.+)?$", version)
    if not found:
        return (0,)
    numbers = tuple(int(part) for part in found.groups()[:3])
    return (*numbers[:2], numbers[2] - 1) if found.group(4) else numbers


def refuse_unsynced(connection: Connection, durability: str) -> set[str]:
    """Raise `LogError` for `durability` "power" unless every server is seen to sync each write.

    Returns the names of the servers that were seen. If they can be seen, the version of every
    server is checked too, not only that of the connected one.
    """
    seen = servers_seen(connection)
    if durability == "power" and not seen:
        raise LogError(
            f"{connection.address}: cannot be seen to sync every write, but the job asks for"
            ' durability = "power"\n  set sync_interval: always in the jetstream section of every'
            " server, and name their monitoring port (nats://HOSTS?monitoring=8222) or credentials"
            " of the system account (?system=FILE)"
        )
    for name, told in seen.items():
        refuse_old_server(connection, told.get("version", "0"))
        syncs = told.get("jetstream", {}).get("config", {}).get("sync_always")
        if durability == "power" and not syncs:
            raise LogError(
                f"{connection.address}: the server {name} acknowledges writes that are not on its"
                ' disk yet, and the job asks for durability = "power"\n'
                "  set sync_interval: always in its jetstream section and restart it"
            )
    return set(seen)


def refuse_unseen(
    connection: Connection, durability: str, seen: set[str], keepers: Iterable[str]
) -> None:
    """Raise `LogError` for "power" if a server with a copy was not among those seen."""
    unseen = set(keepers) - seen
    if durability == "power" and unseen:
        raise LogError(
            f"{connection.address}: {', '.join(sorted(unseen))} keeps a copy of the log and cannot"
            ' be seen to sync every write, and the job asks for durability = "power"\n'
            "  name all servers in the address, with their monitoring port"
        )


def servers_seen(connection: Connection) -> dict[str, dict[str, Any]]:
    """Return each visible server's report of itself, by name."""
    told = [_told(url) for url in connection.address.monitoring_urls]
    system = connection.address.system_options()
    if system is not None:
        visitor = Connection(connection.address, connection.patience_seconds, system)
        try:
            told += visitor.call(_told_by_system(visitor))
        finally:
            visitor.close()
    return {one.get("server_name", ""): one for one in told}


async def _told_by_system(visitor: Connection) -> list[dict[str, Any]]:
    """Ask all servers at once; a server that is silent for a second is considered down."""
    inbox = visitor.client.new_inbox()
    answers = await visitor.client.subscribe(inbox)
    await visitor.client.publish("$SYS.REQ.SERVER.PING.VARZ", b"", reply=inbox)
    told: list[dict[str, Any]] = []
    with suppress(NatsError, TimeoutError):
        while True:
            answer = await answers.next_msg(1.0)
            told.append(json.loads(answer.data).get("data", {}))
    return told


async def refuse_unless_one_wins(
    connection: Connection, subjects: Subjects, writer: Writer
) -> None:
    """Let two writers publish with one expectation, several times; both must never win."""
    subject = subjects.trial(uuid.uuid4().hex)
    last = 0
    for _ in range(ROUNDS):
        tries = [_try(writer, subject, last) for _ in range(2)]
        won = [number for number in await asyncio.gather(*tries) if number is not None]
        if len(won) > 1:
            raise LogError(
                f"{connection.address}: accepted two writers with the same expectation, so an owner"
                " that was replaced could continue to write\n  no crawl can be entrusted to these"
                " servers: upgrade all of them"
            )
        last = won[0] if won else last
        if not won:
            break  # no answer in time, for which the log itself will wait
    name, trial = f"STREAM.PURGE.{subjects.stream}", {"filter": subject}
    await connection.patiently(lambda: connection.api(name, trial))


async def _try(writer: Writer, subject: str, expect: int) -> int | None:
    try:
        return await writer.send(drafts(subject, b"", Mark(), expect))
    except (Refused, NatsError, OSError, TimeoutError):
        return None


def _told(url: str) -> dict[str, Any]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{url.rstrip('/')}/varz", timeout=_SECONDS) as answer:
            told: dict[str, Any] = json.load(answer)
    except (OSError, ValueError) as problem:
        raise LogError(
            f"{url}: the server's monitoring port does not answer: {problem}\n"
            '  open it to this machine (http_port: 8222), or ask for durability = "process"'
        ) from None
    return told
