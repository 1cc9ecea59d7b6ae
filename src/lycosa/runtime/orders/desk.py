"""Gives orders to a crawl: checks them, and notes each under the next free number.

    order/1, order/2, …    one note an order, in JSON

A note is written once, so of two clients that want the same number one gets it and the other takes
the next. All earlier orders are read before a number is taken. An order that is repeated under its
client's id is therefore found, and changes nothing. A different order under a used id is refused.

It makes no difference whether the crawl is running: a stopped crawl applies the order when it is
resumed. Only `Stop` needs a running crawl, which it ends.

Cost: one indexed read for each existing order, one write for a new order.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing

import msgspec

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.scope import JobScope
from lycosa.errors import ConfigError
from lycosa.features.plugins.loader import load_hooks
from lycosa.features.plugins.scheduling import settled_partitioner
from lycosa.model.job import Job
from lycosa.runtime.directory import CrawlDirectory
from lycosa.runtime.orders.orders import (
    MOST_SEEDS_NAMED,
    AddSeeds,
    InForce,
    Numbered,
    Order,
    SetValue,
    Stop,
    checked,
    digest_of,
    in_force,
    pack,
    refuse_new_limit,
    unpack,
)
from lycosa.runtime.seeds import Planted, Planter, topics_of
from lycosa.runtime.shared_log.notes import refuse_moved
from lycosa.storage.log.protocol import Log

_NAME = "order/"
LONGEST_ID = 200


class Given(NamedTuple):
    """Result of giving an order."""

    number: int
    is_new: bool
    """False if the client has given this order before: then nothing was changed."""
    planted: Planted | None = None
    """For new seeds, how many were accepted, and which were refused."""


def order_name(number: int) -> str:
    """Return the name of an order's note."""
    return f"{_NAME}{number}"


def orders(log: Log, after: int = 0) -> list[Numbered]:
    """Return the orders with larger numbers, up to the first gap."""
    found = []
    while (note := log.noted(order_name(after + 1))) is not None:
        after += 1
        found.append(unpack(after, note))
    return found


def give(
    directory: CrawlDirectory,
    order: Order,
    client_id: str = "",
    *,
    by: str = "",
    request: object = None,
) -> Given:
    """Give an order to a crawl; return when it is durable.

    The same `client_id` again returns the first number and changes nothing. Without an id, every
    call is a new order. Raises `ConfigError` for an order that the job does not allow, and for an
    id that was used for a different order. `request` is the whole request that contains the order.
    """
    if len(client_id) > LONGEST_ID:
        raise ConfigError(
            f"the client's id has {len(client_id)} characters; the limit is {LONGEST_ID}"
        )
    job = directory.job()
    with closing(directory.log(job)) as log:
        refuse_moved(log, directory)
        desk = _Desk(directory, job, log, client_id or os.urandom(8).hex(), by or _user())
        return desk.give(order, digest_of(order if request is None else request))


def add_seeds(
    directory: CrawlDirectory,
    seeds: Iterable[str],
    client_id: str = "",
    told: Callable[[int], None] = lambda count: None,
) -> Given:
    """Give the order to crawl more seeds, of which there may be many; `told` receives their count.

    For an id that was used before, only the kind of order is compared: seeds are read only once.
    """
    job = directory.job()
    with closing(directory.log(job)) as log:
        refuse_moved(log, directory)
        desk = _Desk(directory, job, log, client_id or os.urandom(8).hex(), _user())
        return desk.give_seeds(seeds, told)


