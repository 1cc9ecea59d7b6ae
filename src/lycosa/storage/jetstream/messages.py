"""Subjects and headers of a crawl's messages, and large payloads in parts.

A server takes 1 MB a message. A larger payload is sent in parts, which are neighbours within one
atomic batch, on the same subject; the last part carries the entry's sequence. One header has all:

    Lycosa: SEQUENCE IDENTITY PART/PARTS KIND OWNER

SEQUENCE is the dense number of a log's batch, IDENTITY identifies the write, KIND is `t` for a take
and `w` otherwise; `-` replaces a missing field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import quote, unquote

HEADER = "Lycosa"
PART_BYTES = 900_000
EXPECTED_ON_SUBJECT = "Nats-Expected-Last-Subject-Sequence"
EXPECTED_IN_STREAM = "Nats-Expected-Last-Sequence"


class Mark(NamedTuple):
    """Content of a message's header."""

    sequence: int = 0
    identity: str = "-"
    part: int = 1
    parts: int = 1
    is_take: bool = False
    owner: str = ""

    def text(self) -> str:
        """Return the header."""
        kind = "t" if self.is_take else "w"
        owner = quote(self.owner) or "-"
        return f"{self.sequence} {self.identity} {self.part}/{self.parts} {kind} {owner}"


class Message(NamedTuple):
    """A stored message."""

    subject: str
    number: int
    """Number in the stream."""
    mark: Mark
    data: bytes


class Draft(NamedTuple):
    """A message to be published."""

    subject: str
    data: bytes
    headers: dict[str, str]


def mark_of(headers: Mapping[str, str] | None) -> Mark:
    """Read the header of a message."""
    text = (headers or {}).get(HEADER)
    if text is None:
        return Mark()
    sequence, identity, part, kind, owner = text.split(" ")
    number, _, count = part.partition("/")
    told = "" if owner == "-" else unquote(owner)
    return Mark(int(sequence), identity, int(number), int(count), kind == "t", told)


def drafts(subject: str, data: bytes, mark: Mark, expect: int | None = None) -> list[Draft]:
    """Return a payload as one message or several; the first carries the condition."""
    pieces = [data[start : start + PART_BYTES] for start in range(0, len(data), PART_BYTES)] or [
        b""
    ]
    made: list[Draft] = []
    for number, piece in enumerate(pieces, 1):
        headers = {HEADER: mark._replace(part=number, parts=len(pieces)).text()}
        if number == 1 and expect is not None:
            headers[EXPECTED_ON_SUBJECT] = str(expect)
        made.append(Draft(subject, piece, headers))
    return made


def whole(messages: Iterable[Message]) -> Iterator[Message]:
    """Join the parts of each payload; the result has the number of its last part.

    A reader may begin within a payload: parts without the first are dropped.
    """
    open_parts: dict[str, list[bytes]] = {}
    for message in messages:
        mark = message.mark
        if mark.parts == 1:
            yield message
            continue
        if mark.part == 1:
            open_parts[message.subject] = []
        parts = open_parts.get(message.subject)
        if parts is None or len(parts) != mark.part - 1:
            open_parts.pop(message.subject, None)
            continue
        parts.append(message.data)
        if mark.part == mark.parts:
            yield message._replace(data=b"".join(open_parts.pop(message.subject)))


class Subjects:
    """The subjects of one crawl."""

    def __init__(self, crawl: str) -> None:
        self.stream = f"LYCOSA_{crawl}"
        self.root = f"lycosa.{crawl}"
        self.all_notes = f"{self.root}.note.*"
        self.made = f"{self.root}.made"
        """Has one message, the first of the stream."""

    def log(self, partition: int) -> str:
        """Return the subject of a log."""
        return f"{self.root}.log.{partition}"

    def inbox(self, partition: int) -> str:
        """Return the subject of an inbox."""
        return f"{self.root}.in.{partition}"

    def archive(self, partition: int) -> str:
        """Return the subject of a partition's archived batches."""
        return f"{self.root}.old.{partition}"

    def note(self, name: str) -> str:
        """Return the subject of a note; names have any length and any character."""
        return f"{self.root}.note.{blake2b(name.encode(), digest_size=16).hexdigest()}"

    def trial(self, name: str) -> str:
        """Return a subject for one contest of writes."""
        return f"{self.root}.trial.{name}"


def partition_of(subject: str) -> int:
    """Return the partition that a subject of a log, inbox or archive ends with."""
    return int(subject.rpartition(".")[2])
