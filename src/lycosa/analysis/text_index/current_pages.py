"""Finds the pages that belong into the text index, and the content of the index for each.

The page of a URL is its newest stored fetch, unless a later fetch says that it is gone, has moved
or is not a page any more; failures that may pass (a timeout, a 503) change nothing. A page that
asks for `noindex` is left out where the job obeys that; `told_noindex` finds such pages in segments
without that column. A page that was found unchanged has its text beside an earlier fetch of the
same bytes.

Rank and language come from the study and topics from `lycosa topics apply`, where these have run.
The rank is kept in half decades, so that a page is not indexed again for each small change.

Always true: the stamp of a page changes if and only if its content in the index changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from lycosa.analysis.statistics.told_noindex import SCHEMA as NOINDEX
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.tables import (
    GONE,
    STORED,
    Connection,
    Rows,
    add_files,
    connected,
    named,
)
from lycosa.analysis.text_index.anchors import find_anchors
from lycosa.model.job import Job
from lycosa.model.url.views import VIEW_ROW
from lycosa.storage.archive.layout import SEALED, names_in, sealed_path
from lycosa.storage.tables.derived import PAGE_TOPICS, derived_path
from lycosa.storage.tables.document_texts import SCHEMA as DOCUMENT_ROWS
from lycosa.storage.tables.missing_tables import require_table
from lycosa.storage.tables.parquet_files import footer_of, require_types, rows_file
from lycosa.storage.tables.rows import SCHEMAS

KINDS = ("pages", "links", "text")
"""The tables that an index is made from."""

_LEAST_BYTES, _BYTES_A_PAGE = 128_000_000, 100
"""Memory limit of DuckDB; the rest goes to the disk, except for parts that grow with pages.
"""
_NEWEST = f"""
    create table newest as
    select url_id, fetch_id, fetched_at, if({VIEW_ROW}, 'kept', outcome) as outcome, digest,
        redirect_id, noindex
    from pages where outcome in ('kept', {", ".join(f"'{name}'" for name in GONE)}) or {VIEW_ROW}
    qualify row_number() over (partition by url_id order by fetched_at desc, fetch_id desc) = 1
"""
_TOLD = """
    update newest set noindex = true where exists (
        select 1 from pages semi join told_noindex using (fetch_id)
        where pages.url_id = newest.url_id and pages.digest is not distinct from newest.digest
    )
"""
"""Marks pages of segments without the column `noindex`, by their records."""
_BESIDE = """
    create table {name} as
    select newest.url_id, arg_max(pages.fetch_id, (pages.fetched_at, pages.fetch_id)) as fetch_id,
        {moment}(pages.fetched_at) as moment
    from (
        select * from pages semi join (select distinct fetch_id from {rows}) using (fetch_id)
    ) pages join newest on newest.url_id = pages.url_id
        and ((pages.outcome = 'kept' and newest.digest is not distinct from pages.digest)
            or (pages.outcome = 'rendered' and pages.fetched_at >= newest.fetched_at))
    where newest.outcome = 'kept' group by all
"""
"""The fetch, of those with the bytes of the newest, that has text or links; or what a browser has
made of it."""
_DOCUMENTS = """
    create table documents as
    select newest.url_id, newest.fetch_id as page_fetch, text_of.fetch_id as text_fetch,
        coalesce(text_of.moment, newest.fetched_at) as moment
    from newest left join text_of using (url_id)
    where outcome = 'kept' and {wanted}
"""
_WANTED = """
    create table wanted as
    with told as (
        select documents.*, pages.url, pages.host,
            coalesce(nullif(pages.title, ''), document_facts.title, '') as title,
            coalesce(pages.content_type, '') as content_type, coalesce(pages.digest, '') as digest,
            coalesce({language}) as language, coalesce({topic}, '') as topic,
            coalesce(round(2 * log10(weighted_pagerank * of_pages)), 0)::integer as level,
            coalesce(anchors, '') as anchors
        from documents join pages on pages.fetch_id = documents.page_fetch
        left join document_facts on document_facts.fetch_id = documents.text_fetch
        left join anchors on anchors.url_id = documents.url_id
        left join ranked on ranked.url_id = documents.url_id
        left join languages on languages.url_id = documents.url_id
        left join topic_of on topic_of.url_id = documents.url_id
    )
    select *, ('0x' || left(md5(concat_ws(chr(31), url, host, title, content_type, digest,
        language, topic, level, anchors, coalesce(text_fetch, 0), epoch_us(moment))), 15))::bigint
        as stamp
    from told where text_fetch is not null or anchors != ''
