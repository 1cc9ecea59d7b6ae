"""Turns one exchange with a server into WARC records: request, response or revisit, metadata."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct

from lycosa.coding.chunks import dechunk
from lycosa.coding.heads import is_plain
from lycosa.links import outlinks
from lycosa.records import Answer, Capture, KeyedLink, LinkKind, Place, Validators
from lycosa.store.tables.rows import KIND_NAMES, OUTCOME_NAMES
from lycosa.store.warc import warc_format
from lycosa.store.warc.http_messages import header, is_chunked, parse_head, split_block
from lycosa.url.key import key_of

_CODING_HEADERS = ("transfer-encoding", "content-encoding", "content-length")
LARGEST_HEAD_BYTES = 30_000
"""A longer head is not announced as HTTP: fastwarc would give up the whole file over it."""

_KINDS = {kind.name.lower(): kind for kind in LinkKind}
_OUTLINK = "outlink: "
_DIGEST_LINE = re.compile(rb"^payload-digest: (\S+)", re.MULTILINE)


class Message(Struct, frozen=True):
    """An HTTP answer as it is archived."""

    head: bytes
    sent: bytes
    is_chunked: bool
    payload_digest: str
    payload_bytes: int


class Earlier(NamedTuple):
    """An exchange that had the same payload."""

    url: str
    date: str
    file: str
    offset: int


class Conversion(NamedTuple):
    """The record that a conversion was made of."""

    record_id: str
    date: str


RENDERED_TYPE = "text/html;charset=utf-8"
"""The type of documents that a browser has rendered."""


VIEW_OF = "urn:view:"
"""Before the URL of a page: the name of its picture, as Browsertrix writes and reads it."""
_PICTURE = "screenshot-length: "
_PICTURE_LINE = re.compile(rb"^screenshot-length: (\d{1,12})\r?$", re.MULTILINE)


class Group(Struct, frozen=True):
    """The records of an exchange."""

    members: list[bytes]
    main: int
    kind: str | None
    message: Message | None
    payload_tag: int
    """The tag under which the payload is remembered; 0 when it is not."""
    is_unchanged: bool
    """Whether the URL gave the same payload the last time."""

    def place_in(self, segment: int, start: int) -> Place:
        """Return the place of the main record of a group that begins there."""
        before = sum(len(member) for member in self.members[: self.main])
        length = len(self.members[self.main]) if self.members else 0
        return Place(segment, start + before, length)


NO_GROUP = Group([], 0, None, None, 0, False)
"""Of an exchange that failed below HTTP."""


def message_of(answer: Answer) -> Message:
    """Return the message received, with its digest; a simulated answer gets a head of its own."""
    if not answer.head:
        head, sent, chunked = _made_head(answer), answer.body, False
    else:
        head, sent = answer.head, answer.sent
        is_coded = answer.header("transfer-encoding") is not None
        chunked = is_coded and is_chunked(answer.headers)
        if not head.endswith((b"\r\n\r\n", b"\n\n")):
            head = head.rstrip(b"\r\n") + b"\r\n\r\n"
    payload = dechunk(sent).content if chunked else sent
    return Message(head, sent, chunked, warc_format.digest(payload), len(payload))


def payload_name(answer: Answer, message: Message) -> bytes:
    """Return the name of a payload that a revisit shares with the record it refers to."""
    coding = answer.header("content-encoding")
    return f"{message.payload_digest} {answer.status} {message.is_chunked} {coding}".encode()


_SMALL_BODY_BYTES = 2048
"""A longer body never takes less than what a revisit says more than a response."""


class Writer:
    """Makes the records of exchanges; the ids are those of a segment."""

    def __init__(self, ids: warc_format.Ids, capture: Capture, url: str) -> None:
        self._capture = capture
        self._ids = ids
        self._main_id = ids.next()
        self._shared = (
            f"WARC-Date: {warc_format.date(capture.answer.began)}\r\nWARC-Target-URI: {url}\r\n"
        )

    def request(self) -> bytes:
        """Return the record of the request as it was sent."""
        return self._pack_beside("request", warc_format.HTTP_REQUEST, self._capture.answer.asked)

    def shorter(self, message: Message, earlier: Earlier) -> tuple[str, bytes]:
        """Return type and record of a known answer: a revisit, unless a response is shorter."""
        revisit = self.revisit(message, earlier)
        if len(message.sent) < _SMALL_BODY_BYTES:
            response = self.response(message)
            if len(response) <= len(revisit):
                return "response", response
        return "revisit", revisit

    def response(self, message: Message) -> bytes:
        """Return the record of the answer as it came.

        It has one digest: of the payload, or of the whole block where readers might not agree
        what the payload is. The rest of a record is guarded by the checksum of its member.
        """
        headers = self._main_headers("response", message)
        if not message.is_chunked and _is_plain(message.head):
            headers += f"WARC-Payload-Digest: {message.payload_digest}\r\n"
        else:
            headers += f"WARC-Block-Digest: {warc_format.digest(message.head, message.sent)}\r\n"
        if self._capture.answer.truncated:
            headers += f"WARC-Truncated: {self._capture.answer.truncated_by}\r\n"
        return warc_format.pack(headers, message.head, message.sent)

    def revisit(self, message: Message, earlier: Earlier) -> bytes:
        """Return the record of an answer whose payload stands elsewhere."""
        headers = self._main_headers("revisit", message) + (
            f"WARC-Profile: {warc_format.SAME_PAYLOAD}\r\n"
            f"WARC-Payload-Digest: {message.payload_digest}\r\n"
            f"WARC-Refers-To-Target-URI: {earlier.url}\r\n"
            f"WARC-Refers-To-Date: {earlier.date}\r\n"
            f"WARC-Refers-To-Filename: {earlier.file}\r\n"
            f"WARC-Refers-To-File-Offset: {earlier.offset}\r\n"
        )
        return warc_format.pack(headers, message.head)

    def not_modified(self, message: Message, url: str) -> bytes:
        """Return the record of an answer that says that nothing has changed."""
        headers = self._main_headers("revisit", message) + (
            f"WARC-Profile: {warc_format.NOT_MODIFIED}\r\nWARC-Refers-To-Target-URI: {url}\r\n"
        )
        held = self._capture.request.validators
        if held is not None and held.date:
            headers += f"WARC-Refers-To-Date: {held.date}\r\n"
        return warc_format.pack(headers, message.head)

    def conversion(self, message: Message, of: Conversion | None) -> bytes:
        """Return the record of a page as a browser has rendered it, of its record."""
        headers = (
            f"WARC-Type: conversion\r\nWARC-Record-ID: {self._main_id}\r\n{self._shared}"
            f"Content-Type: {RENDERED_TYPE}\r\n"
            f"WARC-Payload-Digest: {message.payload_digest}\r\n"
        )
        if of is not None:
            headers += f"WARC-Refers-To: {of.record_id}\r\nWARC-Refers-To-Date: {of.date}\r\n"
        return warc_format.pack(headers, message.sent)

    def picture(self) -> bytes:
        """Return the record of the picture of a rendered page, by the name that replay tools use.

        It stands before the main record, so that the metadata stays right behind that.
        """
        capture = self._capture
        headers = (
            f"WARC-Type: resource\r\nWARC-Record-ID: {self._ids.next()}\r\n"
            f"WARC-Date: {warc_format.date(capture.answer.began)}\r\n"
            f"WARC-Target-URI: {VIEW_OF}{capture.request.url}\r\n"
            f"WARC-Concurrent-To: {self._main_id}\r\nContent-Type: image/png\r\n"
            f"WARC-Payload-Digest: {warc_format.digest(capture.picture)}\r\n"
        )
        return warc_format.pack(headers, capture.picture)

    def metadata(self, digest: str, picture_length: int = 0) -> bytes:
        """Return the record of what was made of the answer."""
        capture, links = self._capture, self._capture.links
        lines = [
            *((f"via: {capture.source_url}",) if capture.source_url else ()),
            *((f"mined-by: {capture.rule}",) if capture.rule else ()),
            f"distance: {capture.distance}",
            f"outcome: {OUTCOME_NAMES[capture.outcome]}",
            *((f"unread: {capture.unread}",) if capture.unread else ()),
            *((f"{_PICTURE}{picture_length}",) if picture_length else ()),
            f"payload-digest: {digest}\r\n",
        ]
        block = "\r\n".join(lines).encode("utf-8", "replace")
        ends = outlinks(links.targets, links.kinds, links.rels, KIND_NAMES)
        return self._pack_beside("metadata", warc_format.FIELDS, block + ends)

    def _pack_beside(self, kind: str, content_type: str, block: bytes) -> bytes:
        headers = (
            f"WARC-Type: {kind}\r\nWARC-Record-ID: {self._ids.next()}\r\n{self._shared}"
            f"WARC-Concurrent-To: {self._main_id}\r\nContent-Type: {content_type}\r\n"
        )
        return warc_format.pack(headers, block)

    def _main_headers(self, kind: str, message: Message) -> str:
        headers = f"WARC-Type: {kind}\r\nWARC-Record-ID: {self._main_id}\r\n{self._shared}"
        address = without_port(self._capture.request.address)
        if address:
            headers += f"WARC-IP-Address: {address}\r\n"
        is_readable = len(message.head) <= LARGEST_HEAD_BYTES
        content_type = warc_format.HTTP_RESPONSE if is_readable else "application/octet-stream"
        return f"{headers}Content-Type: {content_type}\r\n"


def _is_plain(head: bytes) -> bool:
    """Tell whether all readers agree where the head ends, and so what the payload is."""
    return len(head) <= LARGEST_HEAD_BYTES and is_plain(head)


def without_port(address: str) -> str:
    """Return the IP address of `127.0.0.1:80`, `[::1]:80`, `::1` and their like."""
    if address.startswith("["):
        return address[1 : address.find("]")]
    return address.partition(":")[0] if address.count(":") == 1 else address


def validators_in(record: warc_format.Record) -> Validators | None:
    """Return the validators of an answer, from its record or the beginning of it.

    Of an answer that was cut we hold the beginning alone: it must be sent again.
    """
    if "WARC-Truncated" in record.headers:
        return None
    head, _ = split_block(record.block)
    _, headers = parse_head(head)
    etag = header(headers, "etag") or ""
    last_modified = header(headers, "last-modified") or ""
    if not etag and not last_modified:
        return None
    return Validators(etag, last_modified, record.headers.get("WARC-Date", ""))


def links_in(metadata: warc_format.Record) -> list[KeyedLink]:
    """Return the links that a `metadata` record tells of."""
    lines = metadata.block.decode("utf-8", "replace").split("\r\n")
    links: list[KeyedLink] = []
    for line in lines:
        if line.startswith(_OUTLINK):
            url, kind, *_ = line[len(_OUTLINK) :].split(" ", 2)
            links.append(KeyedLink(key_of(url), _KINDS[kind]))
    return links


def payload_digest_in(metadata: warc_format.Record) -> str:
    """Return the digest of a payload that a `metadata` record tells of, or ""."""
    found = _DIGEST_LINE.search(metadata.block)
    return found[1].decode() if found else ""


def picture_of(place: Place, member: Callable[[Place], warc_format.Record]) -> bytes:
    """Return the picture of the rendered page at a place; b"" if it has none."""
    behind = member(Place(place.segment, place.offset + place.length, 0))
    found = _PICTURE_LINE.search(behind.block)
    length = int(found[1]) if found else 0
    if not 0 < length <= place.offset:
        return b""
    record = member(Place(place.segment, place.offset - length, length))
    is_its = record.headers.get("WARC-Target-URI", "").startswith(VIEW_OF)
    return record.block if record.type == "resource" and is_its else b""


def earlier_in(
    record: warc_format.Record, place: Place, answer: Answer, name_of: Callable[[int], str]
) -> Earlier | None:
    """Return the exchange that a revisit of the record at a place refers to.

    None where the answer is not sent in the same form, so that its head would not fit the body.
    """
    status, headers = parse_head(split_block(record.block)[0])
    is_alike = (
        status == answer.status
        and is_chunked(headers) == is_chunked(answer.headers)
        and header(headers, "content-encoding") == header(answer.headers, "content-encoding")
    )
    of, file = record.headers, "WARC-Refers-To-Filename"
    if not is_alike or "WARC-Truncated" in of:
        return None
    if record.type == "response":
        return Earlier(of["WARC-Target-URI"], of["WARC-Date"], name_of(place.segment), place.offset)
    if file not in of:
        return None
    offset = int(of["WARC-Refers-To-File-Offset"])
    return Earlier(of["WARC-Refers-To-Target-URI"], of["WARC-Refers-To-Date"], of[file], offset)


def _made_head(answer: Answer) -> bytes:
    from http import HTTPStatus  # only a simulated answer has no head of its own

    try:
        reason = HTTPStatus(answer.status).phrase
    except ValueError:
        reason = ""
    lines = [f"HTTP/1.1 {answer.status} {reason}"]
    for name, value in answer.headers:
        if name.lower() not in _CODING_HEADERS:
            lines.append(f"{' '.join(name.split())}: {' '.join(value.split())}")
    lines.append(f"Content-Length: {len(answer.body)}\r\n\r\n")
    return "\r\n".join(lines).encode("latin-1", "replace")
