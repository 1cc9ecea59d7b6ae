"""Notes of a log on a server: the job, the directories of the crawl, the log's new place.

A crawl's log notes the facts that another machine needs to help in it:

    job, job/2, …    the job as TOML; the last one counts. A long list of seeds is not in it: its
                     seeds are in the log's inboxes
    model/0, …       the parts of its model of topics, if it has one
    begun            when the crawl was begun, by the wall clock of the machine that did
    directory/1, …   the identity of each crawl directory that helps, under its number
    machine/1, …     the machine on which each of them was first used
    lost/1, …        this directory was given up: its content no longer counts
    moved            the log's new place: this one accepts no more writes

A directory keeps its identity in a file, so it finds its number again. The number is never given to
another directory, because it numbers segments. A crawl whose log is a file has one directory, 0.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from lycosa._support.decoders import msgpack_decoder
from lycosa.errors import LogError
from lycosa.model.job import Job, parse_job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.trust.settings import with_settings_of
from lycosa.storage.archive.layout import MOST_IN_DIRECTORY
from lycosa.storage.log.protocol import Log

JOB, BEGUN, MOVED, MODEL = "job", "begun", "moved", "model"
MODEL_PART_BYTES = 500_000
"""Parts must be small, because a server takes messages of at most a megabyte."""
DIRECTORY, MACHINE, LOST = "directory/", "machine/", "lost/"
IN_FILE = "sqlite"
"""Name of a log in a file, in place of an address."""


class LogPlace(msgspec.Struct, frozen=True, array_like=True):
    """Where a log is: the address of a server, or `sqlite`, and the crawl's name there."""

    server: str
    name: str


def note_job(log: Log, job: Job, *, is_first: bool = True) -> None:
    """Note the job in the log, unless this version has been noted and the last one has its limits.

    Operator settings are each machine's own. The log names those of the machine that began the
    crawl, so that the digest to be accepted does not change with each member.
    """
    if not is_first and (before := job_among(log.notes(JOB))) is not None:
        job = with_settings_of(job, before)
    log.note(BEGUN, datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds").encode())
    text = job.portable().to_toml("seeds.txt").encode()
    if job.topics.model:
        note_model(log, Path(job.topics.model).read_bytes())
    while True:
        noted = _jobs_among(log.notes(JOB))
        last = job_among({JOB: noted[max(noted)]}) if noted else None
        # A limit that is set back to an earlier value makes no new text, and must come last again.
        if last is not None and text in noted.values() and last.limits == job.limits:
            return
        number = max(noted, default=0) + 1
        log.note(JOB if number == 1 else f"{JOB}/{number}", text)


def note_model(log: Log, model: bytes) -> None:
    """Note a model of topics in parts that fit a server's messages, so that joining needs no
    file."""
    if log.noted(f"{MODEL}/0") is None:
        for number in range(0, len(model), MODEL_PART_BYTES):
            part = model[number : number + MODEL_PART_BYTES]
            log.note(f"{MODEL}/{number // MODEL_PART_BYTES}", part)


def model_among(notes: Mapping[str, bytes]) -> bytes:
    """Return the noted model of topics; b"" if there is none."""
    parts = {
        int(name.partition("/")[2]): part
        for name, part in notes.items()
        if name.startswith(f"{MODEL}/")
    }
    return b"".join(parts[number] for number in sorted(parts))


def job_among(notes: Mapping[str, bytes]) -> Job | None:
    """Return the job that was noted last; None in a log without a job, or not whole yet."""
    noted = _jobs_among(notes)
    if 1 not in noted:
        return None
    return parse_job(noted[max(noted)].decode(), "the job in the log", is_begun=True)


def _jobs_among(notes: Mapping[str, bytes]) -> dict[int, bytes]:
    return {
        int(name.partition("/")[2] or 1): value
        for name, value in notes.items()
        if name == JOB or name.startswith(f"{JOB}/")
    }


def directory_number(log: Log, directory: CrawlDirectory) -> int:
    """Return the number of a directory in its crawl; a new directory gets the next one."""
    if not directory.job().log.server:
        return 0
    own = directory.identity().encode()
    while True:
        noted = _noted_directories(log)
        for number, identity in noted.items():
            if number and identity == own:
                log.note(f"{MACHINE}{number}", os.uname().nodename.encode())
                return number
        log.note(f"{DIRECTORY}{max(noted, default=0) + 1}", own)


def machines_of(log: Log) -> dict[int, str]:
    """Return the machine of each directory; "" if the log does not name it."""
    return machines_among(log.notes(DIRECTORY) | log.notes(MACHINE))


def machines_among(notes: Mapping[str, bytes]) -> dict[int, str]:
    """Return the machine of each directory that these notes name."""
    return {
        number: notes.get(f"{MACHINE}{number}", b"").decode()
        for number in sorted(directories_among(notes))
        if number
    }


def directories_among(notes: Mapping[str, bytes]) -> dict[int, bytes]:
    """Return the identity of each directory that these notes name."""
    return {
        int(name.removeprefix(DIRECTORY)): value
        for name, value in notes.items()
        if name.startswith(DIRECTORY)
    }


def refuse_given_up(log: Log, directory: CrawlDirectory, number: int) -> None:
    """Raise `LogError` if a directory was given up: its content no longer counts."""
    if log.noted(f"{LOST}{number}") is not None:
        raise given_up(directory, number)


def given_up(directory: CrawlDirectory, number: int) -> LogError:
    """Return the error for a directory that was given up."""
    place = directory.job().log
    return LogError(
        f"{directory.path}: this directory (number {number} of its crawl) was given up; its pages"
        " that were not uploaded are fetched again by others\n"
        f"  help with a new directory: lycosa join {place.server} {place.name} -o NEW"
    )


def own_numbers(log: Log, directory: CrawlDirectory) -> set[int]:
    """Return the numbers whose segments are in this directory.

    A crawl that was moved from a file has segments of number 0, in the directory that noted it.
    """
    own = directory.identity().encode()
    noted = _noted_directories(log)
    return {number for number, identity in ({0: own} | noted).items() if identity == own}


def is_elsewhere(log: Log, directory: CrawlDirectory, segment: int) -> bool:
    """Return whether a segment belongs to another directory of the crawl."""
    number = segment // MOST_IN_DIRECTORY
    return bool(number) and number not in own_numbers(log, directory)


def other_directories(log: Log, directory: CrawlDirectory) -> int:
    """Return the number of other directories of the crawl."""
    own = directory.identity().encode()
    return len(set(_noted_directories(log).values()) - {own})


def _noted_directories(log: Log) -> dict[int, bytes]:
    return directories_among(log.notes(DIRECTORY))


def encode_place(place: LogPlace) -> bytes:
    """Return the content of the note `moved`."""
    return msgspec.msgpack.encode(place)


def decode_place(note: bytes) -> LogPlace:
    """Return the place that the note `moved` names."""
    return msgpack_decoder(LogPlace).decode(note)


def place_text(note: bytes) -> str:
    """Return the place that the note `moved` names, for people."""
    place = decode_place(note)
    return place.server if place.server == IN_FILE else f"{place.server} as {place.name}"


def refuse_moved(log: Log, directory: CrawlDirectory) -> None:
    """Raise `LogError` if the log was moved: writes here would not count."""
    note = log.noted(MOVED)
    if note is not None:
        raise LogError(
            f"{directory.shown}: the log was moved to {place_text(note)}, or a move to there was"
            " interrupted\n"
            f"  finish the move: lycosa move {directory.shown} {decode_place(note).server}"
        )
