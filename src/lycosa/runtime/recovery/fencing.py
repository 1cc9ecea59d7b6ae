"""Takes partitions in the log from dead lives of directories, without crawling them.

A dead life may have sent a last batch that is still in transit. Once the log names another owner,
no such batch can arrive, and it is decided which of its records count.
"""

from __future__ import annotations

import time

from lycosa.model.records import Taken
from lycosa.runtime.membership.record import directory_of
from lycosa.storage.log.format import encode
from lycosa.storage.log.protocol import Log, Take


def fence(log: Log, directories: tuple[int, ...], owner: str, present: str = "") -> list[int]:
    """Take the partitions that lives of these directories own, all but the `present` one.

    Returns their numbers. `owner` is the taker's name in the log. It asks no hosts, and any member
    may take the partitions from it. The caller knows that those lives are dead.
    """
    taken: list[int] = []
    for number in range(log.partitions):
        while directory_of((head := log.head(number)).owner) in directories:
            batch = encode([Taken(time.time(), owner)])
            if head.owner == present:
                break
            if log.take(owner, [Take(number, head.log, batch)])[0] is not None:
                taken.append(number)
                break
    return taken
