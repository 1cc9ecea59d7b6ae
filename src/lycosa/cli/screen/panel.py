"""Draws the live panel of a running crawl on a terminal.

The panel is redrawn for every `Progress`. It takes the width it is given, and shortens
long lists instead of wrapping them. The estimated time counts only the pauses, so it is a lower
bound, and the panel says so.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lycosa._support.safe_text import on_screen
from lycosa.cli.amounts import counted, duration_text, size_text
from lycosa.cli.screen.lines import (
    LINE_SECONDS,
    UPLOAD_LINE_SECONDS,
    errors_of,
    left_out_of,
    line_of,
    planting_text,
    put_aside_of,
    reading_text,
    ready_and_waiting,
    time_left_text,
    uploading_text,
    waits_text,
)
from lycosa.cli.screen.topics import topics_facts
from lycosa.crawl.pauses.due import usual_pause
from lycosa.crawl.status.progress import Progress
from lycosa.crawl.status.words import in_words
from lycosa.model.job import Job

_LABEL = "bold cyan"
_MOST_WAITS = 3


def kinds_text(kinds: dict[str, int]) -> str:
    """Write kinds with their counts on one line: `not found 12 · no connection 3`."""
    return " · ".join(f"{in_words(name)} {count:,}" for name, count in kinds.items())


def left_text(progress: Progress) -> str:
    """Say how long the crawl will take at least."""
    if not progress.pending:
        return "the queue is empty"
    if progress.seconds_left < 1 and progress.limited_by:
        return "almost at the limit of the job"
    if progress.seconds_left < 1:
        ready, _ = ready_and_waiting(progress)
        moments = [until for _, _, until in progress.waits]
        wait = min(moments, default=0.0) - time.time()
        if wait >= 1 and not ready and not progress.in_flight:
            return f"next request in {duration_text(wait)}; new links add to it"
        return "no pause is left; new links add to it"
    return time_left_text(progress.seconds_left, progress.limited_by)


def _waits_text(progress: Progress) -> str:
    """Describe what the crawl is waiting for."""
    waits = [(who, why, until) for who, why, until in progress.waits[:_MOST_WAITS]]
    total, left = max(progress.waits_count, len(waits)), progress.patience_left
    if progress.is_paused:
        return "you: the crawl is paused (`lycosa resume DIR` in another terminal)"
    if waits:
        return waits_text(waits, total, left, time.time())
    if progress.in_flight:
        return f"answers to {counted(progress.in_flight, 'request')}"
    return "a free connection" if progress.pending else "nothing"


def pauses_text(job: Job) -> str:
    """Say how long the job's pauses make sites of two sizes take."""
    small, large = (sum(usual_pause(job, page) for page in range(n)) for n in (100, 1000))
    pause = duration_text(job.politeness.delay_seconds)
    return (
        f"{pause} between requests: 100 pages of a site take {duration_text(small)}, "
        f"1,000 pages {duration_text(large)}"
    )


