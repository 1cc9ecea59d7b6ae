"""Events of partitions that pass from one owner, machine or log to another, or obey an order."""

from __future__ import annotations

from msgspec import Struct


class Released(Struct, frozen=True, array_like=True, tag_field="t", tag=34):
    """The owner has released the partition: none of its requests is in flight.

    Remaining rests of hosts and addresses are given in seconds: the next owner counts them from the
    moment when it takes the partition, by its own clock. the moment at which it takes the
    partition, by its own clock.
    """

    moment: float
    hosts: dict[int, float] = {}
    addresses: dict[str, float] = {}
    resumed_ago: float = -1.0
    """Seconds since it was taken from an owner that had not released it: all hosts, even those that
    are no longer known, rest for a full pause after that. Below 0: this never happened."""


class LinksOwed(Struct, frozen=True, array_like=True, tag_field="t", tag=39):
    """Pages whose links must be read from their records, and are on another machine: owed, done, or
    given up. Their distance fell, or a limit of depth was raised."""

    moment: float
    owed: list[int] = []
    done: list[int] = []
    given_up: list[int] = []
    read_to: int = 0
    """Links of all pages with smaller numbers were read again, or are owed, since a limit was
    raised; 0 if this event does not say."""


class Moved(Struct, frozen=True, array_like=True, tag_field="t", tag=38):
    """The partition continues in the named log; it has no owner, and its hosts rest at first.

    In every other log this is the last event, and no owner may take the partition. The named log
    has the same batches up to this one.
    """

    moment: float
    server: str
    """The address of a server, or `sqlite` for a file in the crawl directory."""
    name: str
    """Name of the crawl there, which no other log has."""


class OrderApplied(Struct, frozen=True, array_like=True, tag_field="t", tag=47):
    """An order of the operator was applied; the events of its effects are in the same batch.

    Orders are applied in the order of their numbers, so all earlier orders were applied too.
    """

    moment: float
    number: int
    is_paused: bool = False
    """Whether the crawl is paused after it; paused time does not count as running time."""
