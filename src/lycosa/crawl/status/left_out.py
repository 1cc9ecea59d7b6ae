"""URLs that the limits of a job have left out, by limit, and the end of a crawl in three words.

Every screen and interface takes it from here: the summary, `status`, `--json`, the report, the web
pages, REST and Python.

    depth_static, depth_dynamic   URLs that are farther from the seeds, without and with a query
    host_pages                    URLs in the queue of hosts that gave as many pages as are taken
    largest_body_bytes            pages that were cut off
    patience_seconds              URLs of origins that could not be reached

Robots rules, scope, rules and traps are not limits: what they refuse is not left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from lycosa._support.tuples import NamedTuple
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job
from lycosa.model.records import Outcome

COMPLETE, WITHIN_LIMITS, ENDED = "complete", "complete within its limits", "ended"
"""The words for the end of a crawl."""

AT_LEAST = 2_000
"""From this number of URLs on, more may be too deep than a partition remembers."""

_CLOSED = {
    Outcome.HOST_LIMIT: "host_pages",
    Outcome.UNREACHABLE: "patience_seconds",
    Outcome.ROBOTS_UNREACHABLE: "patience_seconds",
}


def left_out_of(states: Iterable[PartitionState]) -> dict[str, int]:
    """Return how much each limit has left out, for limits that have left out anything."""
    found: Counter[str] = Counter()
    for state in states:
        limits = state.limits
        if limits.too_deep:
            table = None if state.pending else state.table
            found["depth_static"] += limits.count_too_deep(table)[0]
            found["depth_dynamic"] += limits.count_too_deep(table)[1]
        found["largest_body_bytes"] += len(limits.truncated)
        closed = state.sites.closed.tobytes()  # a search in bytes takes a microsecond
        if any(bytes((outcome,)) in closed for outcome in _CLOSED):
            for outcome, count in state.ended_by_closing().items():
                if (limit := _CLOSED.get(Outcome(outcome))) is not None:
                    found[limit] += count
    return {limit: count for limit, count in found.items() if count}


def end_of(reason: str, left_out: Mapping[str, int], put_off: int = 0) -> str:
    """Return the word for the end of a run, by its reason, what was left out, and put off."""
    if reason == "unreachable":
        return WITHIN_LIMITS
    if reason != "exhausted" or put_off:
        return ENDED
    return WITHIN_LIMITS if left_out else COMPLETE


class LeftOut(NamedTuple):
    """The URLs or pages that one limit has left out."""

    limit: str
    """Key of the job, in `[limits]` or `[fetch]`; `depth` if both limits of depth are the same."""
    number: int
    what: str
    """The rest of the sentence that begins with the number."""
    command: str
    rest: tuple[str, ...] = ()
    """The command that takes it in, or names it: this, the crawl directory, and the rest."""


def told(left_out: Mapping[str, int], job: Job) -> list[LeftOut]:
    """Return what was left out in words, each with the command that goes on from there."""
    limits, found = job.limits, dict(left_out)
    entries: list[LeftOut] = []
    static, dynamic = found.pop("depth_static", 0), found.pop("depth_dynamic", 0)
    if limits.depth_static == limits.depth_dynamic and static + dynamic:
        what = f"farther than {_links(limits.depth_static)} from a seed"
        flags: tuple[str, ...] = ("--depth", str(limits.depth_static + 1))
        entries.append(LeftOut("depth", static + dynamic, f"URL {what}", "resume", flags))
    else:
        for limit, count, kind in (
            ("depth_static", static, "without"),
            ("depth_dynamic", dynamic, "with"),
        ):
            depth: int = getattr(limits, limit)
            if count:
                what = f"URL {kind} a query farther than {_links(depth)} from a seed"
                entries.append(LeftOut(limit, count, what, "resume", _set(limit, depth + 1)))
    if count := found.get("host_pages", 0):
        what = f"URL of hosts that gave {limits.host_pages:,} pages"
        flags = _set("host_pages", 2 * limits.host_pages)
        entries.append(LeftOut("host_pages", count, what, "resume", flags))
    if count := found.get("largest_body_bytes", 0):
        what = f"page cut off after {job.fetch.largest_body_bytes:,} bytes"
        named = ("select url from pages where truncated",)
        entries.append(LeftOut("largest_body_bytes", count, what, "sql", named))
    if count := found.get("patience_seconds", 0):
        what = "URL of origins that could not be reached"
        entries.append(LeftOut("patience_seconds", count, what, "retry"))
    return entries


def amount_text(one: LeftOut) -> str:
    """Return the number of what was left out and its name: `at least 2,000 URLs farther than …`."""
    noun, _, rest = one.what.partition(" ")
    many = "" if one.number == 1 else "s"
    is_least = one.limit.startswith("depth") and one.number >= AT_LEAST
    return f"{'at least ' if is_least else ''}{one.number:,} {noun}{many} {rest}"


def _set(limit: str, value: int) -> tuple[str, ...]:
    return "--set", f"limits.{limit}={value}"


def _links(depth: int) -> str:
    return "1 link" if depth == 1 else f"{depth:,} links"
