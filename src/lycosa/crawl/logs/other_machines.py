"""What a command that changes a log in a server owes to other machines.

It begins only while none of them crawls: the log fences their writes in any case, but work would
be lost. It ends by handing its partitions on, because members take only what has no owner.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from lycosa.cluster.board.keys import MEMBERS
from lycosa.cluster.board.opening import open_board
from lycosa.cluster.membership.record import unpack
from lycosa.config import Job
from lycosa.crawl.member.notes import current_run
from lycosa.errors import LogError
from lycosa.frontier.fold.state import PartitionState
from lycosa.log.format import encode
from lycosa.log.protocol import Log, Write
from lycosa.records import Moved

SILENT_SECONDS = 30.0
"""A record that was not renewed for so long is that of a dead life; live ones renew in 5 s."""


def refuse_running(log: Log, job: Job) -> None:
    """Raise `LogError` while workers of any machine crawl; a log in a file has a lock for that."""
    if not job.log.server:
        return
    run, why_ended = current_run(log)
    if not run or why_ended:
        return
    board = open_board(job.log.server, job.log.name)
    try:
        entries = board.list(MEMBERS) or {}
    finally:
        board.close()
    now = time.time()
    fresh = [unpack(e.value) for e in entries.values() if now - e.moment < SILENT_SECONDS]
    machines = sorted({member.machine for member in fresh if not member.is_gone})
    if machines:
        raise LogError(
            f"{job.log.server}: the crawl is running on {', '.join(machines)}\n"
            "  stop it there with Ctrl-C or kill -INT; a process that was killed counts for half a"
            " minute"
        )


def hand_on(log: Log, job: Job, states: Mapping[int, PartitionState]) -> None:
    """Leave partitions that an operator has taken to any machine; hosts rest before it asks."""
    if not job.log.server:
        return
    event = encode([Moved(time.time(), job.log.server, job.log.name)])
    log.commit(
        [
            Write(number, state.sequence, event, (), state.inbox_read)
            for number, state in states.items()
        ]
    )
