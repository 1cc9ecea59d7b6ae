"""Writes commits as atomic batches, and finds the result of batches without an answer.

Several writes go into one batch, with the posts to one inbox merged into one message: without that
a broad crawl would send 64 × 63 messages. If one write of a batch is superseded the whole batch is
refused; then every write of it is checked, and those still possible are sent again.

**Refused is not superseded.** The server also refuses while another write to the subject is in
flight, which is often our own, whose answer was lost. After every refusal, and whenever there is no
answer, the leader is therefore asked for the message after `expect`:

    nothing                  not decided: wait, and send again with a new batch id
    a write with our id      it has happened
    anything else            another owner has taken the partition: superseded
    less than we know        a leader that was replaced and does not know it yet: wait. Or the
                             log has gone back (`lineage`)

A batch that arrives late does no harm: the condition of each of its appends no longer holds.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nats.errors import Error as NatsError

from lycosa.errors import LogError
from lycosa.storage.jetstream.connection import Connection, Refused, checked
from lycosa.storage.jetstream.lineage import Lineage
from lycosa.storage.jetstream.messages import PART_BYTES, Draft, Mark, Message, Subjects, drafts
from lycosa.storage.jetstream.reading import Reader
from lycosa.storage.log.format import merge

MOST_MESSAGES = 1000
"""Most messages that a server takes in one atomic batch."""
MOST_PARTITIONS = 960
"""Limit at which a write with links for all others still fits into one batch, even with parts."""
_MOST_BYTES = 16 << 20
_IN_FLIGHT = 8
_REFUSED_FOR_GOOD = frozenset({10174, 10205, 10199, 10177, 10054, 10109})
"""Codes for batches that are switched off, too large, or have an unknown header."""


class End(NamedTuple):
    """The end of a log: its last dense sequence, that message's number, and the owner."""

    sequence: int
    number: int
    owner: str


@dataclass
class Wanted:
    """A write to be done."""

    partition: int
    expect: int
    identity: str
    events: bytes
    posts: Sequence[tuple[int, bytes]]
    owner: str | None = None
    """The new owner for a take; "" for a release."""
    end: End | None = None
    """The end of the log that the write follows."""


