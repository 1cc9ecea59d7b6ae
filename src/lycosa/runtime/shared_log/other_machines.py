"""Check whether other machines crawl, before a command changes the log on their server.

The log fences their writes in any case. But a change during a crawl loses work, so the commands
that need a stopped crawl refuse.
"""

from __future__ import annotations

import time

from lycosa.errors import LogError
from lycosa.model.job import Job
from lycosa.runtime.coordination.keys import MEMBERS
from lycosa.runtime.coordination.opening import open_board
from lycosa.runtime.members.notes import current_run
from lycosa.runtime.membership.record import unpack
from lycosa.storage.log.protocol import Log

SILENT_SECONDS = 30.0
"""A record not renewed for this long belongs to a dead life; live ones are renewed every 5 s."""


def machines_at_work(log: Log, job: Job) -> list[str]:
    """Return the machines whose workers crawl; a log in a file has a lock for that."""
    if not job.log.server:
        return []
    run, why_ended = current_run(log)
    if not run or why_ended:
        return []
    board = open_board(job.log.server, job.log.name)
    try:
        entries = board.list(MEMBERS) or {}
    finally:
        board.close()
    now = time.time()
    fresh = [unpack(e.value) for e in entries.values() if now - e.moment < SILENT_SECONDS]
    return sorted({member.machine for member in fresh if not member.is_gone})


def refuse_running(log: Log, job: Job) -> None:
    """Raise `LogError` while workers of any machine crawl."""
    if machines := machines_at_work(log, job):
        raise LogError(
            f"{job.log.server}: the crawl is running on {', '.join(machines)}\n"
            f"  stop it: lycosa cluster stop '{job.log.server}#{job.log.name}'; a process that was"
            " killed counts for half a minute"
        )
