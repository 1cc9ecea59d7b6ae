"""Makes small crawl directories without crawling: rows and records written by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from msgspec import structs

from lycosa.analysis.study.results import Results
from lycosa.features.topics.classifier import all_columns
from lycosa.model.job import Job
from lycosa.model.records import Capture, LinkKind, Outcome, Purpose, Request
from lycosa.model.url.key import host_of, url_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.archive import ArchiveStore
from lycosa.storage.tables.rows import signed, url_id
from unit.storage.archive.exchanges import answer, links_to

BEGAN = 1.7e9
HTML = ("Content-Type", "text/html; charset=utf-8")


class Fetch(NamedTuple):
    """One fetch of a page, in short."""

    key: str
    links: Sequence[str] = ()
    body: str = ""
    outcome: Outcome = Outcome.KEPT
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (HTML,)
    kind: LinkKind = LinkKind.ANCHOR
    language: str = "en"
    fingerprint: int = 0
    depth: int = 0
    purpose: Purpose = Purpose.PAGE
    triples: bytes | None = None
    rel: str = ""


def id_of(key: str) -> int:
    return signed(url_id(key))


def captures(fetches: Iterable[Fetch], began: float) -> Iterable[Capture]:
    for number, fetch in enumerate(fetches):
        body = fetch.body or f"<html>{fetch.key} is a page"
        yield Capture(
            fetch.key,
            fetch.purpose,
            fetch.outcome,
            fetch.depth * 21,
            Request(
                url_of(fetch.key), host_of(fetch.key), "192.0.2.7:80", fetch.purpose, "L", 10**7
            ),
            answer(body.encode(), fetch.status, began + 10 * number, fetch.headers),
            links_to(fetch.links, fetch.kind, rel=fetch.rel),
            text=body.encode(),
            language=fetch.language,
            fingerprint=fetch.fingerprint,
            triples=fetch.triples,
        )


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table of the study."""
    found: list[dict[str, Any]] = pq.read_table(Results(folder).path(name)).to_pylist()
    return found


def write_with_topics(
    folder: Path,
    fetches: Iterable[Fetch],
    topics: Mapping[str, tuple[str, float]],
    began: float = BEGAN,
    wanted: Sequence[str] = (),
) -> None:
    """Add a segment whose pages are about these topics, by key; others have no topic."""
    if not (folder / "crawl.toml").exists():
        job = Job.of(seeds=["http://a.test/"], topics={"wanted": list(wanted)})
        CrawlDirectory.create(folder, job)
    store = ArchiveStore(folder, extra_columns=all_columns(None))
    for capture in captures(fetches, began):
        topic, confidence = topics.get(capture.key, (None, None))
        extra = (topic, confidence, topic if topic != "other" else "")
        store.append(structs.replace(capture, extra=extra))
    store.seal(lambda place, key: True)
    store.close()


def write(
    folder: Path, fetches: Iterable[Fetch], began: float = BEGAN, is_sealed: bool = True
) -> None:
    """Add a segment to a crawl directory; one that stays open is left as by a kill."""
    if not (folder / "crawl.toml").exists():
        CrawlDirectory.create(folder, Job.of(seeds=["http://a.test/"]))
    store = ArchiveStore(folder)
    for capture in captures(fetches, began):
        store.append(capture)
    store.flush()
    if is_sealed:
        store.seal(lambda place, key: True)
    store.close()