class Writer:
    """Writes to one crawl's stream; only on the loop's thread."""

    def __init__(self, connection: Connection, subjects: Subjects, reader: Reader) -> None:
        self._connection = connection
        self.lineage = Lineage(connection, subjects, reader, self.send)
        self._subjects = subjects
        self._reader = reader
        self._ends: dict[int, End] = {}
        self._in_flight = asyncio.Semaphore(_IN_FLIGHT)

    def owner(self, partition: int) -> str:
        """Return the owner that the last known end names."""
        end = self._ends.get(partition)
        return end.owner if end else ""

    def end_of(self, one: Wanted) -> End | None:
        """Return the end of the log after a write, if nothing has followed it."""
        end = self._ends.get(one.partition)
        return end if end is not None and end.sequence == one.expect + 1 else None

    def learn(self, partition: int, end: End) -> None:
        """Note an end that was read, unless a later end is known."""
        known = self._ends.get(partition)
        if known is None or known.sequence <= end.sequence:
            self._ends[partition] = end

    async def write(self, wanted: Sequence[Wanted]) -> list[int | None]:
        """Do all possible writes; return the new sequences, None where another owner was faster."""
        done: dict[int, int | None] = {}
        places = {id(one): place for place, one in enumerate(wanted)}
        waiting = list(wanted)
        until = time.monotonic() + self._connection.patience_seconds
        pause = 0.005
        problem: Exception | str = "no leader"
        while True:
            # A write whose end of the log is not the known one may be superseded, or repeated after
            # a lost answer: the leader is asked before anything is sent.
            unknown = [one for one in waiting if not self._follows(one)]
            for one, result in zip(unknown, await self._decide_all(unknown), strict=True):
                if not isinstance(result, Undecided):
                    done[places[id(one)]] = result
                    waiting.remove(one)
            groups = _grouped([one for one in waiting if self._follows(one)])
            answers = await asyncio.gather(*(self._send_group(group) for group in groups))
            for group, refused in zip(groups, answers, strict=True):
                # A refusal may hide a success whose answer was lost: the log decides.
                problem = refused or problem
                decided = (
                    await self._decide_all(group) if refused else [w.expect + 1 for w in group]
                )
                for one, result in zip(group, decided, strict=True):
                    if not isinstance(result, Undecided):
                        done[places[id(one)]] = result
                        waiting.remove(one)
            if not waiting:
                return [done[place] for place in range(len(wanted))]
            if time.monotonic() > until:
                raise self._connection.unavailable(problem)
            await asyncio.sleep(pause)
            pause = min(0.25, 2 * pause)

    async def send(self, messages: Sequence[Draft]) -> int:
        """Publish one message, or several as one atomic batch; return the number of the last."""
        client = self._connection.client
        headers = messages[-1].headers
        if len(messages) > 1:
            batch = uuid.uuid4().hex
            for number, message in enumerate(messages[:-1], 1):
                await client.publish(
                    message.subject,
                    message.data,
                    headers=message.headers | _in_batch(batch, number),
                )
            headers = headers | _in_batch(batch, len(messages)) | {"Nats-Batch-Commit": "1"}
        last = messages[-1]
        answer = await client.request(
            last.subject, last.data, timeout=self._connection.answer_seconds, headers=headers
        )
        number_: int = checked(answer)["seq"]
        return number_

    def _follows(self, one: Wanted) -> bool:
        """Return whether a write follows the known end, which is then its condition."""
        end = self._ends.get(one.partition)
        if end is None or end.sequence != one.expect:
            return False
        one.end = end
        return True

    async def _send_group(self, group: Sequence[Wanted]) -> Exception | None:
        """Send writes as one batch; return the problem if it did not happen or is undecided."""
        messages, lasts = self._messages(group)
        if len(messages) > MOST_MESSAGES:
            raise LogError(
                f"{self._connection.address}: a write of partition {group[0].partition} has"
                f" {len(messages):,} messages, but JetStream takes {MOST_MESSAGES:,} at once\n"
                "  commit more often ([log] commit_seconds), or begin with fewer partitions"
            )
        try:
            async with self._in_flight:
                last = await self.send(messages)
        except (NatsError, OSError, TimeoutError) as problem:
            return problem
        except Refused as refused:
            if refused.code in _REFUSED_FOR_GOOD:
                raise LogError(
                    f"{self._connection.address}: the stream {self._subjects.stream} refuses a"
                    f" commit: {refused}\n  restore its settings: allow_atomic, and no limits"
                ) from refused
            return refused
        for one, place in zip(group, lasts, strict=True):
            assert one.end is not None
            owner = one.end.owner if one.owner is None else one.owner
            number = last - (len(messages) - 1 - place)
            self._ends[one.partition] = End(one.expect + 1, number, owner)
        return None

    def _messages(self, group: Sequence[Wanted]) -> tuple[list[Draft], list[int]]:
        """Return the messages of a batch, and the positions of each write's last part."""
        posts: dict[int, list[bytes]] = {}
        for one in group:
            for target, batch in one.posts:
                posts.setdefault(target, []).append(batch)
        messages: list[Draft] = []
        for target, batches in posts.items():
            for merged in merge(batches):
                messages += drafts(self._subjects.inbox(target), merged, Mark())
        lasts: list[int] = []
        for one in group:
            assert one.end is not None
            owner = one.end.owner if one.owner is None else one.owner
            mark = Mark(one.expect + 1, one.identity, is_take=one.owner is not None, owner=owner)
            subject = self._subjects.log(one.partition)
            messages += drafts(subject, one.events, mark, one.end.number)
            lasts.append(len(messages) - 1)
        return messages, lasts

    async def _decide_all(self, some: Sequence[Wanted]) -> list[int | Undecided | None]:
        return list(await asyncio.gather(*(self._decide(one) for one in some)))

    async def _decide(self, one: Wanted) -> int | Undecided | None:
        """Ask the leader for the result of a write."""
        subject = self._subjects.log(one.partition)
        last = await self._reader.last(subject)
        mark = last.mark if last else Mark()
        end = End(mark.sequence, last.number if last else 0, mark.owner)
        known = self._ends.get(one.partition)
        if known is not None and end.sequence < known.sequence:
            await self.lineage.require(one.partition, known.sequence)
            return Undecided()  # the leader was replaced and does not know it yet
        self._ends[one.partition] = end
        if end.sequence == one.expect:
            return Undecided()
        if end.sequence < one.expect:
            return None
        first = last if end.sequence == one.expect + 1 else await self._following(one, subject)
        return one.expect + 1 if first and first.mark.identity == one.identity else None

    async def _following(self, one: Wanted, subject: str) -> Message | None:
        """Return the first message after the sequence that a write expected."""
        if one.end is not None:
            return await self._reader.next(subject, one.end.number + 1)
        async for page in self._reader.pages(subject, 1):
            for message in page:
                if message.mark.sequence == one.expect + 1:
                    return message
        return None


class Undecided:
    """A write that has not happened, but still may."""


def _in_batch(batch: str, number: int) -> dict[str, str]:
    return {"Nats-Batch-Id": batch, "Nats-Batch-Sequence": str(number)}


def _grouped(wanted: Sequence[Wanted]) -> list[list[Wanted]]:
    """Return the writes in groups that fit into one atomic batch each."""
    groups: list[list[Wanted]] = []
    sizes: dict[int, int] = {}
    messages = total = 0
    for one in wanted:
        size = len(one.events) + sum(len(batch) for _, batch in one.posts)
        after = dict(sizes)
        for target, batch in one.posts:
            after[target] = after.get(target, 0) + len(batch)
        appended = _parts(len(one.events))
        count = messages + appended + sum(map(_parts, after.values()))
        if groups and (count > MOST_MESSAGES or total + size > _MOST_BYTES):
            messages = total = 0
            after = {}
            for target, batch in one.posts:
                after[target] = after.get(target, 0) + len(batch)
            groups.append([])
        elif not groups:
            groups.append([])
        groups[-1].append(one)
        sizes = after
        messages += appended
        total += size
    return groups


def _parts(size: int) -> int:
    return max(1, -(-size // PART_BYTES))
