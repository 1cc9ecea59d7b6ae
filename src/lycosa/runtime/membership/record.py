"""The record of a member on the board, and the tombstone that ends its life."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from lycosa._support.decoders import json_decoder


class Standing(StrEnum):
    """Standing of a life; the last two are final."""

    LIVE = "live"
    LEAVING = "leaving"
    """It hands its partitions over, one at a time, and takes none."""
    LEFT = "left"
    """It has released everything and gone."""
    DEAD = "dead"
    """It was silent for too long: the record is its tombstone."""


class Progress(msgspec.Struct, frozen=True, omit_defaults=True):
    """Figures of the partitions that a member owns, for `status` and the progress display."""

    partitions: int = 0
    pages: int = 0
    bytes: int = 0
    urls: int = 0
    waiting: int = 0
    failures: int = 0
    in_flight: int = 0
    unsent_bytes: int = 0
    """Content that is not in the store: lost if the machine is lost for good."""
    unsent_seconds: float = 0.0
    """Age of the oldest of that content."""
    pages_per_second: float = 0.0
    """Recent rate of kept pages."""
    commit_seconds: float = 0.0
    """Time for which the present commit has waited for the log."""
    ready: int = 0
    """Hosts that can be asked now."""
    resting: int = 0
    """Hosts that must wait."""
    next_seconds: float = 0.0
    """Seconds until the next host is due, if none can be asked and no request is in flight."""
    links_owed: int = 0
    """Pages whose links lie on another machine and are not passed on yet."""
    trouble: str = ""
    """Description of the problem that stops its work: an unavailable store, a full disk."""


class Member(msgspec.Struct, frozen=True, omit_defaults=True):
    """The record of one life of a worker process."""

    number: int
    machine: str
    """The name of the machine, for people and for shares by machine."""
    version: str
    format: int
    """The newest format of the log that it reads and writes."""
    weight: int = 1
    """Number of its partitions in proportion to others'."""
    standing: Standing = Standing.LIVE
    is_cordoned: bool = False
    """It keeps its partitions and takes no more."""
    beat: int = 0
    """Counts renewals, so that no two records of one life are the same bytes."""
    settings: int = 0
    """Number of the last order of the operator that it follows."""
    directory_number: int = 0
    """Number of its crawl directory in the crawl (`runtime.shared_log.notes`)."""
    clock_offset: float = 0.0
    """Seconds that its wall clock is certainly behind (+) or ahead (-) of the server's."""
    progress: Progress = Progress()
    ended_by: int = 0
    """The member that wrote the tombstone."""
    since: float = 0.0
    """Time of joining, by its own wall clock."""
    directory: str = ""
    """Crawl directory on its machine, which holds its fetched content."""

    @property
    def is_gone(self) -> bool:
        """Whether the life is over: its partitions may be taken."""
        return self.standing in (Standing.LEFT, Standing.DEAD)

    @property
    def takes(self) -> bool:
        """Whether it can be given partitions."""
        return self.standing is Standing.LIVE and not self.is_cordoned


_decoder = json_decoder(Member)


def pack(member: Member) -> bytes:
    """Return a record as stored on the board: JSON, so that people can read it there."""
    return msgspec.json.encode(member)


def unpack(value: bytes) -> Member:
    """Read a record."""
    return _decoder.decode(value)


def tombstone(member: Member, ended_by: int) -> Member:
    """Return the record that ends a silent life."""
    return msgspec.structs.replace(member, standing=Standing.DEAD, ended_by=ended_by)


def owner_name(number: int, directory: int = 0, machine: str = "") -> str:
    """Return the name by which a life owns partitions in the log.

    It names the life's directory and machine, for people and to match segments with owners.
    """
    return f"life-{number} d{directory} {machine}" if machine else f"life-{number}"


def life_of(owner: str) -> int | None:
    """Return the number of the life that the log names; None for an owner outside a cluster."""
    prefix, _, number = owner.partition(" ")[0].partition("-")
    return int(number) if prefix == "life" and number.isdigit() else None


def directory_of(owner: str) -> int | None:
    """Return the number of the directory that an owner writes to, if its name contains it."""
    words = owner.split(" ", 2)
    if life_of(owner) is None or len(words) < 2 or not words[1][1:].isdigit():
        return None
    return int(words[1][1:])
