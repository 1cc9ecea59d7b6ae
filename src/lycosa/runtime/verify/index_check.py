"""Check the files of `index/`: studies, caches of segments, indexes, the list of pages.

All of them can be made again, so a repair only moves damaged ones aside. A study is valid only as a
whole, and so is a generation of an index.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from lycosa._support import beneath
from lycosa.errors import LycosaError, StoreError
from lycosa.runtime.verify.findings import MAKE_AGAIN
from lycosa.runtime.verify.report import Report
from lycosa.runtime.verify.segments import unreadable_why
from lycosa.storage.archive.index_lists import LEDGER, LIST, is_changing
from lycosa.storage.log.sqlite_files import refuse_programs
from lycosa.storage.segments.digests import digest, read_list

_GENERATIONS = ("page-list", "text", "triples")
_STUDY = "study"


def check_index(report: Report, *, is_quick: bool) -> None:
    """Compare the files of an index with their digests; a quick check only looks for them."""
    index = report.folder / "index"
    if not index.is_dir():
        return
    parts = {path.name.removesuffix(".sha256") for path in index.iterdir()}
    for part in sorted(part for part in parts if not part.endswith(".lock")):
        if is_changing(index, part):
            continue
        if part in _GENERATIONS:
            _check_generation(report, index / part, is_quick)
        else:
            _check_lists(report, index, part, is_quick)


def _check_generation(report: Report, folder: Path, is_quick: bool) -> None:
    current = folder / "current"
    try:
        name = beneath.read_text(current, encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        if any(path.is_dir() for path in folder.iterdir()):
            _find(report, folder, current, "it is missing")
        return
    generation = folder / name
    if not name.isdigit() or not generation.is_dir():
        _find(report, folder, current, "the index that it names is missing")
        return
    problems = [*_problems(generation / LIST, is_quick), *_ledger_problems(generation / LEDGER)]
    for path, what in problems[:1]:  # one finding is enough: the whole generation is moved aside
        _find(report, folder, path, what)


def _ledger_problems(path: Path) -> Iterator[tuple[Path, str]]:
    """Let SQLite check the ledger of a triple index, without writing to it."""
    if path.parent.parent.name != "triples":
        return
    if not path.exists():
        yield path, "it is missing"
        return
    try:
        place = f"{beneath.checked(path).absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(place, uri=True)) as connection:
            refuse_programs(connection, path)
            (said,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            connection.execute("SELECT count(*) FROM segments").fetchone()
    except (sqlite3.Error, LycosaError) as error:
        said = str(error).splitlines()[0]
    if said != "ok":
        yield path, f"SQLite cannot read it: {said[:100]}"


def _check_lists(report: Report, index: Path, part: str, is_quick: bool) -> None:
    """Check the lists of a part; files that no list names must at least be readable."""
    folder = index / part
    lists = [*folder.glob("*.sha256"), *index.glob(f"{part}.sha256")]
    listed: set[Path] = set()
    for path in sorted(lists):
        for file, what in _problems(path, is_quick):
            is_whole_study = file.parent == folder and part == _STUDY
            # The next study makes the file and the list again.
            for aside in [folder] if is_whole_study else [file, path]:
                _put_aside(report, aside)
            report.find(str(file.relative_to(report.folder)), what, MAKE_AGAIN)
        listed |= _listed(path)
    if is_quick:
        return
    for file in sorted(folder.rglob("*.parquet")):
        if file not in listed and (why := unreadable_why(file)):
            _find(report, file, file, why)


def _problems(path: Path, is_quick: bool) -> Iterator[tuple[Path, str]]:
    """Yield the missing and changed files of a list, each with the problem."""
    try:
        listed = read_list(path, path.parent) or {}
    except (LycosaError, OSError):
        yield path, "the list of digests is damaged"
        return
    for place, value in listed.items():
        file = path.parent / place
        if not file.is_file():
            yield file, "it is missing"
        elif not is_quick and digest(file) != value:
            yield file, "its bytes have changed since it was made"


def _listed(path: Path) -> set[Path]:
    try:
        return {path.parent / place for place in read_list(path, path.parent) or {}}
    except StoreError:
        return set()


def _find(report: Report, aside: Path, file: Path, what: str) -> None:
    """Add a finding; a repair moves `aside` away."""
    report.find(str(file.relative_to(report.folder)), what, MAKE_AGAIN)
    _put_aside(report, aside)


def _put_aside(report: Report, path: Path) -> None:
    if path not in report.index_damage:
        report.index_damage.append(path)
