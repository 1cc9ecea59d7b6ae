"""Moves damaged files to `damaged/` in the crawl directory, instead of deleting them.

Always true: a file moved here is never overwritten; a second file of the same name gets a number
after its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lycosa._support import beneath
from lycosa.storage.archive.layout import DAMAGED


def move_aside(folder: Path, paths: Iterable[Path]) -> list[Path]:
    """Move files of a crawl directory aside; returns where they are. Missing ones are left out."""
    import shutil  # seldom is anything damaged

    return [Path(shutil.move(path, _new_home(folder, path))) for path in paths if path.exists()]


def copy_aside(folder: Path, path: Path) -> Path:
    """Keep a copy of a file that is about to be mended in its place."""
    import shutil

    home = _new_home(folder, path)
    shutil.copy2(beneath.checked(path), home)
    return home


def _new_home(folder: Path, path: Path) -> Path:
    """Return a free place for a file among those that were put aside."""
    target = folder / DAMAGED / path.relative_to(folder)
    target.parent.mkdir(parents=True, exist_ok=True)
    number, free = 0, target
    while free.exists():
        number += 1
        free = target.with_name(f"{target.name}.{number}")
    return free
