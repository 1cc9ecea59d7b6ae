"""Prints the progress of a crawl in lines, for programs and for people without a terminal.

This module loads nothing that draws on a terminal: `panel` and `summary` are imported only when
output goes to one.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from lycosa._support.safe_text import command as command
from lycosa.cli.amounts import counted, duration_text, size_text
from lycosa.crawl.status.progress import Progress
from lycosa.crawl.status.words import in_words
from lycosa.errors import StoreError
from lycosa.model.job import Job
from lycosa.model.records import TRAPS, Outcome

LINE_SECONDS = 5.0
"""The time between two lines of progress."""

_READY = ("awake", "taken")
_WAITING = ("waiting", "queued", "resolving")


def errors_of(outcomes: dict[str, int]) -> dict[str, int]:
    """Return the failed requests by kind, the most frequent first."""
    return _chosen(outcomes, lambda outcome: Outcome.NOT_FOUND <= outcome <= Outcome.BAD_ANSWER)


def left_out_of(outcomes: dict[str, int]) -> dict[str, int]:
    """Return the URLs that a rule excluded, or whose page was not kept, by kind."""
    return _chosen(
        outcomes,
        lambda outcome: (
            Outcome.TOO_LARGE <= outcome <= Outcome.UNREACHABLE or outcome is Outcome.WRONG_LANGUAGE
        ),
    )


def put_aside_of(refusals: dict[str, int]) -> dict[str, int]:
    """Return how many URLs were put aside as traps, by kind: `calendar`, `nothing new`."""
    traps = frozenset(TRAPS.values())
    found = {name: count for name, count in refusals.items() if name in traps}
    most_first = sorted(found.items(), key=lambda item: -item[1])
    return {name.partition(": ")[2]: count for name, count in most_first}


def _chosen(outcomes: dict[str, int], wanted: Callable[[Outcome], bool]) -> dict[str, int]:
    found = {
        name: count for name, count in outcomes.items() if count and wanted(Outcome[name.upper()])
    }
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def ready_and_waiting(progress: Progress) -> tuple[int, int]:
    """Return how many hosts can get a request now, and how many must wait."""
    hosts = progress.hosts
    return sum(hosts.get(p, 0) for p in _READY), sum(hosts.get(p, 0) for p in _WAITING)


def fields_of(progress: Progress) -> dict[str, object]:
    """Return the progress of a crawl as data for a program."""
    ready, waiting = ready_and_waiting(progress)
    return {
        "seconds": round(progress.seconds, 1),
        "pages": progress.pages,
        "bytes": progress.bytes,
        "requests": progress.requests,
        "pages_per_second": round(progress.pages_per_second, 2),
        "pending": progress.pending,
        "in_flight": progress.in_flight,
        "hosts_ready": ready,
        "hosts_waiting": waiting,
        "errors": errors_of(progress.outcomes),
        "waits": [
            {"for": who, "why": why, "until": _iso(until) if until else None}
            for who, why, until in progress.waits
        ],
        "patience_left": progress.patience_left,
        "put_aside": {
            kind.replace(" ", "_"): count for kind, count in put_aside_of(progress.refusals).items()
        },
        "seconds_left": round(progress.seconds_left, 1),
        **({"limited_by": progress.limited_by} if progress.limited_by else {}),
        **({"reading_again": progress.reading_again} if progress.reading_again else {}),
        "workers": progress.workers,
        **({"is_paused": True} if progress.is_paused else {}),
    }


def line_of(progress: Progress, *, as_json: bool, moment: datetime | None = None) -> str:
    """Return the progress of a crawl as one line of logfmt or JSON, with the time if given."""
    time = {"time": moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")} if moment else {}
    fields = {**time, "event": "progress", **fields_of(progress)}
    return json.dumps(fields) if as_json else " ".join(_pairs(fields.items()))


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def waits_text(
    waits: list[tuple[str, str, float]], total: int, patience_left: float | None, now: float
) -> str:
    """Say what the crawl waits for: `http://a.example: the usual pause, 3 s · and 12 more`."""
    told = [f"{who}: {why}{_until_text(until, now)}" for who, why, until in waits]
    if total > len(told):
        told.append(f"and {total - len(told):,} more")
    text = " · ".join(told)
    if patience_left is not None:
        left = duration_text(patience_left)
        text += f" · nothing else is left; the crawl gives up in {left} (patience_seconds)"
    return text


def _until_text(until: float, now: float) -> str:
    if not until:
        return ""
    return f", {duration_text(until - now)}" if until > now else ", now"


def time_left_text(seconds_left: float, limited_by: str) -> str:
    """Say how long the crawl takes at least: by its queue, or up to a limit."""
    left = f"at least {duration_text(seconds_left)}"
    if limited_by:
        flag = {"pages": "--max-pages", "bytes": "--max-bytes", "seconds": "--time"}[limited_by]
        return f"{left} to the limit of the job ({flag})"
    return f"{left} at these pauses; new links add to it"


def reading_text(reading_again: list[int]) -> str:
    """Say how far the links of known pages were read again, for a limit that was raised."""
    if not reading_again:
        return ""
    done, total = reading_again
    return f"links of known pages again, for a larger depth: {done:,} of {total:,} pages"


def _pairs(items: Iterable[tuple[str, object]]) -> Iterable[str]:
    for name, value in items:
        if isinstance(value, dict):
            yield f"{name}={sum(value.values())}"
            yield from _pairs((f"{name}.{kind}", count) for kind, count in value.items())
        elif isinstance(value, list):
            texts = [f"{one['for']}: {one['why']}, until {one['until'] or '?'}" for one in value]
            if texts:
                yield f"{name}={json.dumps(' · '.join(texts[:2]), ensure_ascii=False)}"
        elif value is not None:
            yield f"{name}={value}"


def refused_more_text(reasons: dict[str, int]) -> str:
    """Say how many further seeds are refused, by reason."""
    kinds = ", ".join(f"{in_words(reason)} {count:,}" for reason, count in reasons.items())
    return f"{sum(reasons.values()):,} more are not usable seeds: {kinds}"


def planting_text(count: int, total: int) -> str:
    """Say how many seeds of a long list have been queued."""
    return f"queueing seeds: {count:,} of {total:,}"


UPLOAD_LINE_SECONDS = 30.0


def uploading_text(segments: int, size_bytes: int, problem: str) -> str:
    """Describe the work that the end of a crawl waits for."""
    left = f"{counted(segments, 'segment')} ({size_text(size_bytes)})"
    why = f": {problem}" if problem else ""
    return f"copying the last {left} to the store{why}; Ctrl-C leaves it to the next resume"


class Lines:
    """Shows a running crawl on standard error, as lines of JSON or not at all."""

    def __init__(self, *, as_json: bool, is_quiet: bool, resume: str) -> None:
        self._as_json = as_json
        self._is_quiet = is_quiet
        self._resume = resume
        self._upload_line_at = 0.0
        self.seconds = LINE_SECONDS
        """The time between two calls of `show`."""

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, progress: Progress) -> None:
        """Show this moment."""
        if not self._is_quiet:
            self.say(line_of(progress, as_json=self._as_json, moment=datetime.now(UTC)))

    def show_reading(self, count: int) -> None:
        """Show how many seeds of a file have been read."""
        if self._as_json and not self._is_quiet:
            self._line({"event": "seeds", "read": count})

    def show_planting(self, count: int, total: int) -> None:
        """Show how many seeds of a long list have been queued."""
        if self._as_json and not self._is_quiet:
            self._line({"event": "seeds", "planted": count, "total": total})

    def show_uploading(self, segments: int, size_bytes: int, problem: str) -> None:
        """Show, every half a minute, what the end of the crawl waits for."""
        is_wanted = problem or not self._is_quiet
        if not is_wanted or time.monotonic() < self._upload_line_at:
            return
        self._upload_line_at = time.monotonic() + UPLOAD_LINE_SECONDS
        if self._as_json:
            told = {"segments": segments, "bytes": size_bytes, "problem": problem}
            self._line({"event": "uploading", **told})
        else:
            self.say(uploading_text(segments, size_bytes, problem))

    def _line(self, fields: dict[str, object]) -> None:
        moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.say(json.dumps({"time": moment, **fields}))

    def finish(self, progress: Progress) -> None:
        """Show nothing: the summary follows."""

    def stopping(self) -> None:
        """Confirm the first Ctrl-C."""
        self.say(f"stopping cleanly (Ctrl-C again stops at once); continue: {self._resume}")

    def say(self, text: str) -> None:
        """Print a line."""
        print(text, file=sys.stderr, flush=True)


class HowEnded(Protocol):
    """The result of a run."""

    @property
    def reason(self) -> str:
        """The reason why the run ended."""

    @property
    def progress(self) -> Progress:
        """The last moment."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do."""


