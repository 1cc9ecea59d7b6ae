"""Takes the records of an exchange apart: links, validators, pictures, what a revisit refers to.

Their writing is compiled (`_records`), and its names are given here too.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lycosa._support.tuples import NamedTuple
from lycosa.model.records import Answer, KeyedLink, LinkKind, Place, Validators
from lycosa.model.url.key import key_of
from lycosa.storage.warc import warc_format
from lycosa.storage.warc._records import (
    RENDERED_TYPE,
    VIEW_OF,
    Message,
    Writer,
    message_of,
    tag_of,
)
from lycosa.storage.warc.http_messages import header, is_chunked, parse_head, split_block

__all__ = [
    "RENDERED_TYPE",
    "VIEW_OF",
    "Conversion",
    "Earlier",
    "Message",
    "Writer",
    "earlier_in",
    "links_in",
    "message_of",
    "payload_digest_in",
    "picture_of",
    "tag_of",
    "validators_in",
]

_KINDS = {kind.name.lower(): kind for kind in LinkKind}
_OUTLINK = "outlink: "
_DIGEST_LINE = rb"(?m)^payload-digest: (\S+)"


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


_PICTURE_LINE = rb"(?m)^screenshot-length: (\d{1,12})\r?$"


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
    found = re.search(_DIGEST_LINE, metadata.block)
    return found[1].decode() if found else ""


def picture_of(place: Place, member: Callable[[Place], warc_format.Record]) -> bytes:
    """Return the picture of the rendered page at a place; b"" if it has none."""
    behind = member(Place(place.segment, place.offset + place.length, 0))
    found = re.search(_PICTURE_LINE, behind.block)
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
