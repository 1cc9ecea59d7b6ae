"""Rebuild a damaged log from its readable parts.

The archive holds the history up to its end, and SQLite the rest. Every partition can therefore be
rebuilt up to the first gap in its batches, or from a snapshot behind the gap. Batches that only the
archive has count as well: the log is brought forward to them.

Batches behind a gap that no snapshot covers are lost. Their pages are still in the segments, and
`orphans` enters them from there.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from lycosa.features.plugins.scheduling import SUFFIXES
from lycosa.frontier.partitioners.suffixes import holds_list
from lycosa.runtime.verify.log_reader import LogView
from lycosa.runtime.verify.partition_logs import History
from lycosa.runtime.verify.report import KNOWN_GAP, Report
from lycosa.storage.archive.quarantine import copy_aside, move_aside
from lycosa.storage.log.archive import Archive
from lycosa.storage.log.protocol import Head
from lycosa.storage.log.snapshot import SnapshotFolder
from lycosa.storage.log.sqlite import SqliteLog

_FILES = ("log.sqlite", "log.sqlite-wal", "log.sqlite-shm")
_FRAME_BATCHES = 200


def rebuild_log(report: Report, log_folder: Path) -> None:
    """Rebuild the log; the damaged files are in `damaged/` afterwards."""
    assert report.job is not None
    folder = report.folder
    made = log_folder / "mending"
    shutil.rmtree(made, ignore_errors=True)
    with LogView(log_folder, partition_of=report.partition_of) as view:
        notes = view.notes()
        if SUFFIXES in notes and not holds_list(notes[SUFFIXES]):
            del notes[SUFFIXES]  # the installed list takes its place if the log has its digest
        for number, history in report.histories.items():
            if history.whole_end < history.end:
                notes[f"{KNOWN_GAP}{number}"] = str(history.whole_end).encode()
        log = SqliteLog(made, report.job.frontier.partitions, report.job.log.durability)
        try:
            heads = [(number, _head(one)) for number, one in report.histories.items()]
            log.restore(heads, _batches(view, report), _messages(view, report), notes)
        finally:
            log.close()
        for history in report.histories.values():
            _mend_archive(folder, view, history)
    for name in _FILES:
        if (log_folder / name).exists():
            copy_aside(folder, log_folder / name)
    for name in _FILES[1:]:
        (log_folder / name).unlink(missing_ok=True)
    (made / _FILES[0]).replace(log_folder / _FILES[0])
    shutil.rmtree(made)
    snapshots = SnapshotFolder(log_folder / "snapshots")
    for number, history in report.histories.items():
        move_aside(folder, history.bad_snapshots)
        if history.end:
            snapshots.write(number, history.end, history.state.pack(history.end))


def _head(history: History) -> Head:
    """Return the head of a partition; its inbox continues above all sequences that were read."""
    inbox = max([history.state.inbox_read, *history.inbox])
    return Head(history.end, inbox, history.state.owner)


def _batches(view: LogView, report: Report) -> Iterator[tuple[int, int, bytes]]:
    for number, history in report.histories.items():
        for sequence in view.sequences("log", number):
            batch = view.batch("log", number, sequence) if sequence <= history.end else None
            if batch is not None:
                yield number, sequence, batch


def _messages(view: LogView, report: Report) -> Iterator[tuple[int, int, bytes]]:
    for number, history in report.histories.items():
        for sequence in history.inbox:
            batch = view.batch("inbox", number, sequence)
            if batch is not None and sequence > history.state.inbox_read:
                yield number, sequence, batch


def _mend_archive(folder: Path, view: LogView, history: History) -> None:
    """Rewrite an archive that is damaged, or that goes beyond the foldable part."""
    path = view.archive_path(history.partition)
    found = [pair for frame in view.frames(history.partition) for pair in frame.batches or ()]
    is_beyond = any(sequence > history.end for sequence, _ in found)
    if not history.bad_archive and not is_beyond:
        return
    move_aside(folder, [path])
    kept = sorted({seq: batch for seq, batch in found if seq <= history.end}.items())
    archive = Archive(path.parent)
    for first in range(0, len(kept), _FRAME_BATCHES):
        archive.append(history.partition, kept[first : first + _FRAME_BATCHES])
