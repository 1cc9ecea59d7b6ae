"""Everything in a crawl directory, held against everything else: the report of findings.

Segments are listed before the log is read: what was sealed by then is in the log. So a crawl that
runs may go on meanwhile; of it only sealed segments are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lycosa.config import Job, read_job
from lycosa.config.seeds import SeedList
from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.verify.findings import (
    ASK_AGAIN,
    FORWARD,
    NOTHING,
    PUT_ASIDE,
    REBUILD,
    REINDEX,
    Finding,
    Tell,
    say_nothing,
)
from lycosa.crawl.verify.log_reader import LogView
from lycosa.crawl.verify.partition_logs import History, batches, examine
from lycosa.crawl.verify.segments import Segment, check_segment, is_whole, read_records
from lycosa.errors import ConfigError, LycosaError, StoreError
from lycosa.frontier.fold.columns import NONE
from lycosa.frontier.fold.state import counted_by
from lycosa.log.places import Named, places_of
from lycosa.records import Outcome
from lycosa.store.digests import read_digests
from lycosa.store.layout import (
    CDX,
    KINDS,
    SEALED,
    Name,
    cdx_path,
    names_in,
    sealed_path,
    warc_names,
    warc_path,
)
from lycosa.store.sealing import unsealed
from lycosa.store.survey import survey

KNOWN_GAP = "history-lost "
"""The note under which a repair remembers that a part of a history is gone for good."""


class Report:
    """What was found, for those who read it and for the repair."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.findings: list[Finding] = []
        self.job: Job | None = None
        self.is_running = False
        self.histories: dict[int, History] = {}
        self.is_log_damaged = False
        """Whether the log must be written anew."""
        self.segments: list[Segment] = []
        self.lost_open: list[Named] = []
        """Of open segments."""
        self.records = 0
        """How many records the log names."""

    @property
    def is_clean(self) -> bool:
        """Whether nothing is damaged."""
        return not any(finding.is_damage for finding in self.findings)

    def find(self, file: str, what: str, remedy: str, *, is_damage: bool = True) -> None:
        """Note something."""
        self.findings.append(Finding(file, what, remedy, is_damage))


def verify(
    folder: Path, *, is_quick: bool = False, tell: Tell = say_nothing, is_ours: bool = False
) -> Report:
    """Look at a crawl directory without writing to it; `is_ours` if we hold its lock."""
    report = Report(folder)
    directory = CrawlDirectory(folder)
    if not directory.log_folder.exists() and not directory.job_file.exists():
        raise ConfigError(f"{folder}: there is no crawl here (no crawl.toml and no log)")
    report.is_running = not is_ours and directory.holder() is not None
    _check_job(directory, report)
    names = sealed_names(folder)
    opened = [] if report.is_running else unsealed(folder)
    names = [name for name in names if name not in opened]
    if report.job is None:
        return report
    with LogView(directory.log_folder, is_running=report.is_running) as view:
        _check_log(view, report, is_quick, tell)
        named = _named(view, report) if not is_quick else {}
    states = {number: history.state for number, history in report.histories.items()}
    accounts = counted_by(states.values())

    def key_named(one: Named) -> str:
        state = states[one.partition]
        return state.table.key(one.page) if one.page < len(state.table) else ""

    for done, name in enumerate(names):
        tell("segments", done, len(names))
        if is_quick:
            _check_sizes(report, name, accounts.ends.get(name.segment, 0))
        else:
            mine, lost = named.get(name.segment, {}), accounts.lost.get(name.segment, set())
            report.segments.append(check_segment(folder, name, mine, lost, key_named))
    for segment in accounts.ends.keys() - {name.segment for name in [*names, *opened]}:
        if not report.is_running:
            gone = list(named.get(segment, {}).values())
            report.lost_open += gone
            if gone or is_quick:
                report.find(f"segment {segment}", "all its files are gone", ASK_AGAIN)
    _check_references(report, named)
    for name in opened:
        _check_open(report, name, named, key_named, is_quick)
    for found in report.segments:
        report.findings += found.findings
    return report


def sealed_names(folder: Path) -> list[Name]:
    """Return the segments of which anything is there."""
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
        problem = "it is not there"
    if problem:
        remedy = "put it back as the last run had it"
        try:
            report.job = read_job(copy)
        except (LycosaError, OSError):
            remedy = "nothing can be done: write it anew (lycosa config job > crawl.toml)"
        report.find("crawl.toml", problem, remedy)
    elif copy.exists():
        try:
            read_job(copy)
            is_other = copy.read_bytes() != directory.job_file.read_bytes()
        except LycosaError:
            report.find("log/crawl.toml", "the copy of the job is damaged", "write it anew")
        else:
            if is_other:
                what = "it is not the job of the last run: it was edited, or damaged"
                remedy = "nothing: if you did not edit it, compare it with log/crawl.toml"
                report.find("crawl.toml", what, remedy, is_damage=False)