class ProgressPanel:
    """The panel for one moment of a crawl."""

    def __init__(self, progress: Progress, job: Job, name: str, footer: str = "") -> None:
        self._progress = progress
        self._job = job
        self._name = name
        self._footer = footer

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the panel in the available width, at most 96 columns."""
        parts: list[RenderableType] = [self._figures(options.max_width >= 76)]
        if bar := self._bar():
            parts.append(bar)
        parts.append(self._sentences(min(options.max_width, 96) - 15))
        yield Panel(
            Group(*parts),
            title=_one_line(f"lycosa · {self._name}", "bold"),
            title_align="left",
            subtitle=_one_line(self._footer, "dim") if self._footer else None,
            subtitle_align="left",
            border_style="cyan",
            width=min(options.max_width, 96),
        )

    def _figures(self, is_wide: bool) -> Table:
        progress = self._progress
        ready, waiting = ready_and_waiting(progress)
        workers = f"{progress.workers:,} workers" if progress.workers != 1 else ""
        figures = [
            ("pages", f"{progress.pages:,}", f"{progress.pages_per_second:,.1f} a second"),
            ("queue", f"{progress.pending:,}", "URL" if progress.pending == 1 else "URLs"),
            ("received", size_text(progress.bytes), counted(progress.requests, "request")),
            ("hosts", f"{ready:,} ready", f"{waiting:,} waiting"),
            ("elapsed", duration_text(progress.seconds), workers),
            ("in flight", f"{progress.in_flight:,}", f"of {self._job.fetch.connections:,}"),
        ]
        columns = 2 if is_wide else 1
        table = Table.grid(padding=(0, 1, 0, 0), expand=True)
        for _ in range(columns):
            table.add_column(width=10, style=_LABEL, no_wrap=True)
            table.add_column(min_width=10, justify="right", no_wrap=True)
            table.add_column(ratio=1, style="dim", no_wrap=True, overflow="ellipsis")
        ordered = figures if is_wide else figures[::2] + figures[1::2]
        for at in range(0, len(ordered), columns):
            table.add_row(*(cell for figure in ordered[at : at + columns] for cell in figure))
        return table

    def _sentences(self, width: int) -> Table:
        outcomes = self._progress.outcomes
        table = Table.grid(padding=(0, 2, 0, 0), expand=True)
        table.add_column(width=9, style=_LABEL, no_wrap=True)
        table.add_column(ratio=1)
        errors, left_out = errors_of(outcomes), left_out_of(outcomes)
        table.add_row("errors", _one_line(kinds_text(errors) or "none", "red" if errors else "dim"))
        if left_out:
            table.add_row("left out", _one_line(kinds_text(left_out), "yellow"))
        table.add_row("waits for", _unbroken(_waits_text(self._progress), width))
        if put_aside := put_aside_of(self._progress.refusals):
            table.add_row("put aside", _one_line(f"traps: {kinds_text(put_aside)}", "yellow"))
        for name, text in topics_facts(self._progress.topics, self._progress.budgets, self._job):
            table.add_row(name, _one_line(text, "dim" if name == "topics" else "green"))
        if reading := reading_text(self._progress.reading_again):
            table.add_row("reading", _unbroken(reading, width))
        table.add_row("to go", _unbroken(left_text(self._progress), width))
        return table

    def _bar(self) -> Table | None:
        limits = self._job.limits
        if limits.pages:
            share, text = self._progress.pages / limits.pages, f"{limits.pages:,} pages"
        elif limits.bytes:
            share, text = self._progress.bytes / limits.bytes, size_text(limits.bytes)
        else:
            return None
        table = Table.grid(padding=(0, 2, 0, 0), expand=True)
        table.add_column(width=9, style=_LABEL, no_wrap=True)
        table.add_column(ratio=1)
        table.add_column(justify="right", no_wrap=True)
        bar = ProgressBar(100, min(100.0, 100 * share), complete_style="cyan")
        table.add_row("limit", bar, f"{min(share, 1):.0%} of {text}")
        return table


def _unbroken(text: str, width: int) -> Text:
    """Wrap between words alone: a word that is longer than a line is shortened."""
    words = (word if len(word) <= width else f"{word[: width - 1]}…" for word in text.split(" "))
    return Text(" ".join(words))


def _one_line(text: str, style: str) -> Text:
    return Text(text, style, no_wrap=True, overflow="ellipsis")


def without_echo() -> Callable[[], None]:
    """Let the terminal write no `^C`, which would break the frame; return what undoes it.

    A process in the background is stopped by the kernel when it changes its terminal, so it
    leaves it alone.
    """
    import termios  # only a panel on a terminal needs it

    try:
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        if os.tcgetpgrp(terminal) != os.getpgrp():
            return lambda: None
    except (termios.error, OSError, ValueError):
        return lambda: None

    def undo() -> None:
        if os.tcgetpgrp(terminal) == os.getpgrp():
            termios.tcsetattr(terminal, termios.TCSANOW, before)

    changed = [*before[:3], before[3] & ~termios.ECHOCTL, *before[4:]]
    termios.tcsetattr(terminal, termios.TCSANOW, changed)
    return undo


class Display:
    """Shows a running crawl on standard error: a panel on a terminal, else lines."""

    def __init__(self, console: Console, job: Job, name: str, *, resume: str) -> None:
        self._console = console
        self._job = job
        self._name = name
        self._footer = "Ctrl-C stops cleanly"
        self._resume = resume
        self._upload_line_at = 0.0
        self._last: Progress | None = None
        self._live: Live | None = None
        self._echo: Callable[[], None] = lambda: None
        """Lets the terminal echo control characters again."""
        if console.is_terminal:
            # Not transient: when the crawl ends the last panel stays, above the summary.
            self._live = Live(console=console, auto_refresh=False)

    @property
    def seconds(self) -> float:
        """The time between two calls of `show`."""
        return 1.0 if self._live else LINE_SECONDS

    def __enter__(self) -> Display:
        if self._live:
            self._echo = without_echo()
            if self._job.politeness.delay_seconds >= 1:
                self._console.print(Text(pauses_text(self._job), "dim"))
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()
            self._echo()

    def show(self, progress: Progress) -> None:
        """Show this moment."""
        self._last = progress
        if self._live:
            panel = ProgressPanel(progress, self._job, self._name, self._footer)
            self._live.update(panel, refresh=True)
        else:
            line = line_of(progress, as_json=False, moment=datetime.now(UTC))
            print(on_screen(line), file=self._console.file, flush=True)

    def show_planting(self, count: int, total: int) -> None:
        """Show how many seeds of a long list have been queued, before the first panel."""
        if self._live:
            self._live.update(Text(planting_text(count, total), "dim"), refresh=True)
        else:
            self.say(planting_text(count, total))

    def show_uploading(self, segments: int, size_bytes: int, problem: str) -> None:
        """Show what the end of the crawl waits for."""
        text = uploading_text(segments, size_bytes, problem)
        if self._live:
            self._live.update(Text(text, "dim"), refresh=True)
        elif time.monotonic() >= self._upload_line_at:
            self._upload_line_at = time.monotonic() + UPLOAD_LINE_SECONDS
            self.say(text)

    def finish(self, progress: Progress) -> None:
        """Show the last panel, which stays on the screen."""
        if self._live:
            self._footer = ""
            self.show(progress)

    def stopping(self) -> None:
        """Confirm the first Ctrl-C."""
        self._footer = "stopping cleanly (Ctrl-C again stops at once)"
        self.say(f"{self._footer}; continue: {self._resume}")
        if self._live and self._last:
            self.show(self._last)

    def say(self, text: str) -> None:
        """Print a line above the panel."""
        self._console.print(Text(text), soft_wrap=True)
