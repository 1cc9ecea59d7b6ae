"""Writes a report to its folder (`index.html`, `data/`, `figures/` …), whole or not at all.

It is written next to that folder under another name and then renamed; an existing report is moved
aside for that moment. A process that was killed at any time leaves the old report,
the new one, or none, and the next one clears up after it.

Always true: a folder that holds anything but a report of Lycosa's is left alone.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lycosa._support import beneath
from lycosa.analysis.report.page import GENERATOR
from lycosa.errors import LycosaError
from lycosa.storage.archive.files import sync_file, sync_folder
from lycosa.storage.segments.sealing import ignore

INDEX, DATA, FIGURES = "index.html", "data", "figures"
LATEX, PDF = "report.tex", "report.pdf"
_HEAD_BYTES = 400
_MARK = f'name="generator" content="{GENERATOR}'.encode()


def check_place(place: Path, crawl: Path) -> None:
    """Refuse a folder where a report would overwrite other files."""
    own = crawl.resolve()
    inside = {place.resolve(), *place.resolve().parents}
    if own in inside and place.resolve().parent != own:
        raise LycosaError(
            f"{place}: belongs to the crawl, which other programs read\n  choose another folder"
        )
    if place.resolve() == own:
        raise LycosaError(f"{place}: is the crawl itself\n  choose another folder, or none at all")
    if place.is_dir() and not any(place.iterdir()):
        return
    if place.exists() and not is_report(place):
        raise LycosaError(
            f"{place}: exists and is not a report\n  choose another folder, or remove this one"
        )


def is_report(place: Path) -> bool:
    """Say whether a folder holds a report of ours, and nothing else."""
    if not place.is_dir() or {path.name for path in place.iterdir()} - {
        *(INDEX, DATA, FIGURES, LATEX, PDF)
    }:
        return False
    try:
        with beneath.open_file(place / INDEX, "rb") as file:
            return _MARK in file.read(_HEAD_BYTES)
    except OSError:
        return False


def write_report(
    place: Path,
    document: str,
    files: Mapping[str, str],
    reach: Callable[[str], None] = ignore,
    figures: Iterable[tuple[str, bytes]] = (),
    *,
    latex: str = "",
    printed: Callable[[Path, Path], None] | None = None,
) -> None:
    """Move a report to its place, instead of an existing one.

    `latex` is its source for TeX, if wanted; `printed` makes a PDF of the document.
    """
    new, old = (place.with_name(f".{place.name}.{word}") for word in ("new", "old"))
    try:
        # a killed process may have left them
        for leftover in (new, old):
            if leftover.exists():
                shutil.rmtree(leftover)
        (new / DATA).mkdir(parents=True)
        for name, content in files.items():
            _write(new / DATA / f"{name}.csv", content)
        for name, drawn in figures:
            (new / FIGURES).mkdir(exist_ok=True)
            beneath.write_bytes(new / FIGURES / name, drawn)
            sync_file(new / FIGURES / name)
        _write(new / INDEX, document)
        if latex:
            _write(new / LATEX, latex)
        if printed is not None:
            printed(new / INDEX, new / PDF)
            sync_file(new / PDF)
        # synced before the rename: after a power cut the report is whole or absent
        sync_folder(new / DATA)
        sync_folder(new)
        reach("report.written")
        if place.exists():
            place.rename(old)
            reach("report.put_aside")
        new.rename(place)
        sync_folder(place.parent)
        reach("report.placed")
        if old.exists():
            shutil.rmtree(old)
    except OSError as error:
        raise LycosaError(
            f"{place}: cannot be written: {error.strerror}\n"
            "  make room, or choose another folder: -o FOLDER"
        ) from error


def _write(path: Path, content: str) -> None:
    beneath.write_text(path, content)
    sync_file(path)
