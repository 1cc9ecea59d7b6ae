"""Reads a crawl directory from Python, even while a crawl is running in it.

All methods read segment by segment, a few thousand rows at a time, so a crawl of any size needs
little memory. Rows of links and texts carry the URL of their page, which is looked up in the
same segment.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lycosa._support.extras import require_study
from lycosa.analysis.triples.answer_pool import AnswerPool, raise_unless_answer
from lycosa.analysis.triples.formats import GRAPH_FORMS, RESULT_FORMS
from lycosa.analysis.triples.protocol import Query
from lycosa.api.rows import Item, Link, Page, Text
from lycosa.api.segments import batches, document_texts, schema_of, segments
from lycosa.crawl.status.figures import outcomes_of, refusals_of
from lycosa.crawl.status.left_out import left_out_of
from lycosa.errors import LycosaError
from lycosa.frontier.distance import depth_of
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import Place
from lycosa.model.url import canonicalize
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.archive.layout import KINDS, Name
from lycosa.storage.archive.reader import find
from lycosa.storage.tables.rows import OUTCOME_NAMES, SCHEMAS
from lycosa.storage.warc.record_reader import Stored, WarcFiles, read_exchange

if TYPE_CHECKING:
    from lycosa.analysis.text_search.results import Results


class Crawl:
    """A crawl directory, opened for reading.

    Rows can be read while a crawl runs: an iteration yields the rows that a segment has when it
    gets there. `pages`, `links`, `texts` and `records` filter by page: its `host`, its
    `outcome` (such as `"kept"`) and the beginning of its URL (`prefix`).
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self._directory = CrawlDirectory.open(Path(directory))
        self.reason: str | None = None
        """The reason why the run that returned this object ended (`exhausted`, `unreachable`,
        `pages`, `stopped` and so on); None when the crawl was only opened.
        """

    def __repr__(self) -> str:
        return f"Crawl({str(self.path)!r})"

    @property
    def path(self) -> Path:
        """The folder."""
        return self._directory.path

    @property
    def job(self) -> Job:
        """The job, as its file is now."""
        return self._directory.job()

    @property
    def pending(self) -> int:
        """The number of URLs in the queue, at the last commit."""
        return sum(state.pending for state in self._states())

    def outcomes(self) -> dict[str, int]:
        """Return the number of fetches by outcome, at the last commit."""
        return outcomes_of(self._states())

    def refusals(self) -> dict[str, int]:
        """Return the number of refused URLs by reason, at the last commit."""
        return refusals_of(self._states())

    def left_out(self) -> dict[str, int]:
        """Return what each limit of the job has left out, at the last commit: URLs or pages.

        The names are keys of the job: `depth_static`, `depth_dynamic`, `host_pages`,
        `largest_body_bytes` and `patience_seconds`. A crawl that is complete has left out nothing.
        """
        return left_out_of(self._states())

    # -- rows -----------------------------------------------------------------------------

    def pages(
        self, *, host: str | None = None, outcome: str | None = None, prefix: str | None = None
    ) -> Iterator[Page]:
        """Yield every fetch of a page, failed ones included."""
        wanted = _Filter(host, outcome, prefix)
        for name in segments(self.path, "pages"):
            for batch in batches(self.path, "pages", name):
                yield from _pages(wanted.of(batch))

    def hosts(self) -> Iterator[Page]:
        """Yield every fetch of a robots file, as a `Page` without title, language and so on."""
        for name in segments(self.path, "hosts"):
            for batch in batches(self.path, "hosts", name):
                yield from _pages(batch)

    def links(
        self, *, host: str | None = None, outcome: str | None = None, prefix: str | None = None
    ) -> Iterator[Link]:
        """Yield the links of the pages that `pages` yields with the same filters.

        Links that the crawl does not follow are included; `reason` says why.
        """
        wanted = _Filter(host, outcome, prefix)
        for name, urls in self._segments(wanted):
            for batch in batches(self.path, "links", name):
                for row in batch.to_pylist():
                    source = urls.get(row["fetch_id"])
                    if source is not None:
                        yield Link(**{**row, "source_url": source, "reason": _reason(row)})

    def texts(
        self, *, host: str | None = None, outcome: str | None = None, prefix: str | None = None
    ) -> Iterator[Text]:
        """Yield the visible texts of the pages.

        Texts of documents (PDF, office files) are included once `lycosa index` or `study` has read
        them.
        """
        wanted = _Filter(host, outcome, prefix)
        for name, urls in self._segments(wanted):
            for batch in batches(self.path, "text", name):
                for row in batch.to_pylist():
                    url = urls.get(row["fetch_id"])
                    if url is not None:
                        yield Text(**{**row, "url": url})
            for row in document_texts(self.path, name):
                if row["fetch_id"] in urls:
                    yield Text(**row)

    def items(
        self, kind: str | None = None, *, history: bool = False, prefix: str | None = None
    ) -> Iterator[Item]:
        """Yield the items that plugins have emitted, of one kind or of all, page by page.

        They are those of each URL's newest fetch, and of several with the same key the newest one.
        With `history` all items of all fetches are yielded. Values are as JSON has them.
        """
        require_study("Crawl.items")
        from lycosa.analysis.exports.items import stored_items

        for row in stored_items(self.path, kind or "", prefix or "", is_history=history):
            yield Item(**row)

    def item_table(
        self, kind: str, columns: Sequence[str] | None = None, *, history: bool = False
    ) -> pa.Table:
        """Return the items of one kind with their values as columns, in their declared types."""
        require_study("Crawl.item_table")
        from lycosa.analysis.exports.items import Wanted, items_of

        wanted = Wanted(kind, columns or (), history, with_withheld=True)
        with items_of(self.path, wanted) as (found, _):
            return found.to_arrow_table()

    def table(self, kind: str, columns: Sequence[str] | None = None) -> pa.RecordBatchReader:
        """Return the rows of `pages`, `links`, `text` or `hosts` as Arrow batches, to be read once.

        DuckDB and Polars read it directly; `.read_all()` returns a table. Columns of plugins
        are null in segments without them.
        """
        if kind not in KINDS:
            raise LycosaError(f"there is no table `{kind}`\n  the tables are: {', '.join(KINDS)}")
        schema = schema_of(self.path, kind)
        if columns is not None:
            if unknown := [column for column in columns if column not in schema.names]:
                raise LycosaError(
                    f"`{kind}` has no column `{unknown[0]}`\n  it has: {', '.join(schema.names)}"
                )
            schema = pa.schema([schema.field(column) for column in columns])

        def filled() -> Iterator[pa.RecordBatch]:
            for name in segments(self.path, kind):
                for batch in batches(self.path, kind, name, schema.names):
                    yield _filled(batch, schema)

        return pa.RecordBatchReader.from_batches(schema, filled())

    # -- records --------------------------------------------------------------------------

    def records(
        self, *, host: str | None = None, outcome: str | None = None, prefix: str | None = None
    ) -> Iterator[Stored]:
        """Yield exchanges from the archive: `head` and `sent` as they came, `body` decoded.

        Fetches without an answer are left out.
        """
        for page in self.pages(host=host, outcome=outcome, prefix=prefix):
            if page.length:
                yield self.record(page)

    def record(self, page: Page) -> Stored:
        """Return the exchange of one fetch from the archive."""
        if page.warc is None:
            raise LycosaError(
                f"{page.url}: has no record, because there was no answer ({page.outcome})"
            )
        segment = int(page.warc.partition(".")[0].rpartition("-")[2])
        return read_exchange(Place(segment, page.offset, page.length), self._files.member)

    def find(self, url: str) -> Stored | None:
        """Return the last exchange of a URL from the archive; None if there is none."""
        canonical = canonicalize(url)
        return None if canonical is None else find(self.path, canonical)

    # -- structured data ------------------------------------------------------------------

    def sparql(
        self, question: str, form: str = "json", *, seconds: float = 30.0, raw: bool = False
    ) -> bytes:
        """Query the structured data in SPARQL; `lycosa index` builds the index.

        The formats are those of `lycosa sparql`: `json`, `xml`, `csv` and `tsv` for tables, `json`
        and `xml` for yes and no, `turtle`, `ntriples`, `nquads`, `trig`, `rdfxml` and `jsonld` for
        graphs. The query runs in a process that has no network, whatever it says, and
        that is killed after `seconds`. The process is kept for the next query.
        CSV is safe to open in a spreadsheet, unless it is `raw`.
        """
        if form not in (*RESULT_FORMS, *GRAPH_FORMS):
            known = ", ".join((*RESULT_FORMS, *GRAPH_FORMS))
            raise LycosaError(f"there is no format `{form}`\n  the formats are: {known}")
        reply = self._pool.ask(Query(question, form=form, is_guarded=not raw), seconds)
        raise_unless_answer(reply)
        return reply.body

    # -- full text ------------------------------------------------------------------------

    def search(
        self, question: str, *, limit: int = 10, page: int = 1, seconds: float = 2.0
    ) -> Results:
        """Search the full text, as `lycosa search` does; `lycosa index` builds the index.

        The results have `hits` with URL, title and passage, `total`, `facets` and `did_you_mean`.
        The search runs in a process of its own, which is killed after `seconds`; a `QueryError`
        says why there is no answer.
        """
        from lycosa._support.extras import require_search

        require_search("Crawl.search")
        from lycosa.analysis.text_search.results import Ask
        from lycosa.analysis.text_search.search_pool import search_once

        return search_once(self.path, Ask(question, limit, page), seconds)

    # -- inside ---------------------------------------------------------------------------

    @cached_property
    def _files(self) -> WarcFiles:
        return WarcFiles(self.path)

    @cached_property
    def _pool(self) -> AnswerPool:
        return AnswerPool(self.path, most=1)

    def __del__(self) -> None:
        if "_files" in self.__dict__:
            self._files.close()
        if "_pool" in self.__dict__:
            self._pool.close()

    def _states(self) -> list[PartitionState]:
        if not self._directory.has_begun:
            return []
        return list(self._directory.states(self.job).values())

    def _segments(self, wanted: _Filter) -> Iterator[tuple[Name, dict[int, str]]]:
        """Yield the segments, each with the URLs of its wanted fetches."""
        columns = ["fetch_id", "url", "host", "outcome"]
        for name in segments(self.path, "pages"):
            urls: dict[int, str] = {}
            for batch in batches(self.path, "pages", name, columns):
                kept = wanted.of(batch)
                ids, found = kept.column("fetch_id"), kept.column("url")
                urls.update(zip(ids.to_pylist(), found.to_pylist(), strict=True))
            yield name, urls


