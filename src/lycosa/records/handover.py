"""Events of partitions that pass from one owner, machine or log to another."""

from __future__ import annotations

from msgspec import Struct


class Released(Struct, frozen=True, array_like=True, tag_field="t", tag=34):
    """The owner has handed the partition over: no request of it is under way.

    What is still owed to hosts and addresses is given in seconds: the next owner counts them from
    the moment at which it takes the partition, by its own clock.
    """

    moment: float
    hosts: dict[int, float] = {}
    addresses: dict[str, float] = {}
    resumed_ago: float = -1.0
    """How many seconds ago it was taken from an owner that had not handed it over: all hosts, also
    those that are not known any more, rest for a full pause after that. Below 0: it never was."""


class LinksOwed(Struct, frozen=True, array_like=True, tag_field="t", tag=39):
    """Pages came nearer whose links lie on another machine: they are owed, done, or given up."""

    moment: float
    owed: list[int] = []
    done: list[int] = []
    given_up: list[int] = []


class Moved(Struct, frozen=True, array_like=True, tag_field="t", tag=38):
    """The partition goes on in the log that is named; it has no owner, and its hosts rest at first.

    In another log than that one this is the last event, and no owner may take the partition. The
    log that is named has the same batches up to this one.
    """

    moment: float
    server: str
    """The address of a server, or `sqlite` for a file in the crawl directory."""
    name: str
    """The crawl's name there, which no other log has."""
