"""Reads from a crawl's stream: one message from its leader, ranges of a subject, all heads.

The leader knows every acknowledged write. Ranges and heads come from the replica that answers
first, and may be old. A range is read until it reaches the end that the leader named at the time of
the request. For the heads, the number up to which the replica had read is known.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, NamedTuple

from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeout

from lycosa.storage.jetstream.connection import NOT_FOUND, Connection, Refused
from lycosa.storage.jetstream.messages import Mark, Message, Subjects, mark_of
from lycosa.storage.log.protocol import Head

_AT_ONCE = 500
_BYTES_AT_ONCE = 8 << 20
_SUBJECTS_AT_ONCE = 1000


class Heads(NamedTuple):
    """All heads at one message of the stream."""

    heads: list[Head]
    number: int


class Reader:
    """Asks for messages of one stream; only on the loop's thread."""

    def __init__(self, connection: Connection, subjects: Subjects, partitions: int) -> None:
        self._connection = connection
        self._subjects = subjects
        self._partitions = partitions

    async def last(self, subject: str) -> Message | None:
        """Return the last message of a subject, from the leader."""
        return await self._from_leader({"last_by_subj": subject})

    async def next(self, subject: str, number: int) -> Message | None:
        """Return the first message of a subject from a number on, from the leader."""
        return await self._from_leader({"seq": number, "next_by_subj": subject})

    async def pages(
        self, subject: str, first: int, newest: Message | None = None
    ) -> AsyncIterator[list[Message]]:
        """Yield all messages of a subject, from a number to the leader's present end.

        `newest` is the last of them, if the caller has just asked the leader.
        """
        newest = newest or await self.last(subject)
        while newest is not None and first <= newest.number:
            request = {
                "seq": first,
                "next_by_subj": subject,
                "batch": _AT_ONCE,
                "max_bytes": _BYTES_AT_ONCE,
            }
            page = [found for found in await self._direct(request) if isinstance(found, Message)]
            if not page:  # the replica is behind, but the leader has the page
                found = await self.next(subject, first)
                if found is None:
                    return
                page = [found]
            first = page[-1].number + 1
            yield page

    async def heads(self, *, of_one_moment: bool = False) -> Heads:
        """Return all heads, as known to some replica; above 500 partitions in several requests."""

        async def ask() -> Heads:
            numbers: set[int] = set()
            logs: dict[str, Message] = {}
            for wanted in self._head_subjects():
                found = await self._direct({"multi_last": [*wanted, self._subjects.made]})
                logs |= {one.subject: one for one in found if isinstance(one, Message)}
                numbers |= {one for one in found if not isinstance(one, Message)}
            if not numbers or (of_one_moment and len(numbers) > 1):
                raise NatsTimeout("the heads moved between two requests, or a replica has none")
            return Heads([self._head(logs, n) for n in range(self._partitions)], min(numbers))

        return await self._connection.patiently(ask)

    def _head(self, found: dict[str, Message], partition: int) -> Head:
        log = found.get(self._subjects.log(partition))
        inbox = found.get(self._subjects.inbox(partition))
        mark = log.mark if log else Mark()
        return Head(mark.sequence, inbox.number if inbox else 0, mark.owner)

    def _head_subjects(self) -> list[list[str]]:
        if 2 * self._partitions <= _SUBJECTS_AT_ONCE:
            return [[f"{self._subjects.root}.log.*", f"{self._subjects.root}.in.*"]]
        named = [
            subject(partition)
            for partition in range(self._partitions)
            for subject in (self._subjects.log, self._subjects.inbox)
        ]
        step = _SUBJECTS_AT_ONCE
        return [named[start : start + step] for start in range(0, len(named), step)]

    async def _from_leader(self, request: dict[str, Any]) -> Message | None:
        name = f"STREAM.MSG.GET.{self._subjects.stream}"

        async def ask() -> Message | None:
            try:
                told = (await self._connection.api(name, request))["message"]
            except Refused as refused:
                if refused.code == NOT_FOUND:
                    return None
                raise
            headers = _headers(base64.b64decode(told.get("hdrs", "")))
            data = base64.b64decode(told.get("data", ""))
            return Message(told["subject"], told["seq"], mark_of(headers), data)

        return await self._connection.patiently(ask)

    async def _direct(self, request: dict[str, Any]) -> list[Message | int]:
        """Return the messages of a direct get, then the number that its replica had read to."""

        async def ask() -> list[Message | int]:
            client = self._connection.client
            inbox = client.new_inbox()
            subscription = await client.subscribe(inbox)
            try:
                subject = f"$JS.API.DIRECT.GET.{self._subjects.stream}"
                await client.publish(subject, json.dumps(request).encode(), reply=inbox)
                found: list[Message | int] = []
                while True:
                    answer = await subscription.next_msg(self._connection.answer_seconds)
                    status = (answer.headers or {}).get("Status")
                    if status is None:
                        found.append(_stored(answer))
                    elif status == "204":
                        told = (answer.headers or {}).get("Nats-UpTo-Sequence", "0")
                        return [*found, int(told)]
                    elif status == "404":
                        return found
                    else:
                        raise NatsTimeout(f"a direct get was answered by {status}")
            finally:
                with suppress(NatsError):
                    await subscription.unsubscribe()

        return await self._connection.patiently(ask)


def _stored(answer: Msg) -> Message:
    headers = answer.headers or {}
    number = int(headers["Nats-Sequence"])
    return Message(headers["Nats-Subject"], number, mark_of(headers), answer.data)


def _headers(raw: bytes) -> dict[str, str]:
    lines = raw.decode().split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines if line)
    return {name: value.strip() for name, _, value in pairs}
