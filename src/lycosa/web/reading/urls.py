"""Everything that a crawl knows about one URL: explanation, fetches, links in and out, text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from lycosa.api.screenshots import find_screenshot
from lycosa.errors import LycosaError
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.frontier.freshness.quality import measure
from lycosa.model.records import Outcome
from lycosa.model.url import canonicalize, host_of, key_of
from lycosa.operate.inspect.explain import Explanation, explain
from lycosa.operate.inspect.refused_links import why_unknown, with_kinds
from lycosa.runtime.steady_clock import present_moment
from lycosa.storage.archive.reader import find_text, rows
from lycosa.storage.tables.link_ends import link_ends
from lycosa.storage.tables.rows import signed, url_id
from lycosa.web.reading.states import States
from lycosa.web.rest.records import CaptureRow, LinkRow, Step, UrlFacts

MOST_LINKS = 50
LONGEST_TEXT = 20_000
_RENDERED = Outcome.RENDERED.name.lower()
_CAPTURE = (
    *("url_id", "fetch_id", "ended", "outcome", "status", "content_type", "size_bytes"),
    *("digest", "title", "language", "redirect_url", "length"),
)
_LINK = ("source_id", "target_id", "source_url", "target_url", "kind", "reason", "text", "times")


def read(states: States, raw_url: str) -> bytes:
    """Return the facts as JSON."""
    folded = states.now()
    job, directory = states.job, states.directory
    url = canonicalize(raw_url)
    if url is None:
        raise LycosaError(
            f"{raw_url}: is not a URL that can be crawled\n  write it with http:// in front"
        )
    if not folded:
        raise LycosaError("the crawl has not begun, so it knows no URL yet")
    with closing(directory.log(job)) as log:
        found = explain(
            url,
            job,
            log,
            folded,
            partitioner_of(job, noted=log.noted),
            quality=lambda: measure(link_ends(directory.path), job.revisit.quality),
            now=present_moment(folded.values()),
        )
    if not found.is_known:
        found = found._replace(standing=why_unknown(directory, found.url))
    found = with_kinds(directory, found)
    return msgspec.json.encode(_facts(directory.path, found))


def _facts(folder: Path, found: Explanation) -> UrlFacts:
    number = signed(url_id(key_of(found.url)))
    captures = captures_of(folder, found.url)
    is_rendered = any(one.outcome == _RENDERED for one in captures)
    outgoing = _links(folder, "source_id", number)
    incoming = _links(folder, "target_id", number)
    return UrlFacts(
        url=found.url,
        standing=found.standing,
        is_known=found.is_known,
        depth=found.depth,
        outcome=found.outcome.name.lower() if found.outcome else "",
        due=found.due,
        host=host_of(key_of(found.url)),
        address=found.address,
        via=found.via,
        rule=found.rule,
        topic=found.topic,
        history=[Step(step.moment, step.what) for step in found.history],
        captures=captures,
        links_out=outgoing[:MOST_LINKS],
        links_in=incoming[:MOST_LINKS],
        has_more_out=len(outgoing) > MOST_LINKS,
        has_more_in=len(incoming) > MOST_LINKS,
        text=(find_text(folder, found.url) or "")[:LONGEST_TEXT],
        has_screenshot=is_rendered and bool(find_screenshot(folder, found.url)),
        is_blocked=found.outcome is Outcome.BLOCKED,
    )


def captures_of(folder: Path, url: str) -> list[CaptureRow]:
    """Return the fetches of a canonical URL, the newest first."""
    found = [
        CaptureRow(
            fetch_id=str(row["fetch_id"]),
            moment=row["ended"].timestamp(),
            outcome=row["outcome"],
            status=row["status"] or 0,
            content_type=row["content_type"] or "",
            size_bytes=row["size_bytes"] or 0,
            digest=row["digest"] or "",
            title=row["title"] or "",
            language=row["language"] or "",
            redirect_url=row["redirect_url"] or "",
            is_stored=bool(row["length"]),
        )
        for row in _where(folder, "pages", _CAPTURE, "url_id", signed(url_id(key_of(url))))
    ]
    return sorted(found, key=lambda one: -one.moment)


def _links(folder: Path, column: str, number: int) -> list[LinkRow]:
    """Return links of a page or to it, and one more than are shown."""
    other = "source_url" if column == "target_id" else "target_url"
    found: dict[tuple[str, str], LinkRow] = {}
    for row in _where(folder, "links", _LINK, column, number):
        found.setdefault(
            (row[other], row["kind"]),
            LinkRow(
                url=row[other],
                kind=row["kind"],
                reason=row["reason"] or "followed",
                text=(row["text"] or "")[:200],
                times=row["times"] or 1,
            ),
        )
        if len(found) > MOST_LINKS:
            break
    return list(found.values())


def _where(
    folder: Path, kind: str, columns: tuple[str, ...], column: str, number: int
) -> Iterator[dict[str, Any]]:
    wanted = pa.scalar(number, pa.int64())
    for batch in rows(folder, kind, columns):
        yield from batch.filter(pc.equal(batch.column(column), wanted)).to_pylist()
