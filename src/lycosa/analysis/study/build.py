"""Builds a whole study: reads a crawl directory, computes the tables, writes `index/study/`."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from lycosa.analysis.checks.check import CheckLimits
from lycosa.analysis.checks.outside import outside_signature
from lycosa.analysis.checks.registry import CHECKS
from lycosa.analysis.checks.run import findings_query, make_ready
from lycosa.analysis.documents.texts import made_by as documents_by
from lycosa.analysis.documents.texts import make_documents
from lycosa.analysis.statistics import histograms
from lycosa.analysis.statistics.counts import QUERIES, count, prepare
from lycosa.analysis.statistics.heads import HEADS, heads_of
from lycosa.analysis.statistics.languages import write_languages
from lycosa.analysis.statistics.main_texts import made_by, make_main_texts
from lycosa.analysis.statistics.near_duplicates import write_duplicates, write_near_duplicates
from lycosa.analysis.statistics.outside import write_outside
from lycosa.analysis.statistics.overlaps import write_overlaps
from lycosa.analysis.statistics.ranks import web_graph, write_ranks
from lycosa.analysis.statistics.text_languages import TEXT_LANGUAGES, text_languages_of
from lycosa.analysis.statistics.topics import (
    find_topics,
    topics_signature,
    write_topic_links,
    write_topics,
)
from lycosa.analysis.statistics.vocabularies import SAID, quads_now, said_in, write_vocabularies
from lycosa.analysis.study.results import Manifest, Results
from lycosa.analysis.study.segment_cache import OnSegment, add_derived
from lycosa.analysis.study.tables import (
    STUDIED,
    Connection,
    Rows,
    all_rows,
    connected,
    named_failures,
    require_rows,
)
from lycosa.crawl.status.figures import outcomes_of, refusals_of
from lycosa.crawl.status.left_out import left_out_of
from lycosa.crawl.status.progress import messages_of
from lycosa.errors import LogError, Untrusted
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.model.records import TRAPS, Outcome
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.segments.sealing import ignore

LEAST_TABLES_BYTES = 256_000_000
"""Least memory: with half of it DuckDB fails on a million pages, even with enough disk."""


class Studied(NamedTuple):
    """A study in `index/study/`."""

    is_new: bool
    """Whether it was made now; otherwise it was still up to date."""
    facts: Manifest


def study(
    folder: Path,
    *,
    rebuild: bool = False,
    memory_bytes: int = 0,
    tell: Callable[[str], None] = ignore,
    reach: Callable[[str], None] = ignore,
) -> Studied:
    """Study a crawl, unless its last study is up to date; `tell` gets the name of each step.

    Tables get a quarter of `memory_bytes` and write the rest to the disk; the link graph takes as
    much as it needs.
    """
    directory = CrawlDirectory.open(folder)
    tables_bytes = max(memory_bytes // 4, LEAST_TABLES_BYTES) if memory_bytes else 0
    results = Results(folder)
    rows = all_rows(folder, (*STUDIED, "text"))
    require_rows(folder, rows[0])
    signature: dict[str, Any] = {some.kind: some.signature() for some in rows}
    signature |= topics_signature(folder, directory.job())
    main_text = made_by(directory.job().extract.main_text)
    signature |= {"main_text": main_text} if main_text else {}
    signature |= outside_signature(folder)
    signature |= {"documents": documents_by()}
    with results.locked():
        known = results.manifest()
        if known is not None and known["rows"] == signature and not rebuild:
            return Studied(False, known)
        began = time.monotonic()
        remedy = "make room on the disk, or give it more memory (--memory)"
        with named_failures(folder, "the study cannot be finished", remedy):
            facts = _study(directory, rows, results, tables_bytes, tell)
        facts["seconds"] = round(time.monotonic() - began, 3)
        facts["made_at"] = datetime.now(UTC).isoformat(timespec="seconds")
        return Studied(True, results.finish(facts | {"rows": signature}, reach))


def _study(
    directory: CrawlDirectory,
    rows: list[Rows],
    results: Results,
    tables_bytes: int,
    tell: Callable[[str], None],
) -> dict[str, Any]:
    asked = [some for some in rows if some.kind in STUDIED]
    with connected(asked, results.folder, tables_bytes) as connection:
        _derive(directory, rows, connection, results.folder, tell)
        tell("pages and sites")
        prepare(connection)
        job = directory.job()
        has_topics = find_topics(connection, directory.path, job)
        facts = _ranked(connection, results, tell, has_topics=has_topics)
        if has_topics:
            tell("topics")
            facts["topics"] = write_topics(connection, results, job)
        for name in QUERIES:
            tell(name.replace("_", " "))
            count(connection, results, name)
        tell("links to other sites")
        write_outside(connection, results)
        tell("histograms")
        results.write(connection, "histograms", histograms.query())
        tell("languages of pages")
        facts["languages"] = write_languages(connection, results)
        tell("vocabularies")
        write_vocabularies(connection, results)
        tell("duplicates")
        write_duplicates(connection, results)
        tell("near duplicates")
        write_near_duplicates(
            connection, results, lambda n, all: tell(f"near duplicates: sort {n:,} of {all:,}")
        )
        tell("checks")
        make_ready(connection, directory, asked, results.folder, lambda done, total: None)
        results.write(connection, "findings", findings_query(CHECKS, CheckLimits()))
        tell("refusals")
        refusals, pending, messages, left_out = _from_log(directory)
        results.write_table("refusals", refusals)
        if has_topics:
            tell("overlaps")
            write_overlaps(connection, results, job, partitioner_of(job), messages)
        traps = set(TRAPS.values())
        put_aside = sum(row["urls"] for row in refusals.to_pylist() if row["reason"] in traps)
        told = {"pending": pending, "put_aside": put_aside, "left_out": left_out}
        return facts | _totals(connection) | told


def _derive(
    directory: CrawlDirectory,
    rows: list[Rows],
    connection: Connection,
    store: Path,
    tell: Callable[[str], None],
) -> None:
    """Bring the segment caches up to date."""

    def of(what: str) -> OnSegment:
        tell(what)
        return lambda done, total: tell(f"{what}: segment {done:,} of {total:,}")

    folder = directory.path
    kinds = {some.kind: some for some in rows}
    heads = heads_of(folder, kinds["pages"], store, of("headers of answers"))
    add_derived(connection, HEADS, heads)
    engine = directory.job().extract.main_text
    make_main_texts(folder, engine, kinds["text"].sealed, of("main texts"))
    make_documents(folder, kinds["pages"].sealed, of("documents"))
    languages = text_languages_of(folder, engine, kinds["text"], store, of("languages of texts"))
    add_derived(connection, TEXT_LANGUAGES, languages)
    said = said_in(quads_now(folder), store, of("structured data"))
    add_derived(connection, SAID, said)


def _ranked(
    connection: Connection, results: Results, tell: Callable[[str], None], *, has_topics: bool
) -> dict[str, Any]:
    """Build the graph and rank it; its memory is free afterwards."""
    tell("links")
    web = web_graph(connection)
    if has_topics:
        write_topic_links(web, connection, results)
    return write_ranks(web, connection, results, tell)


def _from_log(
    directory: CrawlDirectory,
) -> tuple[pa.Table, int | None, int | None, dict[str, int]]:
    """Return figures that only the log has.

    These are refused URLs by reason, the number of pending URLs, of messages read by partitions,
    and of what each limit has left out.
    """
    has_log = directory.has_begun
    states = directory.each_state(directory.job()) if has_log else ()
    refusals: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    pending = 0
    messages = messages_of([], directory.job())
    try:
        for state in states:
            refusals.update(refusals_of([state]))
            left_out.update(left_out_of([state]))
            for name, number in outcomes_of([state]).items():
                if Outcome.DISALLOWED <= Outcome[name.upper()] <= Outcome.BLOCKED:
                    refusals[name] += number
            pending += state.pending
            if messages is not None:
                messages += state.inbox_read
    except (LogError, Untrusted):
        if not directory.may_lack_log:
            raise
        has_log = False
        refusals.clear()
        left_out.clear()
    found = sorted(refusals.items(), key=lambda item: (-item[1], item[0]))
    columns = {"reason": [name for name, _ in found], "urls": [number for _, number in found]}
    schema = pa.schema([("reason", pa.string()), ("urls", pa.int64())])
    figures = (pending, messages) if has_log else (None, None)
    return pa.table(columns, schema), *figures, dict(left_out)


def _totals(connection: Connection) -> dict[str, Any]:
    fetches, first, last = connection.execute(
        "select count(*), min(began)::varchar, max(ended)::varchar from pages"
    ).fetchone()
    size_bytes, distinct = connection.execute(
        "select coalesce(sum(size_bytes), 0)::bigint, count(distinct digest) from kept"
    ).fetchone()
    return {
        "fetches": fetches,
        "bytes": size_bytes,
        "distinct_pages": distinct,
        "first_asked": first,
        "last_answered": last,
    }
