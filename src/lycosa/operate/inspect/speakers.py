"""Pages that are evidence for a URL in a crawl by topic: they link to it or redirect to it.

The evidence is read from the tables of a crawl: `links` names the pages that link to a URL and the
texts of the links, `pages` the URLs that redirect to it, `text` and the model a page's topic.

Cost: a pass over the columns named here for each call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from lycosa.extract.topics.model import READ_BYTES, TopicModel
from lycosa.features.topics.predictor import MOST_HINTS
from lycosa.model.url import key_of
from lycosa.storage.archive.reader import rows
from lycosa.storage.tables.link_ends import COUNTED_REASONS
from lycosa.storage.tables.rows import signed, url_id

_ALWAYS = 2**62


class Link(NamedTuple):
    """A link to a URL."""

    source: int
    url: str
    fetch: int
    moment: int
    """Time of the fetch in microseconds."""
    target: int
    text: str


def links_to(folder: Path, before: Mapping[int, int]) -> Iterator[Link]:
    """Yield the links to some URLs from pages that were fetched before a moment of each."""
    wanted = pa.array(list(before), pa.int64())
    reasons = pa.array([None, *COUNTED_REASONS])
    columns = ["source_id", "source_url", "fetch_id", "fetched_at", "target_id", "text", "reason"]
    for batch in rows(folder, "links", columns):
        some = batch.filter(pc.is_in(batch.column("target_id"), value_set=wanted))
        some = some.filter(pc.is_in(some.column("reason"), value_set=reasons))
        some = some.set_column(3, "fetched_at", some.column("fetched_at").cast(pa.int64()))
        for source, url, fetch, moment, target, text, _ in zip(
            *(column.to_pylist() for column in some.columns), strict=True
        ):
            if moment < before[target]:
                yield Link(source, url, fetch, moment, target, text or "")


def heard(links: list[Link], key: str, partition_of: Callable[[str], int]) -> Iterator[Link]:
    """Yield the links that were reported to the URL's partition, in the order of their pages."""
    home, senders, hints = partition_of(key), set[int](), 0
    for link in sorted(links, key=lambda link: link.moment):
        sender = partition_of(key_of(link.url))
        if sender != home and sender in senders:
            hints += 1
            if hints > MOST_HINTS:
                continue
        senders.add(sender)
        yield link


def fetched_at(folder: Path, key: str) -> int:
    """Return the time of a URL's first fetch; the end of time if it was not fetched."""
    moments = [
        row["fetched_at"] for row in _pages(folder, "url_id", signed(url_id(key)), ["fetched_at"])
    ]
    return min(moments, default=_ALWAYS)


def redirects_to(folder: Path, key: str) -> Iterator[tuple[str, int]]:
    """Yield the URLs that redirect to a URL, each with the moment."""
    for row in _pages(folder, "redirect_id", signed(url_id(key)), ["url", "fetched_at"]):
        yield row["url"], row["fetched_at"]


def _pages(folder: Path, column: str, wanted: int, columns: list[str]) -> Iterator[dict[str, Any]]:
    """Yield columns of the rows of `pages` with this id; moments are microseconds."""
    number = pa.scalar(wanted, pa.int64())
    for batch in rows(folder, "pages", [column, *columns]):
        for row in batch.filter(pc.equal(batch.column(column), number)).to_pylist():
            moment = row["fetched_at"]
            yield row | {"fetched_at": round(moment.timestamp() * 1e6)}


def probabilities(
    folder: Path, model: TopicModel, fetches: Collection[int]
) -> dict[int, list[float]]:
    """Return the topics' probabilities of some fetched pages; a page without a text is left out."""
    found: dict[int, list[float]] = {}
    wanted = pa.array(list(fetches), pa.int64())
    for batch in rows(folder, "text", ["fetch_id", "title", "text"]) if fetches else ():
        for row in batch.filter(pc.is_in(batch.column("fetch_id"), value_set=wanted)).to_pylist():
            content = row["text"][:READ_BYTES].encode("utf-8", "replace")
            found[row["fetch_id"]] = model.probabilities(row["title"] or "", content)
    return found
