"""The crawl directory: one folder that holds a crawl, complete and re-runnable.

    crawl.toml          the job
    seeds.txt           its seeds, if they are more than a thousand
    lock                held while a process crawls, with its pid and its workers
    log/                SQLite log, snapshots, archive
    warc/ cdx/ pages/ links/ text/ hosts/ triples/      what was fetched (lycosa.store)
    index/              what is derived from that (lycosa.query, lycosa.study)
    report/             what is told about it (lycosa.report)
    lycosa.log          what the program said while it ran

A directory is made once and then opened by every command. Reading commands need no lock:
the log and the sealed files can be read while a crawl runs.
"""

from __future__ import annotations

import dataclasses
import fcntl
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lycosa.config import Job, SeedList, read_job
from lycosa.crawl.takeover import read_partition
from lycosa.errors import ConfigError, LogError
from lycosa.frontier.fold.state import PartitionState
from lycosa.log.snapshot import SnapshotFolder
from lycosa.log.sqlite import SqliteLog

if TYPE_CHECKING:
    from lycosa.plugins.hooks import Hooks

ORPHANS_SECONDS = 15.0
"""How long the workers of a killed process are waited for."""


class CrawlDirectory:
    """The paths of a crawl, and how its log is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.job_file = path / "crawl.toml"
        self.seeds_file = path / "seeds.txt"
        self.log_folder = path / "log"
        self.messages = path / "lycosa.log"
        self.job_copy = self.log_folder / "crawl.toml"
        """The job as the last run had it."""

    @classmethod
    def create(cls, path: Path, job: Job) -> CrawlDirectory:
        """Make a new crawl; refuses a folder that holds one, or anything else."""
        directory = cls(path)
        if directory.job_file.exists():
            raise ConfigError(
                f"{path}: holds a crawl already\n"
                f"  go on with it: lycosa resume {path}   add seeds: lycosa add {path} SEED"
            )
        if path.exists() and (not path.is_dir() or directory._holds_something()):
            raise ConfigError(
                f"{path}: exists and is not empty\n  choose a new folder with -o, or empty this one"
            )
        path.mkdir(parents=True, exist_ok=True)
        directory.write_job(job)
        return directory

    @classmethod
    def open(cls, path: Path) -> CrawlDirectory:
        """Open an existing crawl."""
        directory = cls(path)
        if not directory.job_file.exists() and directory.job_copy.exists():
            raise ConfigError(
                f"{path}: crawl.toml is missing\n"
                f"  put it back as the last run had it: lycosa verify {path} --repair"
            )
        if not directory.job_file.exists():
            raise ConfigError(
                f"{path}: there is no crawl here (no crawl.toml)\n"
                f"  begin one: lycosa crawl https://example.org/ -o {path}"
            )
        return directory

    def job(self) -> Job:
        """Read the job."""
        return read_job(self.job_file)

    def write_job(self, job: Job) -> None:
        """Write the job so that it is there as a whole or not at all.

        A long list of seeds is written before it, to a file of its own.
        """
        seeds = job.seeds
        if isinstance(seeds, SeedList) and seeds.path != self.seeds_file.absolute():
            seeds.write(self.seeds_file)
        temporary = self.job_file.with_suffix(".writing")
        temporary.write_text(job.to_toml(self.seeds_file.name), encoding="utf-8")
        temporary.rename(self.job_file)

    def kept(self, job: Job) -> Job:
        """Return the job that was written here, with a long list of seeds where it is kept.

        So whoever has made a list need not hold it in memory while it is crawled.
        """
        if not isinstance(job.seeds, SeedList):
            return job
        return dataclasses.replace(job, seeds=job.seeds.kept_in(self.seeds_file.absolute()))

    def _holds_something(self) -> bool:
        """Return whether there is more than what a kill left of a crawl that was being made."""
        begun = {self.seeds_file.name, "seeds.writing", "crawl.writing"}
        return any(entry.name not in begun for entry in self.path.iterdir())

    def copy_job(self) -> None:
        """Keep a copy of the job beside the log, so that a damaged one can be put back."""
        content = self.job_file.read_bytes()
        if not self.job_copy.exists() or self.job_copy.read_bytes() != content:
            self.job_copy.parent.mkdir(exist_ok=True)
            temporary = self.job_copy.with_suffix(".writing")
            temporary.write_bytes(content)
            temporary.rename(self.job_copy)

    def log(self, job: Job) -> SqliteLog:
        """Open the log, making it if it is new."""
        return SqliteLog(self.log_folder, job.frontier.partitions, job.log.durability)

    def snapshots(self) -> SnapshotFolder:
        """Open the snapshots."""
        return SnapshotFolder(self.log_folder / "snapshots")

    def free_disk(self) -> int:
        """Return how many bytes are free on the disk that holds the crawl."""
        disk = os.statvfs(self.path)
        return disk.f_bavail * disk.f_frsize

    def states(self, job: Job) -> dict[int, PartitionState]:
        """Fold every partition: what is known at the last commit."""
        return dict(enumerate(self.each_state(job)))

    def each_state(self, job: Job) -> Iterator[PartitionState]:
        """Fold one partition after the other, for those who need not hold all of them."""
        log = self.log(job)
        try:
            snapshots = self.snapshots()
            for number in range(job.frontier.partitions):
                yield read_partition(log, snapshots, number).state
        finally:
            log.close()

    @contextmanager
    def locked(self, on_wait: Callable[[str], None] = lambda why: None) -> Iterator[DirectoryLock]:
        """Hold the crawl for this process; the kernel lets go of it when the process dies.

        Workers hold it too. When a supervisor was killed they end by themselves, and that is
        waited for: `on_wait` is told why.
        """
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            lock = DirectoryLock(descriptor)
            has_waited = False
            deadline = time.monotonic() + ORPHANS_SECONDS
            while not lock.take():
                holder = lock.holder()
                if holder is None or _is_alive(holder.pid) or time.monotonic() >= deadline:
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
            lock.write(os.getpid())
            yield lock
        finally:
            os.close(descriptor)

    def holder(self) -> Holder | None:
        """Return who crawls, and with which workers.

        Taking the lock to find out could turn a starting crawl away; so the kernel is asked.
        """
        lock = self.path / "lock"
        try:
            inode = lock.stat().st_ino
            locks = Path("/proc/locks").read_text(encoding="ascii")
            noted = _parse(lock.read_bytes())
        except OSError:
            return None
        for fields in map(str.split, locks.splitlines()):
            if "FLOCK" in fields and "->" not in fields and fields[5].endswith(f":{inode}"):
                pid = int(fields[4])
                return noted if noted and noted.pid == pid else Holder(pid, [])
        return None


class OpenCrawl(NamedTuple):
    """A crawl directory whose job is read and whose log is open; its opener closes the log."""

    directory: CrawlDirectory
    job: Job
    log: SqliteLog
    hooks: Hooks | None = None
    """The functions of the job's plugins; None when it has none."""


class Holder(NamedTuple):
    """Who crawls."""

    pid: int
    workers: list[int]
    """The processes of its workers; none when it crawls by itself."""


class DirectoryLock:
    """The lock of a crawl directory, and what is written into its file."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def take(self) -> bool:
        """Take the lock unless somebody has it."""
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def holder(self) -> Holder | None:
        """Return who says that it has the lock."""
        return _parse(os.pread(self.descriptor, 16_384, 0))

    def write(self, pid: int, workers: Iterable[int] = ()) -> None:
        """Say who we are."""
        words = " ".join(map(str, workers))
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, f"{pid}\n{words}\n".encode(), 0)


def _parse(content: bytes) -> Holder | None:
    lines = content.decode(errors="replace").splitlines()
    try:
        return Holder(int(lines[0]), [int(word) for word in " ".join(lines[1:]).split()])
    except (IndexError, ValueError):
        return None


def _is_alive(pid: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False
    return fields[0] not in (b"Z", b"X")
