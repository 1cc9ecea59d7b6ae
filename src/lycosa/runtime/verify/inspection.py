"""Verify a crawl directory: compare job, log and segments with each other, without writing.

`verify` lists the segments before it reads the log. The log therefore refers to everything sealed
by then, even while a crawl runs. Of a running crawl only sealed segments are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from functools import partial
from pathlib import Path

from lycosa._support import beneath
from lycosa.errors import ConfigError, LycosaError, StoreError
from lycosa.features.plugins.scheduling import partitioner_of
from lycosa.frontier.fold.accounts import counted_by
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import Job, read_job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.job_file import refuse_damaged
from lycosa.runtime.shared_log.notes import machines_among
from lycosa.runtime.verify.findings import ASK_AGAIN, REINDEX, Tell, say_nothing
from lycosa.runtime.verify.index_check import check_index
from lycosa.runtime.verify.log_check import check_log, named_records
from lycosa.runtime.verify.log_reader import LogView
from lycosa.runtime.verify.report import Report
from lycosa.runtime.verify.segments import Segment, check_segment, is_whole, read_records
from lycosa.runtime.verify.server_log import ServerLogView
from lycosa.storage.archive.layout import (
    CDX,
    ITEMS,
    KINDS,
    SEALED,
    TRIPLES,
    Name,
    cdx_path,
    names_in,
    sealed_path,
    warc_names,
    warc_path,
)
from lycosa.storage.log.places import Named
from lycosa.storage.segments.digests import read_digests
from lycosa.storage.segments.ends import OpenEnds, changed, unpack
from lycosa.storage.segments.sealing import unsealed
from lycosa.storage.segments.survey import survey
from lycosa.storage.tables.extra import DAMAGE
from lycosa.storage.tables.parquet_files import footer_of


def verify(
    folder: Path, *, is_quick: bool = False, tell: Tell = say_nothing, is_ours: bool = False
) -> Report:
    """Verify a crawl directory; `is_ours` tells that the caller holds its lock."""
    report = Report(folder)
    directory = _directory_of(folder)
    report.is_running = not is_ours and directory.holder() is not None
    _check_job(directory, report)
    names = sealed_names(folder)
    # Segments of a running process change while they are read.
    opened = [] if report.is_running else unsealed(folder)
    names = [name for name in names if name not in opened]
    if report.job is None:
        return report
    with _view(directory, report) as view:
        check_log(view, report, is_quick, tell)
        named = named_records(view, report) if not is_quick else {}
        away = {segment for segment in named_segments(report) if view.is_elsewhere(segment)}
        machines = machines_among(view.notes()) if away else {}
        ends = unpack(view.ends())
        sealed = {name.segment for name in view.sealed()}
    states = {number: history.state for number, history in report.histories.items()}
    accounts = counted_by(states)
    key_named = partial(_key_named, states)
    for done, name in enumerate(names):
        tell("segments", done, len(names))
        if is_quick:  # sizes and footers alone, and no record is read
            _check_sizes(report, name, accounts.ends.get(name.segment, 0))
        else:
            mine, lost = named.get(name.segment, {}), accounts.lost.get(name.segment, set())
            report.segments.append(check_segment(folder, name, mine, lost, key_named))
    there = {name.segment for name in [*names, *opened]}
    if not report.is_running:  # its open segments change meanwhile
        # Of a segment of failures, which have rows and no records, only its name in the log tells.
        _find_gone(report, (accounts.ends.keys() | sealed) - there - away, named, sealed, is_quick)
    away -= there
    if away and report.job.store.place:
        from lycosa.runtime.verify.other_directories import check_uploaded  # few crawls need it

        given_up = set() if is_quick else away - named.keys()
        check_uploaded(report, sorted(away), given_up, machines)
    check_index(report, is_quick=is_quick)
    if not is_quick:
        _find_flipped(report, ends, opened)
    still_open = [_check_open(report, name, named, key_named, is_quick) for name in opened]
    _check_references(report, still_open, named)
    for found in [*report.segments, *still_open]:
        report.findings += found.findings
    report.lost_open += [one for found in still_open for one in found.lost]
    return report


def _directory_of(folder: Path) -> CrawlDirectory:
    directory = CrawlDirectory(folder)
    directory.survey()
    if not directory.log_folder.exists() and not directory.job_file.exists():
        raise ConfigError(
            f"{folder}: does not hold a crawl (no crawl.toml and no log)\n  check the path"
        )
    return directory


def _find_gone(
    report: Report,
    segments: Iterable[int],
    named: Mapping[int, dict[int, Named]],
    sealed: Set[int],
    is_quick: bool,
) -> None:
    """Note segments without any file; their records must be fetched again."""
    for segment in segments:
        gone = list(named.get(segment, {}).values())
        report.lost_open += gone
        report.gone_segments.append(segment)
        # Without records that the log names, only a seal tells that there was something to lose; a
        # quick look does not know the records.
        if gone or is_quick or segment in sealed:
            report.find(f"segment {segment}", "all its files are gone", ASK_AGAIN)


def inspect_segments(directory: CrawlDirectory, job: Job, names: Iterable[Name]) -> Report:
    """Compare some sealed segments with the log, of a crawl whose lock the caller holds."""
    report = Report(directory.path)
    report.job = job
    with _view(directory, report) as view:
        check_log(view, report, True, say_nothing)
        named = named_records(view, report)
    states = {number: history.state for number, history in report.histories.items()}
    lost = counted_by(states).lost
    for name in names:
        mine, given_up = named.get(name.segment, {}), lost.get(name.segment, set())
        key_named = partial(_key_named, states)
        report.segments.append(check_segment(directory.path, name, mine, given_up, key_named))
    return report


def _key_named(states: Mapping[int, PartitionState], one: Named) -> str:
    table = states[one.partition].table
    return table.key(one.page) if one.page < len(table) else ""


def named_segments(report: Report) -> set[int]:
    """Return the segments in which the log names records."""
    return {
        segment for history in report.histories.values() for segment in history.state.segment_ends
    }


def _view(directory: CrawlDirectory, report: Report) -> LogView | ServerLogView:
    assert report.job is not None
    if report.job.log.server:
        return ServerLogView(directory, report.job)
    view = LogView(directory.log_folder, is_running=report.is_running)
    report.partition_of = view.partition_of = _partition_of(view, report.job)
    return view


def _partition_of(view: LogView, job: Job) -> Callable[[str], int] | None:
    """Return the job's partitioner if it matches the log; None if it differs or cannot be
    loaded."""
    notes = view.notes()
    try:
        partitioner = partitioner_of(job, noted=notes.get)
    except LycosaError:  # the plugin with the partitioner is not installed
        return None
    is_as_before = partitioner.is_noted(notes.get("partitioner"))
    if not is_as_before or len(view.heads()) != job.frontier.partitions:
        return None
    return partitioner.partition_of


def sealed_names(folder: Path) -> list[Name]:
    """Return the segments that have at least one file."""
    found = {*warc_names(folder), *names_in(folder, CDX, ".cdxj")}
    for kind in KINDS:
        found |= set(names_in(folder, kind, SEALED))
    return sorted(found)


def _check_job(directory: CrawlDirectory, report: Report) -> None:
    copy = directory.job_copy
    problem = ""
    try:
        report.job = directory.job()
    except LycosaError as error:
        problem = str(error).splitlines()[0]
    except OSError:
        problem = "it is missing"
    if problem:
        remedy = "restore the copy of the last run"
        try:
            refuse_damaged(copy, directory.job_file, directory.shown)
            report.job = read_job(copy, is_begun=True)
        except (LycosaError, OSError):
            remedy = "nothing can be done: write it again (lycosa config job > crawl.toml)"
        report.find("crawl.toml", problem, remedy)
    elif copy.exists():
        try:
            refuse_damaged(copy, directory.job_file, directory.shown)
            read_job(copy, is_begun=True)
            is_other = beneath.read_bytes(copy) != beneath.read_bytes(directory.job_file)
        except LycosaError:
            report.find("log/crawl.toml", "the copy of the job is damaged", "write it again")
        else:
            if is_other:
                what = "it differs from the job of the last run: it was edited, or damaged"
                remedy = "nothing: if you did not edit it, compare it with log/crawl.toml"
                report.find("crawl.toml", what, remedy, is_damage=False)


def _check_references(
    report: Report, opened: list[Segment], named: dict[int, dict[int, Named]]
) -> None:
    """Find records that refer to the content of a record that is damaged or gone."""
    there = {found.name.segment: found for found in [*report.segments, *opened]}
    gone = set(report.gone_segments)
    for found in there.values():
        lost = {one.place.offset for one in found.lost}
        broken = []
        for offset, main in found.mains.items():
            if main.refers_to is None or offset in lost or not main.is_whole or found.is_gone:
                continue
            segment, first = main.refers_to
            other = there.get(segment)
            if segment in gone or (other is not None and not other.has_payload(first)):
                broken.append(offset)
        if broken:
            path = warc_path(report.folder, found.name)
            what = f"{len(broken):,} records refer to content that is damaged or gone"
            found.find(path, what, ASK_AGAIN)
            # Without the payload such a record says nothing, so its page is fetched again.
            found.stale.update(broken)
            mine = named.get(found.name.segment, {})
            found.lost += [mine[offset] for offset in broken if offset in mine]
            for offset in broken:
                found.mains[offset] = found.mains[offset]._replace(is_whole=False)


def _find_flipped(report: Report, committed: list[OpenEnds], opened: list[Name]) -> None:
    """Find open tables whose bytes differ from those of the last commit."""
    for ends in committed:
        if ends.name not in opened or ends.segment in report.gone_segments:
            continue
        for part in changed(report.folder, ends):
            report.flipped.setdefault(ends.name, set()).add("quads" if part == TRIPLES else part)
            what = "open segment: its bytes have changed since they were committed"
            report.find(f"{part}/{ends.name}", what, REINDEX)


def _check_sizes(report: Report, name: Name, end: int) -> None:
    folder = report.folder
    path = warc_path(folder, name)
    size = path.stat().st_size if path.exists() else 0
    if size < end:
        what = f"it has {size:,} bytes; the log names records up to {end:,}"
        report.find(str(path.relative_to(folder)), what, ASK_AGAIN)
    items = (ITEMS,) if sealed_path(folder, ITEMS, name).exists() else ()
    for kind in (*items, *KINDS):
        rows = sealed_path(folder, kind, name)
        try:
            footer_of(rows)
        except DAMAGE as error:
            what = "it is missing" if not rows.exists() else " ".join(str(error).split())[:100]
            report.find(str(rows.relative_to(folder)), what, REINDEX)
    index = cdx_path(folder, name)
    # A torn write leaves a last line without its end.
    if not index.exists() or not _ends_well(index):
        what = "its last line is incomplete" if index.exists() else "it is missing"
        report.find(str(index.relative_to(folder)), what, REINDEX)
    try:
        listed = read_digests(folder, name) or {}
    except StoreError:
        report.find(f"digests/{name}.sha256", "the list of digests is damaged", "write it again")
        return
    for place in listed:
        if place.startswith((f"{TRIPLES}/", f"{ITEMS}/")) and not (folder / place).exists():
            report.find(place, "it is missing", REINDEX)


def _ends_well(index: Path) -> bool:
    with beneath.open_file(index, "rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 2))
        return not size or file.read() == b"}\n"


def _check_open(
    report: Report,
    name: Name,
    named: dict[int, dict[int, Named]],
    key_named: Callable[[Named], str],
    is_quick: bool,
) -> Segment:
    folder, path = report.folder, warc_path(report.folder, name)
    accounts = counted_by({number: one.state for number, one in report.histories.items()})
    found, records = survey(folder, name, accounts), Segment(folder, name)
    whole = set(found.whole)
    mine = named.get(name.segment, {})
    if not is_quick and path.exists():
        read_records(path, records)
        records.findings.clear()  # bytes after the last commit are not damage
        # If a request is damaged, its answer is given up too: sealed files contain no damage.
        behind_damage = {start + length for start, length in records.damage}
        records.lost = [
            one
            for offset, one in mine.items()
            if offset not in whole
            or offset in behind_damage
            or records.is_foreign
            or not is_whole(records.mains.get(offset), one, key_named)
        ]
    elif not is_quick:
        records.lost = list(mine.values())
    is_short = found.last_end < accounts.ends.get(name.segment, 0)
    if found.is_damaged or is_short or records.lost or not path.exists():
        many = f"{len(records.lost):,}" if records.lost else "some"
        what = f"open segment: {many} records that the log names, or their rows, are lost"
        report.find(str(path.relative_to(folder)), what, ASK_AGAIN)
    return records
