"""End a life whose process is known to be dead, and remove unneeded tombstones.

Silence proves nothing before 15.5 s have passed. But a machine's supervisor sees its worker process
end, and the kernel has closed the process's connections. It may then end that life at once, and the
partitions move without waiting.

Both functions wait for the board, so they are called from a thread that may.
"""

from __future__ import annotations

from collections.abc import Collection

from lycosa.runtime.coordination.changes import change
from lycosa.runtime.coordination.keys import (
    ADDRESSES,
    IDLE,
    LINES,
    MEMBERS,
    member_key,
    number_in,
)
from lycosa.runtime.coordination.protocol import Board
from lycosa.runtime.membership.record import pack, tombstone, unpack

MOST_AT_ONCE = 500
"""Lives that one call forgets."""


def bury(board: Board, number: int, ended_by: int, seconds: float = 30.0) -> bool:
    """Write the tombstone of a life whose process has ended; False if the board did not answer.

    The caller must have seen the process end on its own machine: if the process still ran, two
    owners would ask one host.
    """

    def ended(value: bytes) -> bytes:
        if not value:
            return value  # the life died before it had a record
        member = unpack(value)
        return value if member.is_gone else pack(tombstone(member, ended_by))

    return change(board, member_key(number), ended, seconds) is not None


def forget(board: Board, numbers: Collection[int], kept_seconds: float = 0.0) -> int:
    """Remove the tombstones and other records of these lives; return the number of lives.

    `runtime.cluster.shares.forgettable` returns those that no member needs. Tombstones written
    within `kept_seconds` of the newest record stay, as a history for operators; both moments are
    the server's.
    """
    listed = board.list(MEMBERS) or {}
    newest = max((entry.moment for entry in listed.values()), default=0.0)
    graves = {
        number_in(key): entry
        for key, entry in listed.items()
        if number_in(key) in numbers
        and entry.moment <= newest - kept_seconds
        and unpack(entry.value).is_gone
    }
    # The member that clears waits for every removal: what is left is found the next time.
    graves = dict(sorted(graves.items())[:MOST_AT_ONCE])
    if not graves:
        return 0
    others = [board.list(prefix) for prefix in (LINES, ADDRESSES, IDLE)]
    for left in others:
        if left is None:
            return 0  # without its record nobody would remove the rest of a life
        for key, entry in left.items():
            if number_in(key) in graves:
                board.delete(key, entry.revision)
    gone = (board.delete(member_key(number), entry.revision) for number, entry in graves.items())
    return sum(answer.is_written for answer in gone)
