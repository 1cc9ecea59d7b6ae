"""`_records` in plain Python: the reference that a test compares the compiled module with."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from msgspec import Struct
from xxhash import xxh3_64_intdigest

from lycosa.fetch.coding.chunks import dechunk
from lycosa.fetch.coding.heads import is_plain
from lycosa.model.links import outlinks
from lycosa.model.records import Answer, Capture
from lycosa.storage.tables.items import line_of
from lycosa.storage.tables.rows import KIND_NAMES, OUTCOME_NAMES
from lycosa.storage.warc.exchange import Conversion, Earlier
from lycosa.storage.warc.http_messages import is_chunked, made_head
from plain_packing import digest, pack

SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
HTTP_REQUEST = "application/http;msgtype=request"
HTTP_RESPONSE = "application/http;msgtype=response"
LARGEST_HEAD_BYTES = 30_000
RENDERED_TYPE = "text/html;charset=utf-8"
VIEW_OF = "urn:view:"
_SMALL_BODY_BYTES = 2048


def date(moment: float) -> str:
    """Return a moment as it stands in a header."""
    whole, rest = divmod(round(moment * 1_000_000), 1_000_000)
    text = datetime.fromtimestamp(whole, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{rest:06d}Z"


class Ids:
    """Record ids: a random beginning for each segment, and a number that counts up."""

    def __init__(self) -> None:
        chance = os.urandom(10).hex()
        self._beginning = f"<urn:uuid:{chance[:8]}-{chance[8:12]}-4{chance[12:15]}-8{chance[15:18]}"
        self._number = 0

    def next(self) -> str:
        """Return an id that no other record has."""
        self._number += 1
        return f"{self._beginning}-{self._number:012x}>"


class Message(Struct, frozen=True):
    """An HTTP answer as it is archived."""

    head: bytes
    sent: bytes
    is_chunked: bool
    payload_digest: str
    payload_bytes: int


def message_of(answer: Answer) -> Message:
    """Return the message received, with its digest; a simulated answer gets a head of its own."""
    if not answer.head:
        head, sent, chunked = made_head(answer), answer.body, False
    else:
        head, sent = answer.head, answer.sent
        is_coded = answer.header("transfer-encoding") is not None
        chunked = is_coded and is_chunked(answer.headers)
        if not head.endswith((b"\r\n\r\n", b"\n\n")):
            head = head.rstrip(b"\r\n") + b"\r\n\r\n"
    payload = dechunk(sent).content if chunked else sent
    return Message(head, sent, chunked, digest(payload), len(payload))


def tag_of(answer: Answer, message: Message) -> int:
    """Return the tag of a payload and of the form in which it was sent."""
    coding = answer.header("content-encoding")
    name = f"{message.payload_digest} {answer.status} {message.is_chunked} {coding}"
    return xxh3_64_intdigest(name.encode()) or 1


class Writer:
    """Makes the records of exchanges; the ids are those of a segment."""

    def __init__(self, ids: Ids, capture: Capture, url: str) -> None:
        self._capture = capture
        self._ids = ids
        self._main_id = ids.next()
        self._shared = f"WARC-Date: {date(capture.answer.began)}\r\nWARC-Target-URI: {url}\r\n"

    def request(self) -> bytes:
        """Return the record of the request as it was sent."""
        return self._pack_beside(
            "request", "application/http;msgtype=request", self._capture.answer.asked
        )

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
            headers += f"WARC-Block-Digest: {digest(message.head, message.sent)}\r\n"
        if self._capture.answer.truncated:
            headers += f"WARC-Truncated: {self._capture.answer.truncated_by}\r\n"
        return pack(headers, message.head, message.sent)

    def revisit(self, message: Message, earlier: Earlier) -> bytes:
        """Return the record of an answer whose payload stands elsewhere."""
        headers = self._main_headers("revisit", message) + (
            f"WARC-Profile: {SAME_PAYLOAD}\r\n"
            f"WARC-Payload-Digest: {message.payload_digest}\r\n"
            f"WARC-Refers-To-Target-URI: {earlier.url}\r\n"
            f"WARC-Refers-To-Date: {earlier.date}\r\n"
            f"WARC-Refers-To-Filename: {earlier.file}\r\n"
            f"WARC-Refers-To-File-Offset: {earlier.offset}\r\n"
        )
        return pack(headers, message.head)

    def not_modified(self, message: Message, url: str) -> bytes:
        """Return the record of an answer that says that nothing has changed."""
        headers = self._main_headers("revisit", message) + (
            f"WARC-Profile: {NOT_MODIFIED}\r\nWARC-Refers-To-Target-URI: {url}\r\n"
        )
        held = self._capture.request.validators
        if held is not None and held.date:
            headers += f"WARC-Refers-To-Date: {held.date}\r\n"
        return pack(headers, message.head)

    def conversion(self, message: Message, of: Conversion | None) -> bytes:
        """Return the record of a page as a browser has rendered it, of its record."""
        headers = (
            f"WARC-Type: conversion\r\nWARC-Record-ID: {self._main_id}\r\n{self._shared}"
            f"Content-Type: {RENDERED_TYPE}\r\n"
            f"WARC-Payload-Digest: {message.payload_digest}\r\n"
        )
        if of is not None:
            headers += f"WARC-Refers-To: {of.record_id}\r\nWARC-Refers-To-Date: {of.date}\r\n"
        return pack(headers, message.sent)

    def picture(self) -> bytes:
        """Return the record of the picture of a rendered page, by the name that replay tools use.

        It stands before the main record, so that the metadata stays right behind that.
        """
        capture = self._capture
        headers = (
            f"WARC-Type: resource\r\nWARC-Record-ID: {self._ids.next()}\r\n"
            f"WARC-Date: {date(capture.answer.began)}\r\n"
            f"WARC-Target-URI: {VIEW_OF}{capture.request.url}\r\n"
            f"WARC-Concurrent-To: {self._main_id}\r\nContent-Type: image/png\r\n"
            f"WARC-Payload-Digest: {digest(capture.picture)}\r\n"
        )
        return pack(headers, capture.picture)

    def metadata(self, digest: str, picture_length: int = 0) -> bytes:
        """Return the record of what was made of the answer."""
        capture, links = self._capture, self._capture.links
        lines = [
            *((f"via: {capture.source_url}",) if capture.source_url else ()),
            *((f"mined-by: {capture.rule}",) if capture.rule else ()),
            f"distance: {capture.distance}",
            f"outcome: {OUTCOME_NAMES[capture.outcome]}",
            *((f"unread: {capture.unread}",) if capture.unread else ()),
            *((f"screenshot-length: {picture_length}",) if picture_length else ()),
            f"payload-digest: {digest}\r\n",
        ]
        block = "\r\n".join(lines).encode("utf-8", "replace")
        block += line_of(capture.items) if capture.items else b""
        ends = outlinks(links.targets, links.kinds, links.rels, KIND_NAMES)
        return self._pack_beside("metadata", "application/warc-fields", block + ends)

    def _pack_beside(self, kind: str, content_type: str, block: bytes) -> bytes:
        headers = (
            f"WARC-Type: {kind}\r\nWARC-Record-ID: {self._ids.next()}\r\n{self._shared}"
            f"WARC-Concurrent-To: {self._main_id}\r\nContent-Type: {content_type}\r\n"
        )
        return pack(headers, block)

    def _main_headers(self, kind: str, message: Message) -> str:
        headers = f"WARC-Type: {kind}\r\nWARC-Record-ID: {self._main_id}\r\n{self._shared}"
        address = without_port(self._capture.request.address)
        if address:
            headers += f"WARC-IP-Address: {address}\r\n"
        is_readable = len(message.head) <= LARGEST_HEAD_BYTES
        content_type = HTTP_RESPONSE if is_readable else "application/octet-stream"
        return f"{headers}Content-Type: {content_type}\r\n"


def _is_plain(head: bytes) -> bool:
    """Tell whether all readers agree where the head ends, and so what the payload is."""
    return len(head) <= LARGEST_HEAD_BYTES and is_plain(head)


def without_port(address: str) -> str:
    """Return the IP address of `127.0.0.1:80`, `[::1]:80`, `::1` and their like."""
    if address.startswith("["):
        return address[1 : address.find("]")]
    return address.partition(":")[0] if address.count(":") == 1 else address
