"""Makes a crawl's stream, or checks that its settings are still those of Lycosa.

A limit on age, count or size that somebody else has set would silently remove batches, so a stream
with such a limit is refused. With `discard: new` a full server refuses writes, which is a pause;
with `old` it would lose the beginning.
"""

from __future__ import annotations

from typing import Any

from lycosa.errors import FormatError, LogError
from lycosa.storage.jetstream.connection import (
    STREAM_NOT_FOUND,
    UNDECIDED,
    WRONG_LAST,
    Connection,
    Refused,
    checked,
)
from lycosa.storage.jetstream.messages import EXPECTED_ON_SUBJECT, Subjects
from lycosa.storage.log.protocol import no_such_crawl

FORMAT = 1
REPLICAS = 3
_NAME_IN_USE = 10058
_TOO_FEW_SERVERS = frozenset({10005, 10074})


def settings(subjects: Subjects, partitions: int, first_number: int = 1) -> dict[str, Any]:
    """Return the settings of a crawl's stream."""
    return {
        "name": subjects.stream,
        "subjects": [f"{subjects.root}.>"],
        "retention": "limits",
        "storage": "file",
        "num_replicas": REPLICAS,
        "discard": "new",
        "max_age": 0,
        "max_msgs": -1,
        "max_bytes": -1,
        "max_msgs_per_subject": -1,
        "max_msg_size": -1,
        "allow_direct": True,
        "allow_atomic": True,
        "deny_delete": True,
        "first_seq": first_number,
        "metadata": {"lycosa-format": str(FORMAT), "lycosa-partitions": str(partitions)},
    }


async def open_stream(
    connection: Connection,
    subjects: Subjects,
    wanted: dict[str, Any],
    may_begin: bool = True,
    joins: bool = True,
) -> list[str]:
    """Make a new crawl's stream, or check an old one's; return the servers with copies of it."""

    async def make() -> dict[str, Any]:
        try:
            return await connection.api(f"STREAM.INFO.{subjects.stream}")
        except Refused as refused:
            if refused.code != STREAM_NOT_FOUND:
                raise
        if not may_begin:
            raise no_such_crawl(str(connection.address), subjects.stream.removeprefix("LYCOSA_"))
        try:
            return await connection.api(f"STREAM.CREATE.{subjects.stream}", wanted)
        except Refused as refused:
            if refused.code == _NAME_IN_USE:  # another machine made it first
                return await connection.api(f"STREAM.INFO.{subjects.stream}")
            raise

    try:
        found = await connection.patiently(make)
    except Refused as refused:
        if refused.code in _TOO_FEW_SERVERS or "replicas" in refused.text:
            raise LogError(
                f"{connection.address}: cannot keep {REPLICAS} copies of a stream: {refused}\n"
                "  run at least three servers with JetStream, as one cluster"
            ) from None
        raise LogError(
            f"{connection.address}: cannot make the stream {subjects.stream}: {refused}\n"
            "  the account needs JetStream, and the permission to make streams"
        ) from None
    _check(connection, subjects, found["config"], wanted)

    async def begin() -> None:
        headers = {EXPECTED_ON_SUBJECT: "0"}
        answer = await connection.client.request(
            subjects.made, b"", connection.answer_seconds, headers=headers
        )
        try:
            checked(answer)
        except Refused as refused:
            if refused.code not in (WRONG_LAST, UNDECIDED):
                raise

    if joins:
        await connection.patiently(begin)
    cluster = found.get("cluster") or {}
    others = [replica.get("name", "") for replica in cluster.get("replicas") or ()]
    return [name for name in (cluster.get("leader", ""), *others) if name]


def _check(
    connection: Connection,
    subjects: Subjects,
    found: dict[str, Any],
    wanted: dict[str, Any],
) -> None:
    told, partitions = found.get("metadata") or {}, wanted["metadata"]["lycosa-partitions"]
    if told.get("lycosa-format", str(FORMAT)) != str(FORMAT):
        raise FormatError(
            f"{connection.address}: the log has format {told['lycosa-format']}; this Lycosa reads"
            f" format {FORMAT}\n  it was written by another release: join with that one or a newer"
        )
    count = told.get("lycosa-partitions", partitions)
    if count != partitions:
        raise LogError(
            f"{connection.address}: the crawl has {count} partitions,"
            f" the job asks for {partitions}\n"
            f"  the number is chosen once: set [frontier] partitions = {count}"
        )
    if found.get("num_replicas", 1) < REPLICAS:
        raise LogError(
            f"{connection.address}: the stream {subjects.stream} has {found.get('num_replicas', 1)}"
            f" copy, but a crawl's log needs {REPLICAS}\n"
            f"  type: nats stream edit {subjects.stream} --replicas {REPLICAS}"
        )
    for key in (
        "storage",
        "retention",
        "discard",
        "max_age",
        "max_msgs",
        "max_bytes",
        "max_msgs_per_subject",
        "max_msg_size",
        "allow_atomic",
        "allow_direct",
    ):
        if found.get(key, _default(key)) != wanted[key]:
            raise LogError(
                f"{connection.address}: the stream {subjects.stream} has {key} ="
                f" {found.get(key, _default(key))!r}, so it could lose or refuse batches\n"
                f"  restore {key} = {wanted[key]!r} (nats stream edit {subjects.stream}), or"
                " use servers that know this setting"
            )


def _default(key: str) -> object:
    return False if key.startswith("allow_") else -1