# -- the log ----------------------------------------------------------------------------------


def _check_log(view: LogView, report: Report, is_quick: bool, tell: Tell) -> None:
    assert report.job is not None
    partitions = report.job.frontier.partitions
    heads, notes = view.heads(), view.notes()
    for number in range(partitions):
        tell("log", number, partitions)
        history = examine(view, number, heads.get(number), is_quick=is_quick)
        report.histories[number] = history
        _check_history(report, history, notes)
    _check_seeds(report, is_planted="planted" in notes, is_quick=is_quick)
    if not report.is_running and view.path.exists():
        view.check(is_quick=is_quick)
    if view.problems:
        report.is_log_damaged = True
        report.find("log/log.sqlite", "; ".join(view.problems[:3])[:200], REBUILD)


def _check_seeds(report: Report, *, is_planted: bool, is_quick: bool) -> None:
    """Read a long list of seeds through; once it is planted, the log has it too."""
    job = report.job
    if job is None or not isinstance(job.seeds, SeedList) or job.seeds.path is None:
        return
    path = report.folder / job.seeds.path.name
    try:
        if not is_quick:
            for _ in job.seeds.kept_in(path).blocks():
                pass
        elif not path.exists():
            raise ConfigError("it is not there")
    except ConfigError as error:
        what = str(error).splitlines()[0].removeprefix(f"{path}: ")
        if is_planted:
            remedy = "nothing: the log has all seeds; restore the file from a copy if you have one"
        else:
            remedy = "nothing can be done: restore the file from a copy, or begin a new crawl"
        report.find(path.name, what, remedy, is_damage=not is_planted)


def _check_history(report: Report, history: History, notes: dict[str, bytes]) -> None:
    number, head = history.partition, history.head
    archive = f"log/archive/{number:04d}.archive"
    if head is None:
        report.is_log_damaged = True
    elif history.end > head.log:
        report.is_log_damaged = True
        what = f"partition {number} ends at {head.log}; archive and snapshots go to {history.end}"
        report.find("log/log.sqlite", what, FORWARD)
    elif history.end < head.log:
        report.is_log_damaged = True
        what = f"partition {number} ends at {head.log}, and can be read only to {history.end}"
        report.find("log/log.sqlite", what, REBUILD)
    known = notes.get(f"{KNOWN_GAP}{number}")
    if history.whole_end < history.end and known is None:
        report.is_log_damaged = True
        what = (
            f"the history behind sequence {history.whole_end} is gone; a snapshot has what it came"
            " to, so the crawl can go on, but explain and audit do not know it"
        )
        report.find(archive, what, "keep what is left, and remember that it is not all")
    elif history.bad_archive:
        report.is_log_damaged = True
        report.find(archive, history.bad_archive, "write it anew from what can be read")
    elif known is not None:
        what = "a part of the history is gone, as a repair has noted"
        report.find(archive, what, NOTHING, is_damage=False)
    for path in history.bad_snapshots:
        what = "the snapshot cannot be read; the log is folded instead"
        report.find(f"log/snapshots/{path.name}", what, PUT_ASIDE)
    if head is not None and not report.is_running:
        unread = [sequence for sequence in history.inbox if sequence > history.state.inbox_read]
        expected = list(range(history.state.inbox_read + 1, head.inbox + 1))
        if history.state.inbox_read > head.inbox or unread != expected:
            report.is_log_damaged = True
            what = f"messages to partition {number} are missing: links that were found"
            report.find("log/log.sqlite", what, "send the links of all stored pages again")


def _named(view: LogView, report: Report) -> dict[int, dict[int, Named]]:
    """Return what the log names and has not given up, by segment and offset."""
    named: dict[int, dict[int, Named]] = {}

    def add(one: Named) -> None:
        lost = report.histories[one.partition].state.lost
        if one.place.length and one.place.offset not in lost.get(one.place.segment, ()):
            named.setdefault(one.place.segment, {})[one.place.offset] = one

    for number, history in report.histories.items():
        told = (pair for pair in batches(view, number) if pair[0] <= history.end)
        for one in places_of(number, told):
            if not _is_forgotten(history, one):
                add(one)
        for one in _held(history):
            if one.place.offset not in named.get(one.place.segment, {}):
                add(one)
    report.records = sum(len(some) for some in named.values())
    return named


