"""The crawl directory: one folder that holds a crawl, complete and re-runnable.

    crawl.toml          the job
    lock                held while a process crawls
    log/                SQLite log, snapshots, archive
    warc/ cdx/ pages/ links/ text/ hosts/ what was fetched (lycosa.store)
    lycosa.log          what the program said while it ran

A directory is made once and then opened by every command. Reading commands need no lock:
the log and the sealed files can be read while a crawl runs.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lycosa.config import Job, read_job
from lycosa.crawl.opening import read_partition
from lycosa.errors import ConfigError, LogError
from lycosa.frontier.state import PartitionState
from lycosa.log.snapshot import SnapshotFolder
from lycosa.log.sqlite import SqliteLog


class CrawlDirectory:
    """The paths of a crawl, and how its log is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.job_file = path / "crawl.toml"
        self.log_folder = path / "log"
        self.messages = path / "lycosa.log"

    @classmethod
    def create(cls, path: Path, job: Job) -> CrawlDirectory:
        """Make a new crawl; refuses a folder that holds one, or anything else."""
        directory = cls(path)
        if directory.job_file.exists():
            raise ConfigError(
                f"{path}: holds a crawl already\n"
                f"  go on with it: lycosa resume {path}   add seeds: lycosa add {path} SEED"
            )
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
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
        """Write the job so that it is there as a whole or not at all."""
        temporary = self.job_file.with_suffix(".writing")
        temporary.write_text(job.to_toml(), encoding="utf-8")
        temporary.rename(self.job_file)

    def log(self, job: Job) -> SqliteLog:
        """Open the log, making it if it is new."""
        return SqliteLog(self.log_folder, job.frontier.partitions, job.log.durability)

    def snapshots(self) -> SnapshotFolder:
        """Open the snapshots."""
        return SnapshotFolder(self.log_folder / "snapshots")

    def states(self, job: Job) -> dict[int, PartitionState]:
        """Fold every partition: what is known at the last commit."""
        log = self.log(job)
        try:
            snapshots = self.snapshots()
            return {
                number: read_partition(log, snapshots, number).state
                for number in range(job.frontier.partitions)
            }
        finally:
            log.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the crawl for this process; the kernel lets go of it when the process dies."""
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                owner = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
                raise LogError(
                    f"{self.path}: another process (pid {owner}) is crawling it\n"
                    f"  wait for it or stop it: kill -INT {owner}"
                ) from None
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            yield
        finally:
            os.close(descriptor)
