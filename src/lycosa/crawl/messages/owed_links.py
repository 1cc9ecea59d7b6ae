"""Reads the links that are owed from the store of objects, where another machine has put them.

A page came nearer whose record was written by another machine (`links.router`). Where the crawl
has a store, that machine uploads the record, soon or when it can. Until then the links are owed:
they are asked for now and then, beside the worker, and passed on when they have come.

Always true:
  * nothing here waits for the store; it has a thread of its own, so its silence holds up no commit;
  * while links are owed their partition is not idle, and the run does not end before they have
    come or patience has ended (`patience`);
  * links are passed on once, and only while the page's record is still the one that was read.

Not here: which machine uploads what, and when.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from lycosa._support.tuples import NamedTuple
from lycosa.crawl.links.router import Router
from lycosa.crawl.ports import Ports, StoredElsewhere
from lycosa.errors import ObjectsUnavailable, StoreError
from lycosa.frontier.partition import Partition
from lycosa.model.records import KeyedLink, Place

LOOK_SECONDS = 10.0
"""How often links that are owed are asked for."""
MOST_AT_ONCE = 200
"""How many pages' links are asked for at a time."""


class _Debt(NamedTuple):
    """A page whose links are owed."""

    partition: Partition
    page: int
    place: Place


class OwedLinks:
    """Asks for links that are owed; one per worker."""

    def __init__(self, ports: Ports, partitions: Mapping[int, Partition], router: Router) -> None:
        self._clock = ports.clock
        self._distant = ports.distant
        self._partitions = partitions
        self._router = router
        self._is_asking = False
        self._next_look = 0.0

    def look(self) -> None:
        """Ask for some of what is owed, if it is time."""
        if self._distant is None or self._is_asking or self._clock.now() < self._next_look:
            return
        self._next_look = self._clock.now() + LOOK_SECONDS
        debts = self._debts()
        if debts:
            self._is_asking = True
            places = [debt.place for debt in debts]
            self._distant.ask(partial(_read, places), partial(self._came, debts))

    def _debts(self) -> list[_Debt]:
        found: list[_Debt] = []
        for partition in self._partitions.values():
            state = partition.state
            for page in sorted(state.links_owed) if not partition.is_leaving else ():
                place = state.place_of(page)
                if place is not None and len(found) < MOST_AT_ONCE:
                    found.append(_Debt(partition, page, place))
        return found

    def _came(self, debts: Sequence[_Debt], found: Mapping[Place, list[KeyedLink]]) -> None:
        self._is_asking = False
        now = self._clock.now()
        for partition, page, place in debts:
            is_ours = self._partitions.get(partition.number) is partition
            if not is_ours or partition.is_leaving or place not in found:
                continue
            if page in partition.state.links_owed and partition.state.place_of(page) == place:
                self._router.pay_page(partition, now, page, found[place])
        if found:
            self._next_look = now  # more may be owed, also by what has just come nearer


def _read(places: Sequence[Place], records: StoredElsewhere) -> dict[Place, list[KeyedLink]]:
    """Read what the store has of these places; runs beside the worker."""
    found: dict[Place, list[KeyedLink]] = {}
    for place in places:
        try:
            found[place] = records.links(place)
        except ObjectsUnavailable:
            break  # it answers none of the others either
        except StoreError:
            continue  # not uploaded yet
    return found
