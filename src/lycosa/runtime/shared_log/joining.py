"""Join a crawl that another machine has begun: find it in a server, make a directory for it.

The server's log holds the job, so only the address is needed. If it holds several crawls, one is
named by the beginning of its name. Without a name the only running crawl is chosen, or the only
one at all. A crawl whose first machine has not noted the job yet is waited for.
"""

from __future__ import annotations

import dataclasses
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from lycosa._support import beneath
from lycosa.errors import ConfigError
from lycosa.model.job import Job, anchored, read_written
from lycosa.model.job.keys import keys_of
from lycosa.model.job.requests import Limits
from lycosa.model.job.seeds import parted
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.shared_log.accepting import differences
from lycosa.runtime.shared_log.notes import BEGUN, JOB, MOVED, job_among, model_among, place_text
from lycosa.storage.log.opening import crawls_on
from lycosa.storage.log.protocol import Log, StoredCrawl

log_messages = logging.getLogger(__name__)

_SEEDS_SHOWN = 3
_ASKING_SECONDS = 10.0
"""Seconds that a server has to list its crawls."""
_BEGINNING_SECONDS = 60.0
"""Seconds in which the first machine notes the job, and a long list of seeds before it."""
_LOOK_SECONDS = 0.3
_MACHINE_LIMITS = ("free_disk_bytes",)
"""Limits that each machine sets for itself."""


class FoundCrawl(NamedTuple):
    """A crawl that can be joined."""

    name: str
    job: Job
    begun: str
    """Beginning of the crawl, as an ISO date and time."""
    ended: str
    """Reason for the end of its last run; "" while it runs or may be continued."""
    moved_to: str
    """New place of its log, if it was moved away."""
    model: bytes = b""
    """Model of its topics, if it has one."""

    @property
    def is_running(self) -> bool:
        """Whether its last run has not ended, according to the log."""
        return not self.ended and not self.moved_to

    def __str__(self) -> str:
        """Describe the crawl in one line."""
        seeds = self.job.seeds
        if isinstance(seeds, tuple) and len(seeds) <= _SEEDS_SHOWN:
            shown = ", ".join(parted(seed)[0] for seed in seeds)
        else:
            shown = f"{len(seeds):,} seeds"
        standing = f"moved to {self.moved_to}" if self.moved_to else self.ended or "running"
        return f"{self.name}  {self.begun[:16].replace('T', ' ')}  {standing}  {shown}"


def crawls_in(address: str) -> list[FoundCrawl]:
    """Return the crawls on a server, the newest first."""
    return _whole(crawls_on(address, _ASKING_SECONDS))


def awaited(
    address: str,
    name: str,
    say: Callable[[str], None],
    patience_seconds: float = _BEGINNING_SECONDS,
) -> FoundCrawl:
    """Return the wanted crawl; one that its first machine is just beginning is waited for.

    The job is noted last, after the seeds. A crawl without it may also be the rest of a beginning
    that was killed, so patience ends.
    """
    deadline = time.monotonic() + patience_seconds
    is_said = False
    while True:
        stored = crawls_on(address, _ASKING_SECONDS)
        found = _whole(stored)
        beginning = {one.name for one in stored if one.name.startswith(name)}
        beginning -= {crawl.name for crawl in found}
        is_there = any(
            crawl.name.startswith(name) and (name or crawl.is_running) for crawl in found
        )
        if is_there or not beginning or time.monotonic() > deadline:
            return choose(address, name, found)
        if not is_said:
            say(f"{min(beginning)} is being begun: waiting until its job is in the log")
            is_said = True
        time.sleep(_LOOK_SECONDS)


def _whole(stored: Iterable[StoredCrawl]) -> list[FoundCrawl]:
    found = [crawl for one in stored if (crawl := _found(one)) is not None]
    return sorted(found, key=lambda crawl: crawl.begun, reverse=True)


