"""The figures that the members of a trial write to the board, on one screen.

On a terminal a table is redrawn every second; elsewhere a line is printed every five seconds.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from lycosa.cli.amounts import counted, duration_text, size_text
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.lines import LINE_SECONDS
from lycosa.cli.trial.members import TrialMember as Process
from lycosa.runtime.cluster.figures import figures
from lycosa.runtime.coordination.keys import MEMBERS
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.membership.record import Member, Progress, unpack

_WIDTH = 96


class Moment(NamedTuple):
    """The records on the board at one moment."""

    members: list[Member]
    """The live members, by number."""
    total: Progress
    ended: int
    """The number of members whose leases other members had to end."""


def look(board: Board) -> Moment | None:
    """Read the records of all members; None if the board does not answer now."""
    entries = board.list(MEMBERS)
    if entries is None:
        return None
    records = [unpack(entry.value) for entry in entries.values()]
    found = figures(records)
    living = sorted((one for one in records if not one.is_gone), key=lambda one: one.number)
    return Moment(living, found.total, found.ended)


class TrialScreen:
    """Shows a trial on standard error."""

    def __init__(self, title: str, hints: Sequence[tuple[str, str]]) -> None:
        """`hints` are printed above the figures, to be copied: a word and a command each."""
        self._title = title
        self._hints = hints
        self._console = Screen(stderr=True)
        self._began = time.monotonic()
        self._next_line = 0.0
        self._live: Live | None = None
        if self._console.is_terminal:
            self._live = Live(console=self._console, auto_refresh=False)

    def __enter__(self) -> TrialScreen:
        for word, text in self._hints:
            self.say(f"{word}: {text}")
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def say(self, text: str) -> None:
        """Print a line, above the table."""
        self._console.print(Text(text), soft_wrap=True)

    def show(self, moment: Moment | None, processes: Sequence[Process]) -> None:
        """Show the figures of the members."""
        seconds = time.monotonic() - self._began
        if self._live is not None:
            self._live.update(self._panel(moment, processes, seconds), refresh=True)
        elif seconds >= self._next_line:
            self._next_line = seconds + LINE_SECONDS
            self.say(f"{duration_text(seconds)}: {_line(moment)}")

    def _panel(
        self, moment: Moment | None, processes: Sequence[Process], seconds: float
    ) -> RenderableType:
        running = " · ".join(f"{one.name} {one.pid}" for one in processes if one.is_running)
        notes = Table.grid(padding=(0, 2, 0, 0))
        notes.add_column(style="bold cyan", no_wrap=True)
        notes.add_column(overflow="fold")
        notes.add_row("processes", running or "none is left")
        parts: list[RenderableType] = [
            _table(moment) if moment else Text("waiting for the servers", "yellow"),
            Text(),
            notes,
        ]
        return Panel(
            Group(*parts),
            title=Text(f"lycosa · {self._title} · {duration_text(seconds)}", "bold"),
            title_align="left",
            subtitle=Text("Ctrl-C stops all", "dim"),
            subtitle_align="left",
            border_style="cyan",
            width=min(self._console.width, _WIDTH),
        )


def _table(moment: Moment) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    for _ in range(2):
        table.add_column(no_wrap=True)
    for _ in range(5):
        table.add_column(justify="right", no_wrap=True)
    heads = ("life", "standing", "partitions", "pages", "queue", "in flight", "not in store")
    table.add_row(*(Text(head, "bold cyan") for head in heads))
    for member in moment.members:
        table.add_row(str(member.number), str(member.standing), *_cells(member.progress))
    lives = f"{moment.ended} ended by others" if moment.ended else ""
    table.add_row(Text("all", "bold"), lives, *_cells(moment.total))
    return table


def _cells(told: Progress) -> list[str]:
    counts = (told.partitions, told.pages, told.waiting, told.in_flight)
    return [*(f"{count:,}" for count in counts), size_text(told.unsent_bytes)]


def _line(moment: Moment | None) -> str:
    if moment is None:
        return "waiting for the servers"
    total = moment.total
    return (
        f"{counted(len(moment.members), 'member')}, {counted(total.pages, 'page')}, "
        f"{total.waiting:,} in the queue, {total.in_flight:,} in flight"
        + (f", {size_text(total.unsent_bytes)} not in the store" if total.unsent_bytes else "")
        + (f", {moment.ended} ended by others" if moment.ended else "")
    )
