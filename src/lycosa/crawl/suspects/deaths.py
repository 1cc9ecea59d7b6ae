"""Reports to the partitions of a crawl that a process has died, and the page that it read last.

A process that ends in order notes that in its file (`lycosa.crawl.suspects.marks`). A file without
that note belongs to a dead process, because no living process could have written it: the caller
holds the lock of the directory, or has seen the process end. Partitions may belong to other
machines by now, so all of them are told through their inboxes.

Always true: a file is removed after its report is durable; a kill between the two repeats the
report, which changes nothing.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterable
from contextlib import suppress

from lycosa.crawl.suspects import marks
from lycosa.frontier.facts.columns import DONE
from lycosa.frontier.partition import Partition
from lycosa.model.records import ProcessDied, Suspected
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Log

APART_SECONDS = 600.0
"""Seconds after a death during which all pages are read apart."""

log_messages = logging.getLogger(__name__)


def tell_deaths(log: Log, files: Iterable[str]) -> None:
    """Tell all partitions of the processes that have written these files and died."""
    for path in files:
        words = marks.read(path)
        if words is not None and words.process:
            tell_death(log, words, time.time())
            last = _last(words.place)
            log_messages.warning("process %d of this crawl died; %s", words.process, last)
        with suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108


def tell_death(log: Log, words: marks.Words, now: float) -> None:
    """Tell all partitions that a process died, and the page that it was reading, if any."""
    number, page = words.place or (-1, -1)
    log.post_all(
        [
            (one, encode([ProcessDied(now, page if one == number else -1, words.is_reading)]))
            for one in range(log.partitions)
        ]
    )


def _last(place: tuple[int, int] | None) -> str:
    if place is None:
        return "it was not reading a page"
    return f"it was reading page {place[1]} of partition {place[0]}"


def suspect(partition: Partition, message: ProcessDied, now: float) -> None:
    """Record that a process died; a page whose outcome is decided is not a suspect.

    A page that waits for a browser may be a suspect, because its rendered tree is read after the
    page. It is then left out of rendering, so the process must have died while reading it. A kill
    from outside while the browser works proves nothing about the page.
    """
    state, page = partition.state, message.page
    is_known = 0 <= page < len(state.pages.status)
    is_open = is_known and state.pages.status[page] != DONE
    is_rendered = (
        is_known and not is_open and page in state.rendering.waiting and message.was_reading
    )
    is_suspect = is_open or is_rendered
    partition.record(Suspected(now, now + APART_SECONDS, page if is_suspect else -1, is_rendered))
