"""Ends trees of sitemap indexes that have no end.

An index lists sitemaps, and none of these is an index (https://www.sitemaps.org/protocol.html).
Some sites nest them nevertheless. So each site has a budget for indexes that an index has led to:
one that leads on takes one from it, and a list of unknown pages gives `earned` back. When it is
empty, what such indexes have listed, and was not asked for, is put aside.

Always true: a site that follows the protocol loses nothing here, however many sitemaps it has.

The budget is one of the host's (`frontier.facts.traps`) and takes nothing from the others: the
pages of the site have done nothing wrong.
"""

from __future__ import annotations

from lycosa.crawl.answers.page_answer import PageAnswer
from lycosa.extract.sitemap import is_index
from lycosa.frontier.facts.traps import FULL, INDEX, HostPurses, shape_number
from lycosa.frontier.fold.state import PartitionState
from lycosa.model.records import Outcome, Weighed

_TREE = " sitemap indexes"
"""Stands for a shape, which would begin with a slash."""


def weigh_list(answered: PageAnswer, budget: int, earned: int, cost: int) -> None:
    """Weigh a list that was read and whose entries have been routed."""
    state, page = answered.state, answered.page
    if len(state.table) == answered.known_urls:
        return  # it leads nowhere
    purses = state.traps.hosts.get(answered.host)
    number = shape_number(answered.site_name, _TREE)
    purse = purses.shapes.get(number) if purses is not None else None
    if not is_index(answered.answer.body):
        if purse is not None:
            left = FULL if purse.left + earned >= budget else purse.left + earned
            _record(answered, number, left)
        return
    left = FULL if purse is None else purse.left
    shuts = None
    if purses is not None and number in purses.shut:
        shuts = Outcome.TRAP_NOTHING_NEW
    elif _led_by_index(state, page):
        left = max((budget if left == FULL else left) - cost, 0)
        shuts = None if left else Outcome.TRAP_NOTHING_NEW
    _record(answered, number, left, INDEX, shuts)


def _record(
    answered: PageAnswer, number: int, left: int, content: int = 0, shuts: Outcome | None = None
) -> None:
    purses = answered.state.traps.hosts.get(answered.host)
    host_left = FULL if purses is None else purses.left
    answered.partition.record(Weighed(answered.page, number, left, host_left, content, shuts))


def is_in_shut_tree(state: PartitionState, page: int, purses: HostPurses) -> bool:
    """Tell whether a nested index has led to a URL, on a site that has spent its purse."""
    site_name = state.site_names[state.pages.site[page]]
    if shape_number(site_name, _TREE) not in purses.shut:
        return False
    index = state.sources.of(page)[1]
    return index in state.traps.indexes and _led_by_index(state, index)


def _led_by_index(state: PartitionState, page: int) -> bool:
    return state.sources.of(page)[1] in state.traps.indexes
