"""Batons: the messages and events by which partitions take turns at hosts that they share.

With a partitioner that splits hosts, every partition has pages of one host. Hosts are grouped into
*host sets*, and only the partition that holds the baton of a set asks its hosts. Every set has a
*home* partition, where its baton begins and where the line of those who want it ends.

    BatonWanted  to the home: this partition has something to ask a host of the set
    BatonDue     from the home to the last in line: who comes after you
    BatonCame    the baton itself, with everything that is known of the set's hosts

The protocol is told in `lycosa.crawl.worker.messages.batons`.
"""

from __future__ import annotations

from msgspec import Struct

from lycosa.records.codes import BatonStep, RobotsState


class SiteReport(Struct, frozen=True, array_like=True):
    """What the holder of a baton knows of a site; the fields are those of the fold."""

    name: str
    robots: RobotsState = RobotsState.UNKNOWN
    robots_tries: int = 0
    robots_expires: float = 0.0
    crawl_delay_seconds: float = 0.0
    rules: bytes = b""
    strikes: int = 0
    due: float = 0.0
    closed: int = 0
    """The outcome that it was closed with, or 0."""


class HostReport(Struct, frozen=True, array_like=True):
    """What the holder of a baton knows of a host."""

    name: str
    """Reversed, as in keys."""
    rest_seconds: float = 0.0
    """How long the host must be left alone, counted from the moment at which this is read."""
    strikes: int = 0
    is_announced: bool = False
    closed: int = 0
    """The outcome that it was closed with, or 0."""
    kept: int = 0
    """How many pages all partitions together have kept of it."""
    sites: list[SiteReport] = []


class BatonMessage(Struct, frozen=True, array_like=True, tag_field="t"):
    """An entry of a partition's inbox, as others (`messages`)."""


class BatonWanted(BatonMessage, frozen=True, array_like=True, tag=35):
    """A partition has something to ask a host of this set, whose home is here."""

    host_set: int
    by: int


class BatonDue(BatonMessage, frozen=True, array_like=True, tag=36):
    """Pass the baton of this set to that partition when you have had it."""

    host_set: int
    to: int


class BatonCame(BatonMessage, frozen=True, array_like=True, tag=37):
    """The baton of this set, with what is known of its hosts."""

    host_set: int
    hosts: list[HostReport]
    cycle: int = 0
    """The cycle of the giver: what it gave up for the time being holds for that cycle."""


class BatonEvent(Struct, frozen=True, array_like=True, tag_field="t"):
    """A decision in a partition's log, as others (`events`)."""


class BatonPassed(BatonEvent, frozen=True, array_like=True, tag=35):
    """The baton of a host set was passed to another partition: ask none of its hosts any more."""

    moment: float
    host_set: int
    to: int


class BatonTaken(BatonEvent, frozen=True, array_like=True, tag=36):
    """The baton of a host set has come, or only news of some of its hosts."""

    moment: float
    host_set: int
    hosts: list[HostReport]
    cycle: int = 0
    is_held: bool = True
    """False for news without the baton."""


class BatonQueued(BatonEvent, frozen=True, array_like=True, tag=37):
    """A step in the line of those who want the baton of a host set."""

    host_set: int
    partition: int
    step: BatonStep
