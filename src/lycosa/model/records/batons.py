"""Tokens (batons): messages and events by which partitions take turns at shared hosts.

With a partitioner that splits hosts, every partition has pages of one host. Hosts are grouped into
*host sets*, and only the partition that holds the token (baton) of a set asks its hosts. Every set
has a *home* partition, where its baton begins and which knows the last partition in its queue.

    BatonWanted  to the home: this partition has a request for a host of the set
    BatonDue     from the home to the last in line: the partition that follows in the queue
    BatonCame    the baton itself, with all facts about the set's hosts

The protocol is described in `lycosa.crawl.messages.batons`.
"""

from __future__ import annotations

from msgspec import Struct

from lycosa.model.records.codes import BatonStep, RobotsState


class SiteReport(Struct, frozen=True, array_like=True):
    """Facts of a baton's holder about a site; the fields are those of the fold."""

    name: str
    robots: RobotsState = RobotsState.UNKNOWN
    robots_tries: int = 0
    robots_expires: float = 0.0
    crawl_delay_seconds: float = 0.0
    rules: bytes = b""
    strikes: int = 0
    due: float = 0.0
    closed: int = 0
    """Outcome with which it was closed, or 0."""


class HostReport(Struct, frozen=True, array_like=True):
    """Facts of a baton's holder about a host."""

    name: str
    """Reversed, as in keys."""
    rest_seconds: float = 0.0
    """Seconds for which the host must be left alone, from the moment when this is read."""
    strikes: int = 0
    is_announced: bool = False
    closed: int = 0
    """Outcome with which it was closed, or 0."""
    kept: int = 0
    """Number of its pages that all partitions together have kept."""
    sites: list[SiteReport] = []


class BatonMessage(Struct, frozen=True, array_like=True, tag_field="t"):
    """An entry of a partition's inbox, like others (`messages`)."""


class BatonWanted(BatonMessage, frozen=True, array_like=True, tag=35):
    """A partition has a request for a host of this set, whose home is here."""

    host_set: int
    by: int


class BatonDue(BatonMessage, frozen=True, array_like=True, tag=36):
    """Pass the baton of this set to that partition when you have had it."""

    host_set: int
    to: int


class BatonCame(BatonMessage, frozen=True, array_like=True, tag=37):
    """The baton of this set, with the facts about its hosts."""

    host_set: int
    hosts: list[HostReport]
    cycle: int = 0
    """Cycle of the giver: URLs that it put off are put off for that cycle."""


class BatonEvent(Struct, frozen=True, array_like=True, tag_field="t"):
    """A decision in a partition's log, like others (`events`)."""


class BatonPassed(BatonEvent, frozen=True, array_like=True, tag=35):
    """The baton of a host set was passed to another partition, so none of its hosts may be asked
    here."""

    moment: float
    host_set: int
    to: int


class BatonTaken(BatonEvent, frozen=True, array_like=True, tag=36):
    """The baton of a host set has come, or only facts about some of its hosts."""

    moment: float
    host_set: int
    hosts: list[HostReport]
    cycle: int = 0
    is_held: bool = True
    """False for facts without the baton."""


class BatonQueued(BatonEvent, frozen=True, array_like=True, tag=37):
    """A step in the queue for the baton of a host set."""

    host_set: int
    partition: int
    step: BatonStep
