"""The log of a crawl in NATS JetStream: any number of machines, without a single point of failure.

Calls come from any thread and wait; an election of five seconds is a pause. After
`patience_seconds` without an answer they raise `LogUnavailable`, and the same call may be made
again. The dense sequence of a batch is in its header, so the fold reads it as from any other log.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
import zstandard

from lycosa._support.decoders import msgpack_decoder
from lycosa._support.failpoints import reach
from lycosa.errors import LogError
from lycosa.storage.jetstream.address import parse_address
from lycosa.storage.jetstream.connection import UNDECIDED, WRONG_LAST, Connection, Refused
from lycosa.storage.jetstream.mailbox import Mailbox
from lycosa.storage.jetstream.messages import (
    EXPECTED_IN_STREAM,
    Draft,
    Mark,
    Message,
    Subjects,
    drafts,
    whole,
)
from lycosa.storage.jetstream.reading import Reader
from lycosa.storage.jetstream.stream import open_stream, settings
from lycosa.storage.jetstream.trust import (
    refuse_old_server,
    refuse_small_messages,
    refuse_unless_one_wins,
    refuse_unseen,
    refuse_unsynced,
)
from lycosa.storage.jetstream.writing import MOST_MESSAGES, MOST_PARTITIONS, End, Wanted, Writer
from lycosa.storage.log.archive import framed, read_history
from lycosa.storage.log.format import encode
from lycosa.storage.log.last_write import LastWrite
from lycosa.storage.log.protocol import Contents, Head, Take, Write, check_name, identity_of

T = TypeVar("T")
_frames = msgpack_decoder(list[tuple[int, bytes]])
_note = msgpack_decoder(tuple[str, bytes])


class JetStreamLog:
    """A crawl's stream in a cluster of servers."""

    reads_at_once = 16
    lock_seconds = 0.0
    """The servers do not report how long a commit has waited for others."""

    def __init__(
        self,
        url: str,
        partitions: int,
        crawl: str,
        durability: str = "process",
        *,
        patience_seconds: float = 30.0,
        may_begin: bool = True,
        joins: bool = True,
        first_number: int = 1,
        last_write: LastWrite | None = None,
    ) -> None:
        """Join the crawl of this name, or begin it with messages numbered from `first_number`.

        A process that does not join it, but reads or orders, publishes nothing by opening the log,
        and need not see that the servers can be entrusted with pages. The log must have the
        directory's `last_write`, now and after every reconnection.
        """
        check_name(crawl)
        if partitions > MOST_PARTITIONS:
            raise LogError(
                f"a crawl in JetStream has at most {MOST_PARTITIONS} partitions, not {partitions}:"
                " one write may have links for all of them, but a server takes 1,000 messages at"
                f" once\n  set [frontier] partitions = {MOST_PARTITIONS} or less"
            )
        self.partitions = partitions
        self.crawl = crawl
        address = parse_address(url)
        self._subjects = Subjects(crawl)
        self._connection = Connection(address, patience_seconds)
        self._reader = Reader(self._connection, self._subjects, partitions)
        self._writer = Writer(self._connection, self._subjects, self._reader)
        self._last_write, lineage = last_write, self._writer.lineage
        lineage.last_write, lineage.may_publish = last_write, joins
        self._connection.on_reconnected = lineage.look
        self._mailbox = Mailbox(self._connection, self._subjects)
        self._inbox_read: dict[int, int] = {}
        try:
            refuse_old_server(self._connection, self._connection.server_version)
            refuse_small_messages(self._connection)
            seen = refuse_unsynced(self._connection, durability) if joins else set()
            made = settings(self._subjects, partitions, first_number)
            keepers = self._call(
                open_stream(self._connection, self._subjects, made, may_begin, joins)
            )
            self._call(lineage.look())
            if joins:
                refuse_unseen(self._connection, durability, seen, keepers)
                self._call(refuse_unless_one_wins(self._connection, self._subjects, self._writer))
        except BaseException:
            self.close()
            raise

    def take(self, owner: str, takes: Sequence[Take]) -> list[int | None]:
        """Append as the new owner; each take is conditional by itself."""
        wanted = [
            Wanted(
                partition, expect, identity_of(partition, expect, events).hex(), events, (), owner
            )
            for partition, expect, events in takes
        ]
        results = self._written(wanted)
        reach("take.written")
        mine = {take.partition: 0 for take, got in zip(takes, results, strict=True) if got}
        self._mailbox.watch(mine)
        return results

    def commit(self, writes: Sequence[Write]) -> list[int | None]:
        """Write in atomic batches; a write is never divided between two."""
        reach("log.posted")
        wanted = [
            Wanted(
                write.partition,
                write.expect,
                identity_of(write.partition, write.expect, write.events, write.posts).hex(),
                write.events,
                write.posts,
                "" if write.releases else None,
            )
            for write in writes
        ]
        results = self._written(wanted)
        reach("log.appended")
        for write, sequence in zip(writes, results, strict=True):
            if sequence is None or write.releases:
                self._mailbox.forget(write.partition)
            else:
                self._inbox_read[write.partition] = write.inbox_read
                self._mailbox.drop(write.partition, write.inbox_read)
        return results

    def read(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        """Yield archived batches, then those of the log, which its owner may trim in the
        meantime."""
        newest = self._call(self._reader.last(self._subjects.log(partition)))
        return read_history(
            after,
            newest.mark.sequence if newest else 0,
            lambda last: self._archived(partition, last),
            lambda last: self._stored(partition, last, newest),
        )

    def post(self, partition: int, messages: bytes) -> int:
        """Append to an inbox."""
        return self._send(drafts(self._subjects.inbox(partition), messages, Mark()))

    def post_all(
        self, posts: Sequence[tuple[int, bytes]], notes: Mapping[str, bytes] | None = None
    ) -> None:
        """Write the notes, then post in batches of the largest size."""
        reach("seeds.before-post")
        for name, value in (notes or {}).items():
            self.note(name, value)
        batch: list[Draft] = []
        for partition, messages in posts:
            parts = drafts(self._subjects.inbox(partition), messages, Mark())
            if len(batch) + len(parts) > MOST_MESSAGES:
                self._send(batch)
                batch = []
            batch += parts
        if batch:
            self._send(batch)
        reach("seeds.posted")

    def inbox(self, partition: int, after: int) -> list[tuple[int, bytes]]:
        """Return the next entries that have come; the first call for a partition waits for them."""
        return self._mailbox.inbox(partition, after)

    def inboxes(self, after: Mapping[int, int]) -> dict[int, list[tuple[int, bytes]]]:
        """Return the next entries of several inboxes."""
        found = {partition: self.inbox(partition, last) for partition, last in after.items()}
        return {partition: entries for partition, entries in found.items() if entries}

    def heads(self) -> list[Head]:
        """Return all heads, as known to some replica."""
        return self._call(self._reader.heads()).heads

    def head(self, partition: int) -> Head:
        """Return one head, as known to the leader."""
        return self._call(self._leaders_head(partition))

    def owner(self, partition: int) -> str:
        """Return the owner of a partition, as far as this object knows."""
        return self._writer.owner(partition)

    def news(self) -> int:
        """Return a number that changes when an inbox may have grown; costs no network."""
        return self._mailbox.number()

    def trim(self, partition: int, through: int) -> int:
        """Copy batches to the archive, then purge them but the last, and the read part of the
        inbox.

        The last batch stays, with all its parts: after a purge of a whole subject the server would
        accept an expectation of 0.
        """
        archived = self._archived_through(partition)
        subject = self._subjects.log(partition)
        stored = list(self._stepwise(self._reader.pages(subject, 1)))
        batches = [
            (message.mark.sequence, message.data)
            for message in whole(stored)
            if archived < message.mark.sequence <= through
        ]
        if batches:
            frame = zstandard.compress(msgspec.msgpack.encode(batches), 3)
            archived = batches[-1][0]
            self._send(drafts(self._subjects.archive(partition), frame, Mark(archived)))
            reach("trim.archived")
        keep = [m.number for m in stored if m.mark.sequence >= min(through, archived)]
        if keep and keep[0] > stored[0].number:
            self._purge_below(subject, keep[0])
        if self._inbox_read.get(partition):
            self._purge_below(self._subjects.inbox(partition), self._inbox_read[partition])
        return len(batches)

    def note(self, name: str, value: bytes) -> bool:
        """Write a note once."""
        identity = uuid.uuid4().hex
        return self._call(
            self._connection.patiently(lambda: self._try_note(name, value, identity, None))
        )

    def note_at(self, name: str, value: bytes, heads: Sequence[Head]) -> bool:
        """Write a note once, if the stream ends where the same heads were read."""
        wanted, identity = list(heads), uuid.uuid4().hex

        async def attempt() -> bool:
            found = await self._reader.heads(of_one_moment=True)
            for partition, (old, new) in enumerate(zip(found.heads, wanted, strict=True)):
                if old != new:
                    if await self._leaders_head(partition) == new:
                        raise TimeoutError("a replica is behind")
                    last = await self._reader.last(self._subjects.note(name))
                    return last is not None and last.mark.identity == identity
            return await self._try_note(name, value, identity, found.number)

        return self._call(self._connection.patiently(attempt))

    def noted(self, name: str) -> bytes | None:
        """Return a note, from the leader."""
        found = self._call(self._found_note(self._subjects.note(name)))
        return _note.decode(found.data)[1] if found else None

    def notes(self, prefix: str) -> dict[str, bytes]:
        """Return notes by prefix."""
        found = _note_values(self._range(self._subjects.all_notes, 1))
        return {name: value for name, value in found.items() if name.startswith(prefix)}

    def notes_since(self, number: int) -> tuple[int, dict[str, bytes]]:
        """Return the notes after a number of the stream; from the local inbox if there is one."""
        come = self._mailbox.notes_since(number)
        if come is not None:
            return come[0], _note_values(come[1])
        messages = self._range(self._subjects.all_notes, number + 1)
        return max([number, *(m.number for m in messages)]), _note_values(messages)

    def fill(self, partition: int, contents: Contents) -> None:
        """Fill a partition of a new stream, whose numbers are above all that were read before.

        An inbox that was read gets at least an empty entry: the end of a crawl is found when the
        last entry was read, and an empty subject has no last entry.
        """
        for group, is_last in framed(contents.batches()):
            sequence, batch = group[-1]
            if not is_last:
                frame = zstandard.compress(msgspec.msgpack.encode(group), 3)
                self._send(drafts(self._subjects.archive(partition), frame, Mark(sequence)))
                continue
            identity = identity_of(partition, sequence - 1, batch).hex()
            wanted = Wanted(partition, sequence - 1, identity, batch, (), "")
            self._writer.learn(partition, End(sequence - 1, 0, ""))
            self._call(self._writer.write([wanted]))
        empty = [encode([])] if contents.inbox_read else []
        for messages in contents.messages or empty:
            self.post(partition, messages)

    def drop(self) -> None:
        """Remove the whole crawl from the servers."""
        name = f"STREAM.DELETE.{self._subjects.stream}"
        self._call(self._connection.patiently(lambda: self._connection.api(name)))

    def sync(self) -> None:
        """Do nothing: the servers keep acknowledged writes."""

    def close(self) -> None:
        """Close the connection; a batch in flight is abandoned, as by a kill."""
        self._mailbox.close()
        self._connection.close()
        if self._last_write is not None:
            self._last_write.close()

    # -- beneath ----------------------------------------------------------------------------

    def _call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._connection.call(coroutine)

    def _written(self, wanted: Sequence[Wanted]) -> list[int | None]:
        """Write, and remember the last acknowledged write."""
        results = self._call(self._writer.write(wanted))
        if self._last_write is not None:
            done = [one for one, got in zip(wanted, results, strict=True) if got is not None]
            ends = [(end.number, one) for one in done if (end := self._writer.end_of(one))]
            if ends:
                number, one = max(ends, key=lambda pair: pair[0])
                self._last_write.note(one.partition, one.expect + 1, one.events, number)
        return results

    async def _leaders_head(self, partition: int) -> Head:
        log = await self._reader.last(self._subjects.log(partition))
        inbox = await self._reader.last(self._subjects.inbox(partition))
        mark = log.mark if log else Mark()
        end = End(mark.sequence, log.number if log else 0, mark.owner)
        self._writer.learn(partition, end)
        return Head(end.sequence, inbox.number if inbox else 0, end.owner)

    def _send(self, messages: list[Draft]) -> int:
        """Publish without a condition; after a lost answer the messages may be there twice."""
        number: int = self._call(self._connection.patiently(lambda: self._writer.send(messages)))
        return number

    async def _try_note(
        self, name: str, value: bytes, identity: str, stream_number: int | None
    ) -> bool:
        """Publish a note on condition that there is none; the identity shows which writer's note is
        there."""
        subject = self._subjects.note(name)
        content = msgspec.msgpack.encode((name, value))
        messages = drafts(subject, content, Mark(identity=identity), 0)
        if stream_number is not None:
            messages[0].headers[EXPECTED_IN_STREAM] = str(stream_number)
        try:
            await self._writer.send(messages)
        except Refused as refused:
            if refused.code not in (UNDECIDED, WRONG_LAST):
                raise
            found = await self._reader.last(subject)
            if found is None:
                raise TimeoutError("the note is in flight, or the stream has grown") from refused
            return found.mark.identity == identity
        return True

    async def _found_note(self, subject: str) -> Message | None:
        last = await self._reader.last(subject)
        if last is None or last.mark.parts == 1:
            return last
        first = last.number - last.mark.parts + 1
        parts = [await self._reader.next(subject, first + n) for n in range(last.mark.parts)]
        return next(whole(part for part in parts if part is not None), None)

    def _range(self, subject: str, first: int) -> list[Message]:
        return list(whole(self._stepwise(self._reader.pages(subject, first))))

    def _stored(
        self, partition: int, after: int, newest: Message | None
    ) -> Iterator[tuple[int, bytes]]:
        subject = self._subjects.log(partition)
        for message in whole(self._stepwise(self._reader.pages(subject, 1, newest))):
            if message.mark.sequence > after:
                yield message.mark.sequence, message.data

    def _archived(self, partition: int, after: int) -> Iterator[tuple[int, bytes]]:
        if after >= self._archived_through(partition):
            return
        subject = self._subjects.archive(partition)
        for frame in whole(self._stepwise(self._reader.pages(subject, 1))):
            if frame.mark.sequence > after:
                for sequence, batch in _frames.decode(zstandard.decompress(frame.data)):
                    if sequence > after:
                        after = sequence
                        yield sequence, batch

    def _archived_through(self, partition: int) -> int:
        last = self._call(self._reader.last(self._subjects.archive(partition)))
        return last.mark.sequence if last else 0

    def _stepwise(self, pages: AsyncIterator[list[Message]]) -> Iterator[Message]:
        """Yield on this thread the pages that come on the loop's thread."""

        async def step() -> list[Message] | None:
            return await anext(pages, None)

        while (page := self._call(step())) is not None:
            yield from page

    def _purge_below(self, subject: str, number: int) -> None:
        request = {"filter": subject, "seq": number}
        name = f"STREAM.PURGE.{self._subjects.stream}"
        self._call(self._connection.patiently(lambda: self._connection.api(name, request)))


def _note_values(messages: Sequence[Message]) -> dict[str, bytes]:
    return dict(_note.decode(message.data) for message in messages)
