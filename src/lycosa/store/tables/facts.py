"""The facts of a page as values of its row in `pages`, and its triples as a block of quads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.records import PROBED, STORED, Capture, Place
from lycosa.store.tables.quads import Block, quads_of
from lycosa.store.tables.redirects import redirect_columns
from lycosa.store.tables.rows import (
    OUTCOME_NAMES,
    Row,
    fetch_id,
    microseconds,
    signed,
    url_id,
)
from lycosa.url.key import host_of

if TYPE_CHECKING:
    from lycosa.store.segments.segment import Segment
    from lycosa.store.warc.exchange import Group


def fetch_of(
    capture: Capture, url: str, group: Group, segment: Segment, at: tuple[Place, int]
) -> Row:
    """Return the values that all rows of a fetch share, in the order of their columns.

    `at` is the place of the main record, and where the group begins.
    """
    answer, (place, start) = capture.answer, at
    ended = microseconds(answer.ended)
    return (
        url_id(capture.key),
        fetch_id(capture.key, answer.ended),
        ended,
        capture.key,
        url,
        host_of(capture.key),
        capture.request.address,
        OUTCOME_NAMES[capture.outcome],
        answer.status,
        answer.header("content-type") or "",
        len(answer.body),
        answer.truncated,
        group.message.payload_digest if group.message else None,
        microseconds(answer.began),
        ended,
        group.kind,
        segment.file_name if group.kind else None,
        place.offset,
        place.length,
        start,
        segment.warc.end - start,
    )


def block_of(fetch: Row, url: str, triples: bytes) -> bytes:
    """Return the quads of a page, with what the row of its fetch says."""
    _, number, moment = fetch[:3]
    return Block(url, signed(number), moment, quads_of(triples, url)).written()


def facts_of(capture: Capture) -> Row:
    """Return the facts read from a page, in the order of the columns."""
    return (
        capture.charset,
        capture.title,
        capture.description,
        capture.language,
        capture.fingerprint & 0xFFFFFFFFFFFFFFFF,
        capture.distance,
        signed(capture.source_id) if capture.source_id else None,
        _via(capture),
        capture.rule,
        *_wishes(capture),
        *redirect_columns(capture),
        capture.unread or None,
    )


def _wishes(capture: Capture) -> Row:
    """Return what the page asks of those who show it; unknown of what was not read."""
    if capture.outcome in STORED:
        return capture.is_noindex, capture.is_noarchive
    return None, None


def _via(capture: Capture) -> str:
    """Return how the URL was found: guessed, as a probe, by a redirect, by a link, as a seed."""
    if capture.rule:
        return "mined"
    if capture.outcome in PROBED:
        return "probe"
    if capture.is_after_redirect:
        return "redirect"
    return "link" if capture.distance else "seed"
