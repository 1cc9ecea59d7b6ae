"""The chapter on fetches: outcomes, statuses, errors, refused links, traps."""

from __future__ import annotations

from http import HTTPStatus

from lycosa._support.amounts import counted
from lycosa.analysis.charts import Part, Shares
from lycosa.analysis.charts.canvas import BLUE, GREEN, GREY, ORANGE, PURPLE, RED
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
from lycosa.analysis.report.wording import count, share, shown
from lycosa.analysis.sections.counts import MOST_ROWS, bars, total
from lycosa.crawl.status.words import in_words
from lycosa.model.records import PROBED, STORED, Outcome

_GOOD = STORED | {Outcome.REDIRECTED, Outcome.NOT_MODIFIED}
_NO_ERRORS = _GOOD | PROBED | {Outcome.NO_SITEMAP}
_MEANINGS = {
    "kept": "an answer with content, stored: a page",
    "redirected": "the server named another URL",
    "not_modified": "a revisit found the stored content unchanged",
    "sitemap": "a list of pages, stored; not a page itself",
    "no_sitemap": "/sitemap.xml, tried because robots.txt names no sitemap; none is there",
    "not_found": "404 or 410",
    "client_error": "another status of 4xx",
    "server_error": "a status of 5xx other than 503",
    "too_many_requests": "429: no more requests to the whole host for a while",
    "unavailable": "503: no more requests to the whole host for a while",
    "bad_status": "a status that no standard knows",
    "soft_404": "an error page with a status of success",
    "name_failure": "the host name has no address",
    "connect_failure": "no connection could be made",
    "timeout": "the answer took too long",
    "cut_short": "the connection ended before the answer did",
    "bad_answer": "the answer is not HTTP",
    "stale_connection": "a kept connection was closed without an answer; asked again",
    "too_large": "did not fit into what was left of the job's bytes",
    "wrong_type": "of a content type that the job does not keep",
    "wrong_language": "in another language than the job keeps; links were followed",
    "refused_address": "at an address that the job does not allow",
    "probe_honest": "a made-up URL, answered by 404 or 410",
    "probe_soft": "a made-up URL, answered by a page",
    "probe_inconclusive": "a made-up URL, answered by something else",
    "hook_failed": "a plugin failed on it",
    "too_many_items": "a plugin emitted more items than the job allows",
    "unknown_post": "posted by a plugin, without an answer; not sent again",
}
_CLASSES = {
    1: ("1xx, information", PURPLE),
    2: ("2xx, success", BLUE),
    3: ("3xx, redirection", GREEN),
    4: ("4xx, client error", ORANGE),
    5: ("5xx, server error", RED),
}
_NO_ANSWER, _ODD = ("no HTTP answer", GREY), ("unknown status", PURPLE)


def words(name: str) -> str:
    """Write a name of the code as words: `not_found` as `not found`."""
    return name.replace("_", " ").replace("-", " ").lower()


def _outcome_colour(row: Row) -> str:
    outcome = Outcome.__members__.get(row["outcome"].upper())
    if outcome in _GOOD:
        return BLUE
    return GREY if outcome in _NO_ERRORS else ORANGE


def _show_outcomes(answers: Answers, facts: Facts) -> Shown:
    rows = answers["outcomes"]
    if not rows:
        return Shown("No page was fetched.")
    fetches = total(rows, "fetches")
    kept = sum(row["fetches"] for row in rows if row["outcome"] == "kept")
    others = [row for row in rows if row["outcome"] != "kept"]
    sentence = (
        f"Of {counted(fetches, 'fetch', 'fetches')} of a page, {count(kept)}"
        f" ({share(kept, fetches)}) ended with a page that was kept"
    )
    if others:
        sentence += (
            f"; the most frequent other end was “{words(others[0]['outcome'])}”"
            f" ({count(others[0]['fetches'])})"
        )
    caption = (
        "Fetches by outcome. Blue: pages, and redirects to pages; orange: fetches without a page;"
        " grey: URLs that were made up to learn what a site's error pages look like."
    )
    table = Table(
        "Fetches and different URLs by outcome.",
        (
            Column("Outcome"),
            Column("Meaning"),
            Column("Fetches", "count"),
            Column("Share", "share"),
            Column("URLs", "count"),
        ),
        [
            (
                words(row["outcome"]),
                _MEANINGS.get(row["outcome"], ""),
                row["fetches"],
                row["fetches"] / fetches,
                row["urls"],
            )
            for row in rows
        ],
    )
    figure = bars(
        "Fetches by outcome",
        caption,
        rows,
        lambda row: words(row["outcome"]),
        "fetches",
        colour=_outcome_colour,
    )
    return Shown(f"{sentence}.", (figure,), (table,))


