"""Sealed tables of pages for tests, made without a crawl."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from tantivy import Query

from lycosa.analysis.text_index.index import TextIndex
from lycosa.analysis.text_index.text_store import TextStore
from lycosa.analysis.text_search.results import Ask, Results
from lycosa.analysis.text_search.search import TextSearch
from lycosa.analysis.text_search.things import Things
from lycosa.model.job import Job
from lycosa.model.url.key import key_of
from lycosa.storage.archive.layout import Name, sealed_path
from lycosa.storage.tables.rows import SCHEMAS, signed, url_id

JOB = Job.of(seeds=["http://a.test/"])


class Fetch(NamedTuple):
    """A fetch of a page, as in `a.test/1`."""

    page: str
    moment: int
    text: str = ""
    title: str = ""
    links: tuple[tuple[str, str], ...] = ()
    """Pages that it links to, with the texts of the links."""
    outcome: str = "kept"
    noindex: bool = False
    language: str = "en"
    moved_to: str = ""
    content_type: str = "text/html"


def number_of(page: str) -> int:
    return signed(url_id(key_of(f"http://{page}")))


def _fetch_id(fetch: Fetch) -> int:
    digest = hashlib.blake2b(f"{fetch.page} {fetch.moment}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _moment(fetch: Fetch) -> datetime:
    return datetime.fromtimestamp(1_750_000_000 + fetch.moment, UTC)


def seal(folder: Path, number: int, *fetches: Fetch) -> None:
    """Write the tables of a segment."""
    rows: dict[str, list[dict[str, Any]]] = {"pages": [], "links": [], "text": []}
    for fetch in fetches:
        content = f"{fetch.text} {fetch.title} {fetch.links}"
        is_kept = fetch.outcome == "kept"
        about: dict[str, Any] = {"url_id": number_of(fetch.page), "fetch_id": _fetch_id(fetch)}
        about |= {"fetched_at": _moment(fetch), "url": f"http://{fetch.page}"}
        page = about | {
            "host": fetch.page.partition("/")[0],
            "outcome": fetch.outcome,
            "digest": hashlib.sha1(content.encode()).hexdigest() if is_kept else None,
            "title": fetch.title,
            "language": fetch.language,
            "noindex": fetch.noindex if is_kept else None,
            "content_type": fetch.content_type,
            "redirect_id": number_of(fetch.moved_to) if fetch.moved_to else None,
        }
        rows["pages"].append(page)
        if is_kept and fetch.text:
            rows["text"].append(about | {"text": fetch.text, "title": fetch.title})
        for position, (target, anchor) in enumerate(fetch.links):
            link: dict[str, Any] = {"source_id": about["url_id"], "source_url": about["url"]}
            link |= {"fetch_id": about["fetch_id"], "fetched_at": about["fetched_at"]}
            link |= {"target_id": number_of(target), "target_url": f"http://{target}"}
            link |= {"kind": "anchor", "position": position, "rel": "", "text": anchor, "times": 1}
            rows["links"].append(link)
    for kind, some in rows.items():
        path = sealed_path(folder, kind, Name(number, 0))
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(some, SCHEMAS[kind]), path)


def indexed(folder: Path) -> TextIndex:
    """Bring the index up to date, and return it."""
    index = TextIndex(folder, JOB)
    index.update()
    return index


def search(folder: Path, text: str, limit: int = 10, page: int = 1) -> Results:
    with TextStore(folder).reading() as (index, manifest):
        return TextSearch(index, manifest, Things(folder).pages_about).run(Ask(text, limit, page))


def urls(results: Results) -> list[str]:
    return [hit.url.removeprefix("http://") for hit in results.hits]


def content(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Return everything that the index stores, and under which words of each field it finds it."""
    found: dict[str, tuple[Any, ...]] = {}
    with TextStore(folder).reading() as (index, _):
        searcher = index.searcher()
        hits = searcher.search(index.parse_query("*"), 10_000, weight_by_field="rank").hits
        for score, address in hits:
            document = searcher.doc(address).to_dict()
            url = document.pop("url")[0]
            assert url not in found
            stored = tuple(sorted((name, tuple(values)) for name, values in document.items()))
            found[url] = (round(score, 5), stored)
        for field in ("all", "title", "anchors", "url"):
            for term, count in _terms(searcher, field):
                found[f"{field}:{term}"] = (count,)
    return found


def _terms(searcher: Any, field: str) -> list[tuple[str, int]]:
    """Return the words of a field with the number of pages; removed pages do not count."""
    counted = searcher.terms_with_prefix(field, "", filter_query=Query.all_query())
    return [(term, count) for term, count in counted if count]