def choose(address: str, name: str, found: Sequence[FoundCrawl]) -> FoundCrawl:
    """Return the wanted crawl; raises an error that lists all if the name is not unique."""
    if not found:
        raise ConfigError(
            f"{address}: holds no crawl\n"
            f"  begin one: lycosa crawl https://example.org/ -o DIR --log {address}"
        )
    if name:
        wanted = [crawl for crawl in found if crawl.name.startswith(name)]
    else:
        # Two are enough to see that the choice is not unique.
        wanted = [crawl for crawl in found if crawl.is_running] or list(found[:2])
    if len(wanted) == 1 and not wanted[0].moved_to:
        return wanted[0]
    if len(wanted) == 1:
        raise ConfigError(
            f"{address}: the crawl {wanted[0].name} was moved to {wanted[0].moved_to}\n"
            f"  join it there: lycosa join {wanted[0].moved_to.partition(' ')[0]} -o DIR"
        )
    if not wanted:
        what = f"no crawl whose name begins with {name}"
    elif name:
        what = f"{len(wanted):,} crawls whose names begin with {name}"
    else:
        running = sum(crawl.is_running for crawl in found)
        what = f"{len(found):,} crawls, {running or 'none'} of them running"
        if running > 1:
            what = f"{running:,} running crawls"
    lines = "".join(f"\n  {crawl}" for crawl in found)
    raise ConfigError(f"{address}: holds {what}; name one by its beginning: {address}#NAME{lines}")


def joined_before(path: Path, crawl: FoundCrawl) -> CrawlDirectory | None:
    """Return the directory that already helps in a crawl; None if there is none."""
    directory = CrawlDirectory(path)
    if directory.job_file.exists() and directory.written_job().log.name == crawl.name:
        return directory
    return None


def make_directory(path: Path, address: str, crawl: FoundCrawl) -> CrawlDirectory:
    """Make a crawl directory that helps in a crawl, or return the existing one."""
    if (joined := joined_before(path, crawl)) is not None:
        return joined
    directory = CrawlDirectory(path)
    log = dataclasses.replace(crawl.job.log, server=address, name=crawl.name)
    job = anchored(dataclasses.replace(crawl.job, log=log), path.absolute())
    if crawl.model:
        path.mkdir(parents=True, exist_ok=True)
        beneath.write_bytes(directory.model_file, crawl.model)
        model = str(directory.model_file.absolute())
        job = dataclasses.replace(job, topics=dataclasses.replace(job.topics, model=model))
    directory = CrawlDirectory.create(path, job)
    directory.identity()
    return directory


def with_shared_limits(log: Log, directory: CrawlDirectory, job: Job) -> Job:
    """Return the job with the limits that another machine has changed since the last run here.

    A limit that was changed here since then is the newer one and stays. `_MACHINE_LIMITS` are each
    machine's own.
    """
    noted = job_among(log.notes(JOB))
    if noted is None:
        return job  # this machine begins the crawl
    before = job
    if directory.job_copy.exists():
        before = read_written(directory.job_copy, is_begun=True)
    taken = {
        name: getattr(noted.limits, name)
        for name in keys_of(Limits)
        if name not in _MACHINE_LIMITS and getattr(job.limits, name) == getattr(before.limits, name)
    }
    return dataclasses.replace(job, limits=dataclasses.replace(job.limits, **taken))


def _found(stored: StoredCrawl) -> FoundCrawl | None:
    """Return a crawl if its log is whole: the job is noted last."""
    notes = stored.notes
    job = job_among(notes)
    if job is None:
        return None
    runs = [int(name[4:]) for name in notes if name.startswith("run-")]
    ended = notes.get(f"end-{max(runs)}", b"") if runs else b""
    moved = notes.get(MOVED)
    begun = notes.get(BEGUN, b"").decode()
    moved_to = place_text(moved) if moved else ""
    return FoundCrawl(stored.name, job, begun, ended.decode(), moved_to, model_among(notes))


def tell_differences(log: Log, job: Job, say: Callable[[str], None]) -> None:
    """Report where this machine's operator settings differ from the job in the log."""
    noted = job_among(log.notes(JOB))
    if noted is not None and (told := differences(noted, job)):
        text = "this machine follows its own settings: " + "; ".join(told)
        log_messages.warning("%s", text)
        say(text)