class _Filter:
    """The filter of `pages`, `links`, `texts` and `records`."""

    def __init__(self, host: str | None, outcome: str | None, prefix: str | None) -> None:
        self._host = host.lower() if host is not None else None
        self._outcome = outcome.lower() if outcome is not None else None
        self._prefix = prefix
        if self._outcome is not None and self._outcome not in OUTCOME_NAMES.values():
            raise LycosaError(
                f"there is no outcome `{outcome}`\n"
                f"  the outcomes are: {', '.join(OUTCOME_NAMES.values())}"
            )

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the rows that are wanted."""
        import pyarrow.compute as pc  # 70 ms: not for those who crawl

        for column, value in (("host", self._host), ("outcome", self._outcome)):
            if value is not None:
                batch = batch.filter(pc.equal(batch.column(column), value))
        if self._prefix is not None:
            batch = batch.filter(pc.starts_with(batch.column("url"), pattern=self._prefix))
        return batch


_TEXTS = ("title", "description", "language", "charset", "via", "rule")
_ABSENT: dict[str, Any] = dict.fromkeys(_TEXTS, "")
_OURS = set(Page._fields)


def _reason(row: dict[str, Any]) -> str:
    """Return the reason of a link; older segments have only links that were followed."""
    return row.get("reason") or "followed"


def _pages(batch: pa.RecordBatch) -> Iterator[Page]:
    extra = [n for n in batch.schema.names if n not in SCHEMAS["pages"].names]
    has_topics = "topics" in extra
    for row in batch.to_pylist():
        values = {**_ABSENT, "fingerprint": 0}
        values |= {
            name: "" if value is None and name in _ABSENT else value
            for name, value in row.items()
            if name in _OURS
        }
        if has_topics:  # these columns come after those of plugins, as in SQL
            values["topic"], values["topic_confidence"] = row["topic"], row["topic_confidence"]
            values["topics"] = tuple((row["topics"] or "").split())
        yield Page(
            depth=depth_of(row.get("distance") or 0),
            extra={name: row[name] for name in extra},
            **values,
        )


def _filled(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    columns = [
        batch.column(field.name).cast(field.type)
        if field.name in batch.schema.names
        else pa.nulls(len(batch), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
