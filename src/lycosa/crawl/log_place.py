"""A crawl whose log is in a server: its name there, its job, and the directories that help in it.

What another machine must know to help in a crawl is noted in its log:

    job, job/2, …    the job as TOML; the last one holds. A long list of seeds is not among it: its
                     seeds are in the log's inboxes
    directory/1, …   the identity of each crawl directory that helps, under its number

A directory keeps its identity in a file, so it finds its number again. The number is never given
to another one: segments are numbered by it. A crawl whose log is a file has one directory, 0.
"""

from __future__ import annotations

from lycosa.config import Job, parse_job
from lycosa.crawl.directory import CrawlDirectory
from lycosa.log.protocol import Log

JOB = "job"
DIRECTORY = "directory/"


def note_job(log: Log, job: Job) -> None:
    """Note the job in the log, if this one has not been noted."""
    text = job.to_toml("seeds.txt").encode()
    while text not in (noted := _noted_jobs(log)).values():
        number = max(noted, default=0) + 1
        log.note(JOB if number == 1 else f"{JOB}/{number}", text)


def noted_job(log: Log) -> Job | None:
    """Return the job that was noted last; None in a log that has none, or is not whole yet."""
    noted = _noted_jobs(log)
    if 1 not in noted:
        return None
    return parse_job(noted[max(noted)].decode(), "the job in the log")


def _noted_jobs(log: Log) -> dict[int, bytes]:
    found = log.notes(JOB)
    return {
        int(name.partition("/")[2] or 1): value
        for name, value in found.items()
        if name == JOB or name.startswith(f"{JOB}/")
    }


def directory_number(log: Log, directory: CrawlDirectory) -> int:
    """Return the number of a directory among all that help in its crawl; give it one if new."""
    if not directory.job().log.server:
        return 0
    own = directory.identity().encode()
    while True:
        noted = _noted_directories(log)
        for number, identity in noted.items():
            if number and identity == own:
                return number
        log.note(f"{DIRECTORY}{max(noted, default=0) + 1}", own)


def own_numbers(log: Log, directory: CrawlDirectory) -> set[int]:
    """Return the numbers whose segments are in this directory.

    A crawl that was moved from a file has segments of number 0, in the directory that noted it.
    """
    own = directory.identity().encode()
    noted = _noted_directories(log)
    return {number for number, identity in ({0: own} | noted).items() if identity == own}


def _noted_directories(log: Log) -> dict[int, bytes]:
    found = log.notes(DIRECTORY)
    return {int(name.removeprefix(DIRECTORY)): value for name, value in found.items()}
