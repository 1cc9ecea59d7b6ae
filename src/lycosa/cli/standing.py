"""Where a crawl stands at its last commit, and whether a process runs it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lycosa.crawl.directory import CrawlDirectory
from lycosa.crawl.progress import outcomes_of, refusals_of, seconds_left


class Standing(NamedTuple):
    """A crawl as its directory shows it."""

    running_pid: int | None
    pages: int
    bytes: int
    urls: int
    pending: int
    hosts: int
    disk_bytes: int
    seconds_left: float
    outcomes: dict[str, int]
    refusals: dict[str, int]
    plugins: list[str]
    """Those that the job uses."""


def standing_of(directory: CrawlDirectory) -> Standing:
    """Read a crawl directory; nothing in it is changed."""
    job = directory.job()
    has_begun = directory.log_folder.exists()
    states = list(directory.states(job).values()) if has_begun else []
    return Standing(
        running_pid=_running_pid(directory.path / "lock"),
        pages=sum(state.kept_pages for state in states),
        bytes=sum(state.kept_bytes for state in states),
        urls=sum(len(state.table) for state in states),
        pending=sum(state.pending for state in states),
        hosts=sum(len(state.host_names) for state in states),
        disk_bytes=_disk_bytes(directory.path),
        seconds_left=round(seconds_left(states, job), 1),
        outcomes=outcomes_of(states),
        refusals=refusals_of(states),
        plugins=list(job.plugins.use),
    )


def _running_pid(lock: Path) -> int | None:
    """Return who holds the lock. Trying to take it instead could turn a starting crawl away."""
    try:
        inode = lock.stat().st_ino
        locks = Path("/proc/locks").read_text(encoding="ascii")
    except OSError:
        return None
    for fields in map(str.split, locks.splitlines()):
        if "FLOCK" in fields and "->" not in fields and fields[5].endswith(f":{inode}"):
            return int(fields[4])
    return None


def _disk_bytes(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue  # a running crawl seals and renames
    return total
