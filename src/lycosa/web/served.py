"""The crawls that are served: one directory, or all crawl directories under a folder.

A crawl's name is its folder's name, or its path below the served folder with `:` for `/`. Names
are only looked up among the folders that were found, so a name never leads anywhere else.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from lycosa._support.decoders import json_decoder
from lycosa._support.safe_text import command
from lycosa.analysis.triples.answer_pool import AnswerPool
from lycosa.crawl.status.left_out import amount_text
from lycosa.crawl.status.left_out import told as in_words
from lycosa.errors import LycosaError
from lycosa.model.job import Job
from lycosa.runtime.cluster.settings import CHANGEABLE
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.live import NAME as LIVE
from lycosa.runtime.orders.live import Frame as LiveFrame
from lycosa.runtime.orders.live import read_frame
from lycosa.runtime.orders.metrics import metrics_of
from lycosa.storage.log.sqlite_files import log_signature
from lycosa.web.reading.requests import ReadingPool, Resting
from lycosa.web.rest.problems import Refusal, answered
from lycosa.web.rest.records import CrawlRow, Frame, GivenUp, LeftOutRow, Wait
from lycosa.web.shared import BoardFrames
from lycosa.web.starting import Children

if TYPE_CHECKING:
    from lycosa.analysis.text_search.search_pool import SearchPool

DEEPEST = 3
"""Depth below the served folder to which crawls are searched."""
MOST_CRAWLS = 2_000
FRAME_SECONDS = 0.4
"""A frame is read again after this time or when another was written, however many viewers there
are."""
FOLD_SECONDS = 120.0
SCAN_SECONDS = 2.0
_FIELDS = frozenset(Frame.__struct_fields__)


class QueryLimits(NamedTuple):
    """The limits of a SPARQL query."""

    seconds: float = 30.0
    largest_bytes: int = 50_000_000
    processes: int = 2


class ServedCrawl:
    """A crawl: its directory, its frame, and the processes that answer queries about it."""

    def __init__(
        self,
        name: str,
        path: Path,
        directory: CrawlDirectory | None = None,
        limits: QueryLimits | None = None,
    ) -> None:
        self.name = name
        self.limits = limits or QueryLimits()
        self.directory = directory or CrawlDirectory(path)
        self._reading = ReadingPool(path)
        self._board = BoardFrames(self.directory)
        self._answers: AnswerPool | None = None
        self._search: SearchPool | None = None
        self._lock = threading.Lock()
        self._frame: Frame | None = None
        self._live = self.directory.path / LIVE
        self._written = (0, 0)
        self._read_at = 0.0
        self._rest: tuple[tuple[int, ...], Frame] | None = None
        self._job: tuple[int, Job] | None = None

    # -- what it is now -------------------------------------------------------------------

    def job(self) -> Job:
        """Return the job; its file is read again when it has changed."""
        is_distant = self.directory.is_distant
        changed = 0 if is_distant else self.directory.job_file.stat().st_mtime_ns
        if self._job is None or self._job[0] != changed:
            self._job = (changed, self.directory.job())
        return self._job[1]

    def frame(self) -> Frame:
        """Return the current state of the crawl; while it runs, its last frame."""
        with self._lock:
            written = self.written()
            is_old = time.monotonic() - self._read_at > FRAME_SECONDS
            if self._frame is None or is_old or written != self._written:
                self._frame = self._in_words(self._look())
                self._read_at, self._written = time.monotonic(), written
            return self._frame

    def written(self) -> tuple[int, int]:
        """Return a value that changes with every frame of the crawl; takes 2 µs.

        The value is the time and the inode of the file, because two frames can have the same time.
        """
        try:
            found = self._live.stat()
        except OSError:
            return 0, 0
        return found.st_mtime_ns, found.st_ino

    def _look(self) -> Frame:
        self.directory.survey()
        live, path = read_frame(self.directory.path), self.directory.path
        holder = self.directory.holder()
        if live is not None and (_is_now(live, holder is not None) or _is_last(live, path)):
            return self._of_live(live)
        if self.job().log.server:
            return self._board.look(limits_in_force(self.job()))
        rest = self._resting()
        if holder is not None:
            return msgspec.structs.replace(rest, state="running", pid=holder.pid)
        return rest

    def _in_words(self, frame: Frame) -> Frame:
        """Name what the limits have left out, as the terminal does."""
        if not frame.left_out:
            return frame
        place = self.directory.shown
        rows = [
            LeftOutRow(
                one.limit, one.number, amount_text(one), command(one.command, place, *one.rest)
            )
            for one in in_words(frame.left_out, self.job())
        ]
        return msgspec.structs.replace(frame, left_out_rows=rows)

    def _of_live(self, live: LiveFrame) -> Frame:
        told = {name: value for name, value in live.progress.items() if name in _FIELDS}
        told["waits"] = [Wait(who, why, until) for who, why, until in told.get("waits", ())]
        told["free_disk_bytes"] = self.directory.free_disk()
        told["given_up"] = [GivenUp(*one) for one in told.get("given_up", ())]
        return Frame(
            moment=live.moment,
            state=live.state,
            reason=live.reason,
            is_live=True,
            pid=live.pid if live.state != "ended" else 0,
            limits=limits_in_force(self.job(), live),
            orders_applied=live.order,
            **told,
        )

    def _resting(self) -> Frame:
        """Return the state at the last commit; the log is folded once for each change."""
        signature = log_signature(self.directory.path)
        if self._rest is None or self._rest[0] != signature:
            content = answered(self._reading.ask(Resting(), FOLD_SECONDS)).body
            frame = json_decoder(Frame).decode(content)
            self._rest = (signature, frame)
        return self._rest[1]

    def row(self) -> CrawlRow:
        """Return the crawl's line in the list; nothing is folded for it."""
        path = self.directory.path
        try:
            job = self.job()
        except (LycosaError, OSError) as error:
            return CrawlRow(
                name=self.name, directory=self.directory.shown, state="unknown", problem=str(error)
            )
        live, holder = read_frame(path), self.directory.holder()
        is_known = live is not None and (_is_now(live, holder is not None) or _is_last(live, path))
        state = "running" if holder else "resting" if self.directory.has_begun else "new"
        if live is not None and is_known:
            state = live.state
        known = live.progress if live is not None else {}
        reason = live.reason if live is not None and is_known else ""
        if self.directory.is_distant:  # the only one that is served
            told = self.frame()
            state, reason, known = told.state, told.reason, msgspec.structs.asdict(told)
        signature = log_signature(path)
        return CrawlRow(
            name=self.name,
            directory=self.directory.shown,
            state=state,
            reason=reason,
            pages=known.get("pages"),
            bytes=known.get("bytes"),
            pending=known.get("pending"),
            changed=max(signature[::2]) / 1e9 if signature else None,
            seeds=[seed for _, seed in zip(range(5), job.seeds, strict=False)],
            seeds_count=len(job.seeds),
            log=job.log.server,
            has_text_index=any((path / "index" / "text").glob("*")),
            has_triples=any((path / "index" / "triples").glob("*")),
            has_report=(path / "report" / "index.html").exists(),
        )

    # -- processes ------------------------------------------------------------------------

    @property
    def reading(self) -> ReadingPool:
        """The processes that read the crawl directory; raise `Refusal` if it is elsewhere."""
        self.require_directory()
        return self._reading

    def require_directory(self) -> None:
        """Raise `Refusal` if the crawl directory is on other machines."""
        if self.directory.is_distant:
            from lycosa.runtime.shared_log.distant import bytes_elsewhere

            raise Refusal(409, str(bytes_elsewhere(self.directory, "what this page shows")))

    @property
    def answers(self) -> AnswerPool:
        """The processes that answer SPARQL; raise `Refusal` if the index is on other machines."""
        self.require_directory()
        with self._lock:
            if self._answers is None:
                limits, path = self.limits, self.directory.path
                self._answers = AnswerPool(path, limits.processes, limits.largest_bytes)
            return self._answers

    @property
    def search(self) -> SearchPool:
        """The processes that search; raise `Refusal` if the index is on other machines."""
        self.require_directory()
        from lycosa.analysis.text_search.search_pool import SearchPool

        with self._lock:
            if self._search is None:
                self._search = SearchPool(self.directory.path, 2)
            return self._search

    def rest(self) -> None:
        """End reading processes that have been idle for some time."""
        self._reading.rest()

    def close(self) -> None:
        """End all processes."""
        self._reading.close()
        self._board.close()
        if self._answers is not None:
            self._answers.close()
        if self._search is not None:
            self._search.close()


