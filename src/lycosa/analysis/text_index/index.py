"""Builds the text index of a crawl from its tables, and brings it up to date.

    index/text/00000003/store/              tantivy's files
    index/text/00000003/documents.parquet   id and stamp of every document
    index/text/00000003/manifest.json       the tables that it was made from
    index/text/current                      which of them is the index: "00000003"

An update makes the next generation (`analysis.triples.generation_build`): tantivy never changes a
finished segment, so those of the last generation are linked, and pages are removed and added beside
them.

Always true:
  * the index holds what `current_pages` says, each page once; in a long build, a part of it;
  * an update gives the documents that a build from nothing gives;
  * when a table in the index has been rewritten, because a host was forgotten, the index is
    built from nothing: segments keep the texts of removed pages until they are merged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from lycosa.analysis.documents.texts import made_by as documents_by
from lycosa.analysis.documents.texts import make_documents
from lycosa.analysis.statistics.main_texts import made_by, main_file, make_main_texts
from lycosa.analysis.statistics.told_noindex import make_told_noindex
from lycosa.analysis.study.segment_cache import OnSegment
from lycosa.analysis.study.tables import Connection, named_failures
from lycosa.analysis.text_index.current_pages import computed_files, sealed_files, wanted_pages
from lycosa.analysis.text_index.documents import document_of
from lycosa.analysis.text_index.manifest import (
    Manifest,
    identities,
    read_manifest,
    states,
    write_manifest,
)
from lycosa.analysis.text_index.schema import FORMAT, open_store
from lycosa.analysis.text_index.segment_texts import SegmentTexts, read_ids
from lycosa.analysis.text_index.stamps import read_documents, write_documents
from lycosa.analysis.text_index.text_store import TextStore
from lycosa.analysis.triples.generation_build import NextGeneration, remove_old, writing
from lycosa.model.job import Job

PUBLISH_SECONDS = 60.0
"""Time between two generations of a long build: a kill loses at most this much."""

HEAP_BYTES = 60_000_000
"""Bytes that tantivy gathers in memory before it writes a segment."""

WAITING_CHARACTERS = 30_000_000
"""Most text that waits for tantivy's thread, which would let ten thousand pages wait."""

_BATCH_ROWS = 500


class TextProgress(NamedTuple):
    """The progress of an update."""

    done: int
    of_pages: int


class TextIndexed(NamedTuple):
    """The result of an update."""

    added: int
    """Pages that are new in the index or were replaced."""
    removed: int
    """Pages that are gone, have moved, or ask not to be found."""
    is_anew: bool
    """Whether the index was built from scratch, by need or on request."""
    pages: int
    """Pages in the index."""
    has_ranks: bool


def _ignore(_: object) -> None:
    pass


def _ignore_two(_: object, of: object) -> None:
    pass


class TextIndex:
    """The text index of one crawl directory."""

    def __init__(self, folder: Path, job: Job) -> None:
        self._crawl = folder
        self._job = job
        self.store = TextStore(folder)

    def update(
        self,
        on_progress: Callable[[TextProgress], None] = _ignore,
        reach: Callable[[str], None] = _ignore,
        *,
        anew: bool = False,
        on_main: OnSegment = _ignore_two,
        on_documents: OnSegment = _ignore_two,
    ) -> TextIndexed:
        """Bring the index up to date with the sealed tables; with `anew`, build it from scratch.

        `on_main` is called for each segment whose main texts have been made, `on_documents` for
        each whose documents have been read.
        """
        with writing(self.store):
            files, computed = sealed_files(self._crawl), computed_files(self._crawl)
            every = [path for some in files.values() for path in some]
            files["documents"] = make_documents(self._crawl, files["pages"], on_documents)
            target = Manifest(
                FORMAT,
                identities(self._crawl, every),
                states(computed),
                self._job.extract.obey_noindex,
                is_complete=True,
                has_ranks="ranks" in computed,
                main_text=made_by(self._job.extract.main_text),
                documents=documents_by(),
            )
            engine = self._job.extract.main_text
            make_main_texts(self._crawl, engine, files["text"], on_main)
            if self._job.extract.obey_noindex:
                files["noindex"] = make_told_noindex(
                    self._crawl, files["pages"], self._job, _ignore_two
                )
            # An index of another form is made again: nothing can be added to it.
            before, manifest = self._before()
            is_anew = anew or manifest is None or manifest.is_outdated(target)
            if manifest is not None and not is_anew and self._is_current(manifest, target):
                return TextIndexed(0, 0, False, manifest.pages, manifest.has_ranks)
            folder = self.store.folder
            with (
                named_failures(
                    self._crawl,
                    "the text index cannot be made",
                    "make room on the disk or in memory",
                ),
                wanted_pages(files, computed, self._job, folder) as connection,
            ):
                read_documents(connection, None if is_anew or before is None else folder / before)
                texts = [*files["text"], *files["documents"]]
                update = _Update(connection, self.store, target, texts, engine)
                update.run(None if is_anew else before, on_progress, reach)
            was_there = manifest is not None
            return TextIndexed(
                update.added, update.removed, is_anew and was_there, target.pages, target.has_ranks
            )

    def _before(self) -> tuple[str | None, Manifest | None]:
        name = self.store.current()
        if name is None:
            return None, None
        try:
            return name, read_manifest(self.store.folder / name)
        except (OSError, ValueError) as error:
            raise self.store.damaged(error) from None

    @staticmethod
    def _is_current(manifest: Manifest, target: Manifest) -> bool:
        made_from = ("segments", "computed", "obeys_noindex", "is_complete")
        return all(getattr(manifest, name) == getattr(target, name) for name in made_from)


