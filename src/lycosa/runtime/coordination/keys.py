"""The keys of a board.

agreement        the settings common to all members: partitioner, plugins, format
numbers          the last number that was given to a life
member/<number>  the record of one life of a worker, or its tombstone
cordons          partitions whose owners died repeatedly
ledger           kept and granted amounts of the job's limits
settings         changes of the operator from an earlier version: noted as orders, and removed
lines/<number>   the newest log lines of one life
idle/<number>    the partitions of one life that have nothing left to do
addresses/<number>  hashes of the addresses that one life asks
"""

from __future__ import annotations

import re

from lycosa.runtime.coordination.protocol import LARGEST_VALUE_BYTES

AGREEMENT = "agreement"
NUMBERS = "numbers"
MEMBERS = "member/"
CORDONS = "cordons"
LEDGER = "ledger"
SETTINGS = "settings"
LINES = "lines/"
IDLE = "idle/"
ADDRESSES = "addresses/"

_VALID = re.compile(r"[a-z0-9]+(?:[-/][a-z0-9]+)*")


def member_key(number: int) -> str:
    """Return the key of one life."""
    return f"{MEMBERS}{number}"


def lines_key(number: int) -> str:
    """Return the key of a life's log lines."""
    return f"{LINES}{number}"


def idle_key(number: int) -> str:
    """Return the key of a life's idle partitions."""
    return f"{IDLE}{number}"


def addresses_key(number: int) -> str:
    """Return the key of the addresses that a life serves."""
    return f"{ADDRESSES}{number}"


def number_in(key: str) -> int:
    """Return the number at the end of a key."""
    return int(key.rpartition("/")[2])


def check(key: str, value: bytes) -> None:
    """Raise `ValueError` if a board could not store this value."""
    if not _VALID.fullmatch(key):
        raise ValueError(
            f"`{key}` is not a key: use small letters, digits, and - or / between them"
        )
    if len(value) > LARGEST_VALUE_BYTES:
        raise ValueError(f"`{key}`: {len(value)} bytes; the limit is {LARGEST_VALUE_BYTES}")
