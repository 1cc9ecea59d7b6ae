"""A crawl in lines: what a program reads, or a person who wants to see no panel.

Nothing here needs a terminal, nor what draws on one: that is loaded (`progress`, `summary`) when
somebody looks.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from lycosa.cli.amounts import counted, duration_text, size_text
from lycosa.config import Job
from lycosa.crawl.progress import Progress
from lycosa.records import TRAPS, Outcome

LINE_SECONDS = 5.0
"""How often a line is written where there is no terminal."""

_READY = ("awake", "taken")
_WAITING = ("waiting", "queued", "resolving")


def errors_of(outcomes: dict[str, int]) -> dict[str, int]:
    """Return what went wrong with requests, by kind, the most frequent first."""
    return _chosen(outcomes, lambda outcome: Outcome.NOT_FOUND <= outcome <= Outcome.BAD_ANSWER)


def left_out_of(outcomes: dict[str, int]) -> dict[str, int]:
    """Return what was left alone or not kept by rule, by kind."""
    return _chosen(outcomes, lambda outcome: Outcome.TOO_LARGE <= outcome <= Outcome.BLOCKED)


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
    """Return how many hosts could be asked now, and how many must wait for their moment."""
    hosts = progress.hosts
    return sum(hosts.get(p, 0) for p in _READY), sum(hosts.get(p, 0) for p in _WAITING)


def fields_of(progress: Progress) -> dict[str, object]:
    """Return one moment of a crawl for a program."""
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
        "put_aside": {
            kind.replace(" ", "_"): count for kind, count in put_aside_of(progress.refusals).items()
        },
        "seconds_left": round(progress.seconds_left, 1),
        "workers": progress.workers,
    }


def line_of(progress: Progress, *, as_json: bool, moment: datetime | None = None) -> str:
    """Write one moment of a crawl as one line: logfmt or JSON, with the time if it is given."""
    time = {"time": moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")} if moment else {}
    fields = {**time, "event": "progress", **fields_of(progress)}
    return json.dumps(fields) if as_json else " ".join(_pairs(fields.items()))


def _pairs(items: Iterable[tuple[str, object]]) -> Iterable[str]:
    for name, value in items:
        if isinstance(value, dict):
            yield f"{name}={sum(value.values())}"
            yield from _pairs((f"{name}.{kind}", count) for kind, count in value.items())
        else:
            yield f"{name}={value}"


class Lines:
    """Shows a running crawl on standard error, as lines of JSON or not at all."""

    def __init__(self, *, as_json: bool, is_quiet: bool, resume: str) -> None:
        self._as_json = as_json
        self._is_quiet = is_quiet
        self._resume = resume
        self.seconds = LINE_SECONDS
        """How often it wants to be told."""

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, progress: Progress) -> None:
        """Show this moment."""
        if not self._is_quiet:
            self.say(line_of(progress, as_json=self._as_json, moment=datetime.now(UTC)))

    def finish(self, progress: Progress) -> None:
        """Show nothing more: the summary says it."""

    def stopping(self) -> None:
        """Say that the first Ctrl-C was heard."""
        self.say(f"stopping cleanly (again to stop at once); resume with: {self._resume}")

    def say(self, text: str) -> None:
        """Say something."""
        print(text, file=sys.stderr, flush=True)


class HowEnded(Protocol):
    """What a run comes back with."""

    @property
    def reason(self) -> str:
        """What ended it."""

    @property
    def progress(self) -> Progress:
        """The last moment."""

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to do."""


def command(name: str, path: Path, *rest: str) -> str:
    """Write a command that can be typed as it stands."""
    return shlex.join(["lycosa", name, str(path), *rest])


def reason_text(ended: HowEnded, job: Job) -> str:
    """Say what ended the run."""
    limits = job.limits
    texts = {
        "exhausted": _complete_text(put_aside_of(ended.progress.refusals)),
        "pages": f"Ended by the limit of {limits.pages:,} pages (--max-pages).",
        "bytes": f"Ended by the limit of {size_text(limits.bytes)} (--max-bytes).",
        "seconds": f"Ended by the limit of {duration_text(limits.seconds)} (--time).",
        "free disk": "Ended because the disk has less than "
        f"{size_text(limits.free_disk_bytes)} left (--min-free-disk).",
        "found": "Ended because a page that was looked for has been found ([limits] until).",
        "stopped": "Stopped; nothing is lost.",
    }
    return texts.get(ended.reason, f"Ended: {ended.reason}.")


def _complete_text(put_aside: dict[str, int]) -> str:
    if not put_aside:
        return "Complete: everything that belongs to the crawl has been asked for."
    total = sum(put_aside.values())
    urls, what = counted(total, "URL"), "traps" if total > 1 else "a trap"
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in put_aside.items())
    return f"Complete but for {urls} put aside as {what} ({kinds})."


def summary_data(ended: HowEnded, path: Path) -> dict[str, object]:
    """Return the summary for a program."""
    progress = ended.progress
    return {
        "directory": str(path),
        "reason": ended.reason,
        "is_complete": ended.is_complete,
        "pages": progress.pages,
        "bytes": progress.bytes,
        "requests": progress.requests,
        "seconds": round(progress.seconds, 1),
        "pending": progress.pending,
        "hosts": sum(progress.hosts.values()),
        "workers": progress.workers,
        **commit_times(ended),
        "outcomes": progress.outcomes,
        "refusals": progress.refusals,
        "put_aside": sum(put_aside_of(progress.refusals).values()),
        "mined": progress.mined,
        "structured": progress.structured,
    }


def commit_times(ended: HowEnded) -> dict[str, float]:
    """Return what commits have cost, all workers together."""
    progress = ended.progress
    return {
        "commits": progress.commits,
        "commit_queue_seconds": round(progress.commit_queue_seconds, 3),
        "commit_lock_seconds": round(progress.commit_lock_seconds, 3),
        "commit_write_seconds": round(progress.commit_write_seconds, 3),
    }
