"""The chapter on politeness: the audit of all requests, and the pauses seen."""

from __future__ import annotations

from math import floor, log10

from lycosa._support.amounts import counted
from lycosa.analysis.charts import Column as Bin
from lycosa.analysis.charts import Columns, Mark
from lycosa.analysis.report.section import Answers, Chapter, Column, Facts, Section, Shown, Table
from lycosa.analysis.report.wording import NO_BREAK, count, seconds
from lycosa.analysis.sections.counts import MOST_FILE_ROWS, MOST_ROWS, total
from lycosa.analysis.sections.graph import rounded
from lycosa.crawl.pauses.due import longest_burst, usual_pause
from lycosa.model.job import Job
from lycosa.operate.inspect.audit import Audit

_PER_DECADE = 5
_MOST_BINS = 40
_TOLERANCE_SECONDS = 0.001
_LEAST = "greatest(least_pause_seconds, 0.0001)"


def _show_audit(answers: Answers, facts: Facts) -> Shown:
    audit = facts.audit
    if audit is None:
        return Shown(
            "The audit was left out of this report; `lycosa audit` holds every request against the"
            " rules."
        )
    forbidden = total(answers["forbidden"], "urls")
    robots = (
        f"{counted(forbidden, 'URL was', 'URLs were')} never requested because of a robots file"
        if forbidden
        else "robots files disallowed none of the URLs found"
    )
    if audit.is_clean:
        sentence = (
            f"Every one of {counted(audit.requests, 'request')} kept the rules{_closest(audit)},"
            f" and {robots}."
        )
    else:
        sentence = (
            f"{counted(len(audit.breaches), 'breach', 'breaches')} of the rules by"
            f" {counted(audit.requests, 'request')} were found{_closest(audit)}; {robots}."
        )
    verdict = "All were kept." if audit.is_clean else "Not all were kept."
    tables = [
        Table(
            f"The rules against which every recorded request was held. {verdict}",
            (Column("Rule"),),
            [(rule,) for rule in audit.rules],
        )
    ]
    if not audit.is_clean:
        columns = (Column("Breach", "web"),)
        found = [(breach,) for breach in audit.breaches[:MOST_ROWS]]
        tables.append(Table("Breaches of the rules.", columns, found))
    return Shown(sentence, (), tables)


def _closest(audit: Audit) -> str:
    if audit.closest is None:
        return ""
    pause = audit.closest
    due = seconds(pause.due_seconds)
    told = f": the tightest pause was {pause.seconds:.4f}{NO_BREAK}s where {due} were due"
    if audit.is_clean and pause.to_spare < 0:
        told += " (a tolerance of one millisecond allows for the resolution of clocks)"
    return told


def _show_pauses(answers: Answers, facts: Facts) -> Shown:
    pauses, hosts = answers["least_pauses"], answers["politeness"]
    (sums,) = answers["politeness_sums"]
    if not pauses:
        return Shown("No host was asked twice, so there was no pause to keep.")
    due = least_due(facts.job)
    least = min(pauses, key=lambda row: row["seconds"])
    sentence = (
        f"{counted(sums['requests'], 'answer')} came from {counted(sums['hosts'], 'host')}; the"
        f" shortest pause between an answer and the next request to its host was"
        f" {seconds(least['seconds'])}"
    )
    sentence += f", where the job demands {seconds(due)}." if due else "."
    lengths = [(row["seconds"], row["hosts"]) for row in pauses]
    figure = _histogram(lengths, due)
    table = Table(
        "The hosts that were asked most often.",
        (
            Column("Host", "web"),
            Column("Requests", "count"),
            Column("Least pause", "seconds"),
            Column("Median pause", "seconds"),
            Column("At once", "count"),
        ),
        [
            (
                row["host"],
                row["requests"],
                row["least_pause_seconds"],
                row["median_pause_seconds"],
                row["requests_at_once"],
            )
            for row in hosts[:MOST_ROWS]
        ],
    )
    return Shown(sentence, (figure,), (table,))


def least_due(job: Job) -> float:
    """Return the shortest pause that the job allows on any host; 0 where bursts share theirs."""
    if longest_burst(job) > 1:
        return 0.0
    return min(usual_pause(job, 0), usual_pause(job, job.politeness.large_site_pages + 1))


def _histogram(pauses: list[tuple[float, int]], due: float) -> Columns:
    """Draw hosts by their least pause; one column begins where a pause is long enough."""
    begin = due or 1.0
    bins: dict[int, int] = {}
    for length, hosts in pauses:
        place = floor(_PER_DECADE * log10(max(length + _TOLERANCE_SECONDS, 1e-3) / begin))
        bins[place] = bins.get(place, 0) + hosts
    first = min(*bins, -1)
    last = min(max(bins), first + _MOST_BINS - 1)
    columns = []
    for place in range(first, last + 1):
        edge, end = (begin * 10 ** (at / _PER_DECADE) for at in (place, place + 1))
        hosts = (
            bins.get(place, 0) if place < last else sum(n for at, n in bins.items() if at >= last)
        )
        columns.append(Bin(_edge(edge), hosts, f"{_edge(edge)} to {_edge(end)} s"))
    return Columns(
        "Hosts by their shortest pause",
        "Hosts by the shortest pause between an answer and the next request. To the left of the"
        " line a pause would be too short."
        if due
        else "Hosts by the shortest pause between an answer and the next request.",
        "shortest pause in seconds, from this value on",
        "hosts",
        columns,
        last_edge=_edge(begin * 10 ** ((last + 1) / _PER_DECADE)),
        mark=Mark(-first, f"{seconds(due)} are due") if due else None,
    )


def _edge(length: float) -> str:
    return f"{length:.2g}" if length < 100 else count(length)


CHAPTER = Chapter(
    "Politeness",
    (
        Section(
            "audit",
            "The audit",
            {},
            _show_audit,
            ("refusals",),
            {"forbidden": "select reason, urls from refusals where reason = 'disallowed'"},
        ),
        Section(
            "pauses",
            "Pauses",
            {
                "politeness": "select * from politeness order by requests desc, host"
                f" limit {MOST_FILE_ROWS}",
                "least_pauses": f"select {rounded(_LEAST, 4)} as seconds,"
                " count(*) as hosts from politeness where least_pause_seconds is not null"
                " group by all order by seconds",
            },
            _show_pauses,
            ("politeness",),
            {
                "politeness_sums": "select sum(requests)::bigint as requests, count(*) as hosts"
                " from politeness"
            },
        ),
    ),
)
