"""The crawl directory: the folder that holds everything of one crawl, and its lock.

    crawl.toml          the job
    seeds.txt           its seeds, if they are more than a thousand
    topics.model        its model of topics, if it has one
    lock                held while a process crawls, with its pid and its workers
    log/                SQLite log, snapshots, archive; the log may be in a server instead
    fetched             of a copy from a store, its source
    warc/ cdx/ pages/ links/ text/ hosts/ triples/ items/   fetched content (lycosa.storage.archive)
    index/              triple store and study tables (lycosa.analysis.triples,
    lycosa.analysis.study) report/             the report (lycosa.analysis.report)
    lycosa.log          messages of the program

`lycosa crawl` makes a directory, and every other command opens it. Commands that only read need no
lock: the log and the sealed files can be read while a crawl runs.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from lycosa._support import beneath
from lycosa._support.tuples import NamedTuple
from lycosa.crawl.suspects import marks
from lycosa.crawl.takeover import read_partitions
from lycosa.errors import ConfigError, LogError, Untrusted
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.job import MODEL_FILE, Job, SeedList, anchored, read_written
from lycosa.runtime.job_file import END, refuse_damaged, refuse_other_rule, rule_in, write_job_file
from lycosa.runtime.lock import DirectoryLock, Holder, is_alive, parse_holder
from lycosa.runtime.trust import judging, record
from lycosa.runtime.trust.settings import LINK, Settings, operator_settings, without
from lycosa.storage.archive.files import sync_file, sync_folder
from lycosa.storage.log.protocol import Log
from lycosa.storage.log.snapshot import SnapshotFolder
from lycosa.storage.log.sqlite import SqliteLog

if TYPE_CHECKING:
    from lycosa.features.plugins.hooks import Hooks

ORPHANS_SECONDS = 15.0
"""Seconds to wait for the workers of a killed supervisor to exit."""
COPY_PATIENCE_SECONDS = 4.0
"""Seconds that a copy waits for the server with its log, which may be gone for good."""


class CrawlDirectory:
    """Knows the paths of a crawl, reads and writes its job, opens its log."""

    def __init__(self, path: Path, accepted_links: Collection[str] | None = None) -> None:
        """Name a directory; folders with the names `accepted_links` may be links, which are
        followed.

        Without names, those that this process has accepted before remain accepted.
        """
        beneath.enter(path, accepted_links)
        self._is_surveyed = False
        self.path = path
        self.shown = str(path)
        """Name of this crawl on a command line."""
        self.job_file = path / "crawl.toml"
        self.seeds_file = path / "seeds.txt"
        self.model_file = path / MODEL_FILE
        self.log_folder = path / "log"
        self.messages = path / "lycosa.log"
        self.job_copy = self.log_folder / "crawl.toml"
        """Copy of the job of the last run."""
        self.last_write = self.log_folder / "last-write"
        """The last write that the server of the log has acknowledged (`storage.log.last_write`)."""
        self.copy_mark = path / "fetched"
        """In a directory that was copied from a store, the file that names the source."""
        self.withheld: Settings = {}
        """Operator settings that the last call of `job` has left out."""
        self._own_job: Job | None = None
        """Job that this object has written, without its seeds: it need not be read again."""

    @classmethod
    def create(cls, path: Path, job: Job) -> CrawlDirectory:
        """Make a new crawl directory; refuse a folder that is not empty.

        The settings of the job count for this process and those that it starts: the caller got them
        from the user, or has checked them.
        """
        directory = cls(path)
        job = named(job)
        if directory.job_file.exists():
            raise ConfigError(
                f"{path}: already holds a crawl\n"
                f"  continue it: lycosa resume {path}   add seeds: lycosa add {path} SEED"
            )
        if path.exists() and not path.is_dir():
            raise ConfigError(
                f"{path}: is a file, but a crawl needs a folder\n  choose a new folder with -o"
            )
        if path.exists() and directory._holds_something():
            raise ConfigError(
                f"{path}: exists and is not empty\n  choose a new folder with -o, or empty this one"
            )
        try:
            path.mkdir(parents=True, exist_ok=True)
            if job.topics.model:
                from lycosa.features.topics.of_job import (
                    with_own_model,  # few crawls have a model
                )

                job = with_own_model(job, path)
                sync_file(directory.model_file)
            directory.write_job(job)
            with suppress(PermissionError):  # the folder may not be listable
                sync_folder(path.absolute().parent)
        except OSError as error:
            raise ConfigError(
                f"{path}: cannot be made here: {error.strerror}\n"
                "  choose with -o a folder that you may write to"
            ) from None
        if operator_settings(job):
            directory.accept_here()
        return directory

    @classmethod
    def open(cls, path: Path, accepted_links: Collection[str] | None = None) -> CrawlDirectory:
        """Open an existing crawl directory."""
        directory = cls(path, accepted_links)
        directory.survey()
        if not directory.job_file.exists() and directory.job_copy.exists():
            raise ConfigError(
                f"{path}: crawl.toml is missing\n"
                f"  restore the copy of the last run: lycosa verify {path} --repair"
            )
        if not (path / "1").is_symlink() and (first := cls(path / "1")).job_file.exists():
            log = read_written(first.job_file, is_begun=True).log
            raise ConfigError(
                f"{path}: holds the directories of several members: {path}/1 and others\n"
                f"  continue: lycosa join '{log.server}#{log.name}' -o {path}   see the crawl:"
                f" lycosa cluster status {path}/1"
            )
        if not directory.job_file.exists():
            raise ConfigError(
                f"{path}: there is no crawl here (no crawl.toml)\n"
                f"  begin one: lycosa crawl https://example.org/ -o {path}"
            )
        return directory

    def undo_create(self) -> None:
        """Remove the job of a crawl that could not begin, so that it can be begun here again."""
        self.job_file.unlink(missing_ok=True)
        self.seeds_file.unlink(missing_ok=True)
        self.model_file.unlink(missing_ok=True)

    def survey(self) -> None:
        """Refuse links, pipes and devices in place of files; one look per process is enough.

        Files are opened without following links later, too: other users may change them in the
        meantime.
        """
        if self._is_surveyed:
            return
        try:
            beneath.survey(self.path)
        except ConfigError:  # a folder is a link, which this user may have accepted
            judged = self.judged()
            links = [name for name, _ in beneath.linked_folders(self.path)]
            if any(LINK + name in judged.withheld for name in links):
                judging.require(judged, self.shown)  # every command needs its folders
            beneath.enter(self.path, links)
            beneath.survey(self.path)
        self._is_surveyed = True

    def job(self) -> Job:
        """Return the job for a command that reads.

        Operator settings that are not accepted here have their defaults (`lycosa.runtime.trust`).
        """
        self.survey()
        written = self.written_job()
        self.withheld = judging.judge(written, self.path).withheld
        judging.tell_withheld(self.withheld, self.shown)
        return anchored(without(written, self.withheld), self.path)

    def whole_job(self, typed: Mapping[str, str] | None = None) -> Job:
        """Return the job with all its settings; raises `Untrusted` if one of them is not accepted.

        Commands that run the crawl, or write its job, use this one. Settings that were `typed` in
        this command are accepted.
        """
        written = self.written_job()
        judging.require(judging.judge(written, self.path, typed), self.shown)
        self.survey()
        self.withheld = {}
        return anchored(written, self.path)

    def written_job(self) -> Job:
        """Return the job as written, by any author: for comparisons, never for actions.

        Raises `ConfigError` if the file is empty or cut.
        """
        refuse_damaged(self.job_file, self.job_copy, self.shown)
        return read_written(self.job_file, is_begun=True)

    def judged(self) -> judging.Judged:
        """Return the operator settings of the directory, with those that are not accepted."""
        return judging.judge(self._own_job or self.written_job(), self.path)

    def accept(self) -> None:
        """Record the settings of the directory as this user's own, because they were typed."""
        judging.accept(self.judged(), self.path)
        if digest := self.shared_digest():
            record.accept(digest, self.path)

    def accept_here(self) -> None:
        """Accept the settings of the directory for this process and those that it starts."""
        judged = self.judged()
        if judged.withheld:
            record.accept_here(judged.digest)
        if digest := self.shared_digest():
            record.accept_here(digest)

    def shared_digest(self) -> str:
        """Return the digest that a machine accepts to join; "" if it need not accept any."""
        job = self._own_job or self.written_job()
        if not job.log.server:
            return ""
        from lycosa.runtime.shared_log.accepting import (
            shared_digest,  # a log in a file is not shared
        )

        return shared_digest(anchored(job, self.path.absolute()))

    def write_job(self, job: Job) -> None:
        """Write the job, so that a kill or a power cut leaves the old file or the new one.

        A long list of seeds is written first, to a file of its own.
        """
        refuse_other_rule(job.extract.pagination, self.job_copy, self.shown)
        seeds = job.seeds
        if isinstance(seeds, SeedList) and seeds.path != self.seeds_file.absolute():
            seeds.write(self.seeds_file)
        text = job.portable().to_toml(self.seeds_file.name)
        write_job_file(self.job_file, text.encode() + END)
        self._own_job = dataclasses.replace(job.portable(), seeds=())

    def kept(self, job: Job) -> Job:
        """Return the job with the directory's parts of it: a long list of seeds, a model."""
        if job.topics.model:
            job = dataclasses.replace(job, topics=self.job().topics)
        if not isinstance(job.seeds, SeedList):
            return job
        return dataclasses.replace(job, seeds=job.seeds.kept_in(self.seeds_file.absolute()))

    def _holds_something(self) -> bool:
        """Return whether the folder holds more than the leftovers of a killed `create`."""
        begun = {self.seeds_file.name, "seeds.writing", "crawl.writing"}
        begun |= {self.model_file.name, self.model_file.name + ".tmp"}
        return any(entry.name not in begun for entry in self.path.iterdir())

    def copy_job(self) -> None:
        """Keep a copy of the job beside the log, from which a damaged one can be restored."""
        content = beneath.read_bytes(self.job_file)
        if not self.job_copy.exists() or beneath.read_bytes(self.job_copy) != content:
            refuse_other_rule(rule_in(content), self.job_copy, self.shown)
            self.job_copy.parent.mkdir(exist_ok=True)
            write_job_file(self.job_copy, content)
            sync_folder(self.path)

    @property
    def has_begun(self) -> bool:
        """Whether the crawl has a log, here or in a server."""
        return self.log_folder.exists()

    @property
    def is_distant(self) -> bool:
        """Whether only the log is here, with pages and snapshots on other machines."""
        return False

    @property
    def is_copy(self) -> bool:
        """Whether it was copied from a store: content without a log of its own."""
        return self.copy_mark.exists() and not (self.log_folder / "log.sqlite").exists()

    @property
    def may_lack_log(self) -> bool:
        """Whether a command that does not need the log continues if it cannot be read.

        The server of a copy's log may be gone by now, and a server that is not accepted is not
        asked.
        """
        return self.is_copy or "log.server" in self.withheld

    def log(
        self,
        job: Job,
        patience_seconds: float = 30.0,
        *,
        joins: bool = False,
        may_have_gone_back: bool = False,
    ) -> Log:
        """Open the log at the place that the job names, or make a new one.

        Processes that crawl join it (`open_log`); others only read and give orders. Only a repair
        opens a log on a server that lacks this directory's last write.
        """
        partitions, durability = job.frontier.partitions, job.log.durability
        if "log.server" in self.withheld and not job.log.server:
            # An empty log in a file would make the crawl look as if it had not begun.
            raise Untrusted(
                f"{self.shown}: the log is in {self.withheld['log.server']}, and you have not"
                " accepted that server\n"
                f"  see and accept it: lycosa trust {self.shown}"
            )
        if not job.log.server and self.is_copy and not self.has_begun:
            raise LogError(
                f"{self.path}: is a copy of a crawl from a store; its log stayed at the original\n"
                "  use the original for this command; a copy serves study, sql, report, index,"
                " sparql, export and cat\n"
                f"  to continue the crawl here: lycosa verify {self.path} --repair"
            )
        if not job.log.server:
            if not (self.log_folder / "log.sqlite").exists() and self.job_file.exists():
                self.copy_job()  # before a log exists that could outlive the job
            return SqliteLog(self.log_folder, partitions, durability)
        from lycosa.storage.log.last_write import LastWrite
        from lycosa.storage.log.opening import open_log  # a crawl in a folder does not load them

        if self.is_copy:  # study and report do not need it
            patience_seconds = min(patience_seconds, COPY_PATIENCE_SECONDS)
        return open_log(
            job.log.server,
            partitions,
            crawl=job.log.name,
            durability=durability,
            patience_seconds=patience_seconds,
            may_begin=not self.has_begun,
            joins=joins or not self.has_begun,
            last_write=LastWrite(self.last_write, is_compared=not may_have_gone_back),
        )

    def identity(self) -> str:
        """Return a random text that identifies this directory; it is made at the first call."""
        path = self.log_folder / "identity"
        if not path.exists():
            self.log_folder.mkdir(exist_ok=True)
            temporary = path.with_suffix(f".{os.getpid()}")
            beneath.write_text(temporary, os.urandom(16).hex() + "\n", encoding="ascii")
            with suppress(FileExistsError):
                os.link(temporary, path)  # the first process wins
            temporary.unlink()
        return beneath.read_text(path, encoding="ascii").strip()

    def snapshots(self) -> SnapshotFolder:
        """Open the snapshots."""
        return SnapshotFolder(self.log_folder / "snapshots")

    def free_disk(self) -> int:
        """Return how many bytes are free on the disk that holds the crawl."""
        disk = os.statvfs(self.path)
        return disk.f_bavail * disk.f_frsize

    def states(self, job: Job) -> dict[int, PartitionState]:
        """Fold every partition up to the last commit."""
        return dict(enumerate(self.each_state(job)))

    def each_state(self, job: Job) -> Iterator[PartitionState]:
        """Fold one partition after the other, so that only one is in memory."""
        log = self.log(job)
        try:
            snapshots = self.snapshots()
            for _, opened in read_partitions(log, snapshots, range(job.frontier.partitions)):
                yield opened.state
        finally:
            log.close()

    @contextmanager
    def locked(self, on_wait: Callable[[str], None] = lambda why: None) -> Iterator[DirectoryLock]:
        """Hold the crawl's lock; the kernel releases it when the process dies.

        Worker processes hold it too. When their supervisor was killed they exit by themselves; this
        waits for them, and calls `on_wait` with the reason.
        """
        descriptor = beneath.descriptor(self.path / "lock", os.O_RDWR | os.O_CREAT)
        try:
            lock = DirectoryLock(descriptor)
            has_waited = False
            deadline = time.monotonic() + ORPHANS_SECONDS
            while not lock.take():
                holder = lock.holder()
                if holder is None or is_alive(holder.pid) or time.monotonic() >= deadline:
                    owner = holder.pid if holder else "unknown"
                    raise LogError(
                        f"{self.path}: another process (pid {owner}) is crawling it\n"
                        f"  wait for it or stop it: kill -INT {owner}"
                    )
                if not has_waited:
                    has_waited = True
                    on_wait(
                        f"the crawl's process (pid {holder.pid}) was killed;"
                        " waiting for its workers to end"
                    )
                time.sleep(0.05)
            lock.write(marks.leading_pid())
            yield lock
        finally:
            os.close(descriptor)

    def holder(self) -> Holder | None:
        """Return the process that crawls this directory, and its workers.

        This asks the kernel: trying to take the lock could turn away a crawl that is starting.
        """
        lock = self.path / "lock"
        try:
            inode = lock.stat().st_ino
            locks = Path("/proc/locks").read_text(encoding="ascii")
            noted = parse_holder(beneath.read_bytes(lock))
        except OSError:
            return None
        for fields in map(str.split, locks.splitlines()):
            if "FLOCK" in fields and "->" not in fields and fields[5].endswith(f":{inode}"):
                pid = int(fields[4])
                return noted if noted and pid in (noted.pid, noted.holds) else Holder(pid, [])
        return None


def named_anew(job: Job) -> Job:
    """Return the job with a new, unique name for its crawl in server and store."""
    if not job.log.server and not job.store.place:
        return job
    return dataclasses.replace(job, log=dataclasses.replace(job.log, name=os.urandom(16).hex()))


def named(job: Job) -> Job:
    """Return the job with a name for its crawl, if it needs one and has none."""
    return job if job.log.name else named_anew(job)


class OpenCrawl(NamedTuple):
    """A crawl directory whose job is read and whose log is open; its opener closes the log."""

    directory: CrawlDirectory
    job: Job
    log: Log
    hooks: Hooks | None = None
    """Functions of the job's plugins; None if it has none."""
