"""Turns rows that count things, the most frequent first, into bars and table rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lycosa.analysis.charts import Bar, Bars
from lycosa.analysis.charts.canvas import BLUE, GREY
from lycosa.analysis.report.section import Row
from lycosa.analysis.report.wording import count, share

MOST_BARS = 12
MOST_ROWS = 15
MOST_FILE_ROWS = 10_000
"""Most rows of a table without a bound of its own."""

Name = Callable[[Row], str]
Colour = Callable[[Row], str]


def total(rows: Sequence[Row], value: str) -> int:
    """Add up a column."""
    return sum(int(row[value]) for row in rows)


def bars(
    title: str,
    caption: str,
    rows: Sequence[Row],
    name: Name,
    value: str,
    *,
    whole: int = 0,
    colour: Colour = lambda row: BLUE,
) -> Bars:
    """Draw the most frequent; the others are one bar. Shares are those of `whole`."""
    whole = whole or total(rows, value)
    # A bar for the rest would say less than the single thing that it stands for.
    most = MOST_BARS if len(rows) > MOST_BARS + 1 else len(rows)
    drawn = [
        Bar(name(row), row[value], f"{count(row[value])} ({share(row[value], whole)})", colour(row))
        for row in rows[:most]
    ]
    if rest := rows[most:]:
        others = total(rest, value)
        label = f"{count(others)} ({share(others, whole)})"
        drawn.append(Bar(f"{count(len(rest))} others", others, label, GREY))
    return Bars(title, caption, drawn)


def by(column: str) -> Name:
    """Take the name from a column."""
    return lambda row: str(row[column])
