"""The rows of an exchange in Python: the oracle that tests compare the compiled ones with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from lycosa.model.links import FOLLOWED, Links
from lycosa.model.records import PROBED, STORED, Capture
from lycosa.model.url.key import host_of
from lycosa.storage.tables.redirects import redirect_columns
from lycosa.storage.tables.rows import (
    JOURNAL_SCHEMAS,
    KIND_NAMES,
    OUTCOME_NAMES,
    Row,
    fetch_id,
    microseconds,
    signed,
    url_id,
)


def message(kind: str, rows: Sequence[Row]) -> bytes:
    """Return rows as the message that Arrow writes for them."""
    schema = JOURNAL_SCHEMAS[kind]
    columns = [
        pa.array(list(map(_stored, values)), field.type)
        for field, values in zip(schema, zip(*rows, strict=True), strict=True)
    ]
    batch = pa.RecordBatch.from_arrays(columns, schema=schema)
    return bytes(batch.serialize().to_pybytes())


def _stored(value: Any) -> Any:
    """Return a value as it stands in a row: a lone surrogate becomes a mark, ids get a sign."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return signed(value) if type(value) is int and value >= 0 else value


def fetch_row(
    capture: Capture, kind: str | None, digest: str | None, file: str, places: tuple[int, ...]
) -> Row:
    """Return the values that all rows of a fetch share."""
    answer = capture.answer
    ended = microseconds(answer.ended)
    return (
        url_id(capture.key),
        fetch_id(capture.key, answer.ended),
        ended,
        capture.key,
        capture.request.url,
        host_of(capture.key),
        capture.request.address,
        OUTCOME_NAMES[capture.outcome],
        answer.status,
        answer.header("content-type") or "",
        len(answer.body),
        answer.truncated,
        digest,
        microseconds(answer.began),
        ended,
        kind,
        file if kind else None,
        *places,
    )


def facts_row(capture: Capture, is_changed: bool) -> Row:
    """Return the facts read from a page, and how many rows belong to it."""
    is_stored = capture.outcome in STORED
    has_content = is_stored and is_changed
    links = len(capture.links.kinds) + len(capture.refused_links.kinds)
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
        capture.is_noindex if is_stored else None,
        capture.is_noarchive if is_stored else None,
        *redirect_columns(capture),
        capture.unread or None,
        links if has_content else 0,
        int(has_content and bool(capture.text)),
        int(capture.triples is not None),
        capture.is_withheld,
        len(capture.items) if capture.items and capture.items[0].kind else 0,
    )


def text_row(capture: Capture) -> Row:
    """Return the row of a page's text."""
    key, moment = capture.key, capture.answer.ended
    about = (capture.text.decode(), capture.request.url, capture.title, capture.language)
    return url_id(key), fetch_id(key, moment), microseconds(moment), *about


def link_rows(fetches: Iterable[tuple[int, str, int, int, Links]]) -> Iterator[Row]:
    """Yield the rows of the links of fetches: of the page, of the fetch, and of each link."""
    for source, url, fetch, moment, links in fetches:
        for place, target in enumerate(links.targets):
            values = (
                source,
                url,
                fetch,
                moment,
                target.url_id,
                target.url,
                KIND_NAMES[links.kinds[place]],
                links.reasons[place] if links.reasons else FOLLOWED,
                (links.positions[place] if links.positions else place) + 1,
                links.rels[place],
                links.texts[place],
                links.times[place],
            )
            yield tuple(map(_stored, values))


def _via(capture: Capture) -> str:
    if capture.rule:
        return "mined"
    if capture.outcome in PROBED:
        return "probe"
    if capture.is_after_redirect:
        return "redirect"
    return "link" if capture.distance else "seed"