def how_to_join(job: Job, digest: str) -> str:
    """Return the command for other machines, with the digest of settings that they accept."""
    accepting = ["--trust", digest] if digest else []
    place = f"{job.log.server}#{job.log.name[:8]}"
    return f"on other machines: {command('join', place, '-o', 'DIR', *accepting)}"


def reason_text(ended: HowEnded, job: Job) -> str:
    """Return why the run ended, as a sentence."""
    limits = job.limits
    texts = {
        "exhausted": _put_off_text(ended.progress.put_off, job)
        if ended.progress.put_off
        else _complete_text(ended.progress),
        "pages": f"Ended by the limit of {limits.pages:,} pages (--max-pages).",
        "bytes": f"Ended by the limit of {size_text(limits.bytes)} (--max-bytes).",
        "seconds": f"Ended by the limit of {duration_text(limits.seconds)} (--time).",
        "free disk": "Ended because the disk has less than "
        f"{size_text(limits.free_disk_bytes)} of free space (--min-free-disk).",
        "found": "Ended because a wanted page was found ([limits] until).",
        "not logged in": f"Ended: not logged in at {job.login.url}; no page was asked for.",
        "stopped": "Stopped; nothing is lost.",
        "stopped for all": "Stopped on all machines by `lycosa cluster stop`; nothing is lost.",
        "drained": "Drained: this member has handed everything over, and others go on.",
        "unreachable": "Complete within its limits: no reachable URL is left to fetch. "
        f"{_given_up_text(ended.progress)} could not be reached.",
        "no seed": "Ended: no seed could be reached.",
    }
    return texts.get(ended.reason, f"Ended: {ended.reason}.")


