"""Audit, checks, report and log file of a crawl."""

from __future__ import annotations

import os
from typing import Annotated

import msgspec
from starlette.responses import Response

from lycosa._support import beneath
from lycosa.storage.log.sqlite_files import log_signature
from lycosa.web.reading.requests import Audit, Checks
from lycosa.web.rest.making import REPORT, makings
from lycosa.web.rest.operations import Call, Operation
from lycosa.web.rest.problems import Refusal, answered
from lycosa.web.rest.records import AuditFacts, LogLines, MakingState, ReportState, SiteChecks
from lycosa.web.served import ServedCrawl

AUDIT_SECONDS = 300.0
_TAIL_BYTES = 400_000


class LogQuery(msgspec.Struct, frozen=True):
    """The number of lines of the log."""

    lines: Annotated[int, msgspec.Meta(ge=1, le=2000)] = 200


class ChecksQuery(msgspec.Struct, frozen=True):
    """The number of findings of each check."""

    most: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 100


def get_audit(call: Call) -> bytes:
    """Judge every request."""
    return answered(call.crawl.reading.ask(Audit(), AUDIT_SECONDS)).body


def get_checks(call: Call) -> bytes:
    """Check the site."""
    return answered(call.crawl.reading.ask(Checks(call.query.most), AUDIT_SECONDS)).body


def get_log(call: Call) -> LogLines:
    """Return the last lines of the log file."""
    call.crawl.require_directory()
    try:
        with beneath.open_file(call.crawl.directory.messages, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return LogLines(lines=[], size_bytes=0)
    return LogLines(lines=lines[-call.query.lines :], size_bytes=size)


def get_report(call: Call) -> ReportState:
    """Return whether there is a report."""
    return _state(call.crawl, makings.state(call.crawl, REPORT))


def make_report(call: Call) -> ReportState:
    """Make the report again, in the background, unless it is being made."""
    return _state(call.crawl, makings.make(call.crawl, REPORT))


def _state(crawl: ServedCrawl, found: MakingState) -> ReportState:
    last = max(log_signature(crawl.directory.path)[::2], default=0) / 1e9
    is_current = found.made is not None and found.made >= last
    if found.state == "failed" and is_current:  # it was made on the command line since
        return ReportState(state="ready", made=found.made, is_current=True)
    is_ready = found.state == "ready"
    return ReportState(
        state=found.state,
        made=found.made,
        is_current=is_ready and is_current,
        problem=found.problem,
    )


def get_report_document(call: Call) -> Response:
    """Return the report as a download."""
    try:
        content = beneath.read_bytes(call.crawl.directory.path / "report" / "index.html")
    except FileNotFoundError:
        raise Refusal(404, "there is no report yet\n  make one: POST report") from None
    headers = {"Content-Disposition": 'attachment; filename="report.html"'}
    return Response(content, headers=headers, media_type="text/html")


OPERATIONS = [
    Operation(
        "GET",
        "/crawls/{name}/audit",
        get_audit,
        "Every request checked against the politeness rules.",
        AuditFacts,
    ),
    Operation(
        "GET",
        "/crawls/{name}/checks",
        get_checks,
        "Faults of the site: broken links, loops, titles and more.",
        SiteChecks,
        ChecksQuery,
    ),
    Operation(
        "GET", "/crawls/{name}/report", get_report, "Whether there is a report.", ReportState
    ),
    Operation(
        "POST",
        "/crawls/{name}/report",
        make_report,
        "Make the report again, in the background.",
        ReportState,
        status=202,
    ),
    Operation(
        "GET",
        "/crawls/{name}/report/document",
        get_report_document,
        "The report, one HTML file.",
        media_types=("text/html",),
    ),
    Operation(
        "GET",
        "/crawls/{name}/log",
        get_log,
        "The last lines of the crawl's log file.",
        LogLines,
        LogQuery,
    ),
]
