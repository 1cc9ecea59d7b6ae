"""Moments of crawls, for drawing."""

from __future__ import annotations

from typing import Any, NamedTuple

from lycosa.crawl.status.progress import Progress
from lycosa.model.job import Job

JOB = Job.of(seeds=["https://www.example.org/"], limits={"pages": 5000})

FIRST = Progress(0.4, 0, 0, 0, 0.0, 0, 0, {}, {}, {}, 0.0)


def progress_of(**figures: Any) -> Progress:
    """Return a moment with these figures; all others are as at the beginning."""
    return FIRST._replace(**figures)


BUSY = progress_of(
    seconds=250.0,
    pages=1234,
    bytes=45_600_000,
    requests=1402,
    pages_per_second=4.93,
    pending=8120,
    in_flight=9,
    hosts={"idle": 3, "waiting": 171, "resolving": 2, "queued": 15, "awake": 3, "taken": 9},
    outcomes={
        "kept": 1234,
        "redirected": 80,
        "not_found": 41,
        "timeout": 12,
        "server_error": 9,
        "too_many_requests": 7,
        "name_failure": 5,
        "cut_short": 2,
        "disallowed": 310,
        "wrong_type": 12,
    },
    refusals={"out-of-scope": 20_418, "scheme": 311, "reject:regex /calendar/": 96},
    seconds_left=11_400.0,
)

HUGE = BUSY._replace(
    pages=123_456_789,
    bytes=9_876_543_210_987,
    requests=234_567_890,
    pages_per_second=12_345.6,
    pending=9_876_543_210,
    hosts={"waiting": 45_678_901, "awake": 123_456, "taken": 65_536},
    in_flight=65_536,
    seconds_left=8_640_000.0,
    seconds=40 * 86_400.0,
)


class Ended(NamedTuple):
    """As `lycosa.runtime.processes.run.Ended`."""

    reason: str
    progress: Progress
    is_complete: bool
    job: Job | None = None
