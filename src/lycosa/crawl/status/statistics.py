"""Writes figures of a running crawl to a file, at the job's interval (Tarantula, section 4).

Each line has the moment, the seconds of this run, and the figures that `[statistics]` names, as CSV
or as JSON. The figures are those of the progress display. A crawl without such a file therefore has
no extra cost, and a crawl with one writes a line at each interval.

Always true:
  * a line is written whole, or not at all, and lines of earlier runs are kept;
  * all lines of a CSV file have the columns of its first line.
"""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from lycosa._support import beneath
from lycosa.crawl.status.progress import Progress
from lycosa.errors import ConfigError
from lycosa.model.job.notify import Statistics
from lycosa.model.records import Outcome

_WAITING = ("waiting", "queued", "resolving")
_ERRORS = frozenset(
    outcome.name.lower()
    for outcome in Outcome
    if Outcome.NOT_FOUND <= outcome <= Outcome.BAD_ANSWER
)

VALUES: dict[str, Callable[[Progress], float]] = {
    "pages": lambda progress: progress.pages,
    "bytes": lambda progress: progress.bytes,
    "requests": lambda progress: progress.requests,
    "pages_per_second": lambda progress: round(progress.pages_per_second, 2),
    "pending": lambda progress: progress.pending,
    "put_off": lambda progress: progress.put_off,
    "in_flight": lambda progress: progress.in_flight,
    "hosts": lambda progress: sum(progress.hosts.values()),
    "hosts_waiting": lambda progress: sum(progress.hosts.get(name, 0) for name in _WAITING),
    "errors": lambda progress: sum(progress.outcomes.get(name, 0) for name in _ERRORS),
    "refused": lambda progress: sum(progress.refusals.values()),
    "guessed": lambda progress: sum(guessed for guessed, _ in progress.mined.values()),
    "guessed_pages": lambda progress: sum(pages for _, pages in progress.mined.values()),
    "triples": lambda progress: progress.structured.get("triples", 0),
    "seconds_left": lambda progress: round(progress.seconds_left, 1),
}


class StatisticsFile:
    """The file of one run."""

    def __init__(self, options: Statistics, now: Callable[[], float] = time.time) -> None:
        self._options = options
        self._now = now
        self._next = 0.0
        self._names = ["moment", "seconds", *options.figures]
        self._path = Path(options.file)
        self._is_json = options.file.endswith(".jsonl")
        self._begin()

    def look(self, progress: Progress) -> None:
        """Write a line if the interval has passed."""
        now = self._now()
        if now >= self._next:
            every = self._options.every_seconds
            # Count from the due moment: calls come once a second, and 1.5 s must not become 2 s.
            self._next += every
            if self._next <= now:
                self._next = now + every
            self.write(progress)

    def write(self, progress: Progress) -> None:
        """Write a line."""
        moment = datetime.fromtimestamp(self._now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        values = [VALUES[name](progress) for name in self._options.figures]
        row = [moment, round(progress.seconds, 1), *values]
        is_json = self._is_json
        self._append(json.dumps(dict(zip(self._names, row, strict=True))) if is_json else _csv(row))

    def _begin(self) -> None:
        """Write the names of the columns, or check that the file has the same."""
        names, path = _csv(self._names), self._path
        try:
            with beneath.open_named(path, "r", encoding="utf-8") as file:
                first = file.readline().rstrip("\n")
        except FileNotFoundError:
            first = ""
        except (OSError, UnicodeDecodeError) as error:
            raise self._cannot(error) from None
        if first and not self._is_json and first != names:
            raise ConfigError(
                f"[statistics] file {path} has other columns: {first}\n"
                "  name another file, or the same figures in the same order"
            )
        if not first and not self._is_json:
            self._append(names)

    def _append(self, line: str) -> None:
        try:
            with beneath.open_named(self._path, "a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise self._cannot(error) from None

    def _cannot(self, error: Exception) -> ConfigError:
        why = error.strerror if isinstance(error, OSError) else "it is not a text file"
        return ConfigError(
            f"[statistics] file {self._path} cannot be written: {why}\n"
            "  name a file in a folder that exists"
        )


def _csv(row: list[str] | list[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(row)
    return text.getvalue()
