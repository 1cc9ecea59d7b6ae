"""Tells a log that has gone back from a leader that was replaced and does not know it yet.

Both end earlier than an acknowledged write. A leader that was replaced gets no majority for a
write. So a joining process publishes a message: if it is acknowledged, and the log still ends too
early, the log has gone back. A process that only reads publishes nothing, and asks again for some
seconds.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence

import zstandard

from lycosa._support.decoders import msgpack_decoder
from lycosa.storage.jetstream.connection import Connection
from lycosa.storage.jetstream.messages import Draft, Mark, Message, Subjects, drafts, whole
from lycosa.storage.jetstream.reading import Reader
from lycosa.storage.log.last_write import Acknowledged, LastWrite, gone_back

_READING_SECONDS = 3.0
_RETRY_SECONDS = 0.25
_frames = msgpack_decoder(list[tuple[int, bytes]])

Send = Callable[[Sequence[Draft]], Awaitable[int]]


class Lineage:
    """Looks for writes that the servers have acknowledged; only on the loop's thread."""

    def __init__(
        self, connection: Connection, subjects: Subjects, reader: Reader, send: Send
    ) -> None:
        self._connection = connection
        self._subjects = subjects
        self._reader = reader
        self._send = send
        self.may_publish = False
        self.last_write: LastWrite | None = None

    async def look(self) -> None:
        """Raise `LogGoneBack` if the log lacks the directory's last write."""
        wanted = self.last_write.wanted if self.last_write is not None else None
        if wanted is not None:
            last = await self.require(wanted.partition, wanted.sequence)
            batch = await self._batch_at(wanted, last)
            place = str(self._connection.address)
            wanted.refuse_gone_back(place, last.mark.sequence, batch)

    async def require(self, partition: int, sequence: int) -> Message:
        """Return the last message of a log; raise `LogGoneBack` if it ends before a sequence."""
        subject = self._subjects.log(partition)
        until = time.monotonic() + _READING_SECONDS
        while True:
            last = await self._reader.last(subject)
            if last is not None and last.mark.sequence >= sequence:
                return last
            if self.may_publish:
                await self._publish()
                last = await self._reader.last(subject)
            elif time.monotonic() < until:
                await asyncio.sleep(_RETRY_SECONDS)
                continue
            if last is not None and last.mark.sequence >= sequence:
                return last
            head = last.mark.sequence if last is not None else 0
            what = f"partition {partition} was at {sequence:,} and ends at {head:,}"
            raise gone_back(str(self._connection.address), what)

    async def _publish(self) -> None:
        """Publish a message that only a majority of the servers can acknowledge; then remove it."""
        subject = self._subjects.trial(uuid.uuid4().hex)
        messages = drafts(subject, b"", Mark())
        await self._connection.patiently(lambda: self._send(messages))
        name, trial = f"STREAM.PURGE.{self._subjects.stream}", {"filter": subject}
        await self._connection.patiently(lambda: self._connection.api(name, trial))

    async def _batch_at(self, wanted: Acknowledged, last: Message) -> bytes | None:
        """Return the batch in the place of a write; None if it cannot be found."""
        subject = self._subjects.log(wanted.partition)
        found = last
        if last.number != wanted.number:
            found = await self._reader.next(subject, wanted.number) or last
        mark = found.mark
        if found.number == wanted.number and mark.sequence == wanted.sequence and mark.parts == 1:
            return found.data
        # It was trimmed, has several parts, or the log was moved here from another server.
        for frame in await self._all(self._subjects.archive(wanted.partition)):
            if frame.mark.sequence >= wanted.sequence:
                batches = dict(_frames.decode(zstandard.decompress(frame.data)))
                if wanted.sequence in batches:
                    return batches[wanted.sequence]
        stored = await self._all(subject)
        return next((m.data for m in stored if m.mark.sequence == wanted.sequence), None)

    async def _all(self, subject: str) -> list[Message]:
        pages = [page async for page in self._reader.pages(subject, 1)]
        return list(whole(message for page in pages for message in page))