def _given_up_text(progress: Progress) -> str:
    count = progress.given_up_origins
    return "One origin" if count == 1 else f"{count:,} origins"


def _put_off_text(put_off: int, job: Job) -> str:
    wait = "waits" if put_off == 1 else "wait"
    if job.topics.policy == "budget":
        return (
            f"Ended: the budgets of topics are used up, and {counted(put_off, 'URL')} {wait}"
            " (topics.budgets: larger ones fetch more of them)."
        )
    if job.topics.focus == "hard":
        promise = "promises" if put_off == 1 else "promise"
        return (
            f"Ended: {counted(put_off, 'URL')} {promise} nothing about wanted topics, and {wait}"
            ' (topics.focus = "soft" fetches them, too).'
        )
    return f"Ended after the last cycle: {counted(put_off, 'URL')} {wait} for the next (--cycles)."


def _complete_text(progress: Progress) -> str:
    put_aside = put_aside_of(progress.refusals)
    within = " within its limits" if progress.left_out else ""
    if not put_aside:
        where = "that they allow" if within else "in scope"
        return f"Complete{within}: no URL {where} is left to fetch."
    total = sum(put_aside.values())
    urls, what = counted(total, "URL"), "traps" if total > 1 else "a trap"
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in put_aside.items())
    return f"Complete{within}, except for {urls} put aside as {what} ({kinds})."


def summary_data(ended: HowEnded, path: Path) -> dict[str, object]:
    """Return the summary for a program."""
    from lycosa.crawl.status.left_out import end_of  # a start does without it

    progress = ended.progress
    return {
        "directory": str(path),
        "reason": ended.reason,
        "is_complete": ended.is_complete,
        "end": end_of(ended.reason, progress.left_out, progress.put_off),
        "left_out": progress.left_out,
        "pages": progress.pages,
        "bytes": progress.bytes,
        "requests": progress.requests,
        "seconds": round(progress.seconds, 1),
        "pending": progress.pending,
        "put_off": progress.put_off,
        "unsent_bytes": progress.unsent_bytes,
        "hosts": sum(progress.hosts.values()),
        "workers": progress.workers,
        **commit_times(ended),
        "outcomes": progress.outcomes,
        "refusals": progress.refusals,
        "given_up_origins": progress.given_up_origins,
        "given_up": [
            {"origin": origin, "urls": urls, "why": why} for origin, urls, why in progress.given_up
        ],
        "put_aside": sum(put_aside_of(progress.refusals).values()),
        "mined": progress.mined,
        "topics": {
            name: {"pages": pages, "waiting": waiting}
            for name, (pages, waiting) in progress.topics.items()
        },
        "budgets": progress.budgets,
        "structured": progress.structured,
        "rendered": progress.rendered,
        "parts_refused": progress.parts_refused,
    }


def commit_times(ended: HowEnded) -> dict[str, float]:
    """Return the time that commits took, over all workers."""
    progress = ended.progress
    return {
        "commits": progress.commits,
        "commit_queue_seconds": round(progress.commit_queue_seconds, 3),
        "commit_lock_seconds": round(progress.commit_lock_seconds, 3),
        "commit_write_seconds": round(progress.commit_write_seconds, 3),
    }


def items_stored(folder: Path) -> dict[str, int] | None:
    """Return how many items a crawl that rests has stored, by kind; None if a table is damaged.

    The log does not count items, and rows are read only while no crawl needs the disk.
    """
    if not (folder / "items").exists():
        return {}
    from lycosa.storage.archive.reader import item_counts  # few crawls have items

    try:
        return item_counts(folder)
    except (StoreError, FileNotFoundError):
        return None  # `verify`, and each reader of the rows, names the damage
