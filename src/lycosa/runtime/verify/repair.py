"""Repair a crawl directory (`lycosa verify --repair`), in steps that may be interrupted.

    1   restore the job file
    2   rebuild a damaged log
    3   give lost records up in the log, so that their pages are pending again
    4   seal open segments, and rewrite sealed ones without the records that were given up
    5   enter pages that the log does not know, and send lost links again

After a kill the next repair continues: records that the log has given up stay given up, and a
segment that still holds them is rewritten then.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from lycosa._support import beneath
from lycosa.crawl.scope import JobScope
from lycosa.crawl.takeover import take_partitions
from lycosa.errors import ConfigError, LogError
from lycosa.features.plugins.scheduling import settled_partitioner
from lycosa.frontier.fold.accounts import counted_by
from lycosa.frontier.fold.state import PartitionState
from lycosa.frontier.partitioners import Partitioner
from lycosa.model.job import Job
from lycosa.model.records import Outcome, Place, Taken
from lycosa.model.url import key_of
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.job_file import write_job_file
from lycosa.runtime.recovery.behind import behind
from lycosa.runtime.recovery.lost_records import give_up, mend_open
from lycosa.runtime.seeds import plant, topics_of
from lycosa.runtime.shared_log.notes import refuse_moved
from lycosa.runtime.shared_log.other_machines import refuse_running
from lycosa.runtime.verify.findings import Tell, say_nothing
from lycosa.runtime.verify.inspection import inspect_segments, verify
from lycosa.runtime.verify.log_repair import rebuild_log
from lycosa.runtime.verify.orphans import Adoption
from lycosa.runtime.verify.rebuild import Source
from lycosa.runtime.verify.report import Report
from lycosa.runtime.verify.rewrite import rewrite
from lycosa.runtime.verify.segments import Segment
from lycosa.storage.archive.layout import Name
from lycosa.storage.archive.quarantine import move_aside
from lycosa.storage.log.places import Named, places_of
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.told_segments import drop_sealed, note_sealed
from lycosa.storage.segments.digests import durable_positions, refresh_digests
from lycosa.storage.segments.sealing import seal_dead, unsealed
from lycosa.storage.segments.survey import survey


class Repaired(NamedTuple):
    """Actions of the repair, and the report of a verification afterwards."""

    done: list[str]
    after: Report


def repair(folder: Path, tell: Tell = say_nothing) -> Repaired:
    """Repair a crawl that is not running."""
    directory = CrawlDirectory(folder)
    directory.survey()
    if not directory.log_folder.exists() and not directory.job_file.exists():
        raise ConfigError(
            f"{folder}: does not hold a crawl (no crawl.toml and no log)\n  check the path"
        )
    with directory.locked():
        report = verify(folder, tell=tell, is_ours=True)
        needs_digests = [found for found in report.segments if found.damaged == {"digests"}]
        if report.is_clean and not needs_digests:
            return Repaired([], report)
        done: list[str] = []
        if report.job is None:
            return Repaired([], report)
        _mend_job(directory, report, done)
        _Repair(directory, report, done).run()
        # Segments that were just entered or sealed may need a rewrite themselves.
        after = verify(folder, is_ours=True)
        if not after.is_clean or _mark_flipped(report, after):
            _Repair(directory, after, done).run()
            after = verify(folder, is_ours=True)
        if after.is_clean:  # a rebuilt log names no segment yet
            note_sealed(folder)
        return Repaired(done, after)


def enter_unknown(directory: CrawlDirectory, job: Job, names: Iterable[Name]) -> list[str]:
    """Enter sealed segments' content that the log has lost; return the actions.

    The caller holds the lock of the directory, and has closed the log.
    """
    done: list[str] = []
    _Repair(directory, inspect_segments(directory, job, names), done).run()
    return done


def drop_unknown(
    directory: CrawlDirectory, job: Job, log: Log, names: Iterable[Name]
) -> tuple[int, list[Name]]:
    """Rewrite sealed segments without pages that the log does not know.

    Returns the number of these pages, also of segments of which the log names nothing; those are
    left as they are, and are returned. The caller holds the lock of the directory.
    """
    report = inspect_segments(directory, job, names)
    count = sum(len(found.unknown) for found in report.segments)
    unnamed = [found.name for found in report.segments if not found.is_named]
    report.segments = [found for found in report.segments if found.is_named]
    for found in report.segments:
        found.stale.update(found.unknown)
        found.unknown.clear()
    states = {number: history.state for number, history in report.histories.items()}
    _Repair(directory, report, []).rewrite(log, states)
    positions = durable_positions(log)
    for found in report.segments:
        refresh_digests(directory.path, found.name, positions)
    return count, unnamed


def _mark_flipped(before: Report, after: Report) -> bool:
    """Mark tables whose bytes changed before they were sealed, so that they are made again."""
    marked = [found for found in after.segments if found.name in before.flipped]
    for found in marked:
        found.damaged |= before.flipped[found.name]
    return bool(marked)


def _mend_job(directory: CrawlDirectory, report: Report, done: list[str]) -> None:
    files = {finding.file for finding in report.findings if finding.is_damage}
    if "crawl.toml" in files and directory.job_copy.exists():
        move_aside(report.folder, [directory.job_file])
        write_job_file(directory.job_file, beneath.read_bytes(directory.job_copy))
        report.job = directory.job()
        done.append("crawl.toml was restored from the copy of the last run")
    elif "log/crawl.toml" in files:
        move_aside(report.folder, [directory.job_copy])
        directory.copy_job()


class _Repair:
    """Repairs the findings of one report."""

    def __init__(self, directory: CrawlDirectory, report: Report, done: list[str]) -> None:
        assert report.job is not None
        self._directory = directory
        self._folder = report.folder
        self._report = report
        self._job = report.job
        self._done = done

    def run(self) -> None:
        """Do all steps after the first."""
        report, job = self._report, self._job
        if moved := move_aside(self._folder, report.index_damage):
            self._done.append(f"{len(moved):,} files or folders of index/ were put aside")
        if report.is_log_damaged and job.log.server:
            raise LogError(
                f"{job.log.server}: the log is damaged, and Lycosa repairs only logs in a file\n"
                "  restore the server from a copy; later fetches are in the segments, and"
                f" `lycosa verify {self._folder} --repair` then enters them"
            )
        if report.is_log_damaged:
            rebuild_log(report, self._directory.log_folder)
            self._done.append("the log was rebuilt from its readable parts")
        else:
            for history in report.histories.values():
                move_aside(self._folder, history.bad_snapshots)
        log = self._directory.log(job, joins=True, may_have_gone_back=True)
        try:
            partitioner = settled_partitioner(job, log)
            refuse_moved(log, self._directory)
            refuse_running(log, job)
            taken = Taken(time.time(), f"repair {os.getpid()} {time.time():.3f}")
            numbers = range(job.frontier.partitions)
            opened = take_partitions(log, self._directory.snapshots(), numbers, taken, job.digest())
            states = {number: one.state for number, one in opened.items()}
            self._mend(log, states, partitioner)
        finally:
            log.close()

    def _mend(self, log: Log, states: dict[int, PartitionState], partitioner: Partitioner) -> None:
        report = self._report
        self._drop_doubles(states, partitioner)
        lost = {(one.place.segment, one.place.offset): one for one in report.lost_open}
        for found in report.segments:
            lost |= {(one.place.segment, one.place.offset): one for one in found.lost}
        gone = [found.name.segment for found in report.segments if found.is_gone]
        gone += report.gone_segments
        if lost or gone:
            drop_sealed(self._folder, gone)
            mended = give_up(log, states, partitioner, lost.values(), gone)
            self._done += [str(mended)] if any(mended) else []
        # After `give_up`: sealing and rewriting drop the records that the log has given up.
        self._seal_open(log, states, partitioner)
        self.rewrite(log, states)
        adoption = Adoption(log, states, partitioner, self._job)
        unknown = {found.name: list(found.unknown) for found in report.segments if found.unknown}
        if unknown:
            count = adoption.enter(self._folder, unknown)
            self._done.append(f"{count:,} fetches that the log did not know were entered in it")
        if report.is_log_damaged or unknown:
            adoption.ask_robots_again()
            scope = JobScope(self._job, log)
            plant(
                self._job.seeds, scope, partitioner, log, time.time(), topics=topics_of(self._job)
            )
            log.note("planted", b"")
            sent = adoption.send_links(self._folder)
            self._done.append(f"{sent:,} links of stored pages were sent to the frontier again")
        # The log now has all content of these segments, in other batches than before.
        for name in behind(self._folder, log):
            refresh_digests(self._folder, name, durable_positions(log))

    def _drop_doubles(self, states: Mapping[int, PartitionState], partitioner: Partitioner) -> None:
        """Drop unknown pages that have been fetched again since."""
        for found in self._report.segments:
            for offset, url in list(found.unknown.items()):
                key = key_of(url)
                state = states[partitioner.partition_of(key)]
                page = state.table.find(key)
                if page is not None and state.pages.outcome[page] == Outcome.KEPT:
                    del found.unknown[offset]
                    found.stale.add(offset)

    def _seal_open(
        self, log: Log, states: dict[int, PartitionState], partitioner: Partitioner
    ) -> None:
        mended = mend_open(self._folder, log, states, partitioner)
        if any(mended):
            self._done.append(str(mended))
        accounts = counted_by(states, partitioner.partition_of)

        def is_not_given_up(place: Place, key: str) -> bool:
            return place.offset not in accounts.lost.get(place.segment, ())

        # A log that lost its end does not know all records that must stay. Torn records are not
        # among them: no log named them, or they have been given up by now.
        is_short = self._report.is_log_damaged
        names = unsealed(self._folder) if is_short else ()
        torn = {p for name in names for p in survey(self._folder, name, is_not_given_up).lost}

        def is_counted(place: Place, key: str) -> bool:
            if is_short:
                return place not in torn and is_not_given_up(place, key)
            return accounts(place, key)

        # Losses are on disk in the log before any file is cut or rewritten.
        if sealed := seal_dead(self._folder, is_counted, positions=durable_positions(log)):
            self._done.append(f"{len(sealed):,} open segments were sealed")

    def rewrite(self, log: Log, states: Mapping[int, PartitionState]) -> None:
        """Rewrite the segments that need it."""
        report = self._report
        written = [found for found in report.segments if found.must_be_written]
        # Intact files are not copied if only the list of their digests is wrong.
        only_digests = [found for found in written if _needs_only_digests(found)]
        for found in only_digests:
            refresh_digests(self._folder, found.name)
        written = [found for found in written if found not in only_digests]
        if not written:
            return
        segments = {found.name.segment for found in written}
        named: dict[int, list[Named]] = {segment: [] for segment in segments}
        for number, state in states.items():
            for one in places_of(number, log.read(number, 0)):
                segment, offset, _ = one.place
                if segment in segments and offset not in state.lost.get(segment, ()):
                    named[segment].append(one)
        for found in written:
            sources = _sources(found, named[found.name.segment], states)
            rewrite(self._folder, found, sources, self._job)
        self._done.append(f"{len(written):,} segments were rewritten from their intact records")


def _needs_only_digests(found: Segment) -> bool:
    is_otherwise_whole = not found.stale and not found.damage and not found.lost
    return found.damaged == {"digests"} and is_otherwise_whole


def _sources(
    found: Segment, named: list[Named], states: Mapping[int, PartitionState]
) -> list[Source]:
    """Return the fetches of a segment that count, or that will be entered in the log."""
    sources: dict[int, Source] = {}
    for one in named:
        state = states[one.partition]
        key, address, led, hops = "", "", 0, 0
        if one.is_page:
            key = state.table.key(one.page) + one.view
            address = state.address_of(state.sites.host[state.pages.site[one.page]])
            led, hops = state.sources.of(one.page)[0], state.pages.hops[one.page]
        size = one.size_bytes if one.is_page else -1
        sources[one.place.offset] = Source(
            one.place, key, one.moment, size, one.is_page, address, led, hops > 0
        )
    for offset in found.unknown:
        main = found.mains[offset]
        place = Place(found.name.segment, offset, main.length)
        sources.setdefault(offset, Source(place, "", 0.0, -1, True, ""))
    for offset, main in found.mains.items():
        if offset not in sources and main.is_whole and main.url.endswith("/robots.txt"):
            place = Place(found.name.segment, offset, main.length)
            sources[offset] = Source(place, "", 0.0, -1, False, "")
    whole = {offset for offset, main in found.mains.items() if main.is_whole}
    return [source for offset, source in sources.items() if offset in whole]