def _class_of(status: int) -> tuple[str, str]:
    return _NO_ANSWER if not status else _CLASSES.get(status // 100, _ODD)


def _phrase(status: int) -> str:
    if not status:
        return "no HTTP answer"
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "not a registered status"


def _show_statuses(answers: Answers, facts: Facts) -> Shown:
    rows = answers["statuses"]
    fetches = total(rows, "fetches")
    classes: dict[tuple[str, str], int] = {}
    for row in rows:
        kind = _class_of(row["status"])
        classes[kind] = classes.get(kind, 0) + row["fetches"]
    parts = [Part(name, number, colour) for (name, colour), number in classes.items()]
    parts.sort(key=lambda part: -part.value)
    good = classes.get(_CLASSES[2], 0)
    wrong = sorted(
        (row for row in rows if row["status"] >= 400),
        key=lambda row: (-row["fetches"], row["status"]),
    )
    different = sum(1 for row in rows if row["status"])
    sentence = (
        f"{share(good, fetches)} of the fetches were answered by success (2xx);"
        f" {counted(different, 'status was', 'different statuses were')} seen"
    )
    if wrong:
        first = wrong[0]
        sentence += (
            f", and the most frequent error was {first['status']} ({count(first['fetches'])})"
        )
    table = Table(
        "Fetches by HTTP status.",
        (Column("Status"), Column("Name"), Column("Fetches", "count"), Column("Share", "share")),
        [
            (
                str(row["status"]) if row["status"] else "none",
                _phrase(row["status"]),
                row["fetches"],
                row["fetches"] / fetches,
            )
            for row in rows
        ],
    )
    figure = Shares("Fetches by class of status", "Fetches by class of HTTP status.", parts)
    return Shown(f"{sentence}.", (figure,), (table,))


def _show_errors(answers: Answers, facts: Facts) -> Shown:
    fetches = total(answers["fetches"], "fetches")
    rows = answers["errors"]
    if not rows:
        return Shown(f"Not one of {counted(fetches, 'fetch', 'fetches')} went wrong.")
    failed = total(rows, "fetches")
    first = rows[0]
    sentence = (
        f"{counted(failed, 'fetch', 'fetches')} ({share(failed, fetches)}) gave no page,"
        f" most often because of “{words(first['outcome'])}”"
        f" ({share(first['fetches'], failed)} of them)."
    )
    figure = bars(
        "Errors by reason",
        "Fetches that gave no page, by reason; shares are those of all errors.",
        rows,
        lambda row: words(row["outcome"]),
        "fetches",
        colour=lambda row: ORANGE,
    )
    table = Table(
        "Errors by reason, and how many URLs they concern.",
        (Column("Reason"), Column("Meaning"), Column("Fetches", "count"), Column("URLs", "count")),
        [
            (words(row["outcome"]), _MEANINGS.get(row["outcome"], ""), row["fetches"], row["urls"])
            for row in rows
        ],
    )
    return Shown(sentence, (figure,), (table,))


def _show_refusals(answers: Answers, facts: Facts) -> Shown:
    rows = answers["refusals"]
    if not rows:
        return Shown("No link was refused: everything that was found belonged to the crawl.")
    urls = total(rows, "urls")
    sentence = (
        f"{counted(urls, 'link was', 'links were')} not followed, for"
        f" {counted(len(rows), 'reason', 'different reasons')}; the most frequent was"
        f" “{shown(in_words(rows[0]['reason']))}” ({share(rows[0]['urls'], urls)})."
    )
    figure = bars(
        "Links that were refused",
        "Links that were found and not followed, by reason.",
        rows,
        lambda row: in_words(row["reason"]),
        "urls",
    )
    table = Table(
        "Links that were refused, by reason.",
        (Column("Reason", "web"), Column("Links", "count"), Column("Share", "share")),
        [(in_words(row["reason"]), row["urls"], row["urls"] / urls) for row in rows[:MOST_ROWS]],
    )
    return Shown(sentence, (figure,), (table,))


def _show_traps(answers: Answers, facts: Facts) -> Shown:
    rows = answers["traps"]
    if not rows:
        return Shown("No place was put aside as a trap.")
    urls = total(rows, "urls")
    first = _trap_name(rows[0])
    sentence = (
        f"{counted(urls, 'link was', 'links were')} put aside, not fetched, because pages like them"
        f" brought nothing new; {share(rows[0]['urls'], urls)} of them as “{first}”."
    )
    figure = bars(
        "URLs put aside as traps",
        "URLs that were put aside by reason; `lycosa retry --traps` brings them back.",
        rows,
        _trap_name,
        "urls",
        colour=lambda row: ORANGE,
    )
    table = Table(
        "URLs that were put aside as traps.",
        (Column("Reason"), Column("URLs", "count"), Column("Share", "share")),
        [(_trap_name(row), row["urls"], row["urls"] / urls) for row in rows],
    )
    return Shown(sentence, (figure,), (table,))


def _trap_name(row: Row) -> str:
    return shown(str(row["reason"]).removeprefix(_TRAP).strip(), 40)


_TRAP = "trap:"
"""The beginning of reasons for which endless places are put aside."""
_ERRORS = ", ".join(f"'{outcome.name.lower()}'" for outcome in sorted(_NO_ERRORS))

CHAPTER = Chapter(
    "Answers",
    (
        Section(
            "outcomes",
            "Outcomes",
            {"outcomes": "select * from outcomes order by fetches desc, outcome"},
            _show_outcomes,
            ("outcomes",),
        ),
        Section(
            "statuses",
            "HTTP statuses",
            {"statuses": "select * from statuses order by status"},
            _show_statuses,
            ("statuses",),
        ),
        Section(
            "errors",
            "Errors",
            {
                "errors": f"select * from outcomes where outcome not in ({_ERRORS})"
                " order by fetches desc, outcome"
            },
            _show_errors,
            ("outcomes",),
            {"fetches": "select coalesce(sum(fetches), 0)::bigint as fetches from outcomes"},
        ),
        Section(
            "refusals",
            "Links that were refused",
            {
                "refusals": "select * from refusals"
                f" where not starts_with(reason, '{_TRAP}') order by urls desc, reason"
            },
            _show_refusals,
            ("refusals",),
        ),
        Section(
            "traps",
            "Traps",
            {
                "traps": "select * from refusals"
                f" where starts_with(reason, '{_TRAP}') order by urls desc, reason"
            },
            _show_traps,
            ("refusals",),
        ),
    ),
)
