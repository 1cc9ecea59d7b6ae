"""The marked tables of `docs/figures.md`: where each begins and ends, and what stands below it.

<!-- url-size: begin, written by make figures FIGURE=url-size -->
| a million URLs | theirs | ours |
…
*Measured 2026-11-18 at 1cedf90f; 2 cores, aarch64, …*
<!-- url-size: end -->
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks.machine import ROOT, machine
from benchmarks.race.table import placed

PAGE = ROOT / "docs" / "figures.md"
PICTURES = ROOT / "docs" / "pictures"
_BLOCKS = re.compile(
    r"^<!-- (?P<table>[\w-]+): begin, written by make figures FIGURE=(?P<figure>[\w-]+) -->\n"
    r"(?P<text>.*?)<!-- (?P=table): end -->$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """What stands between the marks of a table."""

    table: str
    figure: str
    text: str


def marks(table: str, figure: str) -> tuple[str, str]:
    """Return the lines before and after a table."""
    begin = f"<!-- {table}: begin, written by make figures FIGURE={figure} -->"
    return begin, f"<!-- {table}: end -->"


def blocks(page: str) -> list[Block]:
    """Return all marked tables of a page."""
    found = [Block(**one.groupdict()) for one in _BLOCKS.finditer(page)]
    return [one._replace(text=one.text.strip()) for one in found]


def written(page: str, block: Block) -> str:
    """Return the page with a block in the place of the one that has its marks."""
    if (block.table, block.figure) not in [(one.table, one.figure) for one in blocks(page)]:
        begin, end = marks(block.table, block.figure)
        raise ValueError(f"docs/figures.md has no place for a table; add\n{begin}\n\n{end}")
    return placed(page, block.text, *marks(block.table, block.figure))


def write(path: Path, block: Block) -> None:
    """Put a table into a page."""
    path.write_text(written(path.read_text(encoding="utf-8"), block), encoding="utf-8")


def measured(state: str, load_before: float) -> str:
    """Return the line that says when, at which state of the code and on which machine."""
    return (
        f"*Measured {time.strftime('%Y-%m-%d')} at {state}; {machine()}; "
        f"load {load_before:.1f} before, from other work, and {os.getloadavg()[0]:.1f} after.*"
    )
