"""Tells the partitions of a crawl that a process of it has died, and which page it read last.

A process that ends in order says so in its file (`lycosa.marks`). A file that does not say so is
that of a dead process, if none lives that could have written it: the caller holds the lock of the
directory, or has seen the process end. Partitions may belong to other machines by now, so all are
told through their inboxes.

Always true: a file is removed after what it says is durable; a kill between the two tells it twice,
which changes nothing.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable
from contextlib import suppress

from lycosa import marks
from lycosa.frontier.fold.facts.columns import DONE
from lycosa.frontier.partition import Partition
from lycosa.log.format import encode
from lycosa.log.protocol import Log
from lycosa.records import ProcessDied, Suspected

APART_SECONDS = 600.0
"""For how long after a death all pages are read apart."""

log_messages = logging.getLogger(__name__)


def tell_deaths(log: Log, files: Iterable[str]) -> None:
    """Tell all partitions of the processes that have written these files and died."""
    for path in files:
        words = marks.read(path)
        if words is not None and words.process:
            tell_death(log, words.place, time.time())
            last = _last(words.place)
            log_messages.warning("process %d of this crawl died; %s", words.process, last)
        with suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108


def tell_death(log: Log, place: tuple[int, int] | None, now: float) -> None:
    """Tell all partitions that a process died, and which page it read last, if it was one."""
    number, page = place if place is not None else (-1, -1)
    log.post_all(
        [
            (partition, encode([ProcessDied(now, page if partition == number else -1)]))
            for partition in range(log.partitions)
        ]
    )


def _last(place: tuple[int, int] | None) -> str:
    if place is None:
        return "it was reading no page"
    return f"page {place[1]} of partition {place[0]} was the last that it read"


def suspect(partition: Partition, message: ProcessDied, now: float) -> None:
    """Write down that a process died; a page that was decided on is no suspect.

    One that waits for a browser may be: its rendered tree is read after the page.
    """
    state, page = partition.state, message.page
    is_known = 0 <= page < len(state.pages.status)
    is_open = is_known and state.pages.status[page] != DONE
    is_rendered = is_known and not is_open and page in state.rendering.waiting
    is_suspect = is_open or is_rendered
    partition.record(Suspected(now, now + APART_SECONDS, page if is_suspect else -1, is_rendered))
