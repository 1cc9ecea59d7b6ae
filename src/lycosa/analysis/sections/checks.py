"""The chapter on the checks of `lycosa check-site`: the faults of the crawled sites."""

from __future__ import annotations

from lycosa._support.amounts import counted
from lycosa.analysis.charts.canvas import BLUE, ORANGE, RED
from lycosa.analysis.checks.registry import BY_NAME
from lycosa.analysis.report.section import (
    Answers,
    Chapter,
    Column,
    Facts,
    Row,
    Section,
    Shown,
    Table,
)
from lycosa.analysis.report.wording import count
from lycosa.analysis.sections.counts import MOST_FILE_ROWS, MOST_ROWS, bars, total

_COLOURS = {"error": RED, "warning": ORANGE, "notice": BLUE}


def _title(row: Row) -> str:
    check = BY_NAME.get(row["kind"])
    return row["kind"] if check is None else check.title


def _mend(row: Row) -> str:
    check = BY_NAME.get(row["kind"])
    return "" if check is None else check.mend


def _show_checks(answers: Answers, facts: Facts) -> Shown:
    rows = answers["checks"]
    if not rows:
        return Shown("None of the checks of a site found anything.")
    findings = total(rows, "findings")
    errors = sum(row["findings"] for row in rows if row["severity"] == "error")
    sentence = (
        f"{counted(findings, 'finding')} on {counted(rows[0]['all_pages'], 'page')},"
        f" {count(errors)} of them errors; the most frequent is “{_title(rows[0]).lower()}”."
    )
    figure = bars(
        "Findings by check",
        "Findings of the site's checks. Red: errors; orange: warnings; blue: notices.",
        rows,
        _title,
        "findings",
        colour=lambda row: _COLOURS.get(row["severity"], BLUE),
    )
    table = Table(
        "Findings by check, with the number of pages and the remedy.",
        (
            Column("Check"),
            Column("Severity"),
            Column("Findings", "count"),
            Column("Pages", "count"),
            Column("Remedy"),
        ),
        [(_title(row), row["severity"], row["findings"], row["pages"], _mend(row)) for row in rows],
    )
    return Shown(sentence, (figure,), (table,))


def _show_errors(answers: Answers, facts: Facts) -> Shown:
    rows = answers["site_errors"]
    if not rows:
        return Shown("There is no broken link, no redirect loop and no other error.")
    sentence = (
        f"{counted(total(rows, 'pages'), 'page has', 'pages have')} errors"
        f" with {counted(len(rows), 'URL')}; `lycosa check-site --all` lists all of them."
    )
    table = Table(
        "URLs with errors, those of most pages first.",
        (
            Column("Check"),
            Column("URL", "web"),
            Column("Found", "web"),
            Column("Pages", "count"),
            Column("One of them", "web"),
        ),
        [
            (_title(row), row["subject"], row["detail"], row["pages"], row["page"])
            for row in rows[:MOST_ROWS]
        ],
    )
    return Shown(sentence, (), (table,))


CHAPTER = Chapter(
    "Checks of the sites",
    (
        Section(
            "checks",
            "Findings",
            {
                "checks": "select kind, any_value(severity) as severity, count(*) as findings,"
                " count(distinct url) as pages,"
                " (select count(distinct url) from findings) as all_pages"
                " from findings group by kind order by findings desc, kind"
            },
            _show_checks,
            ("findings",),
        ),
        Section(
            "site_errors",
            "Broken links and other errors",
            {
                "site_errors": "select kind, coalesce(target_url, url) as subject,"
                " min(detail) as detail, count(distinct url) as pages, min(url) as page"
                " from findings where severity = 'error' group by kind, subject"
                f" order by pages desc, kind, subject limit {MOST_FILE_ROWS}"
            },
            _show_errors,
            ("findings",),
        ),
    ),
)
