"""Prints what differs between two crawls (`lycosa compare`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rich.text import Text

from lycosa.cli.amounts import counted
from lycosa.cli.screen.console import Screen
from lycosa.cli.screen.summary import facts_table

if TYPE_CHECKING:
    from lycosa.analysis.comparison.run import Comparison

Row = dict[str, Any]

_EXAMPLES = 5


def _named(row: Row) -> str:
    title = " ".join(str(row["title"] or "").split())
    return f"{row['url']}  {title}".rstrip()


def _gone(row: Row) -> str:
    status = f"{row['status']} " if row["status"] else ""
    return f"{row['url']}  {status}{row['became']}"


def _changed(row: Row) -> str:
    words = f"+{row['words_added']:,} −{row['words_removed']:,} words"
    percent = 100 * row["changed"]
    # Rounding says neither that nothing has changed nor that everything has.
    percent = percent if percent in (0, 100) else min(99, max(1, percent))
    return f"{percent:3.0f} %  {row['url']}  {words}"


def _status(row: Row) -> str:
    old, new = (
        f"{row[status] or ''} {row[outcome]}".strip()
        for status, outcome in (("old_status", "old_outcome"), ("status", "outcome"))
    )
    return f"{row['url']}  {old} → {new}"


def _texts(name: str) -> Callable[[Row], str]:
    def told(row: Row) -> str:
        old, new = (row[column] or f"(no {name})" for column in (f"old_{name}", name))
        return f"{row['url']}\n      − {old}\n      + {new}"

    return told


def _link(row: Row) -> str:
    text = " ".join(str(row["text"] or "").split())
    return f"{row['url']} → {row['target_url']}" + (f"  “{text}”" if text else "")


_SHOWN: dict[str, tuple[str, Callable[[Row], str]]] = {
    "pages_new": ("new pages", _named),
    "pages_gone": ("pages that are gone", _gone),
    "pages_moved": ("pages that moved", lambda row: f"{row['old_url']} → {row['url']}"),
    "pages_changed": ("pages with another text", _changed),
    "titles": ("pages with another title", _texts("title")),
    "descriptions": ("pages with another description", _texts("description")),
    "statuses": ("URLs that end differently", _status),
    "links_new": ("new links on pages of both", _link),
    "links_gone": ("links gone from pages of both", _link),
}


def print_comparison(found: Comparison, *, shows_all: bool) -> None:
    """Print the totals, then each kind of difference with examples or in full."""
    screen = Screen()
    totals = found.totals
    screen.print(Text(f"{found.before.title} → {found.after.title}", "bold"), soft_wrap=True)
    markup = f", {totals.other_markup:,} with other markup" if totals.other_markup else ""
    screen.print(
        facts_table(
            [
                ("pages", f"{totals.pages_before:,} → {totals.pages_after:,}"),
                ("same text", f"{counted(totals.same, 'page')}{markup}"),
                *((title, f"{found.counts[name]:,}") for name, (title, _) in _SHOWN.items()),
            ]
        )
    )
    is_cut = False
    for name, (title, told) in _SHOWN.items():
        if not found.counts[name]:
            continue
        rows = found.rows(name, None if shows_all else _EXAMPLES)
        screen.print(Text(f"\n{title}", "bold"))
        for row in rows:
            screen.print(Text(f"  {told(row)}"), soft_wrap=True)
        if len(rows) < found.counts[name]:
            is_cut = True
            screen.print(Text(f"  … {found.counts[name] - len(rows):,} more", "dim"))
    if is_cut:
        screen.print("\nall of them: --all; as a page: --report FOLDER")