class _Desk:
    """Gives one order of one client."""

    def __init__(
        self, directory: CrawlDirectory, job: Job, log: Log, client_id: str, by: str
    ) -> None:
        self._directory = directory
        self._job = job
        self._log = log
        self._id = client_id
        self._by = by
        self._known = InForce()
        self._asked = ""

    def give(self, order: Order, asked: str) -> Given:
        self._asked = asked
        if isinstance(order, AddSeeds):
            return self.give_seeds(order.seeds)
        if (before := self._given_before(type(order))) is not None:
            return Given(before.number, is_new=False)
        order = checked(order, self._job, self._known)
        if isinstance(order, SetValue) and self._job.log.server:
            refuse_new_limit(order, self._job, self._directory.shown)
        if isinstance(order, Stop):
            self._stop()
        return self._note(order, lambda name, note: self._log.note(name, note))

    def give_seeds(
        self, seeds: Iterable[str], told: Callable[[int], None] = lambda count: None
    ) -> Given:
        """Post seeds together with the note of their order."""
        if (before := self._given_before(AddSeeds)) is not None:
            return Given(before.number, is_new=False)
        job, log = self._job, self._log
        hooks = load_hooks(job)
        partitioner = settled_partitioner(job, log, hooks)
        scope = JobScope(job, log, hooks=hooks)
        scope.adopt(self._known.parsed_rules())
        prepared = Planter(scope, partitioner, log, topics_of(job)).prepare(
            seeds, time.time(), told, MOST_SEEDS_NAMED
        )
        planted = prepared.planted
        if not planted.accepted:
            return Given(0, is_new=True, planted=planted)
        order = AddSeeds(prepared.named, planted.accepted - len(prepared.named))

        def write(name: str, note: bytes) -> bool:
            log.post_all(prepared.posts, {**prepared.notes, name: note})
            return log.noted(name) == note

        given = self._note(order, write)
        refuse_moved(
            log, self._directory
        )  # if moved in the meantime, the posts may be in the old copy alone
        return given._replace(planted=planted if given.is_new else None)

    def _given_before(self, kind: type[Order]) -> Numbered | None:
        """Read all new orders; return the client's own order if it is among them."""
        for given in orders(self._log, self._known.last):
            if given.id == self._id:
                is_same = not given.asked or not self._asked or given.asked == self._asked
                if not is_same or type(given.order) is not kind:
                    raise ConfigError(
                        f"this id (Idempotency-Key) was used for order {given.number}, which is"
                        " different\n  send this order with a new id"
                    )
                return given
            self._known = self._known.after(given.number, given.order)
        return None

    def _note(self, order: Order, write: Callable[[str, bytes], bool]) -> Given:
        """Write the order under the next free number.

        If the answer to the write is lost, the note is found by the client's id.
        """
        note = pack(Numbered(0, order, self._id, time.time(), self._by, self._asked))
        while True:
            if write(order_name(self._known.last + 1), note):
                return Given(self._known.last + 1, is_new=True)
            if (before := self._given_before(type(order))) is not None:
                return Given(before.number, is_new=before.moment == unpack(0, note).moment)
            order = checked(order, self._job, self._known)

    def _stop(self) -> None:
        """End the run of all machines, or see that a process will read the order.

        The end of the run is noted before the order: if this process is killed in between, the
        client gives the order again, and cannot stop a later run by it.
        """
        if self._job.log.server:
            from lycosa.runtime.members.notes import stop_run  # a crawl in a folder has no members

            stop_run(self._log, self._directory.shown)
        elif self._directory.holder() is None:
            raise ConfigError(
                f"{self._directory.shown}: is not running, so there is nothing to stop"
            )


def note_order(log: Log, order: Order, by: str = "") -> int:
    """Write an order under the next free number, unchecked; return the number."""
    note = pack(Numbered(0, order, os.urandom(8).hex(), time.time(), by or _user()))
    last = 0
    while True:
        last += len(orders(log, last))
        name = order_name(last + 1)
        if log.note(name, note) or log.noted(name) == note:
            return last + 1


def orders_among(notes: Mapping[str, bytes], after: int = 0) -> list[Numbered]:
    """Return the orders among notes that have larger numbers, up to the first gap."""
    found = []
    while (note := notes.get(order_name(after + 1))) is not None:
        after += 1
        found.append(unpack(after, note))
    return found


def known_orders(directory: CrawlDirectory, job: Job | None = None) -> list[Numbered]:
    """Return all orders of a crawl; none if it has no log yet. `job` saves reading it."""
    if not directory.has_begun:
        return []
    # A resume reads the orders before the directory enters the epoch of a restored log.
    with closing(directory.log(job or directory.job(), may_have_gone_back=True)) as log:
        return orders(log)


def known_in_force(log: Log) -> InForce:
    """Return the combined effect of the orders in a log."""
    return in_force(orders(log))


def as_data(given: Numbered) -> dict[str, object]:
    """Return an order for JSON."""
    data: dict[str, object] = msgspec.to_builtins(given)
    return data


def _user() -> str:
    """Return the name of the person who gives an order, as user@machine."""
    import getpass  # getpass loads the terminal modules, and orders are rare

    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = str(os.getuid())
    return f"{name}@{os.uname().nodename}"
