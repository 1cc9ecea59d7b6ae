"""Places without an end: what they cost before they are put aside, and who decides.

A calendar has a page for every month, a shop a URL for every session, a broken link a path that
repeats itself for ever. What they have in common is that they bring nothing new. So every page
that is kept for the first time is *weighed*: has its host shown this before?

    word by word           on any page
    but for digits         where the URL has a date
    but for a few words    where the URL carries a session or many parameters, or repeats itself
    whatever it says       where the path is nested deeper than anybody would nest it

A page that repeats a text, but shows pictures that were not seen so together, is not weighed.

Each shape of URLs (`lycosa.frontier.shapes`) has a purse of `budget` pages, each first folder one
of `folder_budget` and the host one of `host_budget`. A page with nothing new takes one from all
three, or a quarter if it led to no URL that was unknown: then it is no way into a trap, and the
shell of an application is like that. A page with something new gives `earned` back, up to the full
purse. At zero a shape or folder is shut: URLs of it that nobody has asked for are *put aside* when
their turn comes, with the reason as their outcome. When the purse of the host is empty, the host is
closed. Nothing is dropped: what was put aside stands in the log, and `lycosa retry --traps` brings
it back.

Always true:
  * a place in which at least one page of `earned` + 1 is new is never shut, however large it is;
  * seeds, what a page needs to be shown, and pages that were asked for before are never put aside;
  * what is decided is an event (`Weighed`, `Settled`, `HostChanged`); what was seen lately is not,
    and is forgotten at a kill, except for what was found to be repeated.

Cost: for a page with a text of its own, one comparison beside the hash that discovery takes anyway;
for one with a date in its URL, the hash of the text without digits.
"""

from __future__ import annotations

from lycosa.config import Traps
from lycosa.crawl.novelty import NEAR_BITS, Novelty, content_number, told_by
from lycosa.crawl.probing import Seen
from lycosa.extract.fingerprint import distance
from lycosa.frontier.columns import NONE
from lycosa.frontier.distance import SEED
from lycosa.frontier.partition import Partition
from lycosa.frontier.shapes import Compared, Shape, may_be_endless, shape_of
from lycosa.frontier.state import PartitionState
from lycosa.frontier.traps import FULL, Purse, first_folder, shape_number
from lycosa.records import HostChanged, Outcome, Weighed

_DIGITS = b"0123456789"

WHOLE = 4
"""What a page costs that brings nothing new and leads on; purses are counted in this coin."""

Holder = tuple[int, int, Outcome]
"""A shape or folder by its number, what its purse holds, and what it is shut with."""


class Trapper:
    """Weighs pages and puts URLs aside; one per worker."""

    def __init__(self, traps: Traps, novelty: Novelty) -> None:
        self._traps = traps
        self._novelty = novelty
        self.is_on = traps.budget > 0
        """Whether there is a defence."""

    def put_aside(self, state: PartitionState, page: int) -> Outcome | None:
        """Return what a URL that is about to be asked for ends as instead, if its shape is shut."""
        site = state.pages.site[page]
        purses = state.traps.hosts.get(state.sites.host[site])
        if purses is None or not purses.shut or not self.is_on:
            return None
        if (
            state.pages.fetch[page] != NONE
            or state.pages.distance[page] == SEED
            or page in state.parts
        ):
            return None
        name = state.site_names[site]
        return state.traps.outcome_of(state.sites.host[site], name, state.table.key(page))

    def weigh(
        self,
        partition: Partition,
        page: int,
        key: str,
        seen: Seen,
        *,
        is_copy: bool,
        leads_on: bool,
    ) -> None:
        """Weigh a page that was kept for the first time.

        `is_copy`: its site had its text. `leads_on`: it led to URLs that nobody knew.
        """
        state = partition.state
        site = state.pages.site[page]
        host, site_name = state.sites.host[site], state.site_names[site]
        path, purses = key[len(site_name) :], state.traps.hosts.get(host)
        if purses is None and not is_copy and not may_be_endless(path):
            return
        if not seen.is_readable:
            return
        shape = shape_of(path)
        number = shape_number(site_name, shape.text)
        purse = purses.shapes.get(number) if purses is not None else None
        content = self._content(site_name, shape, seen)
        is_old = self._is_old(site_name, shape, content, purse) or is_copy
        if shape.compared is Compared.NOT_AT_ALL:
            is_old = True
        elif is_old and self._novelty.shows_other_pictures(site_name, seen.answer.body):
            return
        holders = [(number, WHOLE * self._traps.budget, shape.trap)]
        if folder := first_folder(path):
            known = shape_number(site_name, folder)
            most = WHOLE * self._traps.folder_budget
            holders.append((known, most, Outcome.TRAP_NOTHING_NEW))
        if is_old:
            cost = WHOLE if leads_on else 1
            self._spend(partition, page, host, holders, cost, content, seen.answer.ended)
        elif purses is not None:
            self._earn(partition, page, host, holders)

    def _spend(
        self,
        partition: Partition,
        page: int,
        host: int,
        holders: list[Holder],
        cost: int,
        content: int,
        moment: float,
    ) -> None:
        """Take from each purse, and shut what has nothing left."""
        state = partition.state
        purses = state.traps.hosts.get(host)
        host_left = FULL if purses is None else purses.left
        host_left = WHOLE * self._traps.host_budget if host_left == FULL else host_left
        host_left = max(host_left - cost, 0)
        for number, budget, trap in holders:
            purses = state.traps.hosts.get(host)
            if purses is not None and number in purses.shut:
                continue
            purse = purses.shapes.get(number) if purses is not None else None
            left = max((budget if purse is None else purse.left) - cost, 0)
            shuts = None if left else trap
            partition.record(Weighed(page, number, left, host_left, content, shuts))
        if not host_left:
            due, strikes = state.hosts.due[host], state.hosts.strikes[host]
            closed = Outcome.TRAP_NOTHING_NEW
            partition.change_host(HostChanged(moment, host, due, strikes, closed))

    def _earn(self, partition: Partition, page: int, host: int, holders: list[Holder]) -> None:
        """Give back to those purses that are not full."""
        purses, earned = partition.state.traps.hosts[host], WHOLE * self._traps.earned
        most = WHOLE * self._traps.host_budget
        host_left = (
            FULL if purses.left == FULL or purses.left + earned >= most else (purses.left + earned)
        )
        changed = [
            (number, FULL if purse.left + earned >= budget else purse.left + earned)
            for number, budget, _ in holders
            if (purse := purses.shapes.get(number)) is not None
        ]
        if not changed and host_left != purses.left:
            changed = [(holders[0][0], FULL)]
        for number, left in changed:
            partition.record(Weighed(page, number, left, host_left))

    def _content(self, site_name: str, shape: Shape, seen: Seen) -> int:
        """Return what a page is compared by, as a number."""
        if shape.compared is Compared.NEARLY:
            return seen.fingerprint
        if shape.compared is Compared.WITHOUT_DIGITS:
            bare = seen.content.translate(None, _DIGITS)
            return content_number(f"without digits: {site_name}", bare)
        return content_number(site_name, told_by(seen))

    def _is_old(self, site_name: str, shape: Shape, content: int, purse: Purse | None) -> bool:
        """Return whether pages like this have said the same, and remember that this one does."""
        contents = purse.contents if purse is not None else []
        if shape.compared is Compared.NEARLY:
            return self._novelty.is_near(site_name, content) or any(
                distance(content, other) <= NEAR_BITS for other in contents
            )
        if shape.compared is Compared.WITHOUT_DIGITS:
            return self._novelty.note_number(content) or content in contents
        return content in contents
