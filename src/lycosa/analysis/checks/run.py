"""Runs checks over the tables of a crawl and gives their findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb

from lycosa.analysis.checks.check import COLUMNS, SCHEMA, Check, CheckLimits, Finding
from lycosa.analysis.checks.language_links import LANGUAGE_LINKS, language_links_of
from lycosa.analysis.checks.outside import ANSWERS, ANSWERS_SCHEMA
from lycosa.analysis.checks.prepared import prepare
from lycosa.analysis.checks.registry import CHECKS
from lycosa.analysis.checks.unasked import unasked_of
from lycosa.analysis.study.results import Results
from lycosa.analysis.study.segment_cache import OnSegment, add_derived
from lycosa.analysis.study.tables import (
    OF_THE_QUERY,
    Connection,
    Rows,
    add_files,
    all_rows,
    connected,
    require_rows,
)
from lycosa.crawl.status.left_out import left_out_of
from lycosa.errors import LogError, Untrusted
from lycosa.runtime.directory import CrawlDirectory
from lycosa.storage.segments.sealing import ignore
from lycosa.storage.tables.derived import derived_path
from lycosa.storage.tables.missing_tables import damage_told, unreadable

Ignored = Callable[[str], bool]
"""Tells whether findings about a URL are left out."""


class Checked(NamedTuple):
    """The result of checking a crawl."""

    pages: int
    """Number of pages checked."""
    checks: Sequence[Check]
    """The checks that were run."""
    findings: Sequence[Finding]
    ignored: int
    """Number of findings that were left out because of their URLs."""
    left_out: Mapping[str, int] = {}
    """URLs that limits of the crawl have left out, by limit: the checks have not seen them."""

    def of(self, check: Check) -> list[Finding]:
        """Return the findings of one check."""
        return [finding for finding in self.findings if finding.kind == check.name]


def check_site(
    folder: Path,
    checks: Sequence[Check] = CHECKS,
    limits: CheckLimits | None = None,
    *,
    ignored: Ignored | None = None,
    tell: Callable[[str], None] = ignore,
) -> Checked:
    """Check a crawl by its current tables; it may be running."""
    directory = CrawlDirectory.open(folder)
    rows = all_rows(folder, ("links", "pages"))
    require_rows(folder, rows[0])
    results = Results(folder)
    with results.locked(), connected(rows, results.folder) as connection:
        try:
            with damage_told(folder, f"{folder}: a table"):
                tell("links")
                make_ready(connection, directory, rows, results.folder, lambda done, total: None)
                query = findings_query(checks, limits or CheckLimits())
                tell("checks")
                found = connection.sql(query).to_arrow_table().cast(SCHEMA)
                ((pages,),) = connection.sql("select count(*) from shown_pages").fetchall()
        except duckdb.Error as error:
            if isinstance(error, OF_THE_QUERY):  # a bug in a query
                raise
            raise unreadable(folder, f"{folder}: a table", error) from None
    findings = [Finding(**row) for row in found.to_pylist()]
    kept = [one for one in findings if ignored is None or not _is_ignored(one, ignored)]
    return Checked(pages, checks, kept, len(findings) - len(kept), _left_out(directory))


def _left_out(directory: CrawlDirectory) -> dict[str, int]:
    if not directory.has_begun:
        return {}
    try:
        return left_out_of(directory.each_state(directory.job()))
    except (LogError, Untrusted):
        if not directory.may_lack_log:
            raise
        return {}


def make_ready(
    connection: Connection,
    directory: CrawlDirectory,
    rows: Sequence[Rows],
    store: Path,
    on_segment: OnSegment,
) -> None:
    """Make the tables that the checks need, in a database that has `pages` and `links`."""
    kinds = {some.kind: some for some in rows}
    derived = language_links_of(directory.path, kinds["links"], kinds["pages"], store, on_segment)
    add_derived(connection, LANGUAGE_LINKS._replace(name="all_language_links"), derived)
    connection.register("unasked", unasked_of(directory, connection))
    answers = derived_path(directory.path, ANSWERS)
    if answers.exists():
        add_files(connection, ANSWERS, [answers], ANSWERS_SCHEMA)
    else:
        connection.register(ANSWERS, ANSWERS_SCHEMA.empty_table())
    prepare(connection)


def findings_query(checks: Sequence[Check], limits: CheckLimits) -> str:
    """Return the query for the findings of these checks, in their order."""
    parts = [
        f"select {place} as place, '{check.name}' as kind, '{check.severity}' as severity,"
        f" {', '.join(COLUMNS)} from ({check.query(limits)})"
        for place, check in enumerate(checks)
    ]
    return (
        f"with found as ({' union all '.join(parts)})"
        " select kind, severity, url, target_url, status::smallint as status, text, detail, hops"
        " from found order by place, target_url, url, detail, text"
    )


def _is_ignored(finding: Finding, ignored: Ignored) -> bool:
    urls = (finding.url, finding.target_url)
    return any(url and ignored(url) for url in urls)
