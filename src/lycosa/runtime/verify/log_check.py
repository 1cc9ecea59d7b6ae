"""Check the log of a crawl: heads, histories, inboxes and seeds.

Also lists the records that the log refers to, so that the segments can be compared with it.
"""

from __future__ import annotations

from functools import partial

from lycosa.errors import ConfigError
from lycosa.features.plugins.scheduling import SUFFIXES
from lycosa.frontier.facts.columns import NONE
from lycosa.frontier.partitioners.suffixes import holds_list
from lycosa.model.job.seeds import SeedList
from lycosa.model.records import Outcome
from lycosa.runtime.verify.findings import FORWARD, NOTHING, PUT_ASIDE, REBUILD, RESTORE, Tell
from lycosa.runtime.verify.log_reader import ReadableLog
from lycosa.runtime.verify.partition_logs import History, batches, examine
from lycosa.runtime.verify.report import KNOWN_GAP, Report
from lycosa.storage.log.places import Named, places_of


def check_log(view: ReadableLog, report: Report, is_quick: bool, tell: Tell) -> None:
    """Fold every partition up to its first gap, and report missing parts."""
    assert report.job is not None
    partitions = report.job.frontier.partitions
    heads, notes = view.heads(), view.notes()
    for number in range(partitions):
        tell("log", number, partitions)
        history = examine(view, number, heads.get(number), is_quick=is_quick)
        report.histories[number] = history
        _check_history(report, view, history, notes)
    if SUFFIXES in notes and not holds_list(notes[SUFFIXES]):
        report.is_log_damaged = True
        what = "the list of public suffixes, which divides hosts, cannot be read"
        report.find(view.place, what, REBUILD if view.is_in_file else RESTORE)
    _check_seeds(report, is_planted="planted" in notes, is_quick=is_quick)
    if not report.is_running:
        view.check(is_quick=is_quick)
    if view.problems:
        report.is_log_damaged = True
        remedy = REBUILD if view.is_in_file else RESTORE
        report.find(view.place, "; ".join(view.problems[:3])[:200], remedy)


def _check_seeds(report: Report, *, is_planted: bool, is_quick: bool) -> None:
    """Read the file of a long seed list; once planted, the log holds the seeds too."""
    job = report.job
    if job is None or not isinstance(job.seeds, SeedList) or job.seeds.path is None:
        return
    path = report.folder / job.seeds.path.name
    try:
        if not is_quick:
            for _ in job.seeds.kept_in(path).blocks():
                pass
        elif not path.exists():
            raise ConfigError("it is missing")
    except ConfigError as error:
        what = str(error).splitlines()[0].removeprefix(f"{path}: ")
        if is_planted:
            remedy = "nothing: the log has all seeds; restore the file from a copy if you have one"
        else:
            remedy = "nothing can be done: restore the file from a copy, or begin a new crawl"
        report.find(path.name, what, remedy, is_damage=not is_planted)


def _check_history(
    report: Report, view: ReadableLog, history: History, notes: dict[str, bytes]
) -> None:
    number, head = history.partition, history.head
    archive = f"log/archive/{number:04d}.archive" if view.is_in_file else view.place
    if head is None:
        report.is_log_damaged = True
    elif history.end > head.log:
        report.is_log_damaged = True
        what = f"partition {number} ends at {head.log}; archive and snapshots go to {history.end}"
        report.find(view.place, what, FORWARD if view.is_in_file else RESTORE)
    elif history.end < head.log:
        report.is_log_damaged = True
        what = f"partition {number} ends at {head.log}, and can be read only to {history.end}"
        report.find(view.place, what, REBUILD if view.is_in_file else RESTORE)
    # A gap that a repair has noted cannot be closed again, so it is a remark and not damage.
    known = notes.get(f"{KNOWN_GAP}{number}")
    if history.whole_end < history.end and known is None:
        report.is_log_damaged = True
        what = (
            f"the history behind sequence {history.whole_end} is gone; a snapshot has its result,"
            " so the crawl can go on, but explain and audit do not know it"
        )
        report.find(archive, what, "keep the rest, and note the gap in the log")
    elif history.bad_archive:
        report.is_log_damaged = True
        report.find(archive, history.bad_archive, "write it again from its readable parts")
    elif known is not None:
        what = "a part of the history is gone; an earlier repair has noted it"
        report.find(archive, what, NOTHING, is_damage=False)
    for path in history.bad_snapshots:
        what = "the snapshot cannot be read; the log is folded instead"
        report.find(f"log/snapshots/{path.name}", what, PUT_ASIDE)
    # Inboxes of a running crawl move on while they are compared.
    if head is not None and not report.is_running:
        unread = [sequence for sequence in history.inbox if sequence > history.state.inbox_read]
        expected = list(range(history.state.inbox_read + 1, head.inbox + 1))
        has_gap = view.is_in_file and unread != expected  # other logs may number with gaps
        if history.state.inbox_read > head.inbox or has_gap:
            report.is_log_damaged = True
            what = f"messages with links to partition {number} are missing"
            report.find(view.place, what, "send the links of all stored pages again")


def named_records(view: ReadableLog, report: Report) -> dict[int, dict[int, Named]]:
    """Return the records that the log refers to and has not given up, by segment and offset."""
    named: dict[int, dict[int, Named]] = {}

    def add(one: Named) -> None:
        lost = report.histories[one.partition].state.lost
        if one.place.length and one.place.offset not in lost.get(one.place.segment, ()):
            named.setdefault(one.place.segment, {})[one.place.offset] = one

    for number, history in report.histories.items():
        told = (pair for pair in batches(view, number) if pair[0] <= history.end)
        forget = partial(_forget, named, history)
        for one in places_of(number, told, on_forgotten=forget):
            if not _is_forgotten(history, one):
                add(one)
        for one in _held(history):
            if one.place.offset not in named.get(one.place.segment, {}):
                add(one)
    report.records = sum(len(some) for some in named.values())
    return named


def _forget(named: dict[int, dict[int, Named]], history: History, host: int) -> None:
    """Drop the records of a host whose pages were removed; it may have been unblocked since."""
    state = history.state
    for some in named.values():
        for offset, one in list(some.items()):
            if one.partition != history.partition or not one.is_page:
                continue
            if state.sites.host[state.pages.site[one.page]] == host:
                del some[offset]


def _is_forgotten(history: History, one: Named) -> bool:
    """Return whether the page's host was forgotten, so that its record must be gone."""
    state = history.state
    if not one.is_page or one.page >= len(state.pages.site):
        return False
    fetch = state.pages.fetch[one.page]
    is_blocked = state.pages.outcome[one.page] == Outcome.BLOCKED
    return is_blocked and fetch != NONE and not state.fetches.length[fetch]


def _held(history: History) -> list[Named]:
    """Return the records in the folded state, where the history itself has a gap."""
    state = history.state
    if history.whole_end >= history.end:
        return []
    found = []
    for page, outcome in enumerate(state.pages.outcome):
        place = state.place_of(page)
        if place is not None and outcome:
            found.append(Named(history.partition, place, 0.0, page, Outcome(outcome)))
    return found
