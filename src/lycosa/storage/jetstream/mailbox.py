"""The inboxes of this process's partitions, kept up to date in the background.

One consumer delivers all of them, and the notes, in the order of the stream. `inbox` therefore asks
no server, and a reader that has seen an entry finds the notes before it. A consumer is replaced
when partitions are added, when it falls silent, when a message is missing or the connection was
lost: the server counts what it had sent as delivered, and what is lost with a connection may be the
last message for hours. The new consumer continues after the last message received.

Entries stay until they are decided on (`drop`). When too many bytes are waiting, no more are
requested; entries that a reader has already passed may then be dropped.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
import uuid
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from lycosa.storage.jetstream.connection import Connection, Refused
from lycosa.storage.jetstream.messages import Message, Subjects, mark_of, partition_of, whole
from lycosa.storage.log.protocol import INBOX_MOST

_AT_ONCE = 256
_MOST_BYTES = 64 << 20
_SILENCE_SECONDS = 2.0


@dataclass
class Box:
    """An inbox, from the entry after `floor` on."""

    floor: int
    entries: deque[tuple[int, bytes]] = field(default_factory=deque)
    parts: list[Message] = field(default_factory=list)
    seen: int = 0
    """Number of the last message, whole or part."""

    @property
    def last(self) -> int:
        """Number of the last entry."""
        return self.entries[-1][0] if self.entries else self.floor


class Mailbox:
    """Keeps inboxes up to date; `inbox` and `notes_since` may be called from any thread."""

    def __init__(self, connection: Connection, subjects: Subjects) -> None:
        self._connection = connection
        self._subjects = subjects
        self._lock = threading.Condition()
        self._boxes: dict[int, Box] = {}
        self._notes: deque[Message] = deque()
        self._note_parts: list[Message] = []
        self._notes_floor: int | None = None
        self._notes_seen = 0
        self._position = 0
        self._covered: set[int] = set()
        """Partitions whose messages have arrived up to the position."""
        self._bytes = 0
        self._number = 0
        self._generation = 0
        self._is_current = False
        self._is_closed = False
        self._come: asyncio.Queue[Msg | None] = asyncio.Queue()
        """Messages delivered by the consumer; None when it must be replaced."""
        self._task: asyncio.Task[None] | None = None
        connection.on_lost = lambda: self._come.put_nowait(None)

    def number(self) -> int:
        """Return a number that changes when a message arrives."""
        return self._number

    def inbox(self, partition: int, after: int) -> list[tuple[int, bytes]]:
        """Return the next entries of an inbox; the first call waits until they are here."""
        with self._lock:
            box = self._boxes.get(partition)
            if box is None or after < box.floor:
                self._watch({partition: after})
                self._wait_until_current(partition, after)
                box = self._boxes[partition]
            found = [entry for entry in box.entries if entry[0] > after][:INBOX_MOST]
            if self._bytes > _MOST_BYTES:
                self._drop(box, after)
            return found

    def watch(self, partitions: dict[int, int]) -> None:
        """Begin to keep the inboxes of partitions, each from after a number."""
        with self._lock:
            new = {p: after for p, after in partitions.items() if p not in self._boxes}
            if new:
                self._watch(new)

    def forget(self, partition: int) -> None:
        """Stop keeping an inbox: its partition has another owner."""
        with self._lock:
            box = self._boxes.pop(partition, None)
            if box is not None:
                self._bytes -= sum(len(batch) for _, batch in box.entries)
                self._restart()

    def drop(self, partition: int, through: int) -> None:
        """Drop the entries that have been decided on."""
        with self._lock:
            box = self._boxes.get(partition)
            if box is not None:
                self._drop(box, through)

    def notes_since(self, number: int) -> tuple[int, list[Message]] | None:
        """Return the notes after a number; None if they did not arrive this way."""
        with self._lock:
            if self._notes_floor is None or number < self._notes_floor or not self._is_current:
                return None
            while self._notes and self._notes[0].number <= number:
                self._notes.popleft()
            self._notes_floor = number
            found = list(self._notes)
            return (found[-1].number if found else number), found

    def close(self) -> None:
        """End the consumer."""
        with self._lock:
            self._is_closed = True
            self._lock.notify_all()

        async def end() -> None:
            if self._task is not None:
                self._task.cancel()

        with suppress(Exception):
            self._connection.call(end())

    # -- with the lock held -----------------------------------------------------------------

    def _watch(self, partitions: dict[int, int]) -> None:
        for partition, after in partitions.items():
            old = self._boxes.get(partition)
            if old is not None:
                self._bytes -= sum(len(batch) for _, batch in old.entries)
            self._boxes[partition] = Box(after, seen=after)
            self._covered.discard(partition)
        self._restart()

    def _restart(self) -> None:
        self._generation += 1
        self._is_current = False

        async def wake() -> None:
            self._come.put_nowait(None)
            if self._task is None or self._task.done():
                self._task = asyncio.get_running_loop().create_task(self._run())

        asyncio.run_coroutine_threadsafe(wake(), self._connection.loop)

    def _wait_until_current(self, partition: int, after: int) -> None:
        end = time.monotonic() + self._connection.patience_seconds
        while not self._is_current:
            box = self._boxes.get(partition)
            if box is not None and len(box.entries) >= INBOX_MOST and box.floor <= after:
                return
            if not self._lock.wait(end - time.monotonic()) or self._is_closed:
                raise self._connection.unavailable("the inbox is not delivered")

    def _drop(self, box: Box, through: int) -> None:
        while box.entries and box.entries[0][0] <= through:
            box.floor, batch = box.entries.popleft()
            self._bytes -= len(batch)

    def _take_in(self, message: Message) -> None:
        self._number += 1
        self._position = message.number
        if message.subject.startswith(f"{self._subjects.root}.note."):
            if message.number > self._notes_seen:
                self._notes_seen = message.number
                self._note_parts.append(message)
                if message.mark.part == message.mark.parts:
                    self._notes.extend(whole(self._note_parts))
                    self._note_parts.clear()
            return
        box = self._boxes.get(partition_of(message.subject))
        if box is None or message.number <= box.seen:
            return
        box.seen = message.number
        box.parts.append(message)
        if message.mark.part == message.mark.parts:
            for entry in whole(box.parts):
                box.entries.append((entry.number, entry.data))
                self._bytes += len(entry.data)
            box.parts.clear()

    def _begin(self) -> tuple[int, list[int], int]:
        """Return the start of the next consumer: the first missing message, or its first part."""
        for partition, box in self._boxes.items():
            if partition in self._covered:
                box.seen = max(box.seen, self._position)
            if box.parts:
                box.seen = box.parts[0].number - 1
                box.parts.clear()
        start = min((box.seen for box in self._boxes.values()), default=0)
        if self._notes_floor is None:  # earlier notes are read when they are asked for
            self._notes_floor = self._notes_seen = start
        else:
            self._notes_seen = max(self._notes_seen, self._position)
            if self._note_parts:
                self._notes_seen = self._note_parts[0].number - 1
                self._note_parts.clear()
            start = min(start, self._notes_seen)
        self._covered = set(self._boxes)
        self._position = start
        return self._generation, list(self._boxes), start + 1

    # -- on the loop's thread ---------------------------------------------------------------

    async def _run(self) -> None:
        while not self._is_closed:
            self._come = asyncio.Queue()
            generation = self._generation
            with suppress(NatsError, OSError, TimeoutError, Refused):
                await self._consume()
            if generation == self._generation:  # the consumer failed, and would fail again at once
                await asyncio.sleep(0.1)

    async def _consume(self) -> None:
        """Deliver with one consumer until it fails or the partitions change."""
        with self._lock:
            generation, partitions, start = self._begin()
        if not partitions:
            await self._come.get()
            return
        client = self._connection.client
        name, stream = f"lycosa-{uuid.uuid4().hex}", self._subjects.stream
        made = await self._connection.api(
            f"CONSUMER.CREATE.{stream}.{name}",
            {
                "stream_name": stream,
                "config": {
                    "name": name,
                    "ack_policy": "none",
                    "deliver_policy": "by_start_sequence",
                    "opt_start_seq": start,
                    "filter_subjects": [
                        *(self._subjects.inbox(partition) for partition in partitions),
                        self._subjects.all_notes,
                    ],
                    "mem_storage": True,
                    "num_replicas": 1,
                    "inactive_threshold": 30_000_000_000,
                    "max_deliver": -1,
                },
            },
        )
        if made.get("num_pending", 0) == 0:
            self._become_current(generation)
        inbox, come = client.new_inbox(), self._come

        async def put(message: Msg) -> None:
            come.put_nowait(message)

        subscription = await client.subscribe(inbox, cb=put)
        try:
            await self._fetch(name, inbox, generation)
        finally:
            with suppress(NatsError, OSError):
                await subscription.unsubscribe()
                await client.publish(f"$JS.API.CONSUMER.DELETE.{stream}.{name}", b"")

    async def _fetch(self, name: str, inbox: str, generation: int) -> None:
        """Ask for messages repeatedly; return when the consumer must be replaced."""
        client, subject = self._connection.client, self._next_subject(name)
        request = json.dumps(
            {"batch": _AT_ONCE, "expires": 5_000_000_000, "idle_heartbeat": 1_000_000_000}
        ).encode()
        delivered = 0
        while generation == self._generation:
            if self._bytes > _MOST_BYTES:
                await asyncio.sleep(0.05)
                continue
            await client.publish(subject, request, reply=inbox)
            left = _AT_ONCE
            while left and generation == self._generation:
                async with asyncio.timeout(_SILENCE_SECONDS):
                    answer = await self._come.get()
                if answer is None:  # the partitions have changed, or the connection was lost
                    return
                status = (answer.headers or {}).get("Status")
                if status == "100":
                    continue
                if status is not None:
                    if status == "408":
                        break
                    return
                number, count, pending = _told_by(answer.reply)
                if count != delivered + 1:
                    return
                delivered = count
                left -= 1
                with self._lock:
                    self._take_in(
                        Message(answer.subject, number, mark_of(answer.headers), answer.data)
                    )
                    self._lock.notify_all()
                if pending == 0:
                    self._become_current(generation)

    def _next_subject(self, name: str) -> str:
        return f"$JS.API.CONSUMER.MSG.NEXT.{self._subjects.stream}.{name}"

    def _become_current(self, generation: int) -> None:
        with self._lock:
            if generation == self._generation:
                self._is_current = True
                self._lock.notify_all()


def _told_by(reply: str) -> tuple[int, int, int]:
    """Return a message's number in the stream, its count by the consumer, and the pending count."""
    fields = reply.split(".")
    first = 5 if len(fields) == 9 else 7  # newer servers also name their domain and account
    return int(fields[first]), int(fields[first + 1]), int(fields[first + 3])