def limits_of(job: Job) -> dict[str, Any]:
    """Return the job's own values by key."""
    found: dict[str, Any] = {}
    for name in CHANGEABLE:
        section, _, key = name.partition(".")
        found[name] = getattr(getattr(job, section), key)
    return found


def limits_in_force(job: Job, live: LiveFrame | None = None) -> dict[str, Any]:
    """Return the values in force."""
    changed = dict(live.values) if live is not None else {}
    return {**limits_of(job), **{key: changed[key] for key in changed if key in CHANGEABLE}}


def _is_now(live: LiveFrame, is_held: bool) -> bool:
    return is_held and live.is_fresh() and live.state != "ended"


def _is_last(live: LiveFrame, path: Path) -> bool:
    """Return whether a frame has the end of the last run, and the log has nothing newer."""
    if live.state != "ended":
        return False
    numbers = log_signature(path)
    # A reader makes an empty write-ahead file for as long as it reads.
    changed = [moment for moment, size in zip(numbers[::2], numbers[1::2], strict=True) if size]
    return not changed or max(changed) / 1e9 <= live.moment + 2.0


class ServedCrawls:
    """All crawls that are served."""

    def __init__(
        self,
        place: Path,
        distant: CrawlDirectory | None = None,
        limits: QueryLimits | None = None,
    ) -> None:
        """Serve a folder, or a crawl by its log alone."""
        self.place = place
        self.limits = limits or QueryLimits()
        self.is_root = distant is None and not (place / "crawl.toml").exists()
        self._distant = distant
        self.children = Children()
        self._crawls: dict[str, ServedCrawl] = {}
        self._lock = threading.Lock()
        self._scanned = 0.0

    def all(self) -> list[ServedCrawl]:
        """Return the crawls by name; folders are looked through again after some seconds."""
        with self._lock:
            if not self._crawls or time.monotonic() - self._scanned > SCAN_SECONDS:
                self._scan()
            return [self._crawls[name] for name in sorted(self._crawls)]

    def get(self, name: str) -> ServedCrawl:
        """Return a crawl by its name; raise `Refusal` if there is none."""
        known = self._crawls.get(name)
        if known is None or (self._distant is None and not known.directory.job_file.exists()):
            found = {crawl.name: crawl for crawl in self.all()}
            if name not in found:
                raise Refusal(
                    404, "there is no crawl of this name\n  list them: GET /api/v1/crawls"
                )
            known = found[name]
        return known

    def ended_alone(self) -> ServedCrawl | None:
        """Return the crawl if it is served alone, has ended, and has its pages on this machine."""
        if self.is_root or self._distant is not None:
            return None
        (crawl,) = self.all()
        has_ended = crawl.directory.has_begun and crawl.directory.holder() is None
        # The pages of a cluster may be in directories of other machines.
        return crawl if has_ended and not crawl.directory.written_job().log.server else None

    def metrics(self) -> bytes:
        """Return the figures of all crawls that have run, for Prometheus; nothing is folded."""
        frames: dict[str, tuple[LiveFrame, bool]] = {}
        for crawl in self.all():
            live = read_frame(crawl.directory.path)
            if live is not None:
                frames[crawl.name] = (live, live.state != "ended" and live.is_fresh())
        return metrics_of(frames)

    def look_again(self) -> None:
        """Look for new crawls at the next request."""
        self._scanned = 0.0

    def rest(self) -> None:
        """End processes that have been idle for some time."""
        self.children.collect()
        for crawl in list(self._crawls.values()):
            crawl.rest()

    def close(self) -> None:
        """End all processes."""
        for crawl in self._crawls.values():
            crawl.close()

    def _scan(self) -> None:
        self._scanned = time.monotonic()
        found: dict[str, Path] = {}
        if self._distant is not None:
            name = self._distant.job().log.name
            self._crawls.setdefault(name, ServedCrawl(name, self.place, self._distant, self.limits))
            return
        if not self.is_root:
            name = self.place.resolve().name or "crawl"
            found[name] = self.place
        else:
            _find(self.place, (), found)
        for name in self._crawls.keys() - found.keys():
            self._crawls.pop(name).close()
        for name in found.keys() - self._crawls.keys():
            self._crawls[name] = ServedCrawl(name, found[name], limits=self.limits)


def _find(folder: Path, names: tuple[str, ...], found: dict[str, Path]) -> None:
    """Look for crawl directories below a folder; links are not followed."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or not entry.is_dir(follow_symlinks=False):
            continue
        path, below = folder / entry.name, (*names, entry.name)
        if (path / "crawl.toml").exists():
            if len(found) < MOST_CRAWLS:
                found[":".join(below)] = path
        elif len(below) < DEEPEST:
            _find(path, below, found)