class _Update:
    """The update from a generation to an index that holds the table `wanted`."""

    def __init__(
        self,
        connection: Connection,
        store: TextStore,
        target: Manifest,
        texts: list[Path],
        engine: str,
    ) -> None:
        self._connection = connection
        self._store = store
        self._target = target
        self._texts = texts
        self._engine = engine
        connection.execute(
            "create table changed as"
            " select wanted.*, known.stamp is not null as is_known from wanted"
            " left join known using (url_id) where known.stamp is distinct from wanted.stamp"
        )
        gone = connection.execute("select url_id from known anti join wanted using (url_id)")
        self._gone = [url_id for (url_id,) in gone.fetchall()]
        ((self._changed,),) = connection.execute("select count(*) from changed").fetchall()
        self._dropped: list[int] = []
        self._held: list[tuple[int, int]] = []
        self.added, self.removed = 0, len(self._gone)

    def run(
        self,
        before: str | None,
        on_progress: Callable[[TextProgress], None],
        reach: Callable[[str], None],
    ) -> None:
        """Make generations until everything is in place."""
        batches = self._batches()
        is_complete = False
        while not is_complete:
            build = _Build(self._store, before)
            try:
                is_complete = self._fill(build, batches, on_progress)
                build.close()
                reach("index.loaded")
                self._describe(build.next.path, is_complete)
                build.next.publish(reach)
            except ValueError as error:
                raise self._store.damaged(error) from None
            finally:
                build.next.abandon()
            before = self._store.current()
            remove_old(self._store)

    def _fill(
        self,
        build: _Build,
        batches: Iterator[pa.RecordBatch],
        on_progress: Callable[[TextProgress], None],
    ) -> bool:
        """Add pages for a while; return whether all are added."""
        began = time.monotonic()
        for url_id in self._gone:
            build.remove(url_id)
        self._note(self._gone)
        self._gone = []
        for batch in batches:
            for page in batch.to_pylist():
                build.replace(page)
            self.added += batch.num_rows
            self._note(*(batch.column(name).to_pylist() for name in ("url_id", "stamp")))
            on_progress(TextProgress(self.added, self._changed))
            if time.monotonic() - began >= PUBLISH_SECONDS:
                return bool(self.added == self._changed)
        return True

    def _batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the changed pages with their texts, in the order of the segments."""
        columns = (
            "changed.* exclude (page_fetch, text_fetch, moment), epoch(moment)::bigint as seconds"
        )
        for path in self._texts:
            cursor = self._connection.cursor()
            cursor.register("ids", read_ids(path))
            texts = SegmentTexts(path, main_file(self._store.crawl, self._engine, path))
            try:
                for batch in cursor.sql(
                    f"select {columns}, ids.row from changed join ids on ids.fetch_id = text_fetch"
                    " and ids.url_id = changed.url_id order by ids.row"
                ).to_arrow_reader(_BATCH_ROWS):
                    text, main = texts.take(batch.column("row").to_pylist())
                    yield batch.append_column("text", text).append_column("main", main)
            finally:
                texts.close()
            cursor.close()
        yield from (
            self._connection.cursor()
            .sql(
                f"select {columns}, '' as text, null as main from changed where text_fetch is null"
            )
            .to_arrow_reader(_BATCH_ROWS)
        )

    def _note(self, ids: list[int], stamps: Sequence[int] = ()) -> None:
        """Remember additions to, and removals from, the index of this generation.

        As Python's values: a column of a batch would keep the whole batch in memory.
        """
        self._dropped += ids
        if stamps:
            self._held += zip(ids, stamps, strict=True)

    def _record(self) -> None:
        """Record it: once a generation, because that looks through all pages."""
        self._given(self._dropped)
        self._connection.execute("delete from known where url_id in (select url_id from given)")
        if self._held:
            self._given(*zip(*self._held, strict=True))
            self._connection.execute("insert into known select url_id, stamp from given")
        self._dropped, self._held = [], []

    def _given(self, ids: Sequence[int], stamps: Sequence[int] = ()) -> None:
        columns = {"url_id": pa.array(ids, pa.int64())}
        if stamps:
            columns["stamp"] = pa.array(stamps, pa.int64())
        self._connection.register("given", pa.table(columns))

    def _describe(self, folder: Path, is_complete: bool) -> None:
        self._record()
        target = self._target
        target.is_complete = is_complete
        target.pages, target.languages = write_documents(self._connection, folder)
        write_manifest(folder, target)


class _Build:
    """The next generation, open for writing."""

    def __init__(self, store: TextStore, before: str | None) -> None:
        self.next = NextGeneration(store.folder)
        if before is not None:
            self.next.link_store(before, lambda path: path.suffix != ".json")
        try:
            self._index = open_store(self.next.store)
            self._writer = self._index.writer(HEAP_BYTES, 1)
        except (OSError, ValueError) as error:
            self.next.abandon()
            raise store.damaged(error) from None
        self._waiting = 0

    def remove(self, url_id: int) -> None:
        """Remove a page."""
        self._writer.delete_documents_by_term("url_id", url_id)

    def replace(self, page: dict[str, Any]) -> None:
        """Add a page, in place of what it was before.

        A page that is not there is not removed: tantivy would look for it in every segment.
        """
        if page["is_known"]:
            self.remove(page["url_id"])
        self._writer.add_document(document_of(page))
        self._waiting += len(page["text"])
        if self._waiting >= WAITING_CHARACTERS:
            self._writer.commit()
            self._waiting = 0

    def close(self) -> None:
        """Write everything; the files are complete then."""
        self._writer.commit()
        self._writer.wait_merging_threads()
