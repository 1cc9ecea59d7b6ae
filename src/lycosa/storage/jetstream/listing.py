"""Lists the crawls whose logs are streams of a NATS cluster."""

from __future__ import annotations

from typing import Any

from lycosa._support.decoders import msgpack_decoder
from lycosa.storage.jetstream.address import parse_address
from lycosa.storage.jetstream.connection import STREAM_NOT_FOUND, Connection, Refused
from lycosa.storage.jetstream.messages import Subjects, whole
from lycosa.storage.jetstream.reading import Reader
from lycosa.storage.jetstream.trust import refuse_old_server
from lycosa.storage.log.protocol import StoredCrawl

_PREFIX = "LYCOSA_"
_note = msgpack_decoder(tuple[str, bytes])


def list_crawls(url: str, patience_seconds: float) -> list[StoredCrawl]:
    """Return the crawls of our account."""
    connection = Connection(parse_address(url), patience_seconds)
    try:
        refuse_old_server(connection, connection.server_version)
        return connection.call(_listed(connection))
    finally:
        connection.close()


async def _listed(connection: Connection) -> list[StoredCrawl]:
    found: list[StoredCrawl] = []
    offset = 0
    while True:
        asked = {"offset": offset, "subject": "lycosa.*.>"}
        page = await connection.patiently(lambda a=asked: connection.api("STREAM.LIST", a))  # type: ignore[misc]
        streams: list[dict[str, Any]] = page.get("streams") or []
        for stream in streams:
            config = stream["config"]
            if config["name"].startswith(_PREFIX):
                name = config["name"].removeprefix(_PREFIX)
                partitions = int((config.get("metadata") or {}).get("lycosa-partitions", 0))
                found.append(StoredCrawl(name, partitions, await _notes(connection, name)))
        offset += len(streams)
        if not streams or offset >= page.get("total", 0):
            return found


async def _notes(connection: Connection, name: str) -> dict[str, bytes]:
    subjects = Subjects(name)
    reader = Reader(connection, subjects, 0)
    try:
        pages = [page async for page in reader.pages(subjects.all_notes, 1)]
    except Refused as refused:
        if refused.code == STREAM_NOT_FOUND:  # removed in the meantime
            return {}
        raise
    messages = whole(message for page in pages for message in page)
    return dict(_note.decode(message.data) for message in messages)