def _is_forgotten(history: History, one: Named) -> bool:
    """Return whether the host of a page was forgotten: then nothing of it is to be there."""
    state = history.state
    if not one.is_page or one.page >= len(state.pages.site):
        return False
    fetch = state.pages.fetch[one.page]
    is_blocked = state.pages.outcome[one.page] == Outcome.BLOCKED
    return is_blocked and fetch != NONE and not state.fetches.length[fetch]


def _held(history: History) -> list[Named]:
    """Return the records that a snapshot knows of, if the history does not tell."""
    state = history.state
    if history.whole_end >= history.end:
        return []
    found = []
    for page, outcome in enumerate(state.pages.outcome):
        place = state.place_of(page)
        if place is not None and outcome:
            found.append(Named(history.partition, place, 0.0, page, Outcome(outcome)))
    return found


# -- segments ---------------------------------------------------------------------------------


def _check_references(report: Report, named: dict[int, dict[int, Named]]) -> None:
    """Find pages whose content stands in a record that is not whole."""
    good = {found.name.segment: found for found in report.segments}
    for found in report.segments:
        lost = {one.place.offset for one in found.lost}
        broken = []
        for offset, main in found.mains.items():
            if main.refers_to is None or offset in lost or not main.is_whole:
                continue
            segment, first = main.refers_to
            other = good.get(segment)
            target = other.mains.get(first) if other is not None else None
            if other is not None and (target is None or not target.is_whole):
                broken.append(offset)
        if broken:
            path = warc_path(report.folder, found.name)
            what = f"{len(broken):,} records refer to content that is damaged or gone"
            found.find(path, what, ASK_AGAIN)
            found.stale.update(broken)
            mine = named.get(found.name.segment, {})
            found.lost += [mine[offset] for offset in broken if offset in mine]
            for offset in broken:
                found.mains[offset] = found.mains[offset]._replace(is_whole=False)


def _check_sizes(report: Report, name: Name, end: int) -> None:
    folder = report.folder
    path = warc_path(folder, name)
    size = path.stat().st_size if path.exists() else 0
    if size < end:
        what = f"it has {size:,} bytes; the log names records up to {end:,}"
        report.find(str(path.relative_to(folder)), what, ASK_AGAIN)
    for kind in KINDS:
        rows = sealed_path(folder, kind, name)
        try:
            pq.read_metadata(rows)
        except (OSError, pa.ArrowException, ValueError) as error:  # names that are no UTF-8, too
            what = "it is not there" if not rows.exists() else " ".join(str(error).split())[:100]
            report.find(str(rows.relative_to(folder)), what, REINDEX)
    index = cdx_path(folder, name)
    if not index.exists() or not _ends_well(index):
        what = "its last line is not whole" if index.exists() else "it is not there"
        report.find(str(index.relative_to(folder)), what, REINDEX)
    try:
        listed = read_digests(folder, name) or {}
    except StoreError:
        report.find(f"digests/{name}.sha256", "the list is damaged itself", "write it anew")
        return
    for place in listed:
        if place.startswith("triples/") and not (folder / place).exists():
            report.find(place, "it is not there", REINDEX)


def _ends_well(index: Path) -> bool:
    with index.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 2))
        return not size or file.read() == b"}\n"


def _check_open(
    report: Report,
    name: Name,
    named: dict[int, dict[int, Named]],
    key_named: Callable[[Named], str],
    is_quick: bool,
) -> None:
    folder, path = report.folder, warc_path(report.folder, name)
    accounts = counted_by(history.state for history in report.histories.values())
    found = survey(folder, name, accounts)
    whole = set(found.whole)
    if not is_quick and path.exists():
        records = Segment(folder, name)
        read_records(path, records)
        mine = named.get(name.segment, {})
        # A request that is damaged goes with its answer: what is sealed has no damage in it.
        behind_damage = {start + length for start, length in records.damage}
        report.lost_open += [
            one
            for offset, one in mine.items()
            if offset not in whole
            or offset in behind_damage
            or not is_whole(records.mains.get(offset), one, key_named)
        ]
    elif not is_quick:
        report.lost_open += named.get(name.segment, {}).values()
    is_short = found.last_end < accounts.ends.get(name.segment, 0)
    lost = [one for one in report.lost_open if one.place.segment == name.segment]
    if found.is_damaged or is_short or lost or not path.exists():
        many = f"{len(lost):,}" if lost else "some"
        what = f"open segment: {many} records that the log names, or their rows, are lost"
        report.find(str(path.relative_to(folder)), what, ASK_AGAIN)