"""
_MARKUP = "lower(split_part(replace(trim(pages.language), '_', '-'), '-', 1))"


def sealed_files(folder: Path) -> dict[str, list[Path]]:
    """Return the sealed files of the tables that an index is made from."""
    found: dict[str, list[Path]] = {}
    for kind in KINDS:
        require_table(folder, kind)
        names = names_in(folder, kind, SEALED)
        found[kind] = [sealed_path(folder, kind, name) for name in names]
    return found


def computed_files(folder: Path) -> dict[str, Path]:
    """Return the tables of other commands that an index is made from, as far as they are there."""
    studied = Results(folder).tables()
    names: tuple[str, ...] = ("ranks", "page_languages")
    found = {name: studied[name] for name in names if name in studied}
    if (topics := derived_path(folder, PAGE_TOPICS)).exists():
        found[PAGE_TOPICS] = topics
    return found


@contextmanager
def wanted_pages(
    files: dict[str, list[Path]], computed: dict[str, Path], job: Job, beside: Path
) -> Iterator[Connection]:
    """Open a database with the table `wanted`: the documents that the index should hold."""
    nothing = {kind: SCHEMAS[kind].empty_table() for kind in KINDS}
    texts = [*files["text"], *files["documents"]]
    sealed = {**files, "text": texts}
    rows = [Rows(kind, sealed[kind], nothing[kind]) for kind in KINDS]
    memory_bytes = max(_LEAST_BYTES, _BYTES_A_PAGE * _rows_in(files["pages"]))
    for kind in KINDS:
        for path in files[kind]:
            with named(path):
                require_types(footer_of(path), STORED[kind], may_lack=True)
    with connected(rows, beside, memory_bytes) as connection:
        connection.execute("set threads = 1")  # each thread takes memory of its own
        _look_up(connection, computed)
        _look_into(connection, files["documents"])
        connection.execute(_NEWEST)
        if told := files.get("noindex"):
            add_files(connection, "told_noindex", told, NOINDEX)
            connection.execute(_TOLD)
        connection.execute(_BESIDE.format(name="text_of", rows="text", moment="min"))
        connection.execute(_BESIDE.format(name="linking", rows="links", moment="max"))
        wanted = "not coalesce(noindex, false)" if job.extract.obey_noindex else "true"
        connection.execute(_DOCUMENTS.format(wanted=wanted))
        find_anchors(connection, beside)
        has_topic = "topic" in connection.sql("select * from pages limit 0").columns
        own_topic = "pages.topic" if has_topic and "page_topics" not in computed else "null"
        language = f"languages.language, nullif({_MARKUP}, ''), document_facts.language, ''"
        topic = f"topic_of.topic, {own_topic}"
        connection.execute(_WANTED.format(language=language, topic=topic))
        for name in ("newest", "linking", "text_of", "documents", "anchors"):
            connection.execute(f"drop table {name}")
        yield connection


def _rows_in(files: list[Path]) -> int:
    found = 0
    for path in files:
        with rows_file(path) as file:
            found += file.metadata.num_rows
    return found


def _look_into(connection: Connection, documents: list[Path]) -> None:
    """Make the table `document_facts`: titles and languages of PDF and office files."""
    if not documents:
        schema = [("fetch_id", pa.int64()), ("title", pa.string()), ("language", pa.string())]
        connection.register("document_facts", pa.schema(schema).empty_table())
        return
    add_files(connection, "document_rows", documents, DOCUMENT_ROWS)
    connection.execute(
        "create table document_facts as select fetch_id, nullif(title, '') as title,"
        " nullif(language, '') as language from document_rows"
    )


def _look_up(connection: Connection, computed: dict[str, Path]) -> None:
    """Make the tables `ranked`, `languages` and `topic_of`, empty where nothing was computed."""
    queries = {
        "ranked": (
            "ranks",
            "select url_id, weighted_pagerank, count(*) over () as of_pages from ranks",
            [("weighted_pagerank", pa.float64()), ("of_pages", pa.int64())],
        ),
        "languages": (
            "page_languages",
            "select url_id, nullif(language, 'und') as language from page_languages",
            [("language", pa.string())],
        ),
        "topic_of": (
            "page_topics",
            "select url_id, max_by(topic, fetch_id) as topic from page_topics group by all",
            [("topic", pa.string())],
        ),
    }
    for name, (source, query, columns) in queries.items():
        read = pa.schema([("url_id", pa.int64()), *columns[:1]])
        if source in computed:
            add_files(connection, source, [computed[source]], read)
            connection.execute(f"create table {name} as {query}")
        else:
            schema = pa.schema([("url_id", pa.int64()), *columns])
            connection.register(name, schema.empty_table())
